/** A leg is not given up while its other end is in reach. */
import type { InstanceEntry } from '../../../../src/model/cluster/cluster-map.ts';
import type { SipMessage } from '../../../../src/model/sip/message.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { Reachability } from '../../reachability.ts';
import { setLast, together } from '../kit/shared.ts';

/** An instance that has just come back, or has just restarted, may be missed a moment longer. */
const noticedMs = 300;
/** How long after its restart an instance is given up for what it had before. */
const restartedMs = 10_000;
const mostLegs = 10_000;

const talking: ReadonlySet<string> = new Set(['confirmed', 'offering', 'reoffering', 'glare']);

interface Drop {
  readonly callid: string;
  readonly atMs: number;
  readonly owner: InstanceEntry;
  readonly other: InstanceEntry;
}

export const legsKept: OracleMaker = {
  name: 'legs-kept',
  rule: 'An instance gives a leg of a call up, without a message, only while the instance at its other end is out of its reach, or after that one has restarted.',
  exclusions: 'Ends at different sites: what their nodes see of each other is not known here.',
  make: ({ map, check, fail }) => {
    const reachability = new Reachability(map);
    /** The ends of each leg inside, and their states. */
    const legs = new Map<string, Map<string, string>>();
    const drops = new Map<string, Drop>();
    /** When an instance has started or ended. */
    const startedMs = new Map<string, number>();
    const changed = (address: string, atMs: number) => void startedMs.set(address, atMs);
    const isInReach = ({ owner, other }: Drop, nowMs: number) => {
      const [here, there] = [map.node(owner.node), map.node(other.node)];
      if (nowMs - (startedMs.get(other.address) ?? Number.NEGATIVE_INFINITY) < restartedMs) return false;
      if (here === there) return true;
      const isSettled = [here, there].every((node) => reachability.stableInSiteMs(node, nowMs) > noticedMs);
      return isSettled && reachability.areTogether(here, there);
    };
    const ended = (callid: string, owner: InstanceEntry, atMs: number) => {
      const [name] = [...(legs.get(callid)?.keys() ?? [])].filter((each) => each !== owner.address);
      const other = name === undefined ? undefined : map.instances.get(name);
      if (other === undefined || other.site !== owner.site) return;
      const drop = { callid, atMs, owner, other };
      check();
      if (isInReach(drop, atMs)) drops.set(callid, drop);
    };
    const listeners: ObservationListeners = {
      'entity.state': {
        leg: ({ owner: address, machine, key, state, before, atMs }) => {
          const owner = map.instances.get(address);
          if (machine !== 'leg' || owner === undefined) return;
          const ends = legs.get(key) ?? new Map<string, string>();
          if (state === 'ended' && before !== undefined && talking.has(before)) ended(key, owner, atMs);
          if (state === undefined || state === 'ended') ends.delete(address);
          else ends.set(address, state);
          if (ends.size === 0) legs.delete(key);
          else if (!legs.has(key)) setLast(legs, key, ends, mostLegs);
        },
      },
      // Any message that the instance sends at this moment informs the other end.
      'envelope.sent': {
        sip: ({ envelope: { from, body } }) => {
          const { callid } = body as SipMessage;
          if (drops.get(callid)?.owner.address === from) drops.delete(callid);
        },
      },
      'instance.status': ({ instance, status, atMs }) => {
        if (status === 'starting' || status === 'stopped') changed(instance, atMs);
      },
      'instance.crashed': ({ instance, atMs }) => changed(instance, atMs),
      'node.ended': ({ node, atMs }) => {
        for (const { address } of map.node(node).instances) changed(address, atMs);
      },
    };
    const tick = (nowMs: number) => {
      for (const { callid, atMs, owner, other } of drops.values()) {
        if (atMs === nowMs) continue;
        drops.delete(callid);
        fail(`${owner.name} gives leg ${callid} up, whose other end ${other.name} is in its reach`);
      }
    };
    return { listeners: together(reachability.listeners, listeners), tick };
  },
};
