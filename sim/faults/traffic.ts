import type { ClusterMap, InstanceEntry, NodeEntry } from '../../src/model/cluster-map.ts';
import { decode, type EnvelopeKind } from '../../src/model/envelope.ts';
import type { SipMessage } from '../../src/model/sip/message.ts';
import { coverOf, membersOf, type Place } from './places.ts';
import { fits, namesOfMessage, namesOfSip, type Rule, type Verdict } from './rules.ts';

/** Which traffic with the world outside a fault concerns: through which edges, with whom, which way, and which SIP messages. */

export interface Beyond {
  /** Edges: those at a site or node, of a role, or one; `*`: all, which is the default. */
  readonly from?: Place | undefined;
  /** Endpoints of phones and providers; default: of all. */
  readonly endpoints?: readonly string[] | undefined;
  /** `in`: towards the platform; `out`: away from it; default: both. */
  readonly direction?: 'in' | 'out' | undefined;
  /** Only these; see `messages.ts`. */
  readonly messages?: readonly string[] | undefined;
}

export function outsideRuleOf(map: ClusterMap, beyond: Beyond, verdict: () => Verdict): Rule<string, SipMessage> {
  const { from = '*', endpoints, direction, messages } = beyond;
  const edges = new Set(edgesAt(map, from).map((edge) => map.endpointOf(edge)));
  const others = endpoints === undefined ? undefined : new Set(endpoints);
  const isNamed = messages === undefined ? undefined : fits(messages);
  const isBetween = (edge: string, other: string) => edges.has(edge) && (others === undefined || others.has(other));
  return (sender, receiver, message) => {
    const isOut = direction !== 'in' && isBetween(sender, receiver);
    const isIn = direction !== 'out' && isBetween(receiver, sender);
    if (!isOut && !isIn) return 'pass';
    return isNamed === undefined || namesOfSip(message).some(isNamed) ? verdict() : 'pass';
  };
}

/** The edges of a place. Throws an error that says where there are some. */
export function edgesAt(map: ClusterMap, place: Place): InstanceEntry[] {
  const { nodes, instances } = membersOf(map, place);
  const found = edgesOf(map).filter((edge) => instances.includes(edge) || nodes.some(({ name }) => name === edge.node));
  if (found.length > 0) return found;
  const names = edgesOf(map).flatMap(({ site, name }) => [site, name]);
  throw new Error(
    `expected a place with edges (${[...new Set(names)].sort().join(', ')}), got "${[place].flat().join(', ')}"`,
  );
}

/** The instances that speak SIP with the world outside. */
export function edgesOf(map: ClusterMap): InstanceEntry[] {
  return [...map.instancesOf('sg'), ...map.instancesOf('esg')];
}

/**
 * Which traffic a fault concerns: between which places, one way or both, and which messages. Where it names only sites and nodes
 * it is what crosses the links between these, whoever it is for; where it names roles or instances it is what these send and get
 * themselves, on the first link that it crosses.
 */

/** From one place to another, or between a place and all others (`*`: all). `oneWay`: only `from` → `to`. */
export interface Between {
  readonly from: Place;
  readonly to?: Place | undefined;
  readonly oneWay?: boolean | undefined;
  /** Only messages of these types; see `messages.ts`. */
  readonly messages?: readonly string[] | undefined;
  /** Only those that ask, answer (`reply`, `fault`), or tell. */
  readonly kinds?: readonly EnvelopeKind[] | undefined;
}

/** A rule that gives its word on what is concerned, and lets the rest pass. */
export function ruleOf(map: ClusterMap, between: Between, verdict: () => Verdict): Rule {
  const { from, to, messages, kinds } = between;
  const places = [from, to ?? []].map((place) => membersOf(map, place));
  const isByEnds = places.some(({ instances }) => instances.length > 0);
  const concerns = isByEnds ? byEnds(map, between) : byLinks(map, between);
  const isOf = messages === undefined && kinds === undefined ? undefined : isOfKind(between);
  return (sender, receiver, frame) =>
    concerns(sender, receiver, frame) && (isOf === undefined || isOf(frame)) ? verdict() : 'pass';
}

type Concerns = (sender: NodeEntry, receiver: NodeEntry, frame: string) => boolean;

/** The nodes at the two ends of a link. */
function byLinks(map: ClusterMap, { from, to, oneWay = false }: Between): Concerns {
  const { isFrom, isTo } = endsOf(from, to, (place) => {
    const nodes = new Set(membersOf(map, place).nodes);
    return (node: NodeEntry) => nodes.has(node);
  });
  return (sender, receiver) => (isFrom(sender) && isTo(receiver)) || (!oneWay && isFrom(receiver) && isTo(sender));
}

/** Who has sent a message, and for whom it is. */
function byEnds(map: ClusterMap, { from, to, oneWay = false }: Between): Concerns {
  const { isFrom, isTo } = endsOf(from, to, (place) => coverOf(membersOf(map, place)));
  return (_sender, _receiver, frame) => {
    const envelope = decode(frame);
    if ('malformed' in envelope || envelope.hops > 0) return false;
    return (isFrom(envelope.from) && isTo(envelope.to)) || (!oneWay && isFrom(envelope.to) && isTo(envelope.from));
  };
}

type IsThere<T> = (one: T) => boolean;

/** Without `to` it is everywhere else. */
function endsOf<T>(
  from: Place,
  to: Place | undefined,
  isAt: (place: Place) => IsThere<T>,
): { isFrom: IsThere<T>; isTo: IsThere<T> } {
  const isFrom = isAt(from);
  if (to !== undefined) return { isFrom, isTo: isAt(to) };
  const isAll = from === '*' || (Array.isArray(from) && from.includes('*'));
  return { isFrom, isTo: (one) => isAll || !isFrom(one) };
}

function isOfKind({ messages, kinds }: Between): (frame: string) => boolean {
  const isNamed = messages === undefined ? () => true : fits(messages);
  return (frame) => {
    const envelope = decode(frame);
    if ('malformed' in envelope) return false;
    if (kinds !== undefined && !kinds.includes(envelope.kind)) return false;
    return namesOfMessage(envelope.type, envelope.body).some(isNamed);
  };
}
