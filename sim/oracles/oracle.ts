/**
 * An oracle: one rule that must hold in every run, whatever was broken. It is fed with what happens, and asked at quiet; its
 * verdict is `unknown` until the rule was exercised at least once.
 */
import type { ClusterMap } from '../../src/model/cluster-map.ts';
import type { World } from '../world/world.ts';
import type { Observation, ObservationKind } from './observation.ts';

export interface Oracle {
  readonly name: string;
  /** One sentence. */
  readonly rule: string;
  /** The kinds that it wants to see, and the types of envelopes among them; left out: all. */
  readonly kinds?: readonly ObservationKind[];
  readonly types?: readonly string[];
  see(observation: Observation): void;
  /** Looks, and asks through the fronts, when the world is quiet: no load, no calls, and time has passed. */
  atQuiet?(): void | Promise<void>;
}

/** What an oracle is made with. */
export interface OracleContext {
  readonly map: ClusterMap;
  readonly world: World;
  /** The rule was put to the test once, and held unless `fail` is called. */
  readonly check: (times?: number) => void;
  /** The rule is broken. */
  readonly fail: (what: string) => void;
}

/** How an oracle is made for one run. */
export interface OracleMaker {
  readonly name: string;
  readonly rule: string;
  make(context: OracleContext): Omit<Oracle, 'name' | 'rule'>;
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
