/** A participant that holds its call is held. */
import type { BodyOf } from '../../../../src/model/protocol/catalogue.ts';
import type { Media, SipMessage } from '../../../../src/model/sip/message.ts';
import { boundsOf } from '../../bounds.ts';
import type { OracleMaker } from '../../oracle.ts';
import { setLast, together } from '../kit/shared.ts';
import { Undisturbed } from '../kit/undisturbed.ts';

/** A change of media that a conf instance has accepted. */
interface Change {
  readonly instance: string;
  readonly callid: string;
  readonly state: 'held' | 'active';
  readonly offeredMs: number;
}

/** A message is seen when it is delivered, and what it changes at once or before. */
const onWayMs = 100;
/** Of legs, the last ones. */
const mostKept = 5_000;

export const participantsHold: OracleMaker = {
  name: 'participants-hold',
  rule: 'When a leg of a conference begins to send only or nothing, and the conf instance accepts it, a participant there becomes `held` within two seconds, or the leg ends; when it takes media again, one becomes `active`; while nothing is broken.',
  make: ({ map, now, check, fail }) => {
    const { quickMs } = boundsOf(map);
    const undisturbed = new Undisturbed();
    const offers = new Map<string, { readonly media: Media; readonly atMs: number }>();
    /** Whether a leg holds, since its first change. */
    const holding = new Map<string, boolean>();
    const changes = new Set<Change>();
    /** When a participant of an instance has come to a state last. */
    const lastMs = new Map<string, number>();
    const hasCome = (instance: string, state: string, sinceMs: number) =>
      (lastMs.get(`${instance} ${state}`) ?? 0) >= sinceMs;
    const isConf = (address: string) => map.instances.get(address)?.role === 'conf';
    const offered = ({ callid, cseq, media = 'sendrecv' }: SipMessage, atMs: number) =>
      setLast(offers, `${callid} ${cseq}`, { media, atMs }, mostKept);
    const accepted = ({ callid, cseq }: SipMessage, instance: string) => {
      const offer = offers.get(`${callid} ${cseq}`);
      if (offer === undefined) return;
      offers.delete(`${callid} ${cseq}`);
      const holds = offer.media === 'sendonly' || offer.media === 'inactive';
      const was = holding.get(callid) ?? false;
      setLast(holding, callid, holds, mostKept);
      if (holds === was) return;
      // A change of mind: which of the two states is seen last depends on their order.
      for (const change of changes) if (change.callid === callid) changes.delete(change);
      changes.add({ instance, callid, state: holds ? 'held' : 'active', offeredMs: offer.atMs });
    };
    const over = (callid: string) => {
      for (const change of changes) if (change.callid === callid) changes.delete(change);
    };
    return {
      listeners: together(undisturbed.listeners, {
        'envelope.delivered': {
          sip: ({ envelope, atMs }) => {
            const message = envelope.body as BodyOf<'sip'> as SipMessage;
            const { method, kind, callid } = message;
            if (method === 'BYE') over(callid);
            if (method !== 'INVITE') return;
            if (kind === 'request') {
              if (message.to.tag !== undefined && isConf(envelope.to)) offered(message, atMs);
            } else if (message.status >= 200 && message.status < 300 && isConf(envelope.from))
              accepted(message, envelope.from);
          },
        },
        'entity.state': {
          participant: ({ owner, state, before, atMs }) => {
            if (before !== state) lastMs.set(`${owner} ${state}`, atMs);
          },
        },
      }),
      tick: (nowMs) => {
        for (const change of changes) {
          const { callid, instance, state, offeredMs } = change;
          if (nowMs - offeredMs <= quickMs) continue;
          changes.delete(change);
          if (undisturbed.forMs(now()) <= nowMs - offeredMs || hasCome(instance, 'leaving', offeredMs)) continue;
          check();
          if (hasCome(instance, state, offeredMs - onWayMs)) continue;
          fail(`leg ${callid} of ${instance} changed its media, and no participant there became ${state}`);
        }
      },
    };
  },
};
