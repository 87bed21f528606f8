/** The report of a run as lines of text: its steps, counts of its workload, and the result. */
import type { FailureReason, PromiseReport, RunReport, StepReport, WorkloadReport } from '../scenario/report.ts';

/** `1 step`, `2 steps`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Identifies a step across its rounds. */
export function placeOf({ number, path = String(number) }: Pick<StepReport, 'number' | 'path'>): string {
  return path;
}

/** `9 steps`; after an early end `4 of 9 steps`; with repetitions `9 steps (41 times)`. */
export function stepsText({ steps, stepCount }: Pick<RunReport, 'steps' | 'stepCount'>): string {
  const done = steps.filter((step) => step.is === undefined);
  const places = placesOf(done);
  const of = places < stepCount ? `${places} of ` : '';
  return `${of}${counted(stepCount, 'step')}${done.length > places ? ` (${done.length} times)` : ''}`;
}

/** Number of executed steps with an expectation. */
export function expectationsText({ steps }: Pick<RunReport, 'steps'>): string {
  const expecting = steps.filter((step) => step.is === undefined && step.isExpectation);
  return counted(placesOf(expecting), 'expectation');
}

function placesOf(steps: readonly StepReport[]): number {
  return new Set(steps.map(placeOf)).size;
}

interface Repeated {
  readonly first: StepReport;
  count: number;
  lastMs: number;
}

/**
 * The steps of a run as lines, in the order of their ends. Equal rounds that passed are merged into one line, which is
 * printed before the next other line.
 */
export class StepLines {
  readonly #held = new Map<string, Repeated>();

  /** The lines to print at the end of a step; may be empty. */
  add(step: StepReport): string {
    if (step.round === undefined || step.failures.length > 0) return `${this.rest()}${stepText(step)}`;
    const key = `${placeOf(step)} ${step.what}`;
    const held = this.#held.get(key);
    if (held === undefined) this.#held.set(key, { first: step, count: 1, lastMs: step.atMs });
    else {
      held.count += 1;
      held.lastMs = step.atMs;
    }
    return '';
  }

  /** The lines that remain. */
  rest(): string {
    const lines = [...this.#held.values()].map(({ first, count, lastMs }) =>
      count === 1 ? stepText(first) : stepText(first, { count, lastMs }),
    );
    this.#held.clear();
    return lines.join('');
  }
}

/** How many reasons are listed; the rest is a sum. */
const mostReasons = 3;

/** `calls: 58 begun, 31 acknowledged, 22 failed (503 ×22), 5 open`. */
export function accountText(account: WorkloadReport): string {
  const { started, acknowledged, failed, open, reasons } = account;
  const why = failed === 0 ? '' : ` (${reasonsText(reasons)})`;
  return `${accountName(account)}: ${started} begun, ${acknowledged} acknowledged, ${failed} failed${why}${open === 0 ? '' : `, ${open} open`}`;
}

/** `GET /rest/v1/uc/calls (requests 2)`: names the part if there are several. */
export function accountName({ part, name }: Pick<WorkloadReport, 'part' | 'name'>): string {
  return / \d+$/.test(part) ? `${name} (${part})` : name;
}

/** `503 ×22, 480 ×3`: the most frequent first. */
export function reasonsText(reasons: readonly FailureReason[]): string {
  const named = reasons.slice(0, mostReasons).map(({ why, count }) => `${why} ×${count}`);
  const others = reasons.slice(mostReasons).reduce((sum, { count }) => sum + count, 0);
  return [...named, ...(others === 0 ? [] : [`others ×${others}`])].join(', ');
}

/** Time, result, number and description of a step, and its failures. `repeated`: merged rounds. */
export function stepText(step: StepReport, repeated?: { readonly count: number; readonly lastMs: number }): string {
  const { atMs, number, path, what, round, failures, isExpectation } = step;
  const mark = failures.length > 0 ? 'FAIL' : isExpectation ? 'ok  ' : '    ';
  const times = repeated === undefined ? roundText(round) : ` (${repeatedText(repeated)})`;
  const indent = ' '.repeat(22);
  const place = (path ?? String(number)).padStart(2);
  return `${timeText(atMs)}  ${mark} ${place}  ${what}${times}\n${failures.map((failure) => `${indent}${failure}\n`).join('')}`;
}

function roundText(round: number | undefined): string {
  return round === undefined ? '' : ` (round ${round})`;
}

/** `21 times, last at 21.000 s`. */
function repeatedText({ count, lastMs }: { readonly count: number; readonly lastMs: number }): string {
  return `${count} times, last at ${timeText(lastMs).trim()}`;
}

/** The text report of a run: the measurements and counts, then the verdict and its reasons. */
export function reportText(report: RunReport): string {
  const { verdict, traceHash, unproved, oracles, failures } = report;
  const why = unproved.length === 0 ? '' : ` (${unproved.join('; ')})`;
  const trace = traceHash === undefined ? '' : `, trace ${traceHash}`;
  const checked = oracles.filter(({ checks }) => checks > 0).length;
  const watched = oracles.length === 0 ? '' : `, ${checked} of ${oracles.length} oracles exercised`;
  const others = failures.filter(({ kind }) => kind === 'eventually' || kind === 'promise');
  return [
    ...others.map(
      ({ kind, name, atMs, text }) => `${timeText(atMs)}  FAIL ${kind} ${name}\n${' '.repeat(22)}${text}\n`,
    ),
    ...report.eventually
      .filter(({ count }) => count > 0)
      .map(({ name, atMs = 0 }) => `${timeText(atMs)}  ok   eventually ${name}\n`),
    ...report.sometimes.map(({ name, count }) => `  sometimes ${name}: ${timesSeen(count)}\n`),
    ...report.promises.map(promiseText),
    ...report.workload.map((account) => `  workload ${accountText(account)}\n`),
    `${verdict}${why}: ${stepsText(report)}, ${expectationsText(report)}${watched}${trace}\n`,
  ].join('');
}

function timesSeen(count: number): string {
  if (count === 0) return 'never seen';
  return count === 1 ? 'seen once' : `seen ${count} times`;
}

const promiseMarks = { kept: ': kept', broken: ': BROKEN', open: ', and the run ended before' } as const;

function promiseText({ name, fault, promisedMs, measuredMs, verdict }: PromiseReport): string {
  const measured = measuredMs === undefined ? (verdict === 'open' ? 'not yet' : 'never') : `${seconds(measuredMs)} s`;
  return `  promise ${name} of "${fault}": ${measured}, promised ${seconds(promisedMs)} s${promiseMarks[verdict]}\n`;
}

function timeText(atMs: number): string {
  return `${(atMs / 1_000).toFixed(3)} s`.padStart(11);
}

function seconds(ms: number): string {
  return String(Math.round(ms) / 1_000);
}
