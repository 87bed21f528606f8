/** A served world in real time. Its inputs are not recorded: it can be reset, but has no snapshots and no forks. */
import { FaultError, fault } from '../../../src/model/fault.ts';
import type { OracleRunner } from '../../oracles/oracle-runner.ts';
import type { LoadedTopology } from '../../topology/load-topology.ts';
import type { World } from '../../world/world.ts';
import { ObservationLog } from '../recorded/observation-log.ts';
import { type OperatedCluster, Operator } from '../recorded/operator.ts';
import type { HostedWorld } from './worlds.ts';

export interface LiveHostOptions {
  readonly name: string;
  readonly loaded: LoadedTopology;
  readonly seed: number | undefined;
  /** Makes a world, which is not started yet. */
  readonly make: () => World;
  /** Prepares a world that has started. */
  readonly prepare?: ((world: World) => Promise<void>) | undefined;
  /** Has oracles observe a world, before it starts. Default: none observe it. */
  readonly watch?: Watch | undefined;
  /** Why it cannot be reset; default: it can. */
  readonly keeps?: string | undefined;
}

type Watch = (world: World) => OracleRunner;

/** What has these oracles observe a world; undefined for none. Their code, a quarter of the package, is only loaded here. */
export async function watcherOf(oracles: 'all' | readonly string[] = []): Promise<Watch | undefined> {
  if (oracles.length === 0) return undefined;
  const { OracleRunner } = await import('../../oracles/oracle-runner.ts');
  return (world) => new OracleRunner(world, oracles === 'all' ? {} : { only: oracles });
}

/** A live world runs for long, so its journal is shorter than that of a test. */
const journalEntries = 10_000;

export class LiveHost implements HostedWorld {
  readonly virtual = undefined;
  readonly #options: LiveHostOptions;
  #present: LiveCluster;
  #replacing: Promise<void> = Promise.resolve();

  /** `start` starts it. */
  constructor(options: LiveHostOptions) {
    this.#options = options;
    this.#present = this.#make();
  }

  async start(): Promise<void> {
    const { world } = this.#present;
    await world.start();
    await this.#options.prepare?.(world);
  }

  get name(): string {
    return this.#options.name;
  }

  get loaded(): LoadedTopology {
    return this.#options.loaded;
  }

  get seed(): number | undefined {
    return this.#options.seed;
  }

  get present(): LiveCluster {
    return this.#present;
  }

  /** In the order of the topology. */
  get urls(): ReadonlyMap<string, string> {
    const urls = new Map<string, string>();
    const open = this.#present.world.urls();
    for (const { name, site } of this.loaded.map.instancesOf('ws')) {
      const url = open.get(name);
      if (url !== undefined && !urls.has(site)) urls.set(site, url);
    }
    return urls;
  }

  reset(): Promise<void> {
    const { keeps } = this.#options;
    if (keeps !== undefined) return Promise.reject(new FaultError(fault('conflict', keeps)));
    const replaced = this.#replacing.then(async () => {
      await this.#present.stop();
      this.#present = this.#make();
      await this.start();
    });
    // The caller gets the error; the next replacement begins after it.
    this.#replacing = replaced.catch(() => {});
    return replaced;
  }

  /** Ends it, also while it starts. */
  stop(): Promise<void> {
    return this.#present.stop();
  }

  #make(): LiveCluster {
    return new LiveCluster(this.#options.make(), this.#options.watch);
  }
}

/** A world with what observes and operates it. It must be created before the world starts. */
export class LiveCluster implements OperatedCluster {
  readonly world: World;
  readonly operator: Operator;
  readonly observations: ObservationLog;
  readonly watch: OracleRunner | undefined;
  readonly enter: OperatedCluster['enter'];

  constructor(world: World, watch: Watch | undefined) {
    this.world = world;
    this.operator = new Operator(world);
    this.observations = new ObservationLog(world, journalEntries);
    this.watch = watch?.(world);
    this.enter = (async (input) => this.operator.apply(input)) as OperatedCluster['enter'];
  }

  async stop(): Promise<void> {
    this.watch?.stop();
    this.observations.stop();
    await this.world.stop();
  }
}
