/** The messages that a user agent makes: requests that begin something, and what is said within a leg. */
import { limits } from '../model/limits.ts';
import {
  callIdsOf,
  type Media,
  type Party,
  type ReferredBy,
  type Replaces,
  responseTo,
  type SipCredentials,
  type SipMethod,
  type SipRequest,
  type SipResponse,
} from '../model/sip/message.ts';
import { sipUri, userOf } from '../model/sip/uri.ts';
import type { RandomStream } from '../ports/random.ts';
import type { DialogRequest, Leg } from './leg.ts';

/** An outgoing call. */
export interface OutgoingCall {
  /** Request-URI. */
  readonly uri: string;
  readonly from: Omit<Party, 'tag'>;
  readonly to: Omit<Party, 'tag'>;
  readonly hop: string;
  /** Default: a new one. */
  readonly callid?: string;
  readonly media?: Media;
  readonly replaces?: Replaces;
  readonly referredBy?: ReferredBy;
  readonly account?: string;
  readonly label?: string;
  readonly domain?: string;
  readonly confid?: string;
  readonly inviteid?: string;
  /** Answer to a challenge: of an earlier call of the same Call-Id, whose leg has failed. */
  readonly credentials?: SipCredentials;
  /** Left over of the Max-Forwards of the call that this one continues. Default 70. */
  readonly maxForwards?: number;
}

/** A request outside any leg; what is left out the agent fills in. `timeoutMs`: how long to wait for its answer (32 s). */
export type NewRequest = Pick<SipRequest, 'method' | 'uri' | 'from' | 'to'> &
  Partial<
    Pick<
      SipRequest,
      'callid' | 'cseq' | 'expires' | 'contact' | 'credentials' | 'device' | 'account' | 'event' | 'reason'
    >
  > & {
    readonly timeoutMs?: number;
  };

/** The agent that sends it. */
export interface Sender {
  readonly cseq: number;
  readonly random: RandomStream;
  readonly sentBy: string;
  readonly host: string;
  readonly userAgent: string | undefined;
}

export function inviteOf(options: OutgoingCall, sender: Sender): SipRequest {
  const { hop: _hop, uri, from, to, callid, media = 'sendrecv', maxForwards = limits.maxForwards, ...more } = options;
  const request = begun('INVITE', { uri, from, to, callid }, sender);
  return Object.assign(request, { media, maxForwards }, more);
}

export function requestOutside(request: NewRequest, sender: Sender): SipRequest {
  const { timeoutMs: _timeoutMs, method, uri, from, to, callid, ...more } = request;
  return Object.assign(begun(method, { uri, from, to, callid }, sender), more);
}

export function newTag(random: RandomStream): string {
  return hex(random.bytes(6));
}

interface Beginning {
  readonly uri: string;
  readonly from: Party;
  readonly to: Party;
  readonly callid: string | undefined;
}

/** What every request has that begins something. */
function begun(method: SipMethod, { uri, from, to, callid }: Beginning, sender: Sender): SipRequest {
  const { random, cseq, sentBy, host, userAgent } = sender;
  const request: SipRequest = {
    kind: 'request',
    uri,
    maxForwards: limits.maxForwards,
    callid: callid ?? newCallid(random),
    from: from.tag === undefined ? { ...from, tag: newTag(random) } : from,
    to,
    cseq,
    method,
    via: [sentBy],
    contact: sipUri(userOf(from.uri), host),
  };
  if (userAgent !== undefined) request.userAgent = userAgent;
  return request;
}

/** A Call-Id that no other leg has. */
export function newCallid(random: RandomStream): string {
  return hex(random.bytes(12));
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

/** A request in the dialog, with the next number. */
export function requestIn(leg: Leg, sentBy: string, { method, more }: DialogRequest): SipRequest {
  leg.cseq += 1;
  return Object.assign(bare(leg, sentBy, method, leg.cseq), more);
}

/** The ACK of a 2xx. */
export function ackIn(leg: Leg, sentBy: string, cseq: number): SipRequest {
  return bare(leg, sentBy, 'ACK', cseq);
}

export function cancelOf(invite: SipRequest): SipRequest {
  const { uri, maxForwards, callid, from, to, cseq, via } = invite;
  const ids = callIdsOf(invite);
  return { kind: 'request', uri, maxForwards, callid, from, to, cseq, method: 'CANCEL', via, ...ids };
}

/** A request in the dialog of a 2xx to an INVITE that has no leg any more. */
export function requestAfter(
  invite: SipRequest,
  { to, contact }: SipResponse,
  { method, cseq }: { readonly method: 'ACK' | 'BYE'; readonly cseq: number },
): SipRequest {
  const { callid, from, via } = invite;
  const uri = contact ?? invite.uri;
  const ids = callIdsOf(invite);
  return { kind: 'request', uri, maxForwards: limits.maxForwards, callid, from, to, cseq, method, via, ...ids };
}

/** An answer to the INVITE that made the leg, with the tag that makes the dialog. */
export function answerIn(leg: Leg, status: number, more: Partial<Omit<SipResponse, 'kind' | 'status'>>): SipResponse {
  return responseTo(leg.invite, status, { to: leg.local, ...more });
}

/** What one answers to an offer when one wants all that it allows. */
export function answeringMedia(offer: Media | undefined): Media {
  if (offer === 'sendonly') return 'recvonly';
  if (offer === 'recvonly') return 'sendonly';
  return offer ?? 'sendrecv';
}

function bare(leg: Leg, sentBy: string, method: SipMethod, cseq: number): SipRequest {
  const { callid, contact: uri, local: from, remote: to } = leg;
  const { maxForwards } = limits;
  const ids = callIdsOf(leg.invite);
  return { kind: 'request', uri, maxForwards, callid, from, to, cseq, method, via: [sentBy], ...ids };
}
