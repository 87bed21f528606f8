/**
 * What the page of a run shows, as plain data that goes into the page. Moments are milliseconds since the cluster was ready.
 * Texts that come again and again are kept once, in `names`, and named by their place there.
 */

export interface ReportData {
  readonly scenario: string;
  readonly why: string;
  readonly mode: 'virtual' | 'live';
  readonly seed: number;
  readonly verdict: 'pass' | 'fail' | 'unknown';
  /** Version, and digest of the code. */
  readonly maker: string;
  /** The command that runs it once more. */
  readonly again?: string;
  readonly fromMs: number;
  readonly untilMs: number;
  /** What did not hold; the first is the one that counts. */
  readonly failures: readonly FailureRow[];
  /** Why the verdict is unknown. */
  readonly unproved: readonly string[];
  readonly steps: readonly StepRow[];
  /** Steps by their places in `steps`: rounds of one together, in the order in which they began. */
  readonly stepGroups: readonly (readonly number[])[];
  /** How many steps were done, of how many, in words. */
  readonly stepsText: string;
  readonly faults: readonly FaultBar[];
  readonly oracles: readonly OracleRow[];
  readonly promises: readonly PromiseRow[];
  readonly seen: readonly SeenRow[];
  readonly workload: readonly WorkloadRow[];
  readonly names: readonly string[];
  readonly places: readonly Place[];
  /** By time; of a long run not all. */
  readonly messages: readonly Message[];
  /** How many there were. */
  readonly said: number;
  /** Where some are missing. */
  readonly gaps: readonly Gap[];
  readonly calls: readonly Call[];
  /** By time. */
  readonly states: readonly StateChange[];
  /** Where changes of the same machine are missing. */
  readonly stateGaps: readonly Gap[];
  /** What was left out, and why; empty where nothing was. */
  readonly leftOut: readonly string[];
}

export interface FailureRow {
  /** Of what: a step, an oracle, something that should have come true, a promise. */
  readonly kind: 'step' | 'oracle' | 'eventually' | 'promise';
  readonly name: string;
  readonly atMs: number;
  readonly text: string;
  /** The step that failed, by its place in `steps`. */
  readonly step?: number;
}

export interface StepRow {
  /** Its number, or those on the way to it: `3.1.2`. */
  readonly place: string;
  readonly what: string;
  /** Which time it was, of a step that is repeated. */
  readonly round?: number;
  /** When it began; missing where that is when it was over. */
  readonly fromMs?: number;
  /** When it was over. */
  readonly atMs: number;
  readonly isExpectation: boolean;
  /** Whether a core was healed and had to come together. */
  readonly converges?: true;
  readonly failures: readonly string[];
  /** Of an answer that was not as expected. */
  readonly compared?: Compared;
}

/** What was expected, and what came. */
export interface Compared {
  readonly expected: readonly MarkedLine[];
  readonly actual: readonly MarkedLine[];
}

/** A line, and whether it is one that differs. */
export type MarkedLine = readonly [text: string, isMarked: 0 | 1];

/** `untilMs` is missing where the fault stood to the end. */
export interface FaultBar {
  readonly what: string;
  readonly fromMs: number;
  readonly untilMs?: number;
}

export interface OracleRow {
  readonly name: string;
  readonly rule: string;
  readonly verdict: 'pass' | 'fail' | 'unknown';
  readonly checks: number;
  readonly failures: readonly { readonly atMs: number; readonly what: string }[];
}

/** `measuredMs` is missing where it never came to it. */
export interface PromiseRow {
  readonly name: string;
  readonly fault: string;
  readonly promisedMs: number;
  readonly measuredMs?: number;
  /** `open`: the run ended before the promised time was over. */
  readonly verdict: 'kept' | 'broken' | 'open';
}

/** Something to be seen at least once; `atMs`: when it first was. */
export interface SeenRow {
  readonly kind: 'sometimes' | 'eventually';
  readonly name: string;
  readonly count: number;
  readonly atMs?: number;
}

export interface WorkloadRow {
  readonly name: string;
  readonly started: number;
  readonly acknowledged: number;
  readonly failed: number;
  readonly open: number;
  /** Why those failed that did, in words. */
  readonly why: string;
}

/** Who sends and receives: a role instance, a node, a phone or a provider. */
export interface Place {
  readonly name: string;
  readonly site: string;
  readonly kind: 'node' | 'instance' | 'outside';
}

/** Moment, places from and to, name of what it is, name of more about it, name of the call's Call-Id or of none (-1). */
export type Message = readonly [atMs: number, from: number, to: number, what: number, more: number, callid: number];

/** How many are missing before the row of this index. */
export type Gap = readonly [index: number, count: number];

/** Call-Ids of all legs of one call, by the name of each. */
export interface Call {
  readonly name: string;
  readonly callids: readonly number[];
  /** By which the interface knows it. */
  readonly dialogids: readonly string[];
  readonly fromMs: number;
  readonly untilMs: number;
  readonly messages: number;
  /** Status of the last final answer to the INVITE of its first leg; 0: none. */
  readonly status: number;
}

/** Moment, place, name of the machine, name of the entity's key, name of the state (-1: it is gone). */
export type StateChange = readonly [atMs: number, place: number, machine: number, key: number, state: number];
