/** A REGISTER is refused as one that comes late only where a later one was sent. */
import { boundsOf } from '../../bounds.ts';
import type { OracleMaker } from '../../oracle.ts';
import { edgeEndpoints, setLast, together } from '../kit/shared.ts';
import { Undisturbed } from '../kit/undisturbed.ts';

/** Of devices that were switched on, the last ones. */
const mostKept = 2_000;

export const registersTaken: OracleMaker = {
  name: 'registers-taken',
  rule: 'A REGISTER is answered with 500 or 503 only where its device has sent a later one with the same Call-Id (RFC 3261, 10.3), so that one that was switched on again registers at once; while nothing is broken.',
  exclusions: 'SIP users that are changed or removed at that moment.',
  make: ({ map, fired, check, fail }) => {
    const { noticedMs, quickMs, promptMs, copiedMs } = boundsOf(map);
    const edges = edgeEndpoints(map);
    const undisturbed = new Undisturbed();
    /** The last number of each Call-Id. */
    const last = new Map<string, number>();
    /** When a SIP user was changed last, and how many changes copies had lost before. */
    let changedMs = Number.NEGATIVE_INFINITY;
    let withheld = 0;
    return {
      listeners: together(undisturbed.listeners, {
        'request.received': ({ method, target, atMs }) => {
          if (method === 'GET' || !target.includes('sipusers')) return;
          changedMs = atMs;
          withheld = fired('data.unheard');
        },
        'outside.sent': {
          REGISTER: ({ from, message, atMs }) => {
            const { kind, callid, cseq } = message;
            if (kind === 'request') {
              if (!edges.has(from)) setLast(last, callid, Math.max(cseq, last.get(callid) ?? 0), mostKept);
              return;
            }
            const latest = last.get(callid);
            if (latest === undefined || !edges.has(from)) return;
            // It may have waited for the answers of other devices.
            const knownMs = withheld === fired('data.unheard') ? promptMs : copiedMs;
            const isAfterChange = atMs - changedMs < knownMs;
            if (latest > cseq || isAfterChange || undisturbed.forMs(atMs) < noticedMs + quickMs) return;
            check();
            if (message.status === 500 || message.status === 503)
              fail(
                `REGISTER ${cseq} of ${callid}, which is the last one of its device, was answered with ${message.status}`,
              );
          },
        },
      }),
    };
  },
};
