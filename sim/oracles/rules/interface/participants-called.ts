/** A running meeting calls each of its participants, late ones too, and again only as the participant says. */
import { participantOfSeat } from '../../../../src/model/entities/selector.ts';
import type { ReplyOf } from '../../../../src/model/protocol/catalogue.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { ClientRequests } from '../kit/client-requests.ts';
import { KnownGroups } from '../kit/known-groups.ts';
import { setLast, together, whenLost } from '../kit/shared.ts';
import { Undisturbed } from '../kit/undisturbed.ts';

/** A participant, when it was added, to which meeting, and by which names the meeting has called its numbers. */
interface Added {
  readonly meeting: string;
  readonly number: unknown;
  readonly names: readonly string[];
  readonly atMs: number;
}

/** A participant is called again this time after the last call at the earliest. (chosen) */
const recallMs = 5_000;

const collection = /\/selectors\/([^/]+)\/participants$/;
const changed = /\/selectors\/([^/]+)(?:\/participants\/([^/]+))?$/;
/** Of participants and of conferences, the last ones. */
const mostKept = 1_000;

export const participantsCalled: OracleMaker = {
  name: 'participants-called',
  rule: 'A selector meeting that runs has called each participant, and each number of the contact group of one, five seconds after it was added, while nothing is broken; it calls one again only with `recall`, and not sooner than five seconds after the last call.',
  exclusions:
    'Participants, meetings and contact groups that were changed afterwards. Recalls in runs in which the clock of a node was wrong.',
  make: ({ map, areClocksRight, check, fail }) => {
    const { promptMs } = boundsOf(map);
    const undisturbed = new Undisturbed();
    const added = new Map<string, Added>();
    const groups = new KnownGroups();
    /** By conference and participant. */
    const calledMs = new Map<string, number>();
    /** What the last change of each participant has set. */
    const recalls = new Map<string, boolean>();
    /** When each conference of a meeting was seen first. */
    const seenMs = new Map<string, number>();
    /** A conf instance that starts again numbers its conferences from 1. */
    const forget = (address: string) => {
      for (const times of [calledMs, seenMs])
        for (const name of times.keys()) if (name.startsWith(`${address} `)) times.delete(name);
    };
    const calledAgain = (name: string, id: string, lastMs: number) => {
      const beforeMs = calledMs.get(name);
      setLast(calledMs, name, lastMs, mostKept);
      if (beforeMs === undefined || lastMs <= beforeMs || !areClocksRight()) return;
      check();
      if (lastMs - beforeMs < recallMs) fail(`participant ${id} is called again after ${lastMs - beforeMs} ms`);
      if (recalls.get(id) === false) fail(`participant ${id} is called again, which is not to be recalled`);
    };
    const requests = new ClientRequests(
      (method, path) => method === 'POST' && collection.test(path),
      ({ path }, { status, body, returnedMs: atMs }) => {
        const [, meeting] = collection.exec(path) ?? [];
        const { id, number, recall, ext } = (body ?? {}) as Readonly<Record<string, unknown>>;
        if (status === 200 && typeof id === 'string') setLast(recalls, id, recall === true, mostKept);
        const numbers = groups.numbersOf(number);
        if (status !== 200 || meeting === undefined || typeof id !== 'string' || numbers === undefined) return;
        const created = (ext as { readonly ct?: unknown } | undefined)?.ct;
        const names = numbers.map((each) => `${id}/${created}/${each}`);
        setLast(added, id, { meeting, number, names, atMs }, mostKept);
      },
      () => {},
    );
    const listeners: ObservationListeners = {
      'request.received': ({ method, target }) => {
        const [, meeting, participant] = method === 'GET' ? [] : (changed.exec(target) ?? []);
        if (participant !== undefined) recalls.delete(participant);
        if (participant !== undefined) added.delete(participant);
        else if (meeting !== undefined) for (const [id, each] of added) if (each.meeting === meeting) added.delete(id);
      },
      'envelope.sent': {
        'conference.list': ({ envelope: { kind, body }, atMs }) => {
          const { conferences = [] } = (kind === 'reply' ? body : {}) as Partial<ReplyOf<'conference.list'>>;
          for (const { confid, conf, meeting } of conferences) {
            if (meeting === undefined || meeting.isEnding) continue;
            const name = `${conf} ${confid} ${meeting.id}`;
            for (const [seat, lastMs] of Object.entries(meeting.called))
              calledAgain(`${name} ${seat}`, participantOfSeat(seat).id, lastMs);
            const sinceMs = seenMs.get(name) ?? atMs;
            setLast(seenMs, name, sinceMs, mostKept);
            for (const [id, one] of added) {
              const fromMs = Math.max(one.atMs, sinceMs);
              if (one.meeting !== meeting.id || atMs - fromMs <= promptMs) continue;
              added.delete(id);
              // Its group was changed.
              if (groups.numbersOf(one.number) === undefined) continue;
              if (!undisturbed.isSince(Math.min(one.atMs, sinceMs), atMs)) continue;
              check();
              const uncalled = one.names.find((name) => meeting.called[name] === undefined);
              if (uncalled !== undefined)
                fail(`meeting ${meeting.id} has not called participant ${uncalled} for ${atMs - fromMs} ms`);
            }
          }
        },
      },
    };
    return {
      listeners: together(
        ...[undisturbed.listeners, groups.listeners, requests.listeners],
        ...[whenLost(map, forget, ['active']), listeners],
      ),
    };
  },
};
