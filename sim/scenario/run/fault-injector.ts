/** Injects faults that are written as data, and keeps the active ones until they are lifted, by id and by name. */
import type { Place } from '../../faults/faults.ts';
import { membersOf } from '../../faults/places.ts';
import { endpointsNamed } from '../../outside/population.ts';
import type { World } from '../../world/world.ts';
import type { FaultVerb, ScenarioFault } from '../language/fault-schema.ts';
import { drawnFrom, listed, type WrittenPlace } from '../language/places.ts';

type Lift = () => void | Promise<void>;

/**
 * An active fault. The state of a node or phone lasts until this fault is lifted; one of traffic, clocks or stores
 * ends with `mend: '*'` as well.
 */
interface ActiveFault {
  /** Id of the fault that it belongs to. */
  readonly id: string;
  readonly name: string | undefined;
  readonly isState: boolean;
  readonly lift: Lift;
}

/** The fault that an action belongs to. */
type Injected = Pick<ActiveFault, 'id' | 'name'>;
type FaultActions = { readonly [V in FaultVerb]: (on: NonNullable<ScenarioFault[V]>) => Promise<void> | void };

/** What faults need of a world. */
export type FaultWorld = Pick<World, 'map' | 'faults' | 'now' | 'nodes'> & {
  readonly cluster: Pick<World['cluster'], 'random'>;
  readonly outside: Pick<World['outside'], 'phones' | 'providers'>;
};

export class FaultInjector {
  readonly #world: FaultWorld;
  readonly #active = new Map<string, ActiveFault>();
  #count = 0;

  constructor(world: FaultWorld) {
    this.#world = world;
  }

