/** The traffic that a fault affects, between nodes and with the world outside, as rules. */
import type { ClusterMap, InstanceEntry, NodeEntry } from '../../src/model/cluster/cluster-map.ts';
import { decode, type EnvelopeKind } from '../../src/model/cluster/envelope.ts';
import type { SipMessage } from '../../src/model/sip/message.ts';
import { fits, namesOfMessage, namesOfSip } from './message-patterns.ts';
import { coverOf, type FaultPlace, membersOf, NotInTopology } from './places.ts';
import type { RuleAction, TrafficRule } from './rules.ts';

/**
 * The traffic with the world outside that a fault affects: through which edges, with which endpoints, in which
 * direction, and which SIP messages.
 */
export interface OutsideTraffic {
  /** Edges: those at a site or node, of a role, or one; `*`: all (default). */
  readonly from?: FaultPlace | undefined;
  /** Endpoints of phones and providers; default: all. */
  readonly endpoints?: readonly string[] | undefined;
  /** `in`: to the platform; `out`: from it; default: both. */
  readonly direction?: 'in' | 'out' | undefined;
  /** Only these; see `message-patterns.ts`. */
  readonly messages?: readonly string[] | undefined;
}

export function outsideRuleOf(
  map: ClusterMap,
  beyond: OutsideTraffic,
  action: () => RuleAction,
): TrafficRule<string, SipMessage> {
  const { from = '*', endpoints, direction, messages } = beyond;
  const edges = new Set(edgesAt(map, from).map((edge) => map.endpointOf(edge)));
  const others = endpoints === undefined ? undefined : new Set(endpoints);
  const isNamed = messages === undefined ? undefined : fits(messages);
  const isBetween = (edge: string, other: string) => edges.has(edge) && (others === undefined || others.has(other));
  return (sender, receiver, message) => {
    const isOut = direction !== 'in' && isBetween(sender, receiver);
    const isIn = direction !== 'out' && isBetween(receiver, sender);
    if (!isOut && !isIn) return 'pass';
    return isNamed === undefined || namesOfSip(message).some(isNamed) ? action() : 'pass';
  };
}

/** The edges of a place. Throws an error that lists places with edges. */
export function edgesAt(map: ClusterMap, place: FaultPlace): InstanceEntry[] {
  const { nodes, instances } = membersOf(map, place);
  const found = edgesOf(map).filter((edge) => instances.includes(edge) || nodes.some(({ name }) => name === edge.node));
  if (found.length > 0) return found;
  const names = edgesOf(map).flatMap(({ site, name }) => [site, name]);
  throw new NotInTopology(
    `expected a place with edges (${[...new Set(names)].sort().join(', ')}), got "${[place].flat().join(', ')}"`,
  );
}

/** The instances that exchange SIP with the world outside. */
export function edgesOf(map: ClusterMap): InstanceEntry[] {
  return [...map.instancesOf('sg'), ...map.instancesOf('esg')];
}

/**
 * The traffic between nodes that a fault affects: between two places, or between a place and all others (`*`: all), and
 * which messages; `oneWay`: only `from` → `to`. Places of sites and nodes mean the frames on the links between them,
 * whatever their addresses. Places of roles or instances mean messages from or to these instances, on the first link of
 * their route.
 */
export interface NodeTraffic {
  readonly from: FaultPlace;
  readonly to?: FaultPlace | undefined;
  readonly oneWay?: boolean | undefined;
  /** Only messages of these types; see `message-patterns.ts`. */
  readonly messages?: readonly string[] | undefined;
  /** Only envelopes of these kinds. */
  readonly kinds?: readonly EnvelopeKind[] | undefined;
}

/** A rule with one action for affected messages; it lets the others pass. */
export function ruleOf(map: ClusterMap, between: NodeTraffic, action: () => RuleAction): TrafficRule {
  const { from, to, messages, kinds } = between;
  const places = [from, to ?? []].map((place) => membersOf(map, place));
  const isByEnds = places.some(({ instances }) => instances.length > 0);
  const affects = isByEnds ? byEnds(map, between) : byLinks(map, between);
  const isOf = messages === undefined && kinds === undefined ? undefined : isOfKind(between);
  return (sender, receiver, frame) =>
    affects(sender, receiver, frame) && (isOf === undefined || isOf(frame)) ? action() : 'pass';
}

type Affects = (sender: NodeEntry, receiver: NodeEntry, frame: string) => boolean;

/** The nodes at the two ends of a link. */
function byLinks(map: ClusterMap, { from, to, oneWay = false }: NodeTraffic): Affects {
  const { isFrom, isTo } = endsOf(from, to, (place) => {
    const nodes = new Set(membersOf(map, place).nodes);
    return (node: NodeEntry) => nodes.has(node);
  });
  return (sender, receiver) => (isFrom(sender) && isTo(receiver)) || (!oneWay && isFrom(receiver) && isTo(sender));
}

/** Sender and receiver of a message. */
function byEnds(map: ClusterMap, { from, to, oneWay = false }: NodeTraffic): Affects {
  const { isFrom, isTo } = endsOf(from, to, (place) => coverOf(membersOf(map, place)));
  return (_sender, _receiver, frame) => {
    const envelope = decode(frame);
    if ('malformed' in envelope || envelope.hops > 0) return false;
    return (isFrom(envelope.from) && isTo(envelope.to)) || (!oneWay && isFrom(envelope.to) && isTo(envelope.from));
  };
}

type IsThere<T> = (one: T) => boolean;

/** Default of `to`: all other nodes. */
function endsOf<T>(
  from: FaultPlace,
  to: FaultPlace | undefined,
  isAt: (place: FaultPlace) => IsThere<T>,
): { isFrom: IsThere<T>; isTo: IsThere<T> } {
  const isFrom = isAt(from);
  if (to !== undefined) return { isFrom, isTo: isAt(to) };
  const isAll = from === '*' || (Array.isArray(from) && from.includes('*'));
  return { isFrom, isTo: (one) => isAll || !isFrom(one) };
}

function isOfKind({ messages, kinds }: NodeTraffic): (frame: string) => boolean {
  const isNamed = messages === undefined ? () => true : fits(messages);
  return (frame) => {
    const envelope = decode(frame);
    if ('malformed' in envelope) return false;
    if (kinds !== undefined && !kinds.includes(envelope.kind)) return false;
    return namesOfMessage(envelope.type, envelope.body).some(isNamed);
  };
}
