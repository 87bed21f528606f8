/**
 * Who runs, and whom the nodes of a site see: from what they themselves know of each other, whatever faults stand. So something
 * can be asked of a site that is whole while others are torn, and of each part of one that is torn itself.
 */
import { nodeOf } from '../../src/model/address.ts';
import type { ClusterMap, InstanceEntry, NodeEntry } from '../../src/model/cluster-map.ts';
import type { InstanceStatus } from '../../src/model/states.ts';
import type { Hears } from './oracle.ts';

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
