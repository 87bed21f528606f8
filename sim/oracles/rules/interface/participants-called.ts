/** A running meeting calls each of its participants, late ones too. */
import type { ReplyOf } from '../../../../src/model/protocol/catalogue.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { ClientRequests } from '../histories/client-requests.ts';
import { setLast, together } from '../shared.ts';
import { Undisturbed } from '../undisturbed.ts';

/** A participant, when it was added, and to which meeting. */
interface Added {
  readonly meeting: string;
  readonly atMs: number;
}

const collection = /\/selectors\/([^/]+)\/participants$/;
const changed = /\/selectors\/([^/]+)(?:\/participants\/([^/]+))?$/;
/** Of participants and of conferences, the last ones. */
const mostKept = 1_000;

export const participantsCalled: OracleMaker = {
  name: 'participants-called',
  rule: 'A selector meeting that runs has called each participant with a number of its own five seconds after it was added; while nothing is broken.',
  exclusions: 'Participants and meetings that were changed afterwards; contact groups.',
  make: ({ map, check, fail }) => {
    const { promptMs } = boundsOf(map);
    const calm = new Undisturbed();
    const added = new Map<string, Added>();
    /** When each conference of a meeting was seen first. */
    const seenMs = new Map<string, number>();
    const requests = new ClientRequests(
      (method, path) => method === 'POST' && collection.test(path),
      ({ path }, { status, body, returnedMs: atMs }) => {
        const [, meeting] = collection.exec(path) ?? [];
        const { id, number } = (body ?? {}) as Readonly<Record<string, unknown>>;
        if (status !== 200 || meeting === undefined || typeof id !== 'string' || !/^\d+$/.test(String(number))) return;
        setLast(added, id, { meeting, atMs }, mostKept);
      },
      () => {},
    );
    const listeners: ObservationListeners = {
      'request.received': ({ method, target }) => {
        const [, meeting, participant] = method === 'GET' ? [] : (changed.exec(target) ?? []);
        if (participant !== undefined) added.delete(participant);
        else if (meeting !== undefined) for (const [id, each] of added) if (each.meeting === meeting) added.delete(id);
      },
      'envelope.sent': ({ envelope: { kind, body }, atMs }) => {
        const { conferences = [] } = (kind === 'reply' ? body : {}) as Partial<ReplyOf<'conference.list'>>;
        for (const { confid, conf, meeting } of conferences) {
          if (meeting === undefined || meeting.isEnding) continue;
          const name = `${conf} ${confid} ${meeting.id}`;
          const sinceMs = seenMs.get(name) ?? atMs;
          setLast(seenMs, name, sinceMs, mostKept);
          for (const [id, one] of added) {
            const fromMs = Math.max(one.atMs, sinceMs);
            if (one.meeting !== meeting.id || atMs - fromMs <= promptMs) continue;
            added.delete(id);
            if (!calm.isSince(Math.min(one.atMs, sinceMs), atMs)) continue;
            check();
            if (meeting.called[id] === undefined)
              fail(`meeting ${meeting.id} has not called participant ${id} for ${atMs - fromMs} ms`);
          }
        }
      },
      'node.ended': () => seenMs.clear(),
    };
    return { listeners: together(calm.listeners, requests.listeners, listeners), types: ['conference.list'] };
  },
};
