/** Parts of several oracles: merged subscriptions, comparison of shown fields, the leases of arbiters. */
import { nodeOf } from '../../../../src/model/cluster/address.ts';
import type { ClusterMap } from '../../../../src/model/cluster/cluster-map.ts';
import type { InstanceStatus } from '../../../../src/model/cluster/states.ts';
import type { ReplyOf } from '../../../../src/model/protocol/catalogue.ts';
import type { ObservationListeners } from '../../oracle.ts';

type Heard = (observation: never) => void;
type ByType = Readonly<Record<string, Heard>>;

/** Merges subscriptions: each listener gets its kinds, and its types. A kind is by type in all of them, or in none. */
export function together(...all: readonly ObservationListeners[]): ObservationListeners {
  const byKind = new Map<string, (Heard | ByType)[]>();
  for (const listeners of all)
    for (const [kind, heard] of Object.entries(listeners) as [string, Heard | ByType][]) addTo(byKind, kind, heard);
  return Object.fromEntries([...byKind].map(([kind, some]) => [kind, mergedOf(kind, some)]));
}

function mergedOf(kind: string, some: readonly (Heard | ByType)[]): Heard | ByType {
  const forAll = some.filter((each) => typeof each === 'function');
  if (forAll.length === some.length) return inTurn(forAll);
  if (forAll.length > 0) throw new Error(`${kind}: a listener by type, and one for all`);
  const merged = new Map<string, Heard[]>();
  for (const each of some) for (const [type, heard] of Object.entries(each)) addTo(merged, type, heard);
  return Object.fromEntries([...merged].map(([type, each]) => [type, inTurn(each)]));
}

function inTurn(some: readonly Heard[]): Heard {
  const [only, ...others] = some;
  if (only !== undefined && others.length === 0) return only;
  return (observation) => {
    for (const heard of some) heard(observation);
  };
}

function addTo<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/** A listener of several types. */
export function byType<H>(types: readonly string[], heard: H): { readonly [type: string]: H } {
  return Object.fromEntries(types.map((type) => [type, heard]));
}

/**
 * Calls `forget` with the address of each instance that has lost what it had in memory: it crashes, its node ends, or it has
 * none of these statuses any more.
 */
export function whenLost(
  map: ClusterMap,
  forget: (address: string) => void,
  keeping: readonly InstanceStatus[] = ['active', 'standby', 'draining'],
): ObservationListeners {
  return {
    'instance.status': ({ instance, status }) => {
      if (!keeping.includes(status)) forget(instance);
    },
    'instance.crashed': ({ instance }) => forget(instance),
    'node.ended': ({ node }) => {
      for (const { address } of map.node(node).instances) forget(address);
    },
  };
}

/** For longer than any SIP message is under way, repetitions and faults included. */
export const sipKeptMs = 600_000;

/** The path by which most clients name a resource that has several. */
export function usualPath(path: string): string {
  return path
    .replace('/user/sip/', '/uc/')
    .replace('/api/selectors', '/uc/selectors')
    .replace('/paticipants', '/participants');
}

/** Forgets the times before one, in a map to which times were added in their order. */
export function forgetBefore(times: Map<string, number>, beforeMs: number): void {
  for (const [key, atMs] of times) {
    if (atMs >= beforeMs) return;
    times.delete(key);
  }
}

/** Sets an entry of a map that holds at most `most` entries: the last ones. */
export function setLast<K, V>(map: Map<K, V>, key: K, value: V, most: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= most) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    if (map.size <= most) return;
  }
}

/** The SIP endpoints of the platform's edges; all others are of phones and providers. */
export function edgeEndpoints(map: ClusterMap): ReadonlySet<string> {
  return new Set([...map.instancesOf('sg'), ...map.instancesOf('esg')].map((edge) => map.endpointOf(edge)));
}

type Values = Readonly<Record<string, unknown>>;

/** The first common field with another value; `part` may have only some fields of `whole`. */
export function differingField(part: Values, whole: Values): string | undefined {
  return Object.keys(part).find((name) => {
    const [short, long] = [part[name], whole[name]];
    if (long === undefined || JSON.stringify(short) === JSON.stringify(long)) return false;
    return !isValues(short) || !isValues(long) || differingField(short, long) !== undefined;
  });
}

function isValues(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export interface ArbiterLease {
  /** Name of the arbiter's node. */
  readonly by: string;
  readonly atMs: number;
}

/** The leases of arbiters: which node was granted the right to act for the half of a split site, and when. */
export class ArbiterLeases {
  /** Last lease, by the name of the node. */
  readonly #last = new Map<string, ArbiterLease>();

  /** For the owner's subscriptions. */
  readonly listeners: ObservationListeners = {
    'envelope.delivered': {
      'quorum.claim': ({ envelope: { kind, from, to, body }, atMs }) => {
        if (kind === 'reply' && (body as ReplyOf<'quorum.claim'>).granted)
          this.#last.set(nodeOf(to), { by: nodeOf(from), atMs });
      },
    },
    // A restarted node has no lease.
    'node.started': ({ node }) => void this.#last.delete(node),
  };

  lastFor(node: string): ArbiterLease | undefined {
    return this.#last.get(node);
  }
}
