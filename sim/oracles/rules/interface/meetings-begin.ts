/** A meeting whose time has come begins. */
import { timeOf } from '../../../../src/model/time.ts';
import { boundsOf } from '../../bounds.ts';
import type { OracleMaker } from '../../oracle.ts';
import { KnownGroups } from '../kit/known-groups.ts';
import { jsonIn } from '../kit/reading.ts';
import { setLast, together } from '../kit/shared.ts';
import { Undisturbed } from '../kit/undisturbed.ts';

const plans = /\/selectors$/;
const participants = /\/selectors\/([^/]+)\/participants$/;
const below = /\/selectors\/([^/?]+)/;
/** Of meetings, the last ones. */
const mostKept = 1_000;

type Item = Readonly<Record<string, unknown>>;

export const meetingsBegin: OracleMaker = {
  name: 'meetings-begin',
  rule: 'A selector meeting that is enabled and has a participant with a number, of its own or of its contact group, begins at the latest five seconds after its time; while nothing is broken.',
  exclusions:
    'Meetings and contact groups that were changed or removed afterwards. participants-called judges which participants they call.',
  make: ({ map, now, check, fail }) => {
    const { promptMs } = boundsOf(map);
    const undisturbed = new Undisturbed();
    /** When each enabled meeting is to begin. */
    const planned = new Map<string, number>();
    /** Since when each meeting is due and has a participant. */
    const due = new Map<string, number>();
    const begun = new Map<string, true>();
    const groups = new KnownGroups();
    /** The requests that add something, by their id. */
    const asked = new Map<number, string>();
    const plan = ({ id, enabled, timestartutc }: Item) => {
      if (enabled === true && typeof timestartutc === 'string')
        setLast(planned, String(id), timeOf(timestartutc), mostKept);
    };
    const fill = (meeting: string, { number }: Item) => {
      const startMs = planned.get(meeting);
      const numbers = groups.numbersOf(number) ?? [];
      if (startMs !== undefined && !due.has(meeting) && !begun.has(meeting) && numbers.length > 0)
        due.set(meeting, Math.max(startMs, now()));
    };
    const forget = (meeting: string) => {
      planned.delete(meeting);
      due.delete(meeting);
    };
    return {
      listeners: together(undisturbed.listeners, groups.listeners, {
        'request.received': ({ id, method, target }) => {
          const isNew = method === 'POST' && (plans.test(target) || participants.test(target));
          const [, meeting] = below.exec(target) ?? [];
          if (isNew) asked.set(id, target);
          else if (method !== 'GET' && meeting !== undefined) forget(meeting);
        },
        'request.answered': ({ id, status, body }) => {
          const target = asked.get(id);
          asked.delete(id);
          const item = target === undefined ? undefined : (jsonIn(body) as Item | undefined);
          if (target === undefined || status !== 200 || item === undefined) return;
          const [, meeting] = participants.exec(target) ?? [];
          if (meeting === undefined) plan(item);
          else fill(meeting, item);
        },
        'published.event': {
          selectorevents: ({ event: { data } }) => {
            const meeting = String(data['selectorid']);
            setLast(begun, meeting, true, mostKept);
            if (due.delete(meeting)) check();
          },
        },
      }),
      tick: (nowMs) => {
        for (const [meeting, sinceMs] of due) {
          if (nowMs - sinceMs <= promptMs) continue;
          forget(meeting);
          if (undisturbed.forMs(nowMs) > nowMs - sinceMs + promptMs)
            fail(`meeting ${meeting} has not begun ${nowMs - sinceMs} ms after its time`);
        }
      },
    };
  },
};
