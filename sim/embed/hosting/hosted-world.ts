/** A world that is served under a name: a cluster, which a reset replaces, and its fronts on ports, which stay. */
import type { LoadedTopology } from '../../topology/load.ts';
import type { OperatedCluster } from '../recorded/operator.ts';
import type { RecordedCluster } from '../recorded/recorded-cluster.ts';

export interface HostedWorld {
  readonly name: string;
  readonly loaded: LoadedTopology;
  /** Undefined: a live world without a seed. */
  readonly seed: number | undefined;
  /** Base URLs by site: the first front of each. */
  readonly urls: ReadonlyMap<string, string>;
  /** The cluster that runs. */
  readonly present: OperatedCluster;
  /** The same cluster, if it runs in virtual time. */
  readonly virtual: RecordedCluster | undefined;
  /** Starts the world anew. Rejects with a `conflict` fault if it keeps its data. */
  reset(): Promise<void>;
  stop(): Promise<void>;
}
