/** A party that refers the other one learns how that goes. */
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { edgeEndpoints, together } from '../shared.ts';
import { UndisturbedAround } from '../undisturbed.ts';

export const transfersReported: OracleMaker = {
  name: 'transfers-reported',
  rule: 'A device whose REFER was accepted receives a NOTIFY of the transfer within five seconds, unless its leg ends or a message may have been lost.',
  make: ({ map, now, check, fail }) => {
    const { promptMs } = boundsOf(map);
    const undisturbed = new UndisturbedAround(map);
    const edges = edgeEndpoints(map);
    /** When the REFER was accepted, by leg. */
    const accepted = new Map<string, number>();
    const listeners: ObservationListeners = {
      'outside.sent': ({ to, message, atMs }) => {
        const { callid, method, kind } = message;
        if (method === 'BYE') return void accepted.delete(callid);
        const isToDevice = !edges.has(to);
        if (kind === 'response') {
          if (isToDevice && method === 'REFER' && message.status < 300) accepted.set(callid, atMs);
          return;
        }
        if (isToDevice && method === 'NOTIFY' && message.event === 'refer' && accepted.delete(callid)) check();
      },
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
