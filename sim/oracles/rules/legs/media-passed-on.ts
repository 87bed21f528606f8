/** What one device of a call does with its media, and the digits that it dials, the other one learns. */
import type { BodyOf } from '../../../../src/model/protocol/catalogue.ts';
import type { Media, SipMessage } from '../../../../src/model/sip/message.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { byType, edgeEndpoints, together } from '../kit/shared.ts';
import { UndisturbedAround } from '../kit/undisturbed.ts';

/** A leg between the platform and a device. */
interface Leg {
  /** It has been answered, and the platform knows that its device knows: before that, nothing can be offered to it. */
  isTalking: boolean;
  talkingMs: number;
  /** The media that the device has offered last, and with which request. */
  own: Media;
  offered: { readonly cseq: number; readonly media: Media } | undefined;
  /** The media that the platform has offered to the device last. */
  shown: Media | undefined;
  /** When either has offered something last. */
  movedMs: number;
  /** When the platform repeats an offer that has met one of the device (491), at the latest. */
  repeatedMs: number;
  /** The digits that the device has dialled and that are not accepted yet, by the number of the request. */
  readonly dialled: Map<number, Digit>;
  /** The numbers of the requests with digits: a repeated one dials nothing. */
  readonly requested: Set<number>;
  /** The digits that the platform has passed to the device, by the number of the request. */
  readonly heard: Map<number, Digit>;
}

interface Digit {
  readonly dtmf: string;
  readonly atMs: number;
}

/** A digit of a device that the other one has not heard yet; `others`: the legs of its call. */
interface Dialled extends Digit {
  readonly callid: string;
  readonly others: readonly string[];
}

/** A change of a device that the other one has not been offered yet. */
interface Change {
  readonly callid: string;
  readonly media: Media;
  readonly atMs: number;
}

/** How long an answer is on its way to the b2b, at most, while nothing is disturbed. */
const onWayMs = 500;
/** The longest interval between repetitions of a request (RFC 3261, 17.1.2.1). */
const t2Ms = 4_000;
/** How long an offer that has met another one waits at most (RFC 3261, 14.1). */
const glareMs = 4_000;
/** For so long an answer that was lost is repeated: 64 T1 (RFC 3261, 13.3.1.4). */
const repeatedMs = 32_000;

