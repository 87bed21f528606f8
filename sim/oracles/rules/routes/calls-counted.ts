/** The dashboard of the edges of providers counts the calls that go on. */
import { nodeOf } from '../../../../src/model/cluster/address.ts';
import type { SipMessage } from '../../../../src/model/sip/message.ts';
import { providersOf } from '../../../outside/population.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { jsonIn } from '../kit/reading.ts';
import { setLast } from '../kit/shared.ts';

/** A call between an esg and a provider, which goes on. */
interface Leg {
  /** The address of its esg. */
  readonly gate: string;
  b2b: string | undefined;
  /** When its INVITE was answered with 2xx. */
  answeredMs: number | undefined;
}

interface Tree {
  readonly sites?: readonly {
    readonly servers?: readonly { readonly srvidx: number; readonly callcount?: number }[];
  }[];
}

const path = '/rest/v1/master/logicalroles/esg/dashboards/info';
const mostLegs = 1_000;

export const callsCounted: OracleMaker = {
  name: 'calls-counted',
  rule: 'An esg counts on its dashboard (`callcount`) at least the calls of providers that were answered two seconds before and go on, unless it has restarted since, or their b2b has, or has been out of its reach for as long as calls wait for it.',
  exclusions: 'Calls whose b2b is on a node that the node of the esg sees only through others.',
  make: ({ map, check, fail }) => {
    const { quickMs } = boundsOf(map);
    const { callGoneMs } = map.topology.timings;
    const providers = new Set(providersOf(map).map(({ endpoint }) => endpoint));
    const gates = new Map(map.instancesOf('esg').map((gate) => [map.endpointOf(gate), gate]));
    const legs = new Map<string, Leg>();
    const asked = new Map<number, number>();
    /** When nodes of edges have lost nodes of b2b, as `node node`. */
    const lost = new Map<string, number>();
    /** Pairs of nodes that see each other directly. */
    const met = new Set<string>();
    const forget = (isIt: (leg: Leg) => boolean) => {
      for (const [callid, leg] of legs) if (isIt(leg)) legs.delete(callid);
    };
    const began = (gate: string | undefined, callid: string) => {
      if (gate !== undefined && !legs.has(callid))
        setLast(legs, callid, { gate, b2b: undefined, answeredMs: undefined }, mostLegs);
    };
    const listeners: ObservationListeners = {
      'outside.sent': ({ from, to, message, atMs }) => {
        if (!providers.has(from) && !providers.has(to)) return;
        const { method, callid, kind } = message;
        if (method === 'BYE' || method === 'CANCEL') return void legs.delete(callid);
        if (kind === 'request') {
          if (method === 'INVITE' && message.to.tag === undefined)
            began(gates.get(providers.has(from) ? to : from)?.address, callid);
          return;
        }
        const leg = legs.get(callid);
        if (leg === undefined || message.status < 200) return;
        if (message.status >= 300) {
          if (leg.answeredMs === undefined || message.status === 408 || message.status === 481) legs.delete(callid);
        } else if (method === 'INVITE') leg.answeredMs ??= atMs;
      },
      'envelope.delivered': {
        sip: ({ envelope: { from, to, body } }) => {
          const leg = legs.get((body as SipMessage).callid);
          if (leg === undefined) return;
          const other = map.instances.get(from === leg.gate ? to : from);
          if (other?.role === 'b2b') leg.b2b = other.address;
        },
      },
      'entity.state': {
        peer: ({ owner, key, state = '', atMs }) => {
          const name = `${nodeOf(owner)} ${key}`;
          const lostMs = lost.get(name);
          if (!isUp(state)) return void (lostMs ?? lost.set(name, atMs));
          lost.delete(name);
          met.add(name);
          if (lostMs === undefined || atMs - lostMs < callGoneMs) return;
          forget(({ gate, b2b = '' }) => nodeOf(gate) === nodeOf(owner) && nodeOf(b2b) === key);
        },
      },
      'fault.inflicted': ({ verb }) => {
        if (verb === 'skew') legs.clear();
      },
      'instance.status': ({ instance, status }) => {
        if (status !== 'active' && status !== 'draining')
          forget(({ gate, b2b }) => gate === instance || b2b === instance);
      },
      'instance.crashed': ({ instance }) => forget(({ gate, b2b }) => gate === instance || b2b === instance),
      'node.ended': ({ node }) => {
        forget(({ gate, b2b = '' }) => nodeOf(gate) === node || nodeOf(b2b) === node);
      },
      'request.received': ({ id, method, target, atMs }) => {
        if (method === 'GET' && target.startsWith(path)) asked.set(id, atMs);
      },
      'request.answered': ({ id, site, status, body, atMs }) => {
        const askedMs = asked.get(id);
        asked.delete(id);
        if (askedMs === undefined || status !== 200 || legs.size === 0) return;
        for (const { servers = [] } of (jsonIn(body) as Tree).sites ?? []) {
          for (const { srvidx, callcount } of servers) {
            const gate = map.instancesOf('esg').find((each) => each.srvidx === srvidx)?.address;
            const sure = [...legs].filter(([, leg]) => leg.gate === gate && isSure(leg, askedMs));
            if (callcount === undefined || sure.length === 0) continue;
            check();
            if (callcount < sure.length)
              fail(
                `${site} shows ${callcount} calls of ${gate} at ${Math.round(atMs)}, of which ${sure.map(([callid]) => callid).join(', ')} go on`,
              );
          }
        }
      },
    };
    const isSure = ({ gate, b2b, answeredMs }: Leg, askedMs: number) => {
      if (b2b === undefined || answeredMs === undefined || askedMs - answeredMs <= quickMs) return false;
      const pair = `${nodeOf(gate)} ${nodeOf(b2b)}`;
      return nodeOf(gate) === nodeOf(b2b) || (met.has(pair) && !lost.has(pair));
    };
    return { listeners };
  },
};

function isUp(state: string): boolean {
  return state === 'up' || state.startsWith('up.');
}
