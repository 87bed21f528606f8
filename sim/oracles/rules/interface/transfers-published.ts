/** What devices see of a transfer is published by its calls. */
import type { SipMessage, SipRequest } from '../../../../src/model/sip/message.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { byType, edgeEndpoints, setLast, together } from '../kit/shared.ts';
import { UndisturbedAround } from '../kit/undisturbed.ts';

/** An event that must have been published: its name, and what identifies it. */
interface Wanted {
  readonly event: 'refer' | 'referring_invite' | 'replaces_refer';
  /** The id of the call that publishes it; of `replaces_refer`, of the new call. */
  readonly inviteid: string;
  readonly callid: string;
  readonly atMs: number;
}

/** The field that identifies an event, by its name. */
const idFields: Readonly<Record<string, string>> = {
  refer: 'inviteid',
  referring_invite: 'inviteid',
  replaces_refer: 'newinviteid',
};
/** As many are remembered as may be of interest at one time. */
const most = 2_000;

export const transfersPublished: OracleMaker = {
  name: 'transfers-published',
  rule: 'When the REFER of a device is accepted, its call has published `refer` within five seconds; when an INVITE of a device with Referred-By is, the call `referring_invite`; and when a device gets an INVITE with Replaces, the call that is replaced has published `replaces_refer`; unless messages may have been lost.',
  exclusions: 'A call to be replaced that has ended before that INVITE: it publishes nothing but its end.',
  make: ({ map, now, check, fail }) => {
    const { promptMs } = boundsOf(map);
    const undisturbed = new UndisturbedAround(map);
    const edges = edgeEndpoints(map);
    /** Requests of devices that are not answered yet, by method, Call-Id and number. */
    const requests = new Map<string, SipRequest>();
    /** Call-Ids of legs that have ended. */
    const ended = new Map<string, true>();
    /** The published events, as `event inviteid`. */
    const published = new Map<string, true>();
    const open = new Set<Wanted>();
    /** When an instance did not hear of a replacement: a clock is wrong, or a message came too late. */
    let lostMs = Number.NEGATIVE_INFINITY;

    const fromDevice = (message: SipMessage) => {
      const isWanted = message.method === 'REFER' || (isFirst(message) && message.referredBy !== undefined);
      if (message.kind === 'request' && isWanted) setLast(requests, keyOf(message), message, most);
    };
    const toDevice = (message: SipMessage, atMs: number) => {
      const { inviteid, callid } = message;
      if (inviteid === undefined) return;
      if (isFirst(message)) {
        const { replaces } = message;
        if (replaces === undefined || ended.has(replaces.callid)) return;
        open.add({ event: 'replaces_refer', inviteid, callid, atMs });
      } else if (message.kind === 'response' && message.status >= 200 && message.status < 300) {
        const request = requests.get(keyOf(message));
        if (request === undefined) return;
        requests.delete(keyOf(message));
        open.add({ event: request.method === 'REFER' ? 'refer' : 'referring_invite', inviteid, callid, atMs });
      }
    };
    const listeners: ObservationListeners = {
      'outside.sent': byType(['INVITE', 'REFER', 'BYE'], ({ from, message, atMs }) => {
        if (message.method === 'BYE') setLast(ended, message.callid, true, most);
        else if (edges.has(from)) toDevice(message, atMs);
        else fromDevice(message);
      }),
      'envelope.dead': byType(['dialog.command', 'callstore.find'], ({ atMs }) => {
        lostMs = atMs;
      }),
      'published.event': ({ event: { name, data } }) => {
        const id = idFields[name];
        if (id !== undefined) setLast(published, `${name} ${String(data[id])}`, true, most);
      },
    };
    const tick = () => {
      const nowMs = now();
      undisturbed.look(nowMs);
      for (const wanted of open) {
        const { event, inviteid, callid, atMs } = wanted;
        const isPublished = published.has(`${event} ${inviteid}`);
        if (!isPublished && nowMs - atMs <= promptMs) continue;
        open.delete(wanted);
        if (isPublished) check();
        else if (undisturbed.forMs(nowMs) > nowMs - atMs + promptMs && lostMs < atMs - promptMs)
          fail(
            `leg ${callid} of call ${inviteid}: ${Math.round(nowMs - atMs)} ms after its transfer no ${event} is published`,
          );
      }
    };
    return { listeners: together(undisturbed.listeners, listeners), tick };
  },
};

/** Whether it is the INVITE that begins a call. */
function isFirst(message: SipMessage): message is SipRequest {
  return message.kind === 'request' && message.method === 'INVITE' && message.to.tag === undefined;
}

function keyOf({ method, callid, cseq }: SipMessage): string {
  return `${method} ${callid} ${cseq}`;
}
