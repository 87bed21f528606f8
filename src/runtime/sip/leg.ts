/** A leg as its agent keeps it: a plain object, and the messages that are made of it. */
import { limits } from '../../model/limits.ts';
import {
  type Media,
  type Party,
  responseTo,
  type SipMethod,
  type SipRequest,
  type SipResponse,
} from '../../model/sip/message.ts';
import type { Timer } from '../../ports/clock.ts';
import type { LegControl, LegView } from './user-agent.ts';

export interface Leg {
  readonly callid: string;
  readonly isOutgoing: boolean;
  state: string;
  /** The INVITE that made it. */
  readonly invite: SipRequest;
  readonly local: Party;
  /** Its tag is known from the first answer that has one. */
  remote: Party;
  /** The other side's. */
  contact: string;
  readonly ownContact: string;
  hop: string;
  /** Numbers of the last request in each direction. */
  cseq: number;
  remoteCseq: number;
  /** The provisional answer that was reported last. */
  rang: number;
  /** Media that we offer, or offered last. */
  offer: Media;
  /** The last INVITE of the other side. */
  taken: SipRequest | undefined;
  /** A REFER that waits for the owner. */
  referral: SipRequest | undefined;
  /** Requests that wait for their answer, and those that wait for them. */
  readonly asks: SipRequest[];
  readonly waiting: Ask[];
  /** Commands for when the ACK has come. */
  readonly kept: LegControl[];
  /** Deadlines of its state. */
  timers: readonly Timer[];
  session: Timer | undefined;
  heardMs: number;
  refreshedMs: number;
}

/** A request in a dialog, before it has its number. */
export interface Ask {
  readonly method: SipMethod;
  readonly more: Partial<SipRequest>;
}

export type LegBirth = Pick<Leg, 'isOutgoing' | 'invite' | 'local' | 'remote' | 'contact' | 'ownContact' | 'hop'> & {
  readonly state: string;
  readonly nowMs: number;
};

export function newLeg(birth: LegBirth): Leg {
  const { invite, isOutgoing, nowMs } = birth;
  return {
    callid: invite.callid,
    isOutgoing,
    state: birth.state,
    invite,
    local: birth.local,
    remote: birth.remote,
    contact: birth.contact,
    ownContact: birth.ownContact,
    hop: birth.hop,
    cseq: isOutgoing ? invite.cseq : 0,
    remoteCseq: isOutgoing ? 0 : invite.cseq,
    rang: 0,
    offer: invite.media ?? 'sendrecv',
    taken: isOutgoing ? undefined : invite,
    referral: undefined,
    asks: [],
    waiting: [],
    kept: [],
    timers: [],
    session: undefined,
    heardMs: nowMs,
    refreshedMs: nowMs,
  };
}

const talking: ReadonlySet<string> = new Set(['confirmed', 'offering', 'reoffering', 'glare']);

export function viewOf(leg: Leg): LegView {
  const { callid, isOutgoing, state, local, remote, contact, hop } = leg;
  const replaces = { callid, toTag: remote.tag ?? '', fromTag: local.tag ?? '' };
  return { callid, isOutgoing, state, isConfirmed: talking.has(state), local, remote, contact, hop, replaces };
}

/** Whether a request says that it belongs to this leg. */
export function belongs({ from, to }: SipRequest, { local, remote }: Leg): boolean {
  return to.tag === local.tag && (remote.tag === undefined || from.tag === remote.tag);
}

/** A request in the dialog, with the next number. */
export function requestIn(leg: Leg, place: string, { method, more }: Ask): SipRequest {
  leg.cseq += 1;
  return Object.assign(bare(leg, place, method, leg.cseq), more);
}

/** The ACK of a 2xx. */
export function ackIn(leg: Leg, place: string, cseq: number): SipRequest {
  return bare(leg, place, 'ACK', cseq);
}

export function cancelOf({ uri, maxForwards, callid, from, to, cseq, via, inviteid }: SipRequest): SipRequest {
  const id = inviteid === undefined ? {} : { inviteid };
  return { kind: 'request', uri, maxForwards, callid, from, to, cseq, method: 'CANCEL', via, ...id };
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

function bare(leg: Leg, place: string, method: SipMethod, cseq: number): SipRequest {
  const { callid, contact: uri, local: from, remote: to } = leg;
  const { maxForwards } = limits;
  const request: SipRequest = { kind: 'request', uri, maxForwards, callid, from, to, cseq, method, via: [place] };
  const { inviteid } = leg.invite;
  if (inviteid !== undefined) request.inviteid = inviteid;
  return request;
}
