/** The report of a run: its steps, its failures, what it left unproved, and its measurements. */
import type { OracleVerdict } from '../oracles/oracle.ts';
import type { World } from '../world/world.ts';
import type { Scenario } from './language/scenario.ts';

/** `unknown`: nothing failed, but something was not exercised. */
export type VerdictWord = 'pass' | 'fail' | 'unknown';

export interface StepReport {
  /** Number of the top-level step that it is, or that contains it. */
  readonly number: number;
  /** Position of a nested step, from 1, such as `3.1.2`. */
  readonly path?: string;
  /** Round of a repeated step. */
  readonly round?: number;
  readonly what: string;
  /** Whether the step is a `converge`. */
  readonly converges?: true;
  /** Begin in milliseconds since the cluster was ready; missing if it equals the end. */
  readonly beganMs?: number;
  /** End in milliseconds since the cluster was ready. */
  readonly atMs: number;
  readonly isExpectation: boolean;
  /** Expectations that were not met. */
  readonly failures: readonly string[];
  /** For an answer that did not match: expected, actual, and where they differ. */
  readonly mismatch?: Mismatch;
  /** The kind of an entry that is not a plain step: a block with a note, a login, a failed oracle. */
  readonly is?: 'block' | 'session' | 'oracle';
}

/** Expected and actual value side by side. Places are paths such as `body.legs[1].side`. */
export interface Mismatch {
  readonly expected: unknown;
  readonly actual: unknown;
  readonly expectedAt: readonly string[];
  readonly actualAt: readonly string[];
}

export type FailureKind = 'step' | 'oracle' | 'eventually' | 'promise';

/** A failure of the run. */
export interface Failure {
  readonly kind: FailureKind;
  /** Name of the oracle, goal or promise; for a step its description. */
  readonly name: string;
  /** Number of the step that was running; after the last step, the number of steps plus one. */
  readonly step: number;
  readonly atMs: number;
  readonly text: string;
}

/** How often a goal was seen; `atMs`: the first time. */
export interface SeenReport {
  readonly name: string;
  readonly count: number;
  readonly atMs: number | undefined;
}

export interface PromiseReport {
  readonly name: 'detect' | 'failOver' | 'recover';
  /** The fault that began the episode, and when. */
  readonly fault: string;
  readonly atMs: number;
  readonly promisedMs: number;
  /** `undefined`: it was never reached. */
  readonly measuredMs: number | undefined;
  /** `open`: the run ended before the promised time had passed. */
  readonly verdict: 'kept' | 'broken' | 'open';
}

/** Counts of one part of the workload. */
export interface WorkloadReport {
  /** Name of the part in the scenario's workload: `calls`, `requests 2` … */
  readonly part: string;
  readonly name: string;
  /** How many were started. */
  readonly started: number;
  /** How many succeeded: a call with a 2xx, a request with a status below 400. */
  readonly acknowledged: number;
  /** How many were refused or not answered. */
  readonly failed: number;
  /** How many were still undecided when the load or the run ended. */
  readonly open: number;
  /** Reasons of the failures, the most frequent first. */
  readonly reasons: readonly FailureReason[];
}

/** A reason and its count: a status of HTTP or SIP, `no answer`, or `no way` to the platform. */
export interface FailureReason {
  readonly why: string;
  readonly count: number;
}

export interface RunReport {
  readonly name: string;
  readonly mode: World['mode'];
  readonly seed: number;
  readonly verdict: VerdictWord;
  readonly steps: readonly StepReport[];
  /** Number of steps in the scenario; blocks are not counted. */
  readonly stepCount: number;
  /** Hash of the journal. Virtual runs only: a live run cannot be repeated. */
  readonly traceHash: string | undefined;
  /** The first failure decides; later ones may follow from it. */
  readonly failures: readonly Failure[];
  /** Reasons of an unknown verdict: what was not exercised. */
  readonly unproved: readonly string[];
  /** Milliseconds from the ready cluster to the end of the run. */
  readonly durationMs: number;
  /** Times of oracle failures are milliseconds since the cluster was ready. */
  readonly oracles: readonly OracleVerdict[];
  readonly sometimes: readonly SeenReport[];
  readonly eventually: readonly SeenReport[];
  readonly promises: readonly PromiseReport[];
  readonly workload: readonly WorkloadReport[];
}

/** What the verdict of a run is made from. */
export interface Findings {
  readonly failures: readonly Failure[];
  readonly steps: readonly StepReport[];
  readonly oracles: readonly OracleVerdict[];
  readonly sometimes: readonly SeenReport[];
  readonly promises: readonly PromiseReport[];
  readonly workload: readonly WorkloadReport[];
  /** Requests and calls that steps made. */
  readonly demands: number;
}

/** Fail with any failure; unknown if something that the scenario names was not exercised (`unprovedOf`). */
export function verdictOf({ failures }: Findings, unproved: readonly string[]): VerdictWord {
  if (failures.length > 0) return 'fail';
  return unproved.length > 0 ? 'unknown' : 'pass';
}

/** What the run did not exercise; empty for a failed run. */
export function unprovedOf(scenario: Scenario, findings: Findings): string[] {
  if (findings.failures.length > 0) return [];
  const { steps, demands, workload, sometimes } = findings;
  if (!expectsAnything(scenario, steps)) return [nothingExpected];
  const reasons: string[] = [];
  const done = workload.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  if (demands + done === 0) reasons.push('no step asked anything of the cluster');
  reasons.push(...fruitlessParts(workload).map(({ reason }) => reason));
  reasons.push(...unexercised(scenario, findings.oracles));
  for (const { name } of sometimes.filter(({ count }) => count === 0)) reasons.push(neverSeen(name));
  if (scenario.promise !== undefined && findings.promises.length === 0) {
    reasons.push('no fault occurred that the promise covers');
  }
  return reasons;
}

/**
 * The parts of a workload without a success, each with the reason that it proves nothing. A single path of a mix may go
 * undrawn.
 */
export function fruitlessParts(workload: readonly WorkloadReport[]): { part: string; reason: string }[] {
  return [...new Set(workload.map(({ part }) => part))].flatMap((part) => {
    const own = workload.filter((report) => report.part === part);
    if (own.some(({ acknowledged }) => acknowledged > 0)) return [];
    const begun = own.reduce((sum, { started }) => sum + started, 0);
    return [{ part, reason: `no ${part} of the workload succeeded (${begun} started)` }];
  });
}

const nothingExpected = 'the scenario has no expectation, so the run proves nothing';

/** In a sweep it is enough that one of the seeds saw it. */
export function neverSeen(name: string): string {
  return `sometimes "${name}" was never seen`;
}

function expectsAnything(scenario: Scenario, steps: readonly StepReport[]): boolean {
  const { always, eventually, sometimes, promise } = scenario;
  const isTold = always !== undefined && always.length > 0;
  const more = eventually.length + sometimes.length > 0 || promise !== undefined;
  return isTold || more || steps.some(({ isExpectation }) => isExpectation);
}

/** Each oracle that a scenario names must be exercised; of all oracles at least one. */
function unexercised({ always }: Scenario, oracles: readonly OracleVerdict[]): string[] {
  if (always === undefined) return [];
  const idle = oracles.filter(({ verdict }) => verdict === 'unknown');
  if (always === 'all') return oracles.length > 0 && idle.length === oracles.length ? ['no oracle was exercised'] : [];
  return idle.map(({ name }) => `oracle ${name} was never exercised`);
}
