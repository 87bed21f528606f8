/**
 * The verbs of an operator who breaks things: on nodes, on role instances, and on the traffic between nodes. The same
 * verbs work in both worlds. Names that do not exist are refused with an error that says which exist.
 *
 * A place is a site (`north`), a node (`n2`), or `*`.
 */
import type { ClusterMap, InstanceEntry, NodeEntry } from '../../src/model/cluster-map.ts';
import type { RandomStream } from '../../src/ports/random.ts';
import type { Rule, Rules, Verdict } from './rules.ts';

/** What the verbs need of a world. */
export interface Breakable {
  readonly map: ClusterMap;
  readonly rules: Rules;
  readonly random: RandomStream;
  crashNode(name: string): void;
  restartNode(name: string): Promise<void>;
  pauseNode(name: string): void;
  resumeNode(name: string): void;
  crashInstance(name: string): void;
  restartInstance(name: string): void;
}

/** What the verbs need of the world outside. */
export interface BreakableOutside {
  readonly network: { readonly rules: Rules<string> };
  silence(name: string): void;
  revive(name: string): void;
}

/** Between which nodes: from one place to another, or between a place and all others (`*`: all). `oneWay`: only `from` → `to`. */
export interface Between {
  readonly from: string;
  readonly to?: string | undefined;
  readonly oneWay?: boolean | undefined;
}

export type Mend = () => void;

export class Faults {
  readonly #world: Breakable;
  readonly #outside: BreakableOutside | undefined;
  readonly #standing = new Set<Mend>();

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

  /** Frames vanish. */
  cut(between: Between): Mend {
    return this.#install(between, () => 'drop');
  }

  /** Frames wait until the hold is lifted, then go on in order. */
  hold(between: Between): Mend {
    return this.#install(between, () => 'hold');
  }

  /** Frames take so much longer. */
  delay(between: Between, afterMs: number): Mend {
    return this.#install(between, () => ({ afterMs }));
  }

  /** Frames vanish with a probability from 0 to 1. */
  lose(between: Between, probability: number): Mend {
    return this.#install(between, () => (this.#world.random.float() < probability ? 'drop' : 'pass'));
  }

  /** Frames arrive twice with a probability from 0 to 1. */
  duplicate(between: Between, probability: number): Mend {
    return this.#install(between, () => (this.#world.random.float() < probability ? { copies: 1 } : 'pass'));
  }

  /** A phone or a provider falls silent, as if its power were off. */
  silence(name: string): void {
    this.#there.silence(name);
  }

  revive(name: string): void {
    this.#there.revive(name);
  }

  /** Messages between the edges and the world outside vanish with a probability from 0 to 1. */
  loseOutside(probability: number): Mend {
    return this.#installOutside(() => (this.#world.random.float() < probability ? 'drop' : 'pass'));
  }

  /** They arrive twice with a probability from 0 to 1, the second time when it comes. */
  duplicateOutside(probability: number): Mend {
    return this.#installOutside(() => (this.#world.random.float() < probability ? { copies: 1 } : 'pass'));
  }

  /** Nothing passes between the world outside and the edges of a site, one edge instance (`sg-213`), or all (`*`). */
  cutOutside(place: string): Mend {
    const endpoints = this.#endpointsOf(place);
    return this.#installOutside((from, to) => (endpoints.has(from) || endpoints.has(to) ? 'drop' : 'pass'));
  }

  /** Lifts every fault of the traffic. Nodes, phones and providers stay as they are. */
  mend(): void {
    for (const lift of [...this.#standing]) lift();
  }

  #install({ from, to, oneWay = false }: Between, verdict: () => Verdict): Mend {
    const isFrom = this.#placeNamed(from);
    const isElsewhere = (node: NodeEntry) => from === '*' || !isFrom(node);
    const isTo = to === undefined ? isElsewhere : this.#placeNamed(to);
    const rule: Rule = (sender, receiver) => {
      const isThere = isFrom(sender) && isTo(receiver);
      const isBack = !oneWay && isFrom(receiver) && isTo(sender);
      return isThere || isBack ? verdict() : 'pass';
    };
    return this.#stand(this.#world.rules.install(rule));
  }

  #installOutside(rule: Rule<string>): Mend {
    return this.#stand(this.#there.network.rules.install(rule));
  }

  #stand(uninstall: () => void): Mend {
    const lift = () => {
      this.#standing.delete(lift);
      uninstall();
    };
    this.#standing.add(lift);
    return lift;
  }

  get #there(): BreakableOutside {
    if (this.#outside === undefined) throw new Error('there is no world outside');
    return this.#outside;
  }

  /** Where the edges of a place speak SIP. */
  #endpointsOf(place: string): ReadonlySet<string> {
    const { map } = this.#world;
    const edges = edgesOf(map).filter(({ name, site }) => place === '*' || place === name || place === site);
    if (edges.length > 0) return new Set(edges.map((edge) => map.endpointOf(edge)));
    const names = [...new Set(edgesOf(map).map(({ site }) => site)), ...edgesOf(map).map(({ name }) => name)];
    throw new Error(`no site with edges and no edge instance named "${place}"; there are ${names.join(', ')}`);
  }

  #placeNamed(place: string): (node: NodeEntry) => boolean {
    const { map } = this.#world;
    if (place === '*') return () => true;
    if (map.sites.has(place)) return (node) => node.site === place;
    if (map.nodes.has(place)) return (node) => node.name === place;
    throw new Error(
      `no site or node named "${place}"; there are ${[...map.sites.keys(), ...map.nodes.keys()].join(', ')}`,
    );
  }

  #nodeNamed(name: string): string {
    const { nodes } = this.#world.map;
    if (!nodes.has(name)) throw new Error(`no node named "${name}"; there are ${[...nodes.keys()].join(', ')}`);
    return name;
  }

  #instanceNamed(name: string): string {
    const names = [...this.#world.map.instances.values()].map((instance) => instance.name);
    if (!names.includes(name)) throw new Error(`no role instance named "${name}"; there are ${names.join(', ')}`);
    return name;
  }
}

/** The instances that speak SIP with the world outside. */
export function edgesOf(map: ClusterMap): InstanceEntry[] {
  return [...map.instancesOf('sg'), ...map.instancesOf('esg')];
}
