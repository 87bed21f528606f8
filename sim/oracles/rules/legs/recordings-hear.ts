/** A recording has the voices of the parties that were heard. */
import { limits } from '../../../../src/model/limits.ts';
import type { DialogRecord } from '../../../../src/model/protocol/messages/dialog.ts';
import type { Media, SipMessage } from '../../../../src/model/sip/message.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { byType, edgeEndpoints, setLast, together } from '../kit/shared.ts';
import { UndisturbedAround } from '../kit/undisturbed.ts';

/** The media of a device in one leg: as offered in its INVITE, or by it since. */
interface Leg {
  readonly beganMs: number;
  media: Media;
  offered: { readonly cseq: number; readonly media: Media } | undefined;
}

interface Recorded {
  readonly dialogid: string;
  /** Call-Ids of the legs of sides a and b. */
  readonly sides: readonly (string | undefined)[];
  readonly heard: readonly boolean[];
}

const mostLegs = 2_000;
const sending: ReadonlySet<Media> = new Set(['sendrecv', 'sendonly']);
const taking: ReadonlySet<Media> = new Set(['sendrecv', 'recvonly']);

export const recordingsHear: OracleMaker = {
  name: 'recordings-hear',
  rule: 'The recordings of a call are numbered from 1 on. Two seconds after a device has changed its media, or a recording has begun, the recording of its call notes for each party whether the other one hears it, while nothing is broken.',
  exclusions:
    'Recordings with as many changes as a call may have; calls with a script, which holds a party while it transfers it.',
  make: ({ map, check, fail }) => {
    const { quickMs } = boundsOf(map);
    const undisturbed = new UndisturbedAround(map);
    const edges = edgeEndpoints(map);
    const legs = new Map<string, Leg>();
    /** The calls that are being recorded, by the Call-Id of each leg. */
    const recorded = new Map<string, Recorded>();
    /** Legs that have changed, or whose recording has, and when. */
    const changed = new Map<string, number>();
    const offered = (message: SipMessage, atMs: number) => {
      const { callid, cseq, media = 'sendrecv' } = message;
      const leg = legs.get(callid);
      if (leg === undefined) setLast(legs, callid, { beganMs: atMs, media, offered: undefined }, mostLegs);
      else if (message.to.tag !== undefined) leg.offered = { cseq, media };
    };
    const answered = ({ callid, cseq }: SipMessage, status: number, atMs: number) => {
      const leg = legs.get(callid);
      if (status < 200 || leg?.offered?.cseq !== cseq) return;
      if (status < 300) {
        leg.media = leg.offered.media;
        changed.set(callid, atMs);
      }
      leg.offered = undefined;
    };
    const published = (dialog: DialogRecord, atMs: number) => {
      const { dialogid, legs: all, recordings = [], status, participations } = dialog;
      if (recordings.some(({ n }, index) => n !== index + 1))
        fail(`the recordings of ${dialogid} have the numbers ${recordings.map(({ n }) => n).join()}`);
      const last = recordings.at(-1);
      const [, ...heard] = last?.heard.at(-1) ?? [];
      const noted = recordings.reduce((sum, each) => sum + each.heard.length, 0);
      const goesOn = status === 'dialog' && last !== undefined && last.endts === undefined;
      const isWithScript = participations.some(({ kind }) => kind === 'ivr');
      const isRecorded = goesOn && !isWithScript && noted < limits.recordedChanges;
      const sides = (['a', 'b'] as const).map((side) => all.find((leg) => leg.side === side)?.callid);
      for (const { callid } of all) {
        if (isRecorded && !recorded.has(callid)) changed.set(callid, atMs);
        if (isRecorded) setLast(recorded, callid, { dialogid, sides, heard }, mostLegs);
        else recorded.delete(callid);
      }
    };
    const listeners: ObservationListeners = {
      'outside.sent': byType(['BYE', 'CANCEL', 'INVITE'], ({ from, message, atMs }) => {
        const { callid, kind, method } = message;
        if (method === 'BYE' || method === 'CANCEL') return void changed.delete(callid);
        if (kind === 'response') return edges.has(from) ? answered(message, message.status, atMs) : undefined;
        if (!edges.has(from) || !legs.has(callid)) offered(message, atMs);
      }),
      'published.dialog': ({ from, dialog, atMs }) => {
        if (map.instances.get(from)?.role === 'b2b') published(dialog, atMs);
      },
      'published.gone': ({ from, gone }) => {
        if (map.instances.get(from)?.role !== 'b2b') return;
        for (const [callid, { dialogid }] of recorded) if (dialogid === gone) recorded.delete(callid);
      },
    };
    const judge = (callid: string, sinceMs: number, nowMs: number) => {
      const { dialogid, sides, heard } = recorded.get(callid) ?? {};
      if (sides === undefined || heard === undefined) return;
      const [a, b] = sides.map((side) => (side === undefined ? undefined : legs.get(side)));
      // A conference holds no party.
      const [mediaA, mediaB] = [a?.media ?? 'sendrecv', b?.media ?? 'sendrecv'];
      const isMoving = sides.some((side) => side !== undefined && (changed.get(side) ?? sinceMs) > sinceMs);
      const beganMs = Math.min(a?.beganMs ?? sinceMs, b?.beganMs ?? sinceMs);
      const isOffering = [a, b].some((leg) => leg?.offered !== undefined);
      if (isMoving || isOffering || undisturbed.forMs(nowMs) <= nowMs - beganMs) return;
      const expected = [sending.has(mediaA) && taking.has(mediaB), sending.has(mediaB) && taking.has(mediaA)];
      check();
      if (String(heard) !== String(expected))
        fail(`the recording of ${dialogid} notes ${heard} for a and b, whose media are ${mediaA} and ${mediaB}`);
    };
    const tick = (nowMs: number) => {
      undisturbed.look(nowMs);
      for (const [callid, atMs] of changed) {
        if (nowMs - atMs <= quickMs) continue;
        changed.delete(callid);
        judge(callid, atMs, nowMs);
      }
    };
    return { listeners: together(undisturbed.listeners, listeners), tick };
  },
};
