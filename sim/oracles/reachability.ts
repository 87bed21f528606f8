import { nodeOf } from '../../src/model/address.ts';
import type { ClusterMap, InstanceEntry, NodeEntry } from '../../src/model/cluster-map.ts';
import type { InstanceStatus } from '../../src/model/states.ts';
import { membersOf, type Place } from '../faults/places.ts';
import { aboutVerb } from '../faults/verbs.ts';
import type { Hears } from './oracle.ts';

/**
 * Who runs, and whom the nodes of a site see: from what they themselves know of each other, whatever faults stand. So something
 * can be asked of a site that is whole while others are torn, and of each part of one that is torn itself.
 */

/** What an instance says of itself, and since when. */
interface Standing {
  readonly status: InstanceStatus;
  readonly sinceMs: number;
}

export class Sight {
  readonly #map: ClusterMap;
  readonly #running = new Set<string>();
  readonly #paused = new Set<string>();
  /** Nodes that a node sees, by the names of both. */
  readonly #seen = new Map<string, Set<string>>();
  /** When a node has started, ended, stood still or gone on, or found or lost others, or was found or lost by them. */
  readonly #changedMs = new Map<string, number>();
  /** By address. */
  readonly #standings = new Map<string, Standing>();

  constructor(map: ClusterMap) {
    this.#map = map;
  }

  /** To be heard by whose sight it is, of entities those of the machine `peer`. */
  readonly hears: Hears = {
    'node.started': ({ node, atMs }) => {
      this.#running.add(node);
      this.#seen.set(node, new Set());
      this.#changedMs.set(node, atMs);
    },
    'node.ended': ({ node, atMs }) => {
      this.#running.delete(node);
      this.#paused.delete(node);
      this.#changedMs.set(node, atMs);
      for (const { address } of this.#map.node(node).instances) this.#standings.delete(address);
    },
    'fault.inflicted': ({ verb, args, atMs }) => {
      if (verb !== 'pauseNode' && verb !== 'resumeNode') return;
      const node = String(args[0]);
      if (verb === 'pauseNode') this.#paused.add(node);
      else this.#paused.delete(node);
      this.#changedMs.set(node, atMs);
    },
    'entity.state': ({ owner, machine, key, state = '', atMs }) => {
      if (machine === 'peer') this.#look({ node: nodeOf(owner), other: key, atMs }, isUp(state));
    },
    'instance.status': ({ instance, status, atMs }) => void this.#standings.set(instance, { status, sinceMs: atMs }),
  };

  /** What an instance is, as far as it knows itself; `undefined` when its node does not run. */
  statusOf({ address }: InstanceEntry): InstanceStatus | undefined {
    return this.#standings.get(address)?.status;
  }

  /** For how long it has been what it is (ms). */
  standsMs({ address }: InstanceEntry, nowMs: number): number {
    return nowMs - (this.#standings.get(address)?.sinceMs ?? nowMs);
  }

  /** For how long an instance has served, with all nodes of its site that run in sight of its own, and it in theirs (ms). */
  steadyMs(instance: InstanceEntry, nowMs: number): number {
    const node = this.#map.node(instance.node);
    if (this.statusOf(instance) !== 'active' || !this.#isWhole(node)) return 0;
    return Math.min(this.standsMs(instance, nowMs), this.stableMs(node, nowMs));
  }

  /** For how long a node has run, seen the same others, and been seen by the same (ms). */
  stableMs({ name }: NodeEntry, nowMs: number): number {
    if (!this.#running.has(name) || this.#paused.has(name)) return 0;
    return nowMs - (this.#changedMs.get(name) ?? nowMs);
  }

  /** Whether two nodes see each other. Each sees itself. */
  areTogether(one: NodeEntry, other: NodeEntry): boolean {
    return this.#sees(one, other) && this.#sees(other, one);
  }

  /** The nodes of its site that a node sees, itself too. */
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

  #look({ node, other, atMs }: { node: string; other: string; atMs: number }, isSeen: boolean): void {
    const seen = this.#seen.get(node);
    if (seen === undefined || seen.has(other) === isSeen) return;
    if (isSeen) seen.add(other);
    else seen.delete(other);
    this.#changedMs.set(node, atMs);
    this.#changedMs.set(other, atMs);
  }
}

/** One that has missed some pongs, but not too many, is still up. */
function isUp(state: string): boolean {
  return state === 'up' || state.startsWith('up.');
}

/** Which sites faults have broken, so that their nodes may not see each other as ever, and for how long the others are whole. */

export class BrokenSites {
  readonly #map: ClusterMap;
  /** What stands, and the sites that it breaks. */
  readonly #standing = new Map<string, readonly string[]>();
  /** When a fault has begun or ended there. */
  readonly #touchedMs = new Map<string, number>();

  constructor(map: ClusterMap) {
    this.#map = map;
  }

  /** To be heard by who wants to know. */
  readonly hears: Hears = {
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
      // Who stands still does so until it is resumed.
      if (verb !== 'pauseNode') this.#standing.delete(name);
      if (verb === 'mend') this.#standing.clear();
    },
  };

  /** For how long no fault has stood inside a site (ms); 0 while one does. */
  wholeMs(site: string, nowMs: number): number {
    if ([...this.#standing.values()].some((sites) => sites.includes(site))) return 0;
    return nowMs - (this.#touchedMs.get(site) ?? Number.NEGATIVE_INFINITY);
  }
}

/** A pause goes by the name of its node: it is over when that goes on. */
function nameOf(fault: number, verb: string, args: readonly unknown[]): string {
  return verb === 'pauseNode' ? `paused ${args[0]}` : String(fault);
}

/** Their names; those of all where it is not known what a verb does. */
function sitesBrokenBy(map: ClusterMap, verb: string, [what]: readonly unknown[]): string[] {
  if (['outside', 'store'].includes(aboutVerb(verb).on)) return [];
  if (typeof what === 'string' || Array.isArray(what)) return sitesOf(nodesAt(map, what));
  if (typeof what !== 'object' || what === null || !('from' in what)) return [...map.sites.keys()];
  const { from, to } = what as { from: Place; to?: Place };
  const [here, there] = [nodesAt(map, from), to === undefined ? undefined : nodesAt(map, to)];
  const isElsewhere = (node: NodeEntry) => here.length === map.nodes.size || !here.includes(node);
  return sitesOf(
    here.filter((one) =>
      map.site(one.site).nodes.some((other) => other !== one && (there?.includes(other) ?? isElsewhere(other))),
    ),
  );
}

function nodesAt(map: ClusterMap, place: Place): NodeEntry[] {
  const { nodes, instances } = membersOf(map, place);
  return [...nodes, ...instances.map(({ node }) => map.node(node))];
}

function sitesOf(nodes: readonly NodeEntry[]): string[] {
  return [...new Set(nodes.map(({ site }) => site))];
}
