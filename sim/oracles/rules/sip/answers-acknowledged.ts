/** An answer that comes again is acknowledged again. */
import { boundsOf } from '../../bounds.ts';
import type { OracleMaker } from '../../oracle.ts';
import { LosingOutside } from '../kit/losing-outside.ts';
import { byType, edgeEndpoints, setLast, together } from '../kit/shared.ts';
import { Undisturbed } from '../kit/undisturbed.ts';

/** Of answers, the last ones. */
const mostKept = 2_000;

export const answersAcknowledged: OracleMaker = {
  name: 'answers-acknowledged',
  rule: 'When the platform has acknowledged the 2xx of a device to INVITE, and the same 2xx arrives again because its ACK was lost, the platform sends the ACK again within two seconds (RFC 3261, 13.2.2.4), whatever is lost outside; unless the leg ends; while nothing else is broken.',
  make: ({ map, now, check, fail }) => {
    const { quickMs } = boundsOf(map);
    const edges = edgeEndpoints(map);
    const undisturbed = new Undisturbed();
    const outside = new LosingOutside();
    const acknowledged = new Map<string, true>();
    const waiting = new Map<string, { readonly callid: string; readonly atMs: number }>();
    // An instance that starts knows nothing of earlier calls.
    const forget = () => {
      acknowledged.clear();
      waiting.clear();
    };
    return {
      listeners: together(undisturbed.listeners, outside.listeners, {
        'instance.status': forget,
        'instance.crashed': forget,
        'node.ended': forget,
        'outside.sent': byType(['INVITE', 'ACK', 'BYE'], ({ from, to, message, isLost, atMs }) => {
          const { callid, cseq, kind, method } = message;
          const key = `${callid} ${cseq}`;
          if (method === 'BYE') {
            for (const [each, { callid: of }] of waiting) if (of === callid) waiting.delete(each);
          } else if (method === 'ACK') {
            if (!edges.has(from)) return;
            if (waiting.delete(key)) check();
            setLast(acknowledged, key, true, mostKept);
          } else if (kind === 'response' && message.status >= 200 && message.status < 300 && edges.has(to) && !isLost) {
            if (acknowledged.has(key) && !waiting.has(key)) waiting.set(key, { callid, atMs });
          }
        }),
      }),
      tick: (nowMs) => {
        for (const [key, { callid, atMs }] of waiting) {
          if (nowMs - atMs <= quickMs) continue;
          waiting.delete(key);
          if (!outside.isSince(atMs - quickMs) || undisturbed.forMs(now()) <= nowMs - atMs + quickMs) continue;
          check();
          fail(
            `the 2xx of leg ${callid} came again, and was not acknowledged again within ${Math.round(nowMs - atMs)} ms`,
          );
        }
      },
    };
  },
};
