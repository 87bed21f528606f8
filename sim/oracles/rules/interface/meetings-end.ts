/** A meeting ends when its time is over. */
import { jsonOr } from '../../../../src/model/json.ts';
import { boundsOf } from '../../bounds.ts';
import type { OracleMaker } from '../../oracle.ts';
import { setLast, together } from '../kit/shared.ts';
import { Undisturbed } from '../kit/undisturbed.ts';

const plans = /\/selectors$/;
const below = /\/selectors\/([^/?]+)/;
/** Of meetings, the last ones. */
const mostKept = 1_000;

type Item = Readonly<Record<string, unknown>>;

export const meetingsEnd: OracleMaker = {
  name: 'meetings-end',
  rule: 'The conference of a selector meeting ends at the latest ten seconds after its longest duration (calldurationsec); while nothing is broken.',
  exclusions: 'Meetings that were changed afterwards, and those without a longest duration.',
  make: ({ map, check, fail }) => {
    const { promptMs } = boundsOf(map);
    const undisturbed = new Undisturbed();
    /** The longest duration of each meeting. */
    const longest = new Map<string, number>();
    /** When the conference of each meeting has begun. */
    const begunMs = new Map<string, number>();
    const asked = new Set<number>();
    return {
      listeners: together(undisturbed.listeners, {
        'request.received': ({ id, method, target }) => {
          const [, meeting] = below.exec(target) ?? [];
          if (method === 'POST' && plans.test(target)) asked.add(id);
          else if (method === 'PATCH' && meeting !== undefined) longest.delete(meeting.toLowerCase());
        },
        'request.answered': ({ id, status, body }) => {
          if (!asked.delete(id) || status !== 200) return;
          const { id: meeting, calldurationsec: seconds } = (jsonOr(body ?? '', {}) ?? {}) as Item;
          if (typeof seconds === 'number' && seconds > 0) setLast(longest, String(meeting), seconds * 1_000, mostKept);
        },
        'published.event': {
          selectorevents: ({ event: { data }, atMs }) => {
            const meeting = String(data['selectorid']);
            const { state } = data as Item;
            if (state === '$connecting') setLast(begunMs, meeting, atMs, mostKept);
            else if (state === '$terminating' && begunMs.delete(meeting)) check();
          },
        },
      }),
      tick: (nowMs) => {
        for (const [meeting, sinceMs] of begunMs) {
          const untilMs = sinceMs + (longest.get(meeting) ?? Number.POSITIVE_INFINITY) + 2 * promptMs;
          if (nowMs <= untilMs) continue;
          begunMs.delete(meeting);
          if (undisturbed.forMs(nowMs) > nowMs - sinceMs + promptMs)
            fail(`meeting ${meeting} goes on ${nowMs - sinceMs} ms after it began`);
        }
      },
    };
  },
};
