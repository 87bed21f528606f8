/**
 * A leg as its agent keeps it, a plain object beside the state of its machine; the operations that its owner performs and the
 * reports that the owner gets; and which event of the machine an answer or an operation is.
 */
import type { LegEvent, LegState } from '../machines/sip/leg.ts';
import {
  type Challenge,
  type Media,
  type Party,
  type ReferredBy,
  type ReferTo,
  type RefusalDetails,
  type Replaces,
  reasonOf,
  type SipMethod,
  type SipRequest,
  type SipResponse,
} from '../model/sip/message.ts';
import type { Timer } from '../ports/clock.ts';

export interface Leg {
  readonly callid: string;
  readonly isOutgoing: boolean;
  state: LegState;
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
  /** The provisional answer that was reported last, and what was played with it. */
  rang: { readonly status: number; readonly plays: string | undefined };
  /** Media that we offer, or offered last. */
  offer: Media;
  /** The last INVITE of the other side. */
  taken: SipRequest | undefined;
  /** A REFER that waits for the owner. */
  referral: SipRequest | undefined;
  /** REFERs that were sent and whose last NOTIFY has not come: what the owner calls each, by its CSeq. */
  readonly refers: Map<number, number>;
  /** Requests that wait for their answer, and requests that wait for these. */
  readonly asks: SipRequest[];
  readonly waiting: DialogRequest[];
  /** Operations for when the ACK has come. */
  readonly kept: LegOperation[];
  /** Deadlines of its state. */
  timers: readonly Timer[];
  session: Timer | undefined;
  receivedMs: number;
  refreshedMs: number;
}

/** A request in a dialog, before it has its number. */
export interface DialogRequest {
  readonly method: SipMethod;
  readonly more: Partial<SipRequest>;
  /** REFER: what the owner calls it. */
  readonly refer?: number | undefined;
}

export type LegInit = Pick<Leg, 'isOutgoing' | 'invite' | 'local' | 'remote' | 'contact' | 'ownContact' | 'hop'> & {
  readonly state: LegState;
  readonly nowMs: number;
};

export function newLeg(init: LegInit): Leg {
  const { invite, isOutgoing, nowMs } = init;
  return {
    callid: invite.callid,
    isOutgoing,
    state: init.state,
    invite,
    local: init.local,
    remote: init.remote,
    contact: init.contact,
    ownContact: init.ownContact,
    hop: init.hop,
    cseq: isOutgoing ? invite.cseq : 0,
    remoteCseq: isOutgoing ? 0 : invite.cseq,
    rang: { status: 0, plays: undefined },
    offer: invite.media ?? 'sendrecv',
    taken: isOutgoing ? undefined : invite,
    referral: undefined,
    refers: new Map(),
    asks: [],
    waiting: [],
    kept: [],
    timers: [],
    session: undefined,
    receivedMs: nowMs,
    refreshedMs: nowMs,
  };
}

export function viewOf(leg: Leg, isAnswered: boolean): LegView {
  const { callid, isOutgoing, state, local, remote, contact, hop } = leg;
  const replaces = { callid, toTag: remote.tag ?? '', fromTag: local.tag ?? '' };
  return { callid, isOutgoing, state, isAnswered, local, remote, contact, hop, replaces };
}

/** Whether a request says that it belongs to this leg. */
export function belongs({ from, to }: SipRequest, { local, remote }: Leg): boolean {
  return to.tag === local.tag && (remote.tag === undefined || from.tag === remote.tag);
}

/** Reports of a leg. After a report that is final (`leg.failed`, `leg.cancelled`, `leg.ended`) the leg is gone. */
export type LegReport =
  /** A new incoming leg: ring it, answer it or reject it. */
  | { type: 'leg.invited'; request: SipRequest; from: string }
  /** Its caller has taken the call back; answered with 487. Final. */
  | { type: 'leg.cancelled' }
  /** Outgoing: a provisional answer above 100, other than the one before. `plays`: early media, by the name of its file. */
  | { type: 'leg.rang'; status: number; reason: string; plays: string | undefined }
  /** Outgoing: a 2xx came, and was acknowledged. Incoming: the ACK came. */
  | { type: 'leg.answered'; contact: string; media: Media }
  /**
   * Outgoing: a final answer that is no 2xx; 408 when none came; 487 after `end` or `drop`.
   * Incoming: our own final answer that is no 2xx, after `reject`, `end` or `drop`. Final.
   */
  | {
      type: 'leg.failed';
      status: number;
      reason: string;
      contacts: readonly string[];
      challenge: Challenge | undefined;
      /** It was dropped, or is lost: the other side can't be reached. */
      isLost?: true;
    }
  /** The other side offers other media (holds, resumes); answered with 200. */
  | { type: 'leg.media.changed'; media: Media }
  /** Our own offer was answered: with 2xx, or refused for good. */
  | { type: 'leg.media.settled'; status: number }
  /** REFER came. Answer with `refer.accept` or `refer.refuse`; `id`: for the NOTIFYs of it. */
  | { type: 'leg.referred'; id: number; referTo: ReferTo; referredBy: ReferredBy | undefined }
  /** Our REFER was answered; 202 when it was accepted. */
  | { type: 'leg.refer.answered'; status: number }
  /** `refer`: what the owner calls the REFER of which this is said; absent: the NOTIFY does not say, or that REFER has no such number. */
  | { type: 'leg.notified'; event: string; sipfrag: string | undefined; refer?: number }
  | { type: 'leg.dtmf'; dtmf: string }
  | { type: 'leg.spoke'; speech: string }
  /** The other side plays a file from now on; empty: none. */
  | { type: 'leg.plays'; plays: string }
  /** It was answered and is over: after BYE was answered, or came. Final. */
  | { type: 'leg.ended'; by: LegEnd };

