/** No party of a call or a conference is lost while nothing is broken. */
import { boundsOf } from '../../bounds.ts';
import type { OracleMaker } from '../../oracle.ts';
import { setLast, together } from '../kit/shared.ts';
import { UndisturbedAround } from '../kit/undisturbed.ts';

const mostCalls = 3_000;

export const lossesExplained: OracleMaker = {
  name: 'losses-explained',
  rule: 'Where `dlg_end` says that a party of a call was lost, or `part_stop` that a participant of a conference was (`error`), something was broken while the call lasted.',
  exclusions:
    'Calls that are refused by an error of the platform itself: calls-served. Participants in runs in which the clock of a node was wrong.',
  make: ({ map, areClocksRight, check, fail }) => {
    const { noticedMs } = boundsOf(map);
    const undisturbed = new UndisturbedAround(map);
    /** When each call was published first, by its inviteid. */
    const begunMs = new Map<string, number>();
    const judge = (what: string, isLost: boolean, sinceMs: number, atMs: number) => {
      if (undisturbed.forMs(atMs) <= noticedMs + atMs - sinceMs) return;
      check();
      if (isLost) fail(`${what} was lost after ${Math.round(atMs - sinceMs)} ms, and nothing was broken`);
    };
    const happened = (name: string, data: Readonly<Record<string, unknown>>, atMs: number) => {
      const { inviteid, type, reason, by, since, participantid } = data;
      if (name === 'part_stop') {
        if (!areClocksRight()) return;
        const sinceMs = Date.parse(String(since));
        return judge(`participant ${participantid}`, type === 'error' && reason === 'lost', sinceMs, atMs);
      }
      if (typeof inviteid !== 'string') return;
      const sinceMs = begunMs.get(inviteid) ?? atMs;
      if (name !== 'dlg_end') return setLast(begunMs, inviteid, sinceMs, mostCalls);
      const isLost = type === 'error' && (by === 'a' || by === 'b');
      if (begunMs.delete(inviteid)) judge(`side ${by} of call ${inviteid}`, isLost, sinceMs, atMs);
    };
    return {
      listeners: together(undisturbed.listeners, {
        'published.event': ({ from, event: { name, data }, atMs }) => {
          const role = map.instances.get(from)?.role;
          if (role === 'b2b' || role === 'conf') happened(name, data, atMs);
        },
      }),
      tick: (nowMs) => undisturbed.look(nowMs),
    };
  },
};
