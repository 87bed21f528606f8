/** A device that has unregistered is not called. */
import { boundsOf } from '../../bounds.ts';
import type { OracleMaker } from '../../oracle.ts';
import { together } from '../shared.ts';
import { Undisturbed } from '../undisturbed.ts';

export const unregisteredRest: OracleMaker = {
  name: 'unregistered-rest',
  rule: 'A phone whose REGISTER that removes its device was accepted receives no INVITE of a new call from two seconds later on, until it registers again; while nothing is broken.',
  make: ({ map, fired, check, fail }) => {
    const { quickMs } = boundsOf(map);
    const calm = new Undisturbed();
    /** REGISTERs that remove, without an answer so far: when each was sent, by phone and number. */
    const asked = new Map<string, number>();
    /** When the removal was asked for and accepted, by phone. */
    const away = new Map<
      string,
      { readonly askedMs: number; readonly acceptedMs: number; readonly withheld: number }
    >();
    /** Call-Ids of the INVITEs to phones: what comes again is a repetition, not a new call. */
    const invited = new Set<string>();
    const nameOf = (phone: string, callid: string, cseq: number) => `${phone} ${callid} ${cseq}`;
    return {
      listeners: together(calm.listeners, {
        'outside.sent': ({ from, to, message, atMs }) => {
          const { method, callid, cseq } = message;
          if (method === 'REGISTER' && message.kind === 'request') {
            away.delete(from);
            if (message.expires === 0) asked.set(nameOf(from, callid, cseq), atMs);
          }
          if (method === 'REGISTER' && message.kind === 'response') {
            const name = nameOf(to, callid, cseq);
            const askedMs = asked.get(name);
            if (message.status >= 200) asked.delete(name);
            if (askedMs !== undefined && message.status === 200)
              away.set(to, { askedMs, acceptedMs: atMs, withheld: fired('registrar.untold') });
          }
          if (method !== 'INVITE' || message.kind !== 'request' || message.to.tag !== undefined) return;
          if (invited.has(callid)) return;
          invited.add(callid);
          const since = away.get(to);
          if (since === undefined || atMs - since.acceptedMs <= quickMs || !calm.isSince(since.askedMs, atMs)) return;
          if (since.withheld !== fired('registrar.untold')) return;
          fail(`${to} is called ${Math.round(atMs - since.acceptedMs)} ms after it has unregistered`);
        },
        'request.answered': () => {
          if (away.size > 0) check();
        },
      }),
    };
  },
};
