/** Which event of the leg machine an answer or a command is, and what commands say in messages. */
import type { LegEvent } from '../../machines/leg.ts';
import { type RefusalDetails, reasonOf, type SipResponse } from '../../model/sip/message.ts';
import type { Ask } from './leg.ts';
import type { LegControl } from './user-agent.ts';

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

const commandEvents: Readonly<Record<LegControl['type'], EventType>> = {
  ring: 'ring',
  answer: 'answer',
  reject: 'reject',
  end: 'end',
  drop: 'drop',
  offer: 'offer',
  refer: 'request',
  notify: 'request',
  dtmf: 'request',
  'refer.accept': 'reply',
  'refer.refuse': 'reply',
};

export function commandEvent(command: LegControl): EventType {
  return commandEvents[command.type];
}

/** The request of which a command speaks. */
export function askOf(command: LegControl | undefined): Ask | undefined {
  if (command?.type === 'dtmf') return { method: 'INFO', more: { dtmf: command.dtmf } };
  if (command?.type === 'notify') {
    const { event, sipfrag } = command;
    return { method: 'NOTIFY', more: sipfrag === undefined ? { event } : { event, sipfrag } };
  }
  if (command?.type !== 'refer') return undefined;
  const { referTo, referredBy } = command;
  return { method: 'REFER', more: referredBy === undefined ? { referTo } : { referTo, referredBy } };
}

export interface Refusal extends RefusalDetails {
  readonly status: number;
  readonly reason: string;
  readonly contacts: readonly string[];
}

/** The final answer of a command that refuses a call, or of the deadline when there was none. */
export function refusalOf(command: LegControl | undefined): Refusal {
  if (command?.type === 'reject') {
    const { status, reason = reasonOf(status), contacts = [], challenge, isCredentialsWrong } = command;
    return { status, reason, contacts, challenge, isCredentialsWrong };
  }
  const { status = 480, reason = reasonOf(status) } = command?.type === 'end' ? command : {};
  return { status, reason, contacts: [], challenge: undefined };
}
