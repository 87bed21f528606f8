/** A served world in virtual time. */
import type { LoadedTopology } from '../../topology/load-topology.ts';
import type { Snapshot } from '../recorded/input.ts';
import { RecordedCluster } from '../recorded/recorded-cluster.ts';
import type { RecordedWorld, RecordedWorldOptions } from '../recorded/recorded-world.ts';
import { ServedFronts, type ServedFrontsOptions } from './served-fronts.ts';
import type { HostedWorld } from './worlds.ts';

export interface VirtualHostOptions {
  readonly name: string;
  readonly recorded: RecordedWorldOptions;
  /** Its past; default: none. */
  readonly snapshot?: Snapshot | undefined;
  readonly fronts: (cluster: RecordedCluster) => ServedFrontsOptions;
}

export class VirtualHost implements HostedWorld {
  readonly name: string;
  readonly virtual: RecordedCluster;
  readonly #fronts: ServedFronts;

  private constructor(name: string, virtual: RecordedCluster, fronts: ServedFronts) {
    this.name = name;
    this.virtual = virtual;
    this.#fronts = fronts;
  }

  static async start({ name, recorded, snapshot, fronts }: VirtualHostOptions): Promise<VirtualHost> {
    const cluster = await RecordedCluster.start(recorded, snapshot);
    try {
      return new VirtualHost(name, cluster, await ServedFronts.open(cluster, fronts(cluster)));
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  get present(): RecordedWorld {
    return this.virtual.present;
  }

  get loaded(): LoadedTopology {
    return this.virtual.options.loaded;
  }

  get seed(): number {
    return this.virtual.options.seed;
  }

  get urls(): ReadonlyMap<string, string> {
    return this.#fronts.urls;
  }

  reset(): Promise<void> {
    return this.virtual.reset();
  }

  async stop(): Promise<void> {
    this.#fronts.abort();
    await this.virtual.stop();
  }
}
