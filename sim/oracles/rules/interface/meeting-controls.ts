/** The conference of a selector meeting follows the acknowledged controls of its participants. */
import { participantOfSeat } from '../../../../src/model/entities/selector.ts';
import type { BodyOf, ReplyOf } from '../../../../src/model/protocol/catalogue.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { ClientRequests, type ObservedAnswer, type ObservedRequest } from '../kit/client-requests.ts';
import { byType, setLast, together } from '../kit/shared.ts';
import { Undisturbed } from '../kit/undisturbed.ts';

/** What a participant was set to, and when that was acknowledged. */
interface Control {
  readonly mic: boolean;
  readonly spk: boolean;
  readonly atMs: number;
}

const places = /\/selectors\/[^/]+\/participants(?:\/([^/]+))?$/;
/** Of participants, of controls and of what is under way, the last ones. */
const mostKept = 1_000;
/** mware compares a running meeting with its plan once a second. */
const roundMs = 1_000;

export const meetingControls: OracleMaker = {
  name: 'meeting-controls',
  rule: 'In the conference of a selector meeting no other one hears a participant whose `mic` was set to false, and one whose `spk` was set to false hears no other one: from three seconds after the answer on, until it is changed; while nothing is broken. Its meeting never makes one hear itself.',
  make: ({ map, check, fail }) => {
    const undisturbed = new Undisturbed();
    const { quickMs } = boundsOf(map);
    const controls = new Map<string, Control>();
    /** The participant of a meeting, by its conference and its id there. */
    const memberOf = new Map<string, string>();
    /** When each was shown in its conference for the first time: mware learns of it in its next round. */
    const seenMs = new Map<string, number>();
    /** The conferences of requests to arrange them, by the id of the envelope. */
    const arranged = new Map<string, string>();
    const nameOf = (confid: string, participantid: string) => `${confid}/${participantid}`;
    const isOpen = (id: string) => [...requests.open].some(({ path }) => path.endsWith(`/participants/${id}`));
    const answered = ({ method, path }: ObservedRequest, { status, body, returnedMs }: ObservedAnswer) => {
      if ((method !== 'POST' && method !== 'PATCH') || status !== 200 || !places.test(path)) return;
      const { id, mic, spk } = (body ?? {}) as Readonly<Record<string, unknown>>;
      if (typeof id !== 'string' || typeof mic !== 'boolean' || typeof spk !== 'boolean' || isOpen(id)) return;
      setLast(controls, id, { mic, spk, atMs: returnedMs }, mostKept);
    };
    const requests = new ClientRequests((method, path) => method !== 'GET' && places.test(path), answered);
    const changes: ObservationListeners = {
      'request.received': ({ method, target }) => {
        const [, id] = places.exec(target) ?? [];
        if (method !== 'GET' && id !== undefined) controls.delete(id);
      },
    };
    const judge = (confid: string, hears: Readonly<Record<string, readonly string[]>>, atMs: number) => {
      const controlOf = (participantid: string): Control | undefined => {
        const one = controls.get(memberOf.get(nameOf(confid, participantid)) ?? '');
        const isKnown = one !== undefined && atMs - one.atMs > quickMs + roundMs && undisturbed.isSince(one.atMs, atMs);
        return isKnown ? one : undefined;
      };
      for (const [listener, heard] of Object.entries(hears)) {
        const name = nameOf(confid, listener);
        const sinceMs = seenMs.get(name) ?? atMs;
        setLast(seenMs, name, sinceMs, mostKept);
        if (atMs - sinceMs <= quickMs + roundMs || !undisturbed.isSince(sinceMs, atMs)) continue;
        const own = controlOf(listener);
        if (own !== undefined) check();
        if (own?.spk === false && heard.length > 0)
          fail(`${listener} of ${confid} hears others, though its spk is off`);
        for (const speaker of heard)
          if (controlOf(speaker)?.mic === false) fail(`${listener} of ${confid} hears ${speaker}, whose mic is off`);
      }
    };
    const conferences: ObservationListeners = {
      'envelope.sent': byType(
        ['conference.hears', 'conference.list'],
        ({ envelope: { kind, type, id, re = '', body }, atMs }) => {
          if (type === 'conference.list' && kind === 'reply') {
            const { conferences: all = [] } = body as Partial<ReplyOf<'conference.list'>>;
            for (const { confid, participants, meeting } of all)
              for (const { participantid, member } of meeting === undefined ? [] : participants)
                if (member !== undefined)
                  setLast(memberOf, nameOf(confid, participantid), participantOfSeat(member).id, mostKept);
          }
          if (type !== 'conference.hears') return;
          if (kind === 'ask') {
            const { confid, hears, file } = body as BodyOf<'conference.hears'>;
            // With a file mware arranges a meeting; without one a client has asked.
            if (hears === undefined || file === undefined) return;
            setLast(arranged, id, confid, mostKept);
            for (const [listener, heard] of Object.entries(hears))
              if (heard.includes(listener)) fail(`${listener} of ${confid} is to hear itself`);
            return;
          }
          const confid = arranged.get(re);
          arranged.delete(re);
          const { hears } = body as Partial<ReplyOf<'conference.hears'>>;
          if (confid !== undefined && hears !== undefined) judge(confid, hears, atMs);
        },
      ),
      'node.ended': () => {
        memberOf.clear();
        seenMs.clear();
        arranged.clear();
      },
    };
    return {
      listeners: together(undisturbed.listeners, requests.listeners, changes, conferences),
    };
  },
};
