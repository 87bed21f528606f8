/**
 * An oracle: one rule that must hold in every run, whatever faults it has. It observes the run and checks the quiescent
 * cluster. Its verdict is `unknown` until it has been exercised.
 */
import type { ClusterMap, InstanceEntry } from '../../src/model/cluster/cluster-map.ts';
import type { InstanceStatus } from '../../src/model/cluster/states.ts';
import type { FaultPoint } from '../../src/ports/instrumentation/fault-points.ts';
import type { Census, CensusOptions } from '../../src/ports/instrumentation/probe.ts';
import type { Faults } from '../faults/faults.ts';
import type { ObservationKind, ObservationOf, TypedKind } from '../observation/observation.ts';
import type { PhoneView } from '../outside/endpoints/phone.ts';
import type { ProviderView } from '../outside/endpoints/provider.ts';
import type { RecordsOnDisk } from '../ports/store.ts';
import type { PublishedKind, PublishedOf } from './published.ts';
import type { Questions } from './questions.ts';

/** Creates an oracle for one run. @internal */
export interface OracleMaker {
  readonly name: string;
  /** One sentence. */
  readonly rule: string;
  /**
   * Whether it uses the cluster itself when that is quiescent. `useCase`: calls, changes of data. `drill`: the same, while
   * something is broken and after.
   */
  readonly plays?: 'useCase' | 'drill';
  /** How often a run draws it, against other use cases or drills. Default: 1. */
  readonly weight?: number;
  /** The address of its client, if it is one of its own. */
  readonly sender?: string;
  /** What the oracle does not judge, why, and which oracle does. */
  readonly exclusions?: string;
  make(context: OracleContext): Oracle;
}

export interface Oracle {
  /** The subscribed observations, with their listeners. Listeners must not change anything. */
  readonly listeners?: ObservationListeners;
  /** Called once a second while the world runs. */
  tick?(nowMs: number): void;
  /** Called when the cluster is quiescent: no load, no calls, all events delivered. May send requests to the fronts. A drill plays here. */
  atQuiescence?(): void | Promise<void>;
}

type Heard<K> = (
  observation: K extends ObservationKind ? ObservationOf<K> : K extends PublishedKind ? PublishedOf<K> : never,
) => void;
type HeardByType<K> = K extends TypedKind | 'published.event' ? { readonly [type: string]: Heard<K> } : never;

/**
 * By kind: a listener, or one for each type of envelope, machine of entity, method of SIP message outside, or class of
 * event that the oracle looks at. The others cost it nothing.
 */
export type ObservationListeners = {
  readonly [K in ObservationKind | PublishedKind]?: Heard<K> | HeardByType<K>;
};

/** What an oracle has access to. @internal */
export interface OracleContext {
  readonly map: ClusterMap;
  now(): number;
  /** How long the cluster has been stable; 0 if it is not. */
  stableMs(): number;
  /** Whether no clock was set in this run: one that was runs slower or faster for a while. */
  areClocksRight(): boolean;
  /** How often a fault point has fired. */
  fired(point: FaultPoint): number;
  census(options?: CensusOptions): Census[];
  phones(): readonly PhoneView[];
  providers(): readonly ProviderView[];
  /** What each store has on disk, by its path; nothing where stores are not simulated. */
  onDisk(): ReadonlyMap<string, RecordsOnDisk>;
  /** The status of an instance, as its own node has it; `undefined` while that does not run. */
  statusOf(instance: InstanceEntry): InstanceStatus | undefined;
  /** For drills. */
  readonly faults: Faults;
  readonly questions: Questions;
  /** The rule was exercised `times` times (default 1). It held, unless `fail` is called too. */
  check(times?: number): void;
  /** The rule was broken. `atMs`: default now. */
  fail(what: string, atMs?: number): void;
}

export interface OracleFailure {
  /** Milliseconds since the epoch, by the world's clock. */
  readonly atMs: number;
  readonly what: string;
}

export interface OracleVerdict {
  readonly name: string;
  readonly rule: string;
  /** `unknown`: the rule was never exercised. */
  readonly verdict: 'pass' | 'fail' | 'unknown';
  /** How often the rule was exercised. */
  readonly checks: number;
  readonly failures: readonly OracleFailure[];
}