  /** Names of the active faults. */
  get names(): ReadonlySet<string> {
    return new Set([...this.#active.values()].flatMap(({ name }) => (name === undefined ? [] : [name])));
  }

  /** Number of active faults. A crashed role instance does not count: its supervisor restarts it. */
  get activeCount(): number {
    return this.#active.size;
  }

  /** The ids of the active faults, each with its name. */
  get active(): ReadonlyMap<string, string | undefined> {
    return new Map([...this.#active.values()].map(({ id, name }) => [id, name]));
  }

  /**
   * Injects a fault and resolves when its action is complete: nodes take time to start and to drain. The fault is
   * listed under `id` at once.
   */
  async inject(fault: ScenarioFault, id = `#${++this.#count}`): Promise<void> {
    const actions = this.#actionsOf({ id, name: fault.name });
    // The schema allows one verb.
    const verb = (Object.keys(actions) as FaultVerb[]).find((each) => fault[each] !== undefined);
    if (verb !== undefined) await (actions[verb] as (on: unknown) => Promise<void> | void)(fault[verb]);
  }

  /** Lifts the fault with this id and resolves when that is complete. */
  lift(id: string): Promise<void> {
    return this.#liftWhere((fault) => fault.id === id);
  }

  /** Lifts all active faults. */
  async liftAll(): Promise<void> {
    this.#world.faults.mend();
    const all = [...this.#active.values()];
    this.#active.clear();
    await Promise.all(all.map(({ lift }) => lift()));
  }

  #actionsOf(injected: Injected): FaultActions {
    return {
      ...this.#onNodes(injected),
      ...this.#onTraffic(injected),
      ...this.#onOutside(injected),
      ...this.#onHttp(injected),
      mend: (name) => this.#liftNamed(name),
    };
  }

  #onNodes(injected: Injected): Pick<FaultActions, 'crash' | 'restart' | 'wipe' | 'drain' | 'pause' | 'resume'> {
    const { faults } = this.#world;
    const restart = (node: string) => faults.restartNode(node);
    return {
      crash: (place) => {
        const { nodes, instances } = this.#membersAt(place);
        for (const { name } of nodes) {
          faults.crashNode(name);
          this.#keepState(injected, `down ${name}`, () => restart(name));
        }
        for (const { name } of instances) faults.crashInstance(name);
      },
      restart: async (place) => {
        const { nodes, instances } = this.#membersAt(place);
        for (const { name } of nodes) this.#active.delete(`down ${name}`);
        for (const { name } of instances) faults.restartInstance(name);
        await Promise.all(nodes.map(({ name }) => restart(name)));
      },
      wipe: async (place) => {
        const { nodes } = this.#membersAt(place);
        for (const { name } of nodes) this.#keepState(injected, `down ${name}`, () => restart(name));
        await Promise.all(nodes.map(({ name }) => faults.wipeNode(name)));
      },
      drain: async (place) => {
        const { nodes } = this.#membersAt(place);
        for (const { name } of nodes) this.#keepState(injected, `down ${name}`, () => restart(name));
        await Promise.all(nodes.map(({ name }) => faults.drainNode(name)));
      },
      pause: (place) => {
        for (const { name } of this.#membersAt(place).nodes) {
          faults.pauseNode(name);
          this.#keepState(injected, `paused ${name}`, () => faults.resumeNode(name));
        }
      },
      resume: (place) => {
        for (const { name } of this.#membersAt(place).nodes) {
          faults.resumeNode(name);
          this.#active.delete(`paused ${name}`);
        }
      },
    };
  }

  #onTraffic(injected: Injected) {
    const { faults } = this.#world;
    const between = <B extends { from: WrittenPlace; to?: WrittenPlace | undefined }>(on: B) => ({
      ...on,
      from: this.#drawn(on.from),
      to: on.to === undefined ? undefined : this.#drawn(on.to),
    });
    return {
      cut: (on) => this.#keepEffect(injected, faults.cut(between(on))),
      hold: (on) => this.#keepEffect(injected, faults.hold(between(on))),
      delay: ({ by, ...on }) => this.#keepEffect(injected, faults.delay(between(on), by)),
      lose: ({ probability, ...on }) => this.#keepEffect(injected, faults.lose(between(on), probability)),
      duplicate: ({ probability, ...on }) => this.#keepEffect(injected, faults.duplicate(between(on), probability)),
      flap: ({ every, ...on }) => this.#keepEffect(injected, faults.flap(between(on), every)),
      swizzle: ({ among = '*', over }) => this.#keepEffect(injected, faults.swizzle(this.#drawn(among), over)),
      halfOpen: (on) => this.#keepEffect(injected, faults.halfOpen(between(on))),
      skew: ({ at, by }) => this.#keepEffect(injected, faults.skew(this.#drawn(at), by)),
      slowStore: ({ at, by }) => this.#keepEffect(injected, faults.slowStore(this.#drawn(at), by)),
      fillStore: ({ at }) => this.#keepEffect(injected, faults.fillStore(this.#drawn(at))),
    } satisfies Partial<FaultActions>;
  }

  #onOutside(injected: Injected) {
    const { faults } = this.#world;
    const beyond = <B extends { from?: WrittenPlace | undefined; who?: string | string[] | undefined }>(on: B) => {
      const { from, who, ...more } = on;
      const endpoints = who === undefined ? undefined : listed(who).flatMap((name) => this.#endpointsNamed(name));
      return { ...more, from: from === undefined ? undefined : this.#drawn(from), endpoints };
    };
    const until = (name: string) => this.#keepState(injected, `away ${name}`, () => faults.revive(name));
    const each = (who: string | readonly string[], does: (name: string) => void) => {
      for (const name of listed(who)) {
        does(name);
        until(name);
      }
    };
    return {
      silence: (who) => each(who, (name) => faults.silence(name)),
      revive: (who) => {
        for (const name of listed(who)) {
          faults.revive(name);
          this.#active.delete(`away ${name}`);
        }
      },
      flapOutside: ({ who, every }) => each(who, (name) => faults.flapOutside(name, every)),
      refuseRegister: ({ who, status }) => each(who, (name) => faults.refuseRegister(name, status)),
      loseOutside: ({ probability, ...on }) => this.#keepEffect(injected, faults.loseOutside(probability, beyond(on))),
      duplicateOutside: ({ probability, ...on }) =>
        this.#keepEffect(injected, faults.duplicateOutside(probability, beyond(on))),
      delayOutside: ({ by, ...on }) => this.#keepEffect(injected, faults.delayOutside(by, beyond(on))),
      cutOutside: (on) => this.#keepEffect(injected, faults.cutOutside(beyond(on))),
    } satisfies Partial<FaultActions>;
  }

  #onHttp(injected: Injected) {
    const { faults } = this.#world;
    return {
      refuseHttp: (on) => this.#keepEffect(injected, faults.refuseHttp(on)),
      delayHttp: ({ by, ...on }) => this.#keepEffect(injected, faults.delayHttp(by, on)),
      duplicateHttp: (on) => this.#keepEffect(injected, faults.duplicateHttp(on)),
      reorderHttp: (on) => this.#keepEffect(injected, faults.reorderHttp(on)),
      forgeHttp: (on) => this.#keepEffect(injected, faults.forgeHttp(on)),
      truncateHttp: (on) => this.#keepEffect(injected, faults.truncateHttp(on)),
    } satisfies Partial<FaultActions>;
  }

  /** Those of the topology, which may run in other processes, and phones that were added. */
  #endpointsNamed(name: string): string[] {
    const { map, outside } = this.#world;
    return [...new Set([...endpointsNamed(map, name), ...outside.phones(name).map(({ endpoint }) => endpoint)])];
  }

  #membersAt(place: WrittenPlace): ReturnType<typeof membersOf> {
    return membersOf(this.#world.map, this.#drawn(place));
  }

  #drawn(place: WrittenPlace): Place {
    return drawnFrom(this.#world.map, place, this.#world.cluster.random);
  }

  /** Records the state of a node or phone under its own key, so that a repeated fault replaces it. */
  #keepState(injected: Injected, key: string, lift: Lift): void {
    this.#active.set(key, { ...injected, isState: true, lift });
  }

  /**
   * Records a fault of traffic, clocks or stores. An earlier fault of the same name is lifted, because no step could
   * lift it any more.
   */
  #keepEffect(injected: Injected, lift: Lift): void {
    const { id, name } = injected;
    const key = name === undefined ? `id ${id}` : `named ${name}`;
    void this.#active.get(key)?.lift();
    this.#active.set(key, { ...injected, isState: false, lift });
  }

  async #liftNamed(name: string): Promise<void> {
    if (name === '*') this.#world.faults.mend();
    await this.#liftWhere(({ isState, name: own }) => (name === '*' ? !isState : own === name));
  }

  async #liftWhere(isMeant: (fault: ActiveFault) => boolean): Promise<void> {
    const over = [...this.#active].filter(([, fault]) => isMeant(fault));
    for (const [key] of over) this.#active.delete(key);
    await Promise.all(over.map(([, { lift }]) => lift()));
  }
}
