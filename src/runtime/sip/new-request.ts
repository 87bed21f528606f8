/** Requests that begin something: a call, a registration, a probe. */
import { limits } from '../../model/limits.ts';
import type { Party, SipRequest } from '../../model/sip/message.ts';
import { sipUri, userOf } from '../../model/sip/uri.ts';
import type { RandomStream } from '../../ports/random.ts';
import type { CallOptions, NewRequest } from './user-agent.ts';

/** The agent that sends it. */
export interface Sender {
  readonly cseq: number;
  readonly random: RandomStream;
  readonly place: string;
  readonly host: string;
  readonly userAgent: string | undefined;
}

export function inviteOf(options: CallOptions, sender: Sender): SipRequest {
  const { hop: _hop, uri, from, to, callid, media = 'sendrecv', maxForwards = limits.maxForwards, ...more } = options;
  const base = { kind: 'request', uri, maxForwards, method: 'INVITE', to, media } as const;
  const own = { ...identity(from, sender), callid: callid ?? newCallid(sender) };
  return { ...base, ...own, contact: sipUri(userOf(from.uri), sender.host), ...more };
}

export function requestOutside(request: NewRequest, sender: Sender): SipRequest {
  const { timeoutMs: _timeoutMs, callid, contact, cseq, from, ...more } = request;
  const base = {
    kind: 'request',
    maxForwards: limits.maxForwards,
    contact: contact ?? sipUri(userOf(from.uri), sender.host),
  } as const;
  const own = { ...identity(from, sender), callid: callid ?? newCallid(sender) };
  return { ...base, ...own, ...more, ...(cseq !== undefined && { cseq }) };
}

export function newTag(random: RandomStream): string {
  return hex(random.bytes(6));
}

function newCallid({ random }: Sender): string {
  return hex(random.bytes(12));
}

function identity(from: Party, { cseq, place, random, userAgent }: Sender) {
  const local = from.tag === undefined ? { ...from, tag: newTag(random) } : from;
  return { from: local, cseq, via: [place], ...(userAgent !== undefined && { userAgent }) };
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
