/** Requests that begin something: a call, a registration, a probe. */
import { limits } from '../../model/limits.ts';
import type { Party, SipMethod, SipRequest } from '../../model/sip/message.ts';
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
  const { random, cseq, place, host, userAgent } = sender;
  const request: SipRequest = {
    kind: 'request',
    uri,
    maxForwards: limits.maxForwards,
    callid: callid ?? hex(random.bytes(12)),
    from: from.tag === undefined ? { ...from, tag: newTag(random) } : from,
    to,
    cseq,
    method,
    via: [place],
    contact: sipUri(userOf(from.uri), host),
  };
  if (userAgent !== undefined) request.userAgent = userAgent;
  return request;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
