/**
 * A world: a cluster that runs, the time it runs in, and the hands to break it. The virtual and the live world are two
 * implementations; a scenario does not know in which of them it is.
 */
import type { ClusterMap } from '../../src/model/cluster-map.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Census, CensusOptions } from '../../src/ports/probe.ts';
import type { Faults } from '../faults/faults.ts';
import type { Listener, ObservationFilter, ObservationKind } from '../oracles/observation.ts';
import type { OutsideWorld } from '../outside/outside.ts';
import type { Journal } from '../ports/journal.ts';
import type { Cluster } from './cluster.ts';

export interface World {
  readonly mode: 'virtual' | 'live';
  readonly map: ClusterMap;
  readonly faults: Faults;
  readonly journal: Journal;
  /** Where timers of the world are set. */
  readonly clock: Clock;
  readonly cluster: Cluster;
  /** Phones and providers. */
  readonly outside: OutsideWorld;
  /** Milliseconds since the Unix epoch, by the world's clock. */
  now(): number;
  /**
   * Starts every node, then has the phones register. Resolves when all nodes see each other, every group has its active
   * instance, and phones and accounts have had their first answers, for which it does not wait long.
   */
  start(): Promise<void>;
  /** Lets time pass. */
  wait(ms: number): Promise<void>;
  /** Lets time pass until something has come to its end, however long that takes. */
  during<T>(promise: Promise<T>): Promise<T>;
  /** Sends a request to the front of a site. Rejects with `FrontAway` when nobody listens there, or the front dies of it. */
  request(site: string, request: Request): Promise<Response>;
  /**
   * Tells `listener` from now on what happens, of the kinds that it wants. Returns what ends that. Looking on changes nothing:
   * the journal is the same.
   */
  observe<K extends ObservationKind = ObservationKind>(
    listener: Listener<K>,
    wanted?: ObservationFilter<K>,
  ): () => void;
  /** Present where unlikely things happen: how often each has. */
  readonly faultPoints?: { readonly fired: ReadonlyMap<string, number> } | undefined;
  /** Whether every node runs, all see each other, and every group has its active instance. */
  readonly isSettled: boolean;
  /** What each node, each instance and the world outside hold now. */
  census(options?: CensusOptions): Census[];
  /** Base URLs of the fronts that are open, by the name of their ws instance. */
  urls(): ReadonlyMap<string, string>;
  /** Ends every node gracefully. */
  stop(): Promise<void>;
}

/** Nobody answers at a site's front: the connection is refused, or reset. */
export class FrontAway extends Error {
  constructor(site: string, reason: string) {
    super(`the front of site ${site} is away: ${reason}`);
    this.name = 'FrontAway';
  }
}
