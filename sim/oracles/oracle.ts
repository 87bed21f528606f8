/**
 * An oracle: one rule that must hold in every run, whatever was broken. It hears what happens, and is asked at quiet; its
 * verdict is `unknown` until the rule was put to the test at least once.
 */
import type { ClusterMap } from '../../src/model/cluster-map.ts';
import type { FaultPoint } from '../../src/ports/fault-points.ts';
import type { Census, CensusOptions } from '../../src/ports/probe.ts';
import type { PhoneView } from '../outside/phone.ts';
import type { ObservationKind, ObservationOf } from './observation.ts';
import type { Questions } from './questions.ts';

/** How an oracle is made for one run. */
export interface OracleMaker {
  readonly name: string;
  /** One sentence. */
  readonly rule: string;
  /** Of what it says nothing, why, and what looks at that instead. */
  readonly silence?: string;
  make(context: OracleContext): Oracle;
}

export interface Oracle {
  /** What it does with what happens, by kind. It only looks. */
  readonly hears?: Hears;
  /** Of envelopes only those of these types, of entities those of these machines. Default: all. */
  readonly types?: readonly string[];
  /** Looks once a second while the world runs. */
  tick?(nowMs: number): void;
  /** Looks, and asks through the fronts, when the world is quiet: no load, no calls, and time has passed. */
  atQuiet?(): void | Promise<void>;
}

export type Hears = { readonly [K in ObservationKind]?: (observation: ObservationOf<K>) => void };

/** What an oracle may look at. */
export interface OracleContext {
  readonly map: ClusterMap;
  now(): number;
  /** For how long nothing was broken and all have been together; 0: they are not. */
  calmMs(): number;
  /** How often something unlikely has happened at a point of the platform. */
  fired(point: FaultPoint): number;
  census(options?: CensusOptions): Census[];
  phones(): readonly PhoneView[];
  readonly questions: Questions;
  /** The rule was put to the test, once or so often, and held unless `fail` is called as well. */
  check(times?: number): void;
  /** The rule is broken. */
  fail(what: string): void;
}

export interface OracleFailure {
  /** Milliseconds since the epoch, by the world's clock. */
  readonly atMs: number;
  readonly what: string;
}

export interface OracleVerdict {
  readonly name: string;
  readonly rule: string;
  /** `unknown`: the rule was never put to the test. */
  readonly verdict: 'pass' | 'fail' | 'unknown';
  /** How often it was. */
  readonly checks: number;
  readonly failures: readonly OracleFailure[];
}
