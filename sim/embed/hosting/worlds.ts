/** The worlds of a process, by name. They share nothing but the process. */
import { FaultError, fault } from '../../../src/model/fault.ts';
import type { LoadedTopology } from '../../topology/load-topology.ts';
import type { Snapshot } from '../recorded/input.ts';
import type { OperatedCluster } from '../recorded/operator.ts';
import type { RecordedCluster } from '../recorded/recorded-cluster.ts';

/** A world that is served under a name: a cluster, which a reset replaces, and its fronts on ports, which stay. */
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

export type WorldClock = 'virtual' | 'real';

/** A world to start. */
export interface WantedWorld {
  readonly name: string;
  readonly clock: WorldClock;
  readonly loaded: LoadedTopology;
  /** Default: that of the command line. */
  readonly seed?: number | undefined;
  /** The past of a virtual world. */
  readonly snapshot?: Snapshot | undefined;
}

export type StartWorld = (wanted: WantedWorld) => Promise<HostedWorld>;

/** The world that the process starts with. It cannot be deleted. */
export const mainWorld = 'main';
const worldsMax = 100;

export class Worlds {
  readonly main: HostedWorld;
  readonly #start: StartWorld;
  readonly #others = new Map<string, HostedWorld>();
  /** Names of the worlds that start. */
  readonly #starting = new Set<string>();
  #count = 0;

  constructor(main: HostedWorld, start: StartWorld) {
    this.main = main;
    this.#start = start;
  }

  /** In the order of their creation. */
  get all(): readonly HostedWorld[] {
    return [this.main, ...this.#others.values()];
  }

  /** Throws a `not_found` fault. */
  get(name: string): HostedWorld {
    const found = this.all.find((world) => world.name === name);
    if (found !== undefined) return found;
    const known = this.all.map((world) => world.name).join(', ');
    throw new FaultError(fault('not_found', `no world named "${name}"; expected one of ${known}`));
  }

  /** Starts a world. Rejects with a `conflict` fault if there is one of the name, or if there are too many. */
  async create({ name = this.#freeName(), ...wanted }: Partial<Pick<WantedWorld, 'name'>> & Omit<WantedWorld, 'name'>) {
    if (name === mainWorld || this.#others.has(name) || this.#starting.has(name))
      throw new FaultError(fault('conflict', `name: there is a world named "${name}"`));
    if (this.#others.size + this.#starting.size >= worldsMax)
      throw new FaultError(fault('conflict', `there are ${worldsMax} worlds, which is the limit: delete some`));
    this.#starting.add(name);
    try {
      const world = await this.#start({ name, ...wanted });
      this.#others.set(name, world);
      return world;
    } finally {
      this.#starting.delete(name);
    }
  }

  /** A second world with the same past. Rejects with a `conflict` fault if the world is live. */
  fork(of: HostedWorld, name?: string): Promise<HostedWorld> {
    const { virtual, loaded, seed } = of;
    if (virtual === undefined)
      throw new FaultError(fault('conflict', `${of.name} runs in real time: a live world can be reset, not forked`));
    const { snapshot } = virtual.present;
    return this.create({ ...(name !== undefined && { name }), clock: 'virtual', loaded, seed, snapshot });
  }

  /** Ends a world. */
  async delete(name: string): Promise<void> {
    if (name === mainWorld)
      throw new FaultError(
        fault('conflict', `${mainWorld} is the world of the command line: it ends with the process`),
      );
    const world = this.get(name);
    this.#others.delete(name);
    await world.stop();
  }

  async stop(): Promise<void> {
    await Promise.all(this.all.map((world) => world.stop()));
  }

  #freeName(): string {
    for (;;) {
      this.#count += 1;
      const name = `w${this.#count}`;
      if (!this.#others.has(name) && !this.#starting.has(name)) return name;
    }
  }
}
