/**
 * The fault verbs of an operator: on nodes, role instances, the traffic between them, clocks, disks, and the world
 * outside. They work in both worlds. An unknown name is refused with an error that lists the known ones. A fault that
 * stays active returns the function that lifts it.
 */

import type { NodeEntry } from '../../src/model/cluster/cluster-map.ts';
import type { Breakable, BreakableOutside } from './breakable.ts';
import { flap, type Lift, swizzle } from './periodic.ts';
import { type FaultPlace, membersOf, NotInTopology } from './places.ts';
import type { HttpHarm, HttpRule, RuleAction, TrafficRule } from './rules.ts';
import { type NodeTraffic, type OutsideTraffic, outsideRuleOf, ruleOf } from './traffic.ts';

export type { FaultPlace as Place } from './places.ts';
export type { NodeTraffic, OutsideTraffic } from './traffic.ts';

/** The HTTP requests of scripts that a fault affects: by the beginning of their address (default: all), by chance (default: 1). */
export interface HttpTarget {
  readonly url?: string | undefined;
  readonly probability?: number | undefined;
}

export class Faults {
  readonly #world: Breakable;
  readonly #outside: BreakableOutside | undefined;
  readonly #active = new Set<Lift>();
  /** The nodes whose disks are full, for each fault that fills some. */
  readonly #full = new Set<Set<string>>();
  /** How many frames and messages faults of traffic have affected, by verb. */
  readonly affectedCounts = new Map<string, number>();

  constructor(world: Breakable, outside?: BreakableOutside) {
    this.#world = world;
    this.#outside = outside;
  }

  crashNode(name: string): void {
    this.#world.crashNode(this.#nodeNamed(name));
  }

  restartNode(name: string): Promise<void> {
    return this.#world.restartNode(this.#nodeNamed(name));
  }

  /** A node crashes, and its disk is lost: it starts again with an empty one. What the nodes of its site share stays. */
  wipeNode(name: string): Promise<void> {
    const node = this.#nodeNamed(name);
    this.#world.crashNode(node);
    return this.#world.wipeStores(node);
  }

  /** Nodes finish their work and stop. */
  drainNode(name: string): Promise<void> {
    return this.#world.stopNode(this.#nodeNamed(name));
  }

  pauseNode(name: string): void {
    this.#world.pauseNode(this.#nodeNamed(name));
  }

  resumeNode(name: string): void {
    this.#world.resumeNode(this.#nodeNamed(name));
  }

  /** `name` is `role-srvidx`, such as `esg-221`. */
  crashInstance(name: string): void {
    this.#world.crashInstance(this.#instanceNamed(name));
  }

  restartInstance(name: string): void {
    this.#world.restartInstance(this.#instanceNamed(name));
  }

  /** Frames are dropped; between processes, bytes that were under way arrive when the fault is lifted. */
  cut(between: NodeTraffic): Lift {
    return this.#install('cut', between, () => 'drop');
  }

  /** Frames are held back until the fault is lifted, then delivered in order. */
  hold(between: NodeTraffic): Lift {
    return this.#install('hold', between, () => 'hold');
  }

  /** Frames arrive later. */
  delay(between: NodeTraffic, afterMs: number): Lift {
    return this.#install('delay', between, () => ({ afterMs }));
  }

  /** Frames are dropped with a probability from 0 to 1. */
  lose(between: NodeTraffic, probability: number): Lift {
    return this.#install('lose', between, this.#sometimes(probability, 'drop'));
  }

  /** Frames arrive twice with a probability from 0 to 1. */
  duplicate(between: NodeTraffic, probability: number): Lift {
    return this.#install('duplicate', between, this.#sometimes(probability, { copies: 1 }));
  }

  /** The link drops frames and passes them in turn, each for this time. */
  flap(between: NodeTraffic, everyMs: number): Lift {
    const { clock, map, rules } = this.#world;
    const rule = ruleOf(
      map,
      between,
      this.#counted('flap', () => 'drop'),
    );
    return this.#activate(flap(clock, everyMs, () => rules.install(rule)));
  }

