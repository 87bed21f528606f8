/**
 * The reachability model: which nodes run and which nodes of their site they see, from what the nodes themselves
 * report, under any faults. It allows checks of a connected site while others are partitioned, and of each part of a
 * partitioned site.
 */
import { nodeOf } from '../../src/model/cluster/address.ts';
import type { ClusterMap, InstanceEntry, NodeEntry } from '../../src/model/cluster/cluster-map.ts';
import type { InstanceStatus } from '../../src/model/cluster/states.ts';
import { type FaultPlace, membersOf } from '../faults/places.ts';
import { targetOfVerb } from '../faults/verbs.ts';
import type { ObservationListeners } from './oracle.ts';

/** Status that an instance reports, and since when. */
interface StatusSince {
  readonly status: InstanceStatus;
  readonly sinceMs: number;
}

export class Reachability {
  readonly #map: ClusterMap;
  readonly #running = new Set<string>();
  readonly #paused = new Set<string>();
  /** Pairs of a node and a node that it sees, by name. */
  readonly #seen = new Map<string, Set<string>>();
  /** Last change of a node: start, end, pause, resume, or a change of what it sees or is seen by. */
  readonly #changedMs = new Map<string, number>();
  /** The same, apart from what nodes of other sites see and are seen by. */
  readonly #siteChangedMs = new Map<string, number>();
  /** By address. */
  readonly #standings = new Map<string, StatusSince>();

  constructor(map: ClusterMap) {
    this.#map = map;
  }

