/** What a run came to: its steps, what failed, what was not proved, and what was measured. */
import type { OracleVerdict } from '../oracles/oracle.ts';
import type { World } from '../world/world.ts';

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
