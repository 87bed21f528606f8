/** What one seed of a sweep came to, as a line of the sweep's file; and failures grouped by their cause. */
import { z } from 'zod';
import type { RunReport } from '../scenario/runner.ts';

export const outcomeSchema = z.strictObject({
  scenario: z.string(),
  seed: z.int(),
  build: z.string(),
  verdict: z.enum(['pass', 'fail', 'unknown']),
  /** The step that failed, and what it said. */
  step: z.int().optional(),
  what: z.string().optional(),
  failure: z.string().optional(),
  /** Virtual milliseconds from the start of the cluster to the last step. */
  virtualMs: z.number(),
  traceHash: z.string().optional(),
});
export type Outcome = z.infer<typeof outcomeSchema>;

export function outcomeOf(report: RunReport, build: string): Outcome {
  const failed = report.steps.find(({ failures }) => failures.length > 0);
  const { number: step, what, failures: [failure] = [] } = failed ?? {};
  return {
    scenario: report.name,
    seed: report.seed,
    build,
    verdict: report.verdict,
    ...(failed !== undefined && { step, what, failure }),
    virtualMs: report.steps.at(-1)?.atMs ?? 0,
    ...(report.traceHash !== undefined && { traceHash: report.traceHash }),
  };
}

export interface FailureGroup {
  readonly scenario: string;
  readonly step: number;
  readonly what: string;
  /** Of the seed that was fastest. */
  readonly failure: string;
  /** In the order of how fast they fail. */
  readonly seeds: readonly number[];
}

/** Failures of the same step for the same cause, fastest seed first: the numbers in a text are not its cause. */
export function groupsOf(outcomes: readonly Outcome[]): FailureGroup[] {
  const groups = new Map<string, Outcome[]>();
  for (const outcome of outcomes.filter(({ verdict }) => verdict === 'fail')) {
    const { scenario, step, failure = '' } = outcome;
    const key = JSON.stringify([scenario, step, failure.replace(/\d+/g, '#')]);
    groups.set(key, [...(groups.get(key) ?? []), outcome]);
  }
  return [...groups.values()].map((members) => {
    const sorted = members.toSorted((a, b) => a.virtualMs - b.virtualMs || a.seed - b.seed);
    const [{ scenario = '', step = 0, what = '', failure = '' } = {}] = sorted;
    return { scenario, step, what, failure, seeds: sorted.map(({ seed }) => seed) };
  });
}

export interface Tally {
  readonly scenario: string;
  readonly pass: number;
  readonly fail: number;
  readonly unknown: number;
}

/** How often each scenario passed, failed, and proved nothing. */
export function talliesOf(outcomes: readonly Outcome[]): Tally[] {
  const tallies = new Map<string, { scenario: string; pass: number; fail: number; unknown: number }>();
  for (const { scenario, verdict } of outcomes) {
    const tally = tallies.get(scenario) ?? { scenario, pass: 0, fail: 0, unknown: 0 };
    tally[verdict] += 1;
    tallies.set(scenario, tally);
  }
  return [...tallies.values()];
}