  /**
   * Frames of some nodes of a place, drawn at random, are held back one node after the other within a time, and
   * released one after the other, in another order, within as much time again.
   */
  swizzle(place: FaultPlace, overMs: number): Lift {
    const { clock, map, random, rules } = this.#world;
    const breaks = ({ name }: NodeEntry) =>
      rules.install(
        ruleOf(
          map,
          { from: name },
          this.#counted('swizzle', () => 'hold'),
        ),
      );
    return this.#activate(swizzle({ clock, random, overMs, breaks, among: this.#nodesAt(place) }));
  }

  /** Nodes of one place lose their connections to nodes of another, which do not notice until they give them up. */
  halfOpen({ from, to = '*' }: Pick<NodeTraffic, 'from' | 'to'>): Lift {
    const { map } = this.#world;
    const others = this.#nodesAt(to);
    const pairs = this.#nodesAt(from).flatMap((node) =>
      map.peersOf(node.name).flatMap((peer) => (others.includes(peer) ? [[node.name, peer.name] as const] : [])),
    );
    const mends = pairs.map(([node, peer]) => this.#world.breakHalf(node, peer));
    return this.#activate(() => {
      for (const mend of mends) mend();
    });
  }

  /** The clocks of nodes are ahead by so many milliseconds (behind: below 0). */
  skew(place: FaultPlace, byMs: number): Lift {
    return this.#onNodes(place, (name, sign) => this.#world.shiftClock(name, sign * byMs));
  }

  /** All reads and writes of nodes at their stores take longer. */
  slowStore(place: FaultPlace, byMs: number): Lift {
    return this.#onNodes(place, (name, sign) => this.#world.slowStores(name, sign * byMs));
  }

  /** The disks of nodes are full: their stores are read-only. */
  fillStore(place: FaultPlace): Lift {
    const full = new Set(this.#nodesAt(place).map(({ name }) => name));
    for (const name of full) this.#world.fillStores(name, 1);
    this.#full.add(full);
    return this.#activate(() => {
      this.#full.delete(full);
      for (const name of full) this.#world.fillStores(name, -1);
    });
  }

  /** The disk of a node has room again; faults that have filled it stay active at other nodes. */
  makeRoom(name: string): void {
    const node = this.#nodeNamed(name);
    for (const full of this.#full) if (full.delete(node)) this.#world.fillStores(node, -1);
  }

  /** A phone or a provider stops responding. */
  silence(name: string): void {
    this.#there.silence(name);
  }

  revive(name: string): void {
    this.#there.revive(name);
  }

  /** A phone or a provider stops and resumes responding in turn, until it is revived. */
  flapOutside(name: string, everyMs: number): void {
    this.#there.flap(name, everyMs);
  }

  /** A provider refuses every REGISTER with a status, until it is revived. */
  refuseRegister(name: string, status: number): void {
    this.#there.refuseRegister(name, status);
  }

  /** SIP messages to and from the world outside are dropped with a probability from 0 to 1. */
  loseOutside(probability: number, beyond: OutsideTraffic = {}): Lift {
    return this.#installOutside('loseOutside', beyond, this.#sometimes(probability, 'drop'));
  }

  /** SIP messages to and from the world outside arrive twice with a probability from 0 to 1, the copy at any time. */
  duplicateOutside(probability: number, beyond: OutsideTraffic = {}): Lift {
    return this.#installOutside('duplicateOutside', beyond, this.#sometimes(probability, { copies: 1 }));
  }

  /** SIP messages to and from the world outside arrive later. */
  delayOutside(afterMs: number, beyond: OutsideTraffic = {}): Lift {
    return this.#installOutside('delayOutside', beyond, () => ({ afterMs }));
  }

  /** All SIP messages to and from the world outside are dropped. */
  cutOutside(beyond: OutsideTraffic): Lift {
    return this.#installOutside('cutOutside', beyond, () => 'drop');
  }

  /** HTTP requests of scripts are refused by chance. */
  refuseHttp(on: HttpTarget = {}): Lift {
    return this.#installHttp('refuseHttp', on, { isRefused: true });
  }

  /** HTTP requests of scripts arrive later. */
  delayHttp(afterMs: number, on: HttpTarget = {}): Lift {
    return this.#installHttp('delayHttp', on, { afterMs });
  }

  /** HTTP requests of scripts arrive twice. */
  duplicateHttp(on: HttpTarget = {}): Lift {
    return this.#installHttp('duplicateHttp', on, { isDuplicated: true });
  }

  /** An HTTP request of a script arrives after the next one, or after 3 s. */
  reorderHttp(on: HttpTarget = {}): Lift {
    return this.#installHttp('reorderHttp', on, { isReordered: true });
  }

  /** HTTP requests of scripts have a wrong signature. */
  forgeHttp(on: HttpTarget = {}): Lift {
    return this.#installHttp('forgeHttp', on, { isForged: true });
  }

  /** The connections of HTTP requests of scripts break in the middle of the body. */
  truncateHttp(on: HttpTarget = {}): Lift {
    return this.#installHttp('truncateHttp', on, { isHalf: true });
  }

  /** Lifts all faults of traffic, clocks and stores. Nodes, role instances, phones and providers keep their state. */
  mend(): void {
    for (const lift of [...this.#active]) lift();
  }

  #sometimes(probability: number, verdict: RuleAction): () => RuleAction {
    const { random } = this.#world;
    return () => (random.float() < probability ? verdict : 'pass');
  }

  #counted(verb: string, verdict: () => RuleAction): () => RuleAction {
    return () => {
      const drawn = verdict();
      if (drawn !== 'pass') this.affectedCounts.set(verb, (this.affectedCounts.get(verb) ?? 0) + 1);
      return drawn;
    };
  }

  #install(verb: string, between: NodeTraffic, verdict: () => RuleAction): Lift {
    const rule: TrafficRule = ruleOf(this.#world.map, between, this.#counted(verb, verdict));
    return this.#activate(this.#world.rules.install(rule));
  }

  #installOutside(verb: string, beyond: OutsideTraffic, verdict: () => RuleAction): Lift {
    const rule = outsideRuleOf(this.#world.map, beyond, this.#counted(verb, verdict));
    return this.#activate(this.#there.network.rules.install(rule));
  }

  #installHttp(verb: string, { url = '', probability = 1 }: HttpTarget, harm: HttpHarm): Lift {
    const { random } = this.#world;
    const verdict: HttpRule['verdict'] = () => {
      if (probability < 1 && random.float() >= probability) return undefined;
      this.affectedCounts.set(verb, (this.affectedCounts.get(verb) ?? 0) + 1);
      return harm;
    };
    return this.#activate(this.#there.deliveries.rules.install({ url, verdict }));
  }

  /** Applies an effect to each node of a place, and reverts it when the fault is lifted. */
  #onNodes(place: FaultPlace, shift: (name: string, sign: 1 | -1) => void): Lift {
    const nodes = this.#nodesAt(place);
    for (const { name } of nodes) shift(name, 1);
    return this.#activate(() => {
      for (const { name } of nodes) shift(name, -1);
    });
  }

  #activate(end: () => void): Lift {
    const lift = () => {
      if (this.#active.delete(lift)) end();
    };
    this.#active.add(lift);
    return lift;
  }

  get #there(): BreakableOutside {
    if (this.#outside === undefined) throw new Error('this world has no phones and providers');
    return this.#outside;
  }

  /** The nodes of a place, or those of its instances. */
  #nodesAt(place: FaultPlace): NodeEntry[] {
    const { map } = this.#world;
    const { nodes, instances } = membersOf(map, place);
    return [...new Set([...nodes, ...instances.map((instance) => map.node(instance.node))])];
  }

  #nodeNamed(name: string): string {
    const { nodes } = this.#world.map;
    if (!nodes.has(name))
      throw new NotInTopology(`no node named "${name}"; expected one of ${[...nodes.keys()].join(', ')}`);
    return name;
  }

  #instanceNamed(name: string): string {
    const names = [...this.#world.map.instances.values()].map((instance) => instance.name);
    if (!names.includes(name))
      throw new NotInTopology(`no role instance named "${name}"; expected one of ${names.join(', ')}`);
    return name;
  }
}