  /** For the owner's subscriptions. */
  readonly listeners: ObservationListeners = {
    'node.started': ({ node, atMs }) => {
      this.#running.add(node);
      this.#seen.set(node, new Set());
      this.#note(node, atMs);
    },
    'node.ended': ({ node, atMs }) => {
      this.#running.delete(node);
      this.#paused.delete(node);
      this.#note(node, atMs);
      for (const { address } of this.#map.node(node).instances) this.#standings.delete(address);
    },
    'fault.inflicted': ({ verb, args, atMs }) => {
      if (verb !== 'pauseNode' && verb !== 'resumeNode') return;
      const node = String(args[0]);
      if (verb === 'pauseNode') this.#paused.add(node);
      else this.#paused.delete(node);
      this.#note(node, atMs);
    },
    'entity.state': {
      peer: ({ owner, key, state = '', atMs }) => this.#look({ node: nodeOf(owner), other: key, atMs }, isUp(state)),
    },
    'instance.status': ({ instance, status, atMs }) => void this.#standings.set(instance, { status, sinceMs: atMs }),
  };

  /** Status that an instance reports; `undefined` if its node does not run. */
  statusOf({ address }: InstanceEntry): InstanceStatus | undefined {
    return this.#standings.get(address)?.status;
  }

  /** How long it has had this status (ms). */
  standsMs({ address }: InstanceEntry, nowMs: number): number {
    return nowMs - (this.#standings.get(address)?.sinceMs ?? nowMs);
  }

  /** How long an instance has served while it and all running nodes of its site saw each other (ms). */
  steadyMs(instance: InstanceEntry, nowMs: number): number {
    const node = this.#map.node(instance.node);
    if (this.statusOf(instance) !== 'active' || !this.#isWhole(node)) return 0;
    return Math.min(this.standsMs(instance, nowMs), this.stableMs(node, nowMs));
  }

  /** How long a node has run with an unchanged view, in both directions (ms). */
  stableMs({ name }: NodeEntry, nowMs: number): number {
    if (!this.#running.has(name) || this.#paused.has(name)) return 0;
    return nowMs - (this.#changedMs.get(name) ?? nowMs);
  }

  /** How long a node has run with an unchanged view of the nodes of its site, in both directions (ms). */
  stableInSiteMs({ name }: NodeEntry, nowMs: number): number {
    if (!this.#running.has(name) || this.#paused.has(name)) return 0;
    return nowMs - (this.#siteChangedMs.get(name) ?? nowMs);
  }

  /** Whether two nodes see each other. A node sees itself. */
  areTogether(one: NodeEntry, other: NodeEntry): boolean {
    return this.#sees(one, other) && this.#sees(other, one);
  }

  /** The nodes of its site that a node sees, itself included. */
  seenBy(node: NodeEntry): NodeEntry[] {
    return this.#map.site(node.site).nodes.filter((other) => this.#sees(node, other));
  }

  #isWhole(node: NodeEntry): boolean {
    const running = this.#map.site(node.site).nodes.filter(({ name }) => this.#running.has(name));
    return running.every((other) => this.areTogether(node, other));
  }

  #sees(node: NodeEntry, other: NodeEntry): boolean {
    return node === other || this.#seen.get(node.name)?.has(other.name) === true;
  }

  #note(node: string, atMs: number): void {
    this.#changedMs.set(node, atMs);
    this.#siteChangedMs.set(node, atMs);
  }

  #look({ node, other, atMs }: { node: string; other: string; atMs: number }, isSeen: boolean): void {
    const seen = this.#seen.get(node);
    if (seen === undefined || seen.has(other) === isSeen) return;
    if (isSeen) seen.add(other);
    else seen.delete(other);
    const isInside = this.#map.node(node).site === this.#map.node(other).site;
    for (const name of [node, other]) {
      if (isInside) this.#note(name, atMs);
      else this.#changedMs.set(name, atMs);
    }
  }
}

/** A peer with a few missed pongs still counts as up. */
function isUp(state: string): boolean {
  return state === 'up' || state.startsWith('up.');
}

/** The sites that active faults break, and how long the others have been connected. */
export class BrokenSites {
  readonly #map: ClusterMap;
  /** Active faults, with the sites that they break. */
  readonly #standing = new Map<string, readonly string[]>();
  /** When a fault last began or ended there. */
  readonly #touchedMs = new Map<string, number>();

  constructor(map: ClusterMap) {
    this.#map = map;
  }

  /** For the owner's subscriptions. */
  readonly listeners: ObservationListeners = {
    'fault.inflicted': ({ fault, verb, args, atMs }) => {
      const sites = sitesBrokenBy(this.#map, verb, args);
      this.#standing.set(nameOf(fault, verb, args), sites);
      if (verb === 'resumeNode') this.#standing.delete(nameOf(0, 'pauseNode', args));
      for (const site of sites) this.#touchedMs.set(site, atMs);
    },
    'fault.mended': ({ fault, verb, args, atMs }) => {
      const name = nameOf(fault, verb, args);
      const lifted = verb === 'mend' ? [...this.#standing.values()].flat() : (this.#standing.get(name) ?? []);
      for (const site of lifted) this.#touchedMs.set(site, atMs);
      // A pause lasts until the node is resumed.
      if (verb !== 'pauseNode') this.#standing.delete(name);
      if (verb === 'mend') this.#standing.clear();
    },
  };

  /** How long no fault has been active inside a site (ms); 0 while one is. */
  wholeMs(site: string, nowMs: number): number {
    if ([...this.#standing.values()].some((sites) => sites.includes(site))) return 0;
    return nowMs - (this.#touchedMs.get(site) ?? Number.NEGATIVE_INFINITY);
  }
}

/** A pause is keyed by its node, so that its resume ends it. */
function nameOf(fault: number, verb: string, args: readonly unknown[]): string {
  return verb === 'pauseNode' ? `paused ${args[0]}` : String(fault);
}

/** Names of the sites; all sites if the effect of a verb is unknown. */
function sitesBrokenBy(map: ClusterMap, verb: string, [what]: readonly unknown[]): string[] {
  if (['outside', 'store'].includes(targetOfVerb(verb).on)) return [];
  if (typeof what === 'string' || Array.isArray(what)) return sitesOf(nodesAt(map, what));
  if (typeof what !== 'object' || what === null || !('from' in what)) return [...map.sites.keys()];
  const { from, to } = what as { from: FaultPlace; to?: FaultPlace };
  const [here, there] = [nodesAt(map, from), to === undefined ? undefined : nodesAt(map, to)];
  const isElsewhere = (node: NodeEntry) => here.length === map.nodes.size || !here.includes(node);
  return sitesOf(
    here.filter((one) =>
      map.site(one.site).nodes.some((other) => other !== one && (there?.includes(other) ?? isElsewhere(other))),
    ),
  );
}

function nodesAt(map: ClusterMap, place: FaultPlace): NodeEntry[] {
  const { nodes, instances } = membersOf(map, place);
  return [...nodes, ...instances.map(({ node }) => map.node(node))];
}

function sitesOf(nodes: readonly NodeEntry[]): string[] {
  return [...new Set(nodes.map(({ site }) => site))];
}