export const mediaPassedOn: OracleMaker = {
  name: 'media-passed-on',
  rule: 'When a device changes the media of a call between two devices and the platform accepts it, or has done so when the other one answers, the other device is offered that media within two seconds, or when two offers have met in its leg within six, unless it offers some itself or the call ends; a digit that it dials and that is accepted, the other one receives within two seconds.',
  exclusions: 'Changes while the cluster is disturbed.',
  make: ({ map, now, check, fail }) => {
    const { quickMs } = boundsOf(map);
    const undisturbed = new UndisturbedAround(map);
    const edges = edgeEndpoints(map);
    const legs = new Map<string, Leg>();
    const changes = new Map<string, Change>();
    const digits = new Set<Dialled>();
    /** The Call-Ids of the legs of a call, by each of them. */
    const callLegs = new Map<string, readonly string[]>();
    const otherOf = (callid: string): Leg | undefined => {
      const others = (callLegs.get(callid) ?? []).flatMap((id) => (id === callid ? [] : (legs.get(id) ?? [])));
      return others.length === 1 && others[0]?.isTalking === true ? others[0] : undefined;
    };
    /** The ACK to an answer of either side. A device whose answer is lost repeats it, and waits for the ACK of the platform. */
    const acknowledged = (leg: Leg, callid: string, atMs: number) => {
      if (leg.isTalking) return;
      leg.isTalking = true;
      leg.talkingMs = atMs;
      leg.movedMs = atMs;
      // The other one may have changed its media while this one rang.
      const other = (callLegs.get(callid) ?? []).find((id) => id !== callid && legs.get(id)?.isTalking === true);
      const media = other === undefined ? undefined : legs.get(other)?.own;
      const isOffered = leg.shown === undefined || leg.shown === media;
      if (other !== undefined && media !== undefined && !isOffered) changes.set(other, { callid: other, media, atMs });
    };
    const fromDevice = (message: SipMessage, leg: Leg, atMs: number) => {
      // Before the platform has the answer of the other device, it passes no digit on.
      const answeredMs = otherOf(message.callid)?.talkingMs ?? Number.POSITIVE_INFINITY;
      const wayMs = undisturbed.forMs(atMs) > atMs - answeredMs ? onWayMs : repeatedMs;
      const isHeard = leg.isTalking && answeredMs + wayMs < atMs;
      if (message.kind === 'request' && message.dtmf !== undefined && !leg.requested.has(message.cseq)) {
        leg.requested.add(message.cseq);
        if (isHeard) leg.dialled.set(message.cseq, { dtmf: message.dtmf, atMs });
      }
      if (message.method !== 'INVITE') return;
      if (message.kind === 'response' && message.status === 491) leg.repeatedMs = atMs + glareMs;
      if (message.kind !== 'request') return;
      if (message.to.tag === undefined) leg.own = message.media ?? 'sendrecv';
      else {
        leg.offered = { cseq: message.cseq, media: message.media ?? 'sendrecv' };
        leg.movedMs = atMs;
      }
    };
    const digitTo = (message: SipMessage, leg: Leg, atMs: number) => {
      const { callid, cseq, kind } = message;
      if (kind === 'request') {
        if (message.dtmf !== undefined && !leg.heard.has(cseq)) leg.heard.set(cseq, { dtmf: message.dtmf, atMs });
        return;
      }
      const digit = leg.dialled.get(cseq);
      leg.dialled.delete(cseq);
      if (digit === undefined || message.status >= 300) return;
      digits.add({ ...digit, callid, others: callLegs.get(callid) ?? [] });
    };
    const toDevice = (message: SipMessage, leg: Leg, atMs: number) => {
      const { callid, method } = message;
      if (method === 'INFO') return digitTo(message, leg, atMs);
      if (method !== 'INVITE') return;
      if (message.kind === 'request') {
        leg.shown = message.media ?? 'sendrecv';
        if (message.to.tag !== undefined) leg.movedMs = atMs;
        return;
      }
      if (message.status >= 300 && !leg.isTalking) legs.delete(callid);
      if (message.status < 200 || message.status >= 300) return;
      if (leg.offered?.cseq !== message.cseq) return;
      const { media } = leg.offered;
      leg.offered = undefined;
      leg.movedMs = atMs;
      const isNew = media !== leg.own;
      leg.own = media;
      if (isNew) changes.set(callid, { callid, media, atMs });
      else changes.delete(callid);
    };
    const listeners: ObservationListeners = {
      'outside.sent': byType(['INVITE', 'ACK', 'INFO', 'CANCEL', 'BYE'], ({ to, message, atMs }) => {
        const { callid, kind, method } = message;
        if (method === 'BYE' || method === 'CANCEL') {
          legs.delete(callid);
          changes.delete(callid);
          return;
        }
        const leg = legs.get(callid) ?? newLeg();
        // A 2xx that is repeated may come when the leg is over.
        if (method === 'INVITE' && kind === 'request') legs.set(callid, leg);
        if (method === 'ACK') acknowledged(leg, callid, atMs);
        if (edges.has(to)) fromDevice(message, leg, atMs);
        else toDevice(message, leg, atMs);
      }),
    };
    // Which legs are one call, b2b says.
    const published: ObservationListeners = {
      'envelope.delivered': {
        'stream.published': ({ envelope: { body } }) => {
          for (const { dialog } of (body as BodyOf<'stream.published'>).items) {
            const callids = dialog?.legs.map(({ callid }) => callid) ?? [];
            for (const callid of callids) callLegs.set(callid, callids);
          }
        },
      },
    };
    const judge = ({ callid, media, atMs }: Change) => {
      const other = otherOf(callid);
      // An offer that was lost before is repeated after T2 at the latest, and the change waits for its answer.
      if (other === undefined || undisturbed.forMs(now()) <= now() - atMs + t2Ms || other.offered !== undefined) return;
      // The offer may come before the answer to the change, and not at all while the other one has its own.
      if (other.shown === media) return check();
      if (other.movedMs > atMs) return;
      fail(
        `a device of leg ${callid} changed its media to ${media}, and ${now() - atMs} ms later the other one was offered ${other.shown ?? 'none'}`,
      );
    };
    const judgeDigit = (digit: Dialled) => {
      const { callid, dtmf, atMs, others } = digit;
      const other = otherOf(callid);
      const isSameCall = String(callLegs.get(callid)) === String(others);
      if (other === undefined || !isSameCall || undisturbed.forMs(now()) <= now() - atMs) return;
      const found = [...other.heard].find(([, each]) => each.dtmf === dtmf && each.atMs >= atMs);
      check();
      if (found === undefined)
        return fail(
          `a device of leg ${callid} dialled ${dtmf}, and ${now() - atMs} ms later the other one had not received it`,
        );
      other.heard.delete(found[0]);
    };
    const tick = (nowMs: number) => {
      undisturbed.look(nowMs);
      for (const digit of digits) if (nowMs - digit.atMs > quickMs && digits.delete(digit)) judgeDigit(digit);
      for (const change of changes.values()) {
        const fromMs = Math.max(change.atMs, otherOf(change.callid)?.repeatedMs ?? 0);
        if (nowMs - fromMs <= quickMs) continue;
        changes.delete(change.callid);
        judge(change);
      }
    };
    return { listeners: together(undisturbed.listeners, listeners, published), tick };
  },
};

function newLeg(): Leg {
  const moved = { own: 'sendrecv', offered: undefined, shown: undefined, movedMs: 0, repeatedMs: 0 } as const;
  return { isTalking: false, talkingMs: 0, ...moved, dialled: new Map(), requested: new Set(), heard: new Map() };
}
