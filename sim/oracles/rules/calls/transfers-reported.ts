/** A party that refers the other one learns how that goes. */
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { byType, edgeEndpoints, setLast, together } from '../kit/shared.ts';
import { UndisturbedAround } from '../kit/undisturbed.ts';

const mostLegs = 5_000;

export const transfersReported: OracleMaker = {
  name: 'transfers-reported',
  rule: 'A device whose REFER was accepted receives a NOTIFY of the transfer within five seconds, unless its leg ends or a message may have been lost; and no other device does.',
  make: ({ map, now, check, fail }) => {
    const { promptMs } = boundsOf(map);
    const undisturbed = new UndisturbedAround(map);
    const edges = edgeEndpoints(map);
    /** When the REFER was accepted, by leg. */
    const accepted = new Map<string, number>();
    /** The legs on which a device has sent a REFER. */
    const referring = new Map<string, true>();
    const listeners: ObservationListeners = {
      'outside.sent': byType(['BYE', 'REFER', 'NOTIFY'], ({ to, message, atMs }) => {
        const { callid, method, kind } = message;
        if (method === 'BYE') return void accepted.delete(callid);
        const isToDevice = !edges.has(to);
        if (kind === 'response') {
          if (isToDevice && method === 'REFER' && message.status < 300) accepted.set(callid, atMs);
          return;
        }
        if (!isToDevice && method === 'REFER') setLast(referring, callid, true, mostLegs);
        if (!isToDevice || method !== 'NOTIFY' || message.event !== 'refer') return;
        if (accepted.delete(callid)) check();
        if (!referring.has(callid))
          fail(`${to} gets a NOTIFY of a transfer on the leg ${callid}, on which it has sent no REFER`);
      }),
    };
    const tick = () => {
      const nowMs = now();
      undisturbed.look(nowMs);
      for (const [callid, atMs] of accepted) {
        if (nowMs - atMs <= promptMs) continue;
        accepted.delete(callid);
        if (undisturbed.forMs(nowMs) > nowMs - atMs)
          fail(`the REFER of leg ${callid} was accepted, and ${nowMs - atMs} ms later no NOTIFY has come`);
      }
    };
    return { listeners: together(undisturbed.listeners, listeners), tick };
  },
};
