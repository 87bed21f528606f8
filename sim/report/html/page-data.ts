/**
 * The data of a report page. Times are milliseconds since the cluster was ready. Repeated strings are stored once, in
 * `names`, and referred to by index.
 */

export interface ReportData {
  readonly scenario: string;
  readonly why: string;
  readonly mode: 'virtual' | 'live' | 'processes';
  readonly seed: number;
  readonly verdict: 'pass' | 'fail' | 'unknown';
  /** Version, and digest of the code. */
  readonly maker: string;
  /** The command that repeats the run. */
  readonly again?: string;
  readonly fromMs: number;
  readonly untilMs: number;
  /** The failures; the first one decides. */
  readonly failures: readonly FailureRow[];
  /** Reasons of an unknown verdict. */
  readonly unproved: readonly string[];
  readonly steps: readonly StepRow[];
  /** Steps by their index in `steps`: rounds of one together, in the order of their begin. */
  readonly stepGroups: readonly (readonly number[])[];
  /** How many steps have run, of how many, as text. */
  readonly stepsText: string;
  readonly faults: readonly FaultBar[];
  readonly oracles: readonly OracleRow[];
  readonly promises: readonly PromiseRow[];
  readonly seen: readonly SeenRow[];
  readonly workload: readonly WorkloadRow[];
  readonly names: readonly string[];
  readonly places: readonly ReportPlace[];
  /** Sorted by time; of a long run not all. */
  readonly messages: readonly Message[];
  /** Total number of messages. */
  readonly said: number;
  /** Gaps in the messages. */
  readonly gaps: readonly Gap[];
  readonly calls: readonly CallLegs[];
  /** Sorted by time. */
  readonly states: readonly StateChange[];
  /** Gaps in the changes of one machine. */
  readonly stateGaps: readonly Gap[];
  /** Notes about what is left out; empty for a complete page. */
  readonly leftOut: readonly string[];
}

export interface FailureRow {
  /** Kind: a step, an oracle, a goal, a promise. */
  readonly kind: 'step' | 'oracle' | 'eventually' | 'promise';
  readonly name: string;
  readonly atMs: number;
  readonly text: string;
  /** Index of the failed step in `steps`. */
  readonly step?: number;
}

export interface StepRow {
  /** Its number, or its position in blocks: `3.1.2`. */
  readonly place: string;
  readonly what: string;
  /** Round of a repeated step. */
  readonly round?: number;
  /** Begin; missing if it equals the end. */
  readonly fromMs?: number;
  /** End. */
  readonly atMs: number;
  readonly isExpectation: boolean;
  /** Whether the step is a `converge`. */
  readonly converges?: true;
  readonly failures: readonly string[];
  /** For an answer that did not match. */
  readonly compared?: ComparedLines;
}

/** Expected and actual value. */
export interface ComparedLines {
  readonly expected: readonly MarkedLine[];
  readonly actual: readonly MarkedLine[];
}

/** A line, and whether it differs. */
export type MarkedLine = readonly [text: string, isMarked: 0 | 1];

/** `untilMs` is missing if the fault was active to the end. */
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

/** `measuredMs` is missing if it was never reached. */
export interface PromiseRow {
  readonly name: string;
  readonly fault: string;
  readonly promisedMs: number;
  readonly measuredMs?: number;
  /** `open`: the run ended before the promised time had passed. */
  readonly verdict: 'kept' | 'broken' | 'open';
}

/** A goal under `sometimes`; `atMs`: first time. */
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
  /** Reasons of the failures, as text. */
  readonly why: string;
}

/** Sender or receiver: a role instance, a node, a phone or a provider. */
export interface ReportPlace {
  readonly name: string;
  readonly site: string;
  readonly kind: 'node' | 'instance' | 'outside';
}

/** Time, places from and to, index of the type, index of the details, index of the Call-Id or -1. */
export type Message = readonly [atMs: number, from: number, to: number, what: number, more: number, callid: number];

/** Number of rows missing before the row of this index. */
export type Gap = readonly [index: number, count: number];

/** Call-Ids of all legs of one call, by index. */
export interface CallLegs {
  readonly name: string;
  readonly callids: readonly number[];
  /** Dialogids of the call in the interface. */
  readonly dialogids: readonly string[];
  readonly fromMs: number;
  readonly untilMs: number;
  readonly messages: number;
  /** Status of the last final answer to the INVITE of its first leg; 0: none. */
  readonly status: number;
}

/** Time, place, index of the machine, of the entity's key, and of the state (-1: it has ended). */
export type StateChange = readonly [atMs: number, place: number, machine: number, key: number, state: number];
