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
  readonly fromMs: number;
  readonly untilMs: number;
  readonly steps: readonly StepRow[];
  readonly faults: readonly FaultBar[];
  readonly oracles: readonly OracleRow[];
  readonly names: readonly string[];
  readonly places: readonly Place[];
  /** By time. */
  readonly messages: readonly Message[];
  readonly calls: readonly Call[];
  /** By time. */
  readonly states: readonly StateChange[];
  /** What was left out, and why; empty where nothing was. */
  readonly leftOut: readonly string[];
}

export interface StepRow {
  readonly number: number;
  readonly what: string;
  readonly atMs: number;
  readonly isExpectation: boolean;
  readonly failures: readonly string[];
}

/** `untilMs` is missing where the fault stood to the end, and equals `fromMs` where it is a moment. */
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

/** Who sends and receives: a role instance, a node, a phone or a provider. */
export interface Place {
  readonly name: string;
  readonly site: string;
  readonly kind: 'node' | 'instance' | 'outside';
}

/** Moment, places from and to, name of what it is, name of more about it, name of the call's Call-Id or of none (-1). */
export type Message = readonly [atMs: number, from: number, to: number, what: number, more: number, callid: number];

/** Call-Ids of all legs of one call, by the name of each. */
export interface Call {
  readonly name: string;
  readonly callids: readonly number[];
  readonly fromMs: number;
  readonly untilMs: number;
  readonly messages: number;
}

/** Moment, place, name of the machine, name of the entity's key, name of the state (-1: it is gone). */
export type StateChange = readonly [atMs: number, place: number, machine: number, key: number, state: number];
