/** What one device of a call does with its media, the other one learns. */
import type { BodyOf } from '../../../../src/model/protocol/catalogue.ts';
import type { Media, SipMessage } from '../../../../src/model/sip/message.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { edgeEndpoints, together } from '../shared.ts';
import { UndisturbedAround } from '../undisturbed.ts';

/** A leg between the platform and a device. */
interface Leg {
  /** It has been answered, and the platform knows that its device knows: before that, nothing can be offered to it. */
  isTalking: boolean;
  /** The media that the device has offered last, and with which request. */
  own: Media;
  offered: { readonly cseq: number; readonly media: Media } | undefined;
  /** The media that the platform has offered to the device last. */
  shown: Media | undefined;
  /** When either has offered something last. */
  movedMs: number;
}

/** A change of a device that the other one has not been offered yet. */
interface Change {
  readonly callid: string;
  readonly media: Media;
  readonly atMs: number;
}

export const mediaPassedOn: OracleMaker = {
  name: 'media-passed-on',
  rule: 'When a device changes the media of a call between two devices and the platform accepts it, the other device is offered that media within two seconds, unless it offers some itself or the call ends.',
  exclusions: 'Changes while the cluster is disturbed.',
  make: ({ map, now, check, fail }) => {
    const { quickMs } = boundsOf(map);
    const calm = new UndisturbedAround(map);
    const edges = edgeEndpoints(map);
    const legs = new Map<string, Leg>();
    const changes = new Map<string, Change>();
    /** The Call-Ids of the legs of a call, by each of them. */
    const callLegs = new Map<string, readonly string[]>();
    const otherOf = (callid: string): Leg | undefined => {
      const others = (callLegs.get(callid) ?? []).flatMap((id) => (id === callid ? [] : (legs.get(id) ?? [])));
      return others.length === 1 && others[0]?.isTalking === true ? others[0] : undefined;
    };
    const fromDevice = (message: SipMessage, leg: Leg, atMs: number) => {
      const isAnswer = message.kind === 'response' && message.status >= 200 && message.status < 300;
      if ((message.method === 'ACK' || (message.method === 'INVITE' && isAnswer)) && !leg.isTalking) {
        leg.isTalking = true;
        leg.movedMs = atMs;
      }
      if (message.method !== 'INVITE') return;
      if (message.kind === 'request' && message.to.tag !== undefined) {
        leg.offered = { cseq: message.cseq, media: message.media ?? 'sendrecv' };
        leg.movedMs = atMs;
      }
    };
    const toDevice = (message: SipMessage, leg: Leg, atMs: number) => {
      const { callid, method } = message;
      if (method !== 'INVITE') return;
      if (message.kind === 'request') {
        if (message.to.tag === undefined) return;
        leg.shown = message.media ?? 'sendrecv';
        leg.movedMs = atMs;
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
      'outside.sent': ({ to, message, atMs }) => {
        const { callid, kind, method } = message;
        if (method === 'BYE' || method === 'CANCEL') {
          legs.delete(callid);
          changes.delete(callid);
          return;
        }
        const leg = legs.get(callid) ?? newLeg();
        // A 2xx that is repeated may come when the leg is over.
        if (method === 'INVITE' && kind === 'request') legs.set(callid, leg);
        if (edges.has(to)) fromDevice(message, leg, atMs);
        else toDevice(message, leg, atMs);
      },
    };
    // Which legs are one call, b2b says.
    const published: ObservationListeners = {
      'envelope.delivered': ({ envelope: { body } }) => {
        for (const { dialog } of (body as BodyOf<'stream.published'>).items) {
          const callids = dialog?.legs.map(({ callid }) => callid) ?? [];
          for (const callid of callids) callLegs.set(callid, callids);
        }
      },
    };
    const judge = ({ callid, media, atMs }: Change) => {
      const other = otherOf(callid);
      if (other === undefined || calm.forMs(now()) <= now() - atMs || other.offered !== undefined) return;
      // The offer may come before the answer to the change, and not at all while the other one has its own.
      if (other.shown === media) return check();
      if (other.movedMs > atMs) return;
      fail(
        `a device of leg ${callid} changed its media to ${media}, and ${now() - atMs} ms later the other one was offered ${other.shown ?? 'none'}`,
      );
    };
    const tick = (nowMs: number) => {
      calm.look(nowMs);
      for (const change of changes.values()) {
        if (nowMs - change.atMs <= quickMs) continue;
        changes.delete(change.callid);
        judge(change);
      }
    };
    return { listeners: together(calm.listeners, listeners, published), tick, types: ['stream.published'] };
  },
};

function newLeg(): Leg {
  return { isTalking: false, own: 'sendrecv', offered: undefined, shown: undefined, movedMs: 0 };
}