/** `remote`: BYE came. `local`: ours. `lost`: dropped, out of reach, session timer, no ACK, or a request in it failed with 408 or 481. */
export type LegEnd = 'remote' | 'local' | 'lost';

/** Operations of its owner. An operation that does not fit the state of the leg is ignored and counted. */
export type LegOperation =
  | { type: 'ring'; status?: number; plays?: string | undefined }
  | { type: 'answer'; media?: Media }
  | ({ type: 'reject'; status: number; reason?: string; contacts?: readonly string[] } & RefusalDetails)
  /** Ends a leg in whatever state it is: CANCEL, a final answer (`status`, default 480), or BYE. */
  | { type: 'end'; status?: number; reason?: string }
  /** Ends a leg silently: the other side can't be reached. */
  | { type: 'drop' }
  | { type: 'offer'; media: Media }
  /** `refer`: a number by which its NOTIFYs are reported. */
  | { type: 'refer'; referTo: ReferTo; referredBy?: ReferredBy; refer?: number | undefined }
  | { type: 'refer.accept' }
  | { type: 'refer.refuse'; status: number }
  /** `id`: of the REFER of which it is. */
  | { type: 'notify'; event: string; sipfrag?: string | undefined; id?: number | undefined }
  | { type: 'dtmf'; dtmf: string }
  | { type: 'speak'; speech: string }
  /** Plays a file to the other side, announced by INFO, since there is no media; empty: none. (chosen) */
  | { type: 'play'; plays: string };

/** A leg as its owner may look at it. */
export interface LegView {
  readonly callid: string;
  readonly isOutgoing: boolean;
  readonly state: LegState;
  /** There is a dialog: a 2xx was sent or came. Its ACK may be on its way. */
  readonly isAnswered: boolean;
  readonly local: Party;
  readonly remote: Party;
  /** URI and hop for requests to the other side. */
  readonly contact: string;
  readonly hop: string;
  /** What an INVITE to the other side must say to replace this leg there. */
  readonly replaces: Replaces;
}

type EventType = LegEvent['type'];

/** What an answer to the INVITE that makes a call is. */
export function inviteEvent(status: number): EventType {
  if (status === 100) return 'invite.tried';
  if (status < 200) return 'invite.rang';
  return status < 300 ? 'invite.accepted' : 'invite.refused';
}

/** What the final answer to a request in a dialog is. */
export function answerEvent({ method, status }: SipResponse): EventType {
  if (method === 'BYE') return 'bye.answered';
  // The other side does not know the dialog, or is not there (RFC 3261 12.2.1.2).
  if (status === 408 || status === 481) return 'request.lost';
  if (method !== 'INVITE') return 'request.answered';
  if (status < 300) return 'offer.accepted';
  return status === 491 ? 'offer.clashed' : 'offer.refused';
}

const operationEvents: Readonly<Record<LegOperation['type'], EventType>> = {
  ring: 'ring',
  answer: 'answer',
  reject: 'reject',
  end: 'end',
  drop: 'drop',
  offer: 'offer',
  refer: 'request',
  notify: 'request',
  dtmf: 'request',
  speak: 'request',
  play: 'request',
  'refer.accept': 'reply',
  'refer.refuse': 'reply',
};

export function operationEvent(operation: LegOperation): EventType {
  return operationEvents[operation.type];
}

/** The request of which an operation speaks. */
export function askOf(operation: LegOperation | undefined): DialogRequest | undefined {
  if (operation?.type === 'play') return { method: 'INFO', more: { plays: operation.plays } };
  if (operation?.type === 'speak') return { method: 'INFO', more: { speech: operation.speech } };
  if (operation?.type === 'dtmf') return { method: 'INFO', more: { dtmf: operation.dtmf } };
  if (operation?.type === 'notify') {
    const { event, sipfrag, id: eventid } = operation;
    const more = { ...(sipfrag !== undefined && { sipfrag }), ...(eventid !== undefined && { eventid }) };
    return { method: 'NOTIFY', more: { event, ...more } };
  }
  if (operation?.type !== 'refer') return undefined;
  const { referTo, referredBy, refer } = operation;
  return { method: 'REFER', more: referredBy === undefined ? { referTo } : { referTo, referredBy }, refer };
}

export interface LegRefusal extends RefusalDetails {
  readonly status: number;
  readonly reason: string;
  readonly contacts: readonly string[];
}

/** The final answer of an operation that refuses a call, or of the deadline when there was none. */
export function refusalOf(operation: LegOperation | undefined): LegRefusal {
  if (operation?.type === 'reject') {
    const { status, reason = reasonOf(status), contacts = [], challenge, isCredentialsWrong } = operation;
    return { status, reason, contacts, challenge, isCredentialsWrong };
  }
  const { status = 480, reason = reasonOf(status) } = operation?.type === 'end' ? operation : {};
  return { status, reason, contacts: [], challenge: undefined };
}
