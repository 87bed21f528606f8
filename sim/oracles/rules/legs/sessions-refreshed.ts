/** An end of a leg that refreshes its session goes on to do so when a refresh has failed. */
import { sipTimings } from '../../../../src/machines/sip/sip-timers.ts';
import type { SipMessage } from '../../../../src/model/sip/message.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { HeldBack } from '../kit/held-back.ts';
import { edgeEndpoints, setLast, together } from '../kit/shared.ts';
import { silencing } from './legs-agree.ts';

const mostLegs = 1_000;
/** Answers that end a leg (RFC 5057). */
const ending: ReadonlySet<number> = new Set([408, 481]);

export const sessionsRefreshed: OracleMaker = {
  name: 'sessions-refreshed',
  rule: 'An end of a leg whose refresh of the session (UPDATE) is refused, but not as of an unknown dialog, sends another one after five seconds, unless the leg ends.',
  exclusions:
    'Ends whose node is paused, or whose messages are held; phones and providers while one of them is silent.',
  make: ({ map, check, fail }) => {
    const { quickMs } = boundsOf(map);
    const edges = edgeEndpoints(map);
    const held = new HeldBack();
    /** When a refresh was refused, by end and Call-Id: it is overdue when the next one should have come. */
    const refused = new Map<string, number>();
    /** The last refresh of an end, by end and Call-Id: it has given one up that is answered too late. */
    const asked = new Map<string, { readonly cseq: number; readonly atMs: number }>();
    const silent = new Set<string>();
    const take = (sender: string, receiver: string, message: SipMessage, atMs: number) => {
      const { callid, method } = message;
      if (refused.size === 0 && method !== 'UPDATE') return;
      if (method === 'BYE') {
        refused.delete(`${sender} ${callid}`);
        refused.delete(`${receiver} ${callid}`);
      }
      // Requests of an end wait for each other: the refresh comes after any that is under way.
      const end = `${message.kind === 'request' ? sender : receiver} ${callid}`;
      if (method !== 'UPDATE' && refused.has(end)) refused.set(end, atMs);
      if (method !== 'UPDATE') return;
      if (message.kind === 'request') {
        if (refused.delete(end)) check();
        if (asked.get(end)?.cseq !== message.cseq) setLast(asked, end, { cseq: message.cseq, atMs }, mostLegs);
        return;
      }
      if (atMs - (asked.get(end)?.atMs ?? atMs) > sipTimings.patienceMs) return;
      if (message.status >= 300 && !ending.has(message.status) && (silent.size === 0 || !isOutside(receiver)))
        setLast(refused, `${receiver} ${callid}`, atMs, mostLegs);
    };
    const gone = (owner: string) => {
      for (const key of refused.keys()) if (key.startsWith(`${owner} `)) refused.delete(key);
    };
    const listeners: ObservationListeners = {
      'outside.sent': ({ from, to, message, atMs }) => {
        if (message.kind === 'request' ? edges.has(to) : edges.has(from)) take(from, to, message, atMs);
      },
      'envelope.delivered': {
        sip: ({ envelope: { from, to, body }, atMs }) => take(from, to, body as SipMessage, atMs),
      },
      'entity.state': {
        leg: ({ owner, key, state }) => {
          if (refused.size > 0 && (state === undefined || state === 'ended')) refused.delete(`${owner} ${key}`);
        },
      },
      'instance.status': ({ instance, status }) => {
        if (status === 'stopped' || status === 'starting') gone(instance);
      },
      'instance.crashed': ({ instance }) => gone(instance),
      'fault.inflicted': ({ verb, args }) => {
        if (verb === 'revive') silent.delete(String(args[0]));
        if (!silencing.has(verb)) return;
        silent.add(String(args[0]));
        for (const key of refused.keys()) if (isOutside(key)) refused.delete(key);
      },
    };
    const tick = (nowMs: number) => {
      for (const [end, atMs] of refused) {
        if (nowMs - atMs <= sipTimings.refreshAgainMs + quickMs || held.isHeld(nowMs)) continue;
        refused.delete(end);
        fail(`the refresh of ${end} was refused ${Math.round(nowMs - atMs)} ms ago, and it has sent no other`);
      }
    };
    return { listeners: together(held.listeners, listeners), tick };
  },
};

/** Whether an end is a phone or provider, named by its endpoint; an instance has an address. */
function isOutside(end: string): boolean {
  return !end.includes('/');
}
