/** A call whose party has got to where a transfer sent it ends. */
import type { SipMessage } from '../../../../src/model/sip/message.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { byType, edgeEndpoints, setLast, together } from '../kit/shared.ts';
import { UndisturbedAround } from '../kit/undisturbed.ts';

/** The last REFER of the platform to a device, and what has become of it. */
interface Referred {
  readonly cseq: number;
  readonly sentMs: number;
  outcome: 'open' | 'arrived' | 'failed';
  changedMs: number;
}

const mostLegs = 1_000;

export const referredLeave: OracleMaker = {
  name: 'referred-leave',
  rule: 'When a device has notified that the transfer which the platform asked of it has succeeded, and no other one of its call is open, its leg ends within two seconds, while nothing is broken.',
  make: ({ map, check, fail }) => {
    const { quickMs } = boundsOf(map);
    const undisturbed = new UndisturbedAround(map);
    const edges = edgeEndpoints(map);
    const referred = new Map<string, Referred>();
    /** The Call-Ids of the legs of a call, by each of them. */
    const callLegs = new Map<string, readonly string[]>();
    /** When each leg was published first: one that began while something was broken may not have been acknowledged. */
    const begunMs = new Map<string, number>();
    const became = (callid: string, status: number, atMs: number) => {
      const transfer = referred.get(callid);
      if (transfer?.outcome !== 'open' || status < 200) return;
      transfer.outcome = status < 300 ? 'arrived' : 'failed';
      transfer.changedMs = atMs;
    };
    const fromDevice = (message: SipMessage, atMs: number) => {
      const { callid, cseq, method } = message;
      if (message.kind === 'request') {
        const [, status] = /^SIP\/2\.0 (\d{3})/.exec(message.sipfrag ?? '') ?? [];
        if (method === 'NOTIFY' && message.event === 'refer') became(callid, Number(status ?? 100), atMs);
      } else if (method === 'REFER' && message.status >= 300 && referred.get(callid)?.cseq === cseq)
        became(callid, message.status, atMs);
    };
    const listeners: ObservationListeners = {
      'outside.sent': byType(['BYE', 'REFER', 'NOTIFY'], ({ to, message, atMs }) => {
        const { callid, cseq, method, kind } = message;
        if (method === 'BYE') {
          if (referred.get(callid)?.outcome === 'arrived') check();
          referred.delete(callid);
        } else if (edges.has(to)) fromDevice(message, atMs);
        else if (method === 'REFER' && kind === 'request' && referred.get(callid)?.cseq !== cseq)
          setLast(referred, callid, { cseq, sentMs: atMs, outcome: 'open', changedMs: atMs }, mostLegs);
      }),
      // Which legs are one call, b2b says.
      'published.dialog': ({ dialog: { legs }, atMs }) => {
        const callids = legs.map(({ callid }) => callid);
        for (const callid of callids) {
          setLast(callLegs, callid, callids, mostLegs);
          setLast(begunMs, callid, begunMs.get(callid) ?? atMs, mostLegs);
        }
      },
    };
    const tick = (nowMs: number) => {
      undisturbed.look(nowMs);
      for (const [callid, { outcome, changedMs, sentMs }] of referred) {
        if (outcome !== 'arrived') continue;
        const others = (callLegs.get(callid) ?? []).flatMap((id) => (id === callid ? [] : (referred.get(id) ?? [])));
        if (others.some((other) => other.outcome === 'open')) continue;
        const sinceMs = Math.max(changedMs, ...others.map((other) => other.changedMs));
        if (nowMs - sinceMs <= quickMs) continue;
        referred.delete(callid);
        const legs = callLegs.get(callid) ?? [];
        const firstMs = Math.min(sentMs, ...legs.map((leg) => begunMs.get(leg) ?? sentMs));
        if (undisturbed.forMs(nowMs) <= nowMs - firstMs) continue;
        fail(
          `the device of leg ${callid} has left for another call, and ${Math.round(nowMs - sinceMs)} ms later its leg goes on`,
        );
      }
    };
    return { listeners: together(undisturbed.listeners, listeners), tick };
  },
};
