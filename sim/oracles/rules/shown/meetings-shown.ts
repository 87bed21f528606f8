/** The state that is shown of a selector meeting is that of its conference. */
import { timeOf } from '../../../../src/model/time.ts';
import { boundsOf } from '../../bounds.ts';
import type { OracleMaker } from '../../oracle.ts';
import { ClientRequests, type ObservedAnswer, type ObservedRequest } from '../kit/client-requests.ts';
import { setLast, together } from '../kit/shared.ts';
import { Undisturbed } from '../kit/undisturbed.ts';

/** What was published last of the conference of a meeting, since its beginning. */
interface Begun {
  readonly sinceMs: number;
  onlineMs: number | undefined;
  endedMs: number | undefined;
}

interface Item {
  readonly id: string;
  readonly state: unknown;
  readonly enabled: unknown;
  readonly timestartutc: unknown;
}

const place = /\/selectors(?:\/([^/]+))?$/;
/** Of meetings, the last ones. */
const mostKept = 1_000;

export const meetingsShown: OracleMaker = {
  name: 'meetings-shown',
  rule: 'A selector meeting is shown as `online` only after its conference has published `$online`, as `connecting` or `online` from two seconds after it published `$connecting`, and as neither from two seconds after `$terminating`; before its time as `waiting`; while nothing is broken.',
  make: ({ map, check, fail }) => {
    const { quickMs } = boundsOf(map);
    const undisturbed = new Undisturbed();
    const begun = new Map<string, Begun>();
    const judge = (item: Item, { calledMs }: ObservedRequest, { returnedMs }: ObservedAnswer) => {
      const { id, state, enabled, timestartutc } = item;
      const conference = begun.get(id);
      const sinceMs = conference?.sinceMs ?? calledMs;
      if (
        typeof id !== 'string' ||
        typeof state !== 'string' ||
        !undisturbed.isSince(sinceMs - 2 * quickMs, returnedMs)
      )
        return;
      check();
      const wrong = (why: string) => fail(`meeting ${id} is shown as ${state}, and ${why}`);
      if (conference === undefined) {
        if (state === 'online') wrong('its conference has published no state');
        const isEarly = typeof timestartutc === 'string' && timeOf(timestartutc) > returnedMs;
        if ((isEarly || enabled === false) && state !== 'waiting') wrong('its time has not come');
        return;
      }
      const { onlineMs, endedMs } = conference;
      const isRunning = state === 'online' || state === 'connecting';
      if (state === 'online' && onlineMs === undefined) wrong('no participant was connected');
      if (endedMs !== undefined && calledMs - endedMs > quickMs && isRunning) wrong('its conference has ended');
      if (endedMs === undefined && calledMs - sinceMs > quickMs && !isRunning) wrong('its conference goes on');
    };
    const requests = new ClientRequests(
      (method, path) => method === 'GET' && place.test(path),
      (request, answer) => {
        if (answer.status !== 200 || !place.test(request.path)) return;
        for (const item of (Array.isArray(answer.body) ? answer.body : [answer.body]) as Item[])
          judge(item, request, answer);
      },
      () => {},
    );
    return {
      listeners: together(undisturbed.listeners, requests.listeners, {
        'published.event': {
          selectorevents: ({ event: { data }, atMs }) => {
            const { state } = data as { readonly state?: unknown };
            const meeting = String(data['selectorid']);
            if (state === '$connecting')
              setLast(begun, meeting, { sinceMs: atMs, onlineMs: undefined, endedMs: undefined }, mostKept);
            const conference = begun.get(meeting);
            if (conference === undefined) return;
            if (state === '$online') conference.onlineMs = atMs;
            if (state === '$terminating') conference.endedMs = atMs;
          },
        },
      }),
    };
  },
};
