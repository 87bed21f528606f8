/** Who is removed from a selector meeting leaves its conference. */
import { participantOfSeat } from '../../../../src/model/entities/selector.ts';
import type { ReplyOf } from '../../../../src/model/protocol/catalogue.ts';
import { boundsOf } from '../../bounds.ts';
import type { OracleMaker } from '../../oracle.ts';
import { ClientRequests } from '../kit/client-requests.ts';
import { setLast, together } from '../kit/shared.ts';
import { Undisturbed } from '../kit/undisturbed.ts';

const participant = /\/selectors\/([^/]+)\/participants\/([^/]+)$/;
const collection = /\/selectors\/([^/]+)\/participants$/;
const mostKept = 1_000;
/** A meeting is arranged once a second. */
const arrangedMs = 3_000;

export const participantsRemoved: OracleMaker = {
  name: 'participants-removed',
  rule: 'A participant that a client has removed from a selector meeting is not in the conference of that, and is not called by it, from three seconds later on, unless it is added again; while nothing is broken.',
  exclusions: 'Numbers that are removed from a contact group.',
  make: ({ map, check, fail }) => {
    const { noticedMs } = boundsOf(map);
    const undisturbed = new Undisturbed();
    /** When each was removed, by meeting and id. */
    const removedMs = new Map<string, number>();
    const requests = new ClientRequests(
      (method, path) => (method === 'DELETE' && participant.test(path)) || (method === 'POST' && collection.test(path)),
      ({ method, path }, { status, body, returnedMs }) => {
        const [, meeting, id = String((body as { id?: unknown } | undefined)?.id)] =
          participant.exec(path) ?? collection.exec(path) ?? [];
        if (meeting === undefined || status >= 300) return;
        if (method === 'DELETE') setLast(removedMs, `${meeting} ${id}`, returnedMs, mostKept);
        else removedMs.delete(`${meeting} ${id}`);
      },
      ({ path }) => {
        // Any of them may have been added again.
        const [, meeting] = collection.exec(path) ?? [];
        for (const name of removedMs.keys()) if (name.startsWith(`${meeting} `)) removedMs.delete(name);
      },
    );
    return {
      listeners: together(undisturbed.listeners, requests.listeners, {
        'envelope.sent': {
          'conference.list': ({ envelope: { kind, body }, atMs }) => {
            const { conferences = [] } = (kind === 'reply' ? body : {}) as Partial<ReplyOf<'conference.list'>>;
            for (const { confid, meeting, participants } of conferences) {
              if (meeting === undefined || meeting.isEnding) continue;
              for (const [name, sinceMs] of removedMs) {
                const [of, id] = name.split(' ');
                if (of !== meeting.id || atMs - sinceMs <= arrangedMs) continue;
                if (!undisturbed.isSince(sinceMs - noticedMs, atMs)) continue;
                check();
                // A contact group has a seat for each of its numbers.
                const still = participants.find(
                  ({ member = '', state }) => state !== 'leaving' && participantOfSeat(member).id === id,
                );
                if (still === undefined) continue;
                removedMs.delete(name);
                fail(
                  `participant ${id} was removed from meeting ${of}, and is ${still.state} in conference ${confid} ${Math.round(atMs - sinceMs)} ms later`,
                );
              }
            }
          },
        },
      }),
    };
  },
};
