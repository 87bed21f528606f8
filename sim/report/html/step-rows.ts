/** The steps of a run as rows of its page, the rounds of each together, and what failed with the step that it is about. */
import type { RunReport, StepReport } from '../../scenario/report.ts';
import { placeOf, stepsText } from '../step-counts.ts';
import { comparedOf } from './compared.ts';
import type { FailureRow, ReportData, StepRow } from './data.ts';

/** Milliseconds with three digits, as all moments of a page are: else a message may come after the step that it ends. */
export function toMicroseconds(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}

export function stepFindings(report: RunReport): Pick<ReportData, 'failures' | 'steps' | 'stepGroups' | 'stepsText'> {
  const { steps, failures } = report;
  return {
    failures: failures.map((failure) => failureRow(failure, steps)),
    steps: steps.map(stepRow),
    stepGroups: groupsOf(steps),
    stepsText: stepsText(report),
  };
}

function failureRow(
  { kind, name, atMs, text }: RunReport['failures'][number],
  steps: readonly StepReport[],
): FailureRow {
  const step = steps.findIndex((each) => each.atMs === atMs && each.what === name && each.failures.includes(text));
  return { kind, name, atMs: toMicroseconds(atMs), text, ...(kind === 'step' && step >= 0 && { step }) };
}

function stepRow(step: StepReport): StepRow {
  const { what, round, beganMs, converges, atMs, isExpectation, failures, mismatch } = step;
  return {
    place: placeOf(step),
    what,
    ...(round !== undefined && { round }),
    ...(beganMs !== undefined && { fromMs: toMicroseconds(beganMs) }),
    ...(converges && { converges }),
    atMs: toMicroseconds(atMs),
    isExpectation,
    failures,
    ...(mismatch !== undefined && { compared: comparedOf(mismatch) }),
  };
}

function groupsOf(steps: readonly StepReport[]): number[][] {
  const groups: number[][] = [];
  const rounds = new Map<string, number[]>();
  for (const [i, step] of steps.entries()) {
    const known = step.round === undefined ? undefined : rounds.get(placeOf(step));
    if (known !== undefined) known.push(i);
    else groups.push([i]);
    if (known === undefined && step.round !== undefined) rounds.set(placeOf(step), groups.at(-1) ?? []);
  }
  return groups;
}
