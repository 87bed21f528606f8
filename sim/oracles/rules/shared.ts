/** Parts of several oracles: merged subscriptions, comparison of shown fields, the leases of arbiters. */
import { nodeOf } from '../../../src/model/cluster/address.ts';
import type { ClusterMap } from '../../../src/model/cluster/cluster-map.ts';
import type { ReplyOf } from '../../../src/model/protocol/catalogue.ts';
import type { Observation } from '../observation.ts';
import type { ObservationListeners } from '../oracle.ts';

type ListenerMap = (observation: Observation) => void;

/** Merges subscriptions: each listener gets its kinds. */
export function together(...all: readonly ObservationListeners[]): ObservationListeners {
  const consumers = new Map<string, ListenerMap[]>();
  for (const listeners of all) {
    for (const [kind, hear] of Object.entries(listeners)) {
      consumers.set(kind, [...(consumers.get(kind) ?? []), hear as ListenerMap]);
    }
  }
  const hearAll = (some: readonly ListenerMap[]): ListenerMap => {
    return (observation) => {
      for (const hear of some) hear(observation);
    };
  };
  return Object.fromEntries([...consumers].map(([kind, some]) => [kind, some.length === 1 ? some[0] : hearAll(some)]));
}

/** For longer than any SIP message is under way, repetitions and faults included. */
export const sipKeptMs = 600_000;

/** Forgets the times before one, in a map to which times were added in their order. */
export function forgetBefore(times: Map<string, number>, beforeMs: number): void {
  for (const [key, atMs] of times) {
    if (atMs >= beforeMs) return;
    times.delete(key);
  }
}

/** Sets an entry of a map that holds at most `most` entries: the last ones. */
export function setLast<V>(map: Map<string, V>, key: string, value: V, most: number): void {
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

  /** For the owner's subscriptions; envelopes of type `quorum.claim`. */
  readonly listeners: ObservationListeners = {
    'envelope.delivered': ({ envelope: { kind, type, from, to, body }, atMs }) => {
      if (type !== 'quorum.claim' || kind !== 'reply') return;
      if ((body as ReplyOf<'quorum.claim'>).granted) this.#last.set(nodeOf(to), { by: nodeOf(from), atMs });
    },
    // A restarted node has no lease.
    'node.started': ({ node }) => void this.#last.delete(node),
  };

  lastFor(node: string): ArbiterLease | undefined {
    return this.#last.get(node);
  }
}
