import type { OracleVerdict } from '../oracles/oracle.ts';
import type { World } from '../world/world.ts';
import type { Scenario } from './language/scenario.ts';

/** What a run came to: its steps, what failed, what was not proved, and what was measured. */

/** `unknown`: nothing failed, but something was not put to the test. */
export type VerdictWord = 'pass' | 'fail' | 'unknown';

export interface StepReport {
  /** Of the step of the scenario that it is, or is part of. */
  readonly number: number;
  /** Of a step within blocks: numbers on the way to it, from 1, such as `3.1.2`. */
  readonly path?: string;
  /** Which time it was, of a step that is repeated. */
  readonly round?: number;
  readonly what: string;
  /** Whether a core was healed and had to come together. */
  readonly converges?: true;
  /** Milliseconds since the cluster was ready, when it began to be done; missing where that is when it was over. */
  readonly beganMs?: number;
  /** Milliseconds since the cluster was ready, when the step was over. */
  readonly atMs: number;
  readonly isExpectation: boolean;
  /** What did not hold. */
  readonly failures: readonly string[];
  /** Of an answer that was not as expected: both, and where they differ. */
  readonly mismatch?: Mismatch;
  /** What it is where it is no step that does something: a block with a note, a login, an oracle that failed. */
  readonly is?: 'block' | 'session' | 'oracle';
}

/** What was expected beside what came. Places are paths such as `body.legs[1].side`. */
export interface Mismatch {
  readonly expected: unknown;
  readonly actual: unknown;
  readonly expectedAt: readonly string[];
  readonly actualAt: readonly string[];
}

export type FailureKind = 'step' | 'oracle' | 'eventually' | 'promise';

/** Something that did not hold. */
export interface Failure {
  readonly kind: FailureKind;
  /** Of what: the name of an oracle, or of what should have come true or was promised; of a step what it is about. */
  readonly name: string;
  /** Number of the step of the scenario that was under way; one more than there are: after the last. */
  readonly step: number;
  readonly atMs: number;
  readonly text: string;
}

/** Something that should be seen, or come true; `atMs`: when it first was. */
export interface SeenReport {
  readonly name: string;
  readonly count: number;
  readonly atMs: number | undefined;
}

export interface PromiseReport {
  readonly name: 'detect' | 'failOver' | 'recover';
  /** What broke, and when. */
  readonly fault: string;
  readonly atMs: number;
  readonly promisedMs: number;
  /** `undefined`: it never came to it. */
  readonly measuredMs: number | undefined;
  /** `open`: the run ended before the promised time was over. */
  readonly verdict: 'kept' | 'broken' | 'open';
}

/** What a part of the workload did, and what came of it. */
export interface WorkloadReport {
  /** Of the scenario's workload: `calls`, `requests 2` … */
  readonly part: string;
  readonly name: string;
  /** Begun. */
  readonly started: number;
  /** Answered, as it was meant: a call by a 2xx, a request by a status below 400. */
  readonly acknowledged: number;
  /** Answered otherwise, or not at all. */
  readonly failed: number;
  /** Neither yet when the load or the run ended. */
  readonly open: number;
  /** Of what failed, the commonest first. */
  readonly reasons: readonly FailureReason[];
}

/** Why something failed: a status of HTTP or SIP, `no answer`, `no way` to the platform; and how often. */
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
  /** How many steps the scenario has, blocks not counted. */
  readonly stepCount: number;
  /** Hash of everything that happened; of the virtual world only, for the live one never happens twice. */
  readonly traceHash: string | undefined;
  /** The first is the one that counts: what came after may come of it. */
  readonly failures: readonly Failure[];
  /** Why it is unknown: what was not put to the test. */
  readonly unproved: readonly string[];
  /** Milliseconds from when the cluster was ready to the end. */
  readonly durationMs: number;
  /** Moments of what failed are those since the cluster was ready, as everywhere here. */
  readonly oracles: readonly OracleVerdict[];
  readonly sometimes: readonly SeenReport[];
  readonly eventually: readonly SeenReport[];
  readonly promises: readonly PromiseReport[];
  readonly workload: readonly WorkloadReport[];
}

/** The verdict of a run, and why it is unknown where nothing failed: what was not put to the test. */

export interface Findings {
  readonly failures: readonly Failure[];
  readonly steps: readonly StepReport[];
  readonly oracles: readonly OracleVerdict[];
  readonly sometimes: readonly SeenReport[];
  readonly promises: readonly PromiseReport[];
  readonly workload: readonly WorkloadReport[];
  /** Requests and calls of steps. */
  readonly demands: number;
}

export function verdictOf({ failures }: Findings, unproved: readonly string[]): VerdictWord {
  if (failures.length > 0) return 'fail';
  return unproved.length > 0 ? 'unknown' : 'pass';
}

/** What was not put to the test; of a run that failed nothing is said. */
export function unprovedOf(scenario: Scenario, findings: Findings): string[] {
  if (findings.failures.length > 0) return [];
  const { steps, demands, workload, sometimes } = findings;
  if (!expectsAnything(scenario, steps)) return [nothingExpected];
  const reasons: string[] = [];
  const done = workload.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  if (demands + done === 0) reasons.push('nothing was asked of the cluster');
  reasons.push(...fruitless(workload));
  reasons.push(...unexercised(scenario, findings.oracles));
  for (const { name } of sometimes.filter(({ count }) => count === 0)) reasons.push(neverSeen(name));
  if (scenario.promise !== undefined && findings.promises.length === 0) {
    reasons.push('nothing broke of which the promise speaks');
  }
  return reasons;
}

/** Of a part of the workload at least something must have come; not each thing of its mix need have had its turn. */
function fruitless(workload: readonly WorkloadReport[]): string[] {
  return [...new Set(workload.map(({ part }) => part))].flatMap((part) => {
    const own = workload.filter((report) => report.part === part);
    if (own.some(({ acknowledged }) => acknowledged > 0)) return [];
    const begun = own.reduce((sum, { started }) => sum + started, 0);
    return [`the workload "${part}" came to nothing (${begun} begun)`];
  });
}

const nothingExpected = 'nothing was expected, so nothing was proved';

/** Of a sweep it is enough that it was seen with one of the seeds. */
export function neverSeen(name: string): string {
  return `sometimes "${name}" was never seen`;
}

function expectsAnything(scenario: Scenario, steps: readonly StepReport[]): boolean {
  const { always, eventually, sometimes, promise } = scenario;
  const isTold = always !== undefined && always.length > 0;
  const more = eventually.length + sometimes.length > 0 || promise !== undefined;
  return isTold || more || steps.some(({ isExpectation }) => isExpectation);
}

/** An oracle that a scenario names must have had something to say; of all oracles at least one. */
function unexercised({ always }: Scenario, oracles: readonly OracleVerdict[]): string[] {
  if (always === undefined) return [];
  const idle = oracles.filter(({ verdict }) => verdict === 'unknown');
  if (always === 'all') return oracles.length > 0 && idle.length === oracles.length ? ['no oracle was exercised'] : [];
  return idle.map(({ name }) => `oracle ${name} was never exercised`);
}
