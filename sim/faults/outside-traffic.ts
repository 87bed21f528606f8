/** Which traffic with the world outside a fault concerns: through which edges, with whom, which way, and which SIP messages. */
import type { ClusterMap, InstanceEntry } from '../../src/model/cluster-map.ts';
import type { SipMessage } from '../../src/model/sip/message.ts';
import { fits, namesOfSip } from './messages.ts';
import { membersOf, type Place } from './places.ts';
import type { Rule, Verdict } from './rules.ts';

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
