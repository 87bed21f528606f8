/** What the edges send to devices and providers conforms to RFC 3261: answers to their requests, ACK and CANCEL to their INVITE, requests to their dialogs. */
import type { Party, SipMessage, SipRequest, SipResponse } from '../../../../src/model/sip/message.ts';
import type { OracleMaker } from '../../oracle.ts';
import { HeldBack } from '../kit/held-back.ts';
import { edgeEndpoints, setLast, together } from '../kit/shared.ts';

/** What has passed between an edge and an endpoint under one Call-Id. */
interface Exchange {
  /** Requests of the endpoint, by CSeq and method. */
  readonly received: Map<string, SipRequest>;
  /** Requests of the platform. */
  readonly sent: Map<string, SipRequest>;
  /** Tags of the endpoint: in its requests, and in its answers. */
  readonly remoteTags: Set<string>;
  /** Tags of the platform. */
  readonly localTags: Set<string>;
  /** The tags in final answers of the endpoint to an INVITE, by CSeq. */
  readonly finals: Map<number, Set<string | undefined>>;
  /** The endpoint has sent its INVITE again: another b2b may have got one of the copies. */
  isRepeated: boolean;
  /** The last CSeq of the platform, by its tag: a call that two b2b instances have answered has two dialogs. */
  readonly cseqs: Map<string | undefined, number>;
}

/** As many are remembered as may go on at one time: of calls, and of registrations, which are far more and over soon. */
const mostExchanges = 2_000;

export const dialogsConform: OracleMaker = {
  name: 'dialogs-conform',
  rule: 'What the platform sends to devices and providers conforms to RFC 3261: an answer has the CSeq, the From and the To of a request, and one to an INVITE, other than 100, a tag; an ACK has the tag of a final answer to its INVITE, a CANCEL is of an INVITE; a request in a dialog has the tags of both ends, and no other request has its CSeq, which only grows where no fault has held messages back.',
  make: ({ map, check, fail }) => {
    const edges = edgeEndpoints(map);
    const calls = new Map<string, Exchange>();
    const registrations = new Map<string, Exchange>();
    const held = new HeldBack();
    let areInOrder = true;
    return {
      listeners: together(held.listeners, {
        // Messages of one leg may overtake each other on their way to the edge.
        'fault.inflicted': () => {
          areInOrder = false;
        },
        'outside.sent': ({ from, to, message, atMs }) => {
          const isOurs = edges.has(from);
          const key = `${isOurs ? to : from} ${message.callid}`;
          const exchanges = message.method === 'REGISTER' ? registrations : calls;
          const exchange = exchanges.get(key) ?? newExchange();
          setLast(exchanges, key, exchange, held.mostOf(mostExchanges, atMs));
          if (!isOurs) return receive(exchange, message);
          check();
          const wrong = wrongWith(exchange, message, areInOrder);
          const { kind, method, cseq, callid } = message;
          const what = kind === 'request' ? method : `${message.status} to ${method}`;
          if (wrong !== undefined) fail(`${from} has sent ${what} ${cseq} of ${callid} to ${to}: ${wrong}`);
          send(exchange, message);
        },
      }),
    };
  },
};

function newExchange(): Exchange {
  const tags = { remoteTags: new Set<string>(), localTags: new Set<string>() };
  return { received: new Map(), sent: new Map(), ...tags, finals: new Map(), isRepeated: false, cseqs: new Map() };
}

const nameOf = ({ cseq, method }: SipMessage) => `${cseq} ${method}`;

function receive(exchange: Exchange, message: SipMessage): void {
  const { received, remoteTags, finals } = exchange;
  const { kind, method, cseq, from, to } = message;
  const tag = kind === 'request' ? from.tag : to.tag;
  if (tag !== undefined) remoteTags.add(tag);
  if (kind === 'request') {
    exchange.isRepeated ||= method === 'INVITE' && received.has(nameOf(message));
    return void received.set(nameOf(message), message);
  }
  if (method === 'INVITE' && message.status >= 200) finals.set(cseq, (finals.get(cseq) ?? new Set()).add(to.tag));
}

function send(exchange: Exchange, message: SipMessage): void {
  const { kind, method, from, to, cseq } = message;
  const tag = kind === 'request' ? from.tag : to.tag;
  if (tag !== undefined) exchange.localTags.add(tag);
  if (kind === 'response') return;
  exchange.sent.set(nameOf(message), message);
  if (method === 'ACK' || method === 'CANCEL') return;
  exchange.cseqs.set(tag, Math.max(exchange.cseqs.get(tag) ?? 0, cseq));
}

function wrongWith(exchange: Exchange, message: SipMessage, areInOrder: boolean): string | undefined {
  if (message.kind === 'response') return wrongAnswer(exchange, message);
  if (message.method === 'ACK') return wrongAck(exchange, message);
  if (message.method === 'CANCEL') {
    const invite = exchange.sent.get(`${message.cseq} INVITE`);
    if (invite === undefined) return 'there is no INVITE with its CSeq';
    return invite.from.tag === message.from.tag ? undefined : 'its From is not that of the INVITE';
  }
  return wrongRequest(exchange, message, areInOrder);
}

function wrongAnswer({ received }: Exchange, message: SipResponse): string | undefined {
  const request = received.get(nameOf(message));
  if (request === undefined) return 'there is no request with its CSeq';
  if (!areSame(request.from, message.from)) return 'its From is not that of the request';
  if (request.to.uri !== message.to.uri) return 'its To is not that of the request';
  if (request.to.tag !== undefined && request.to.tag !== message.to.tag) return 'its tag is not that of the request';
  const needsTag = message.status > 100 && message.method === 'INVITE';
  return needsTag && message.to.tag === undefined ? 'it has no tag' : undefined;
}

function wrongAck({ sent, finals }: Exchange, { cseq, to, from }: SipRequest): string | undefined {
  const invite = sent.get(`${cseq} INVITE`);
  if (invite === undefined) return 'there is no INVITE with its CSeq';
  const tags = finals.get(cseq);
  if (tags === undefined) return 'its INVITE has no final answer';
  if (!tags.has(to.tag)) return `its tag ${to.tag} is not that of the answer`;
  return invite.from.tag === from.tag ? undefined : 'its From is not that of the INVITE';
}

function wrongRequest(
  { sent, remoteTags, localTags, cseqs, isRepeated }: Exchange,
  message: SipRequest,
  areInOrder: boolean,
): string | undefined {
  const { from, to } = message;
  const cseq = cseqs.get(from.tag) ?? 0;
  if (areInOrder && message.cseq < cseq && !sent.has(nameOf(message))) return `its CSeq is lower than ${cseq}`;
  if (message.cseq === cseq && !sent.has(nameOf(message))) return 'another request has its CSeq';
  if (to.tag === undefined) return undefined;
  if (!remoteTags.has(to.tag)) return `its tag ${to.tag} is not that of the other end`;
  // All answers that named it may have been lost on their way to the edge.
  if (from.tag !== undefined && localTags.size === 0) return undefined;
  // So may all of a second b2b: it ends what the endpoint does not know.
  if (from.tag !== undefined && isRepeated && message.method === 'BYE') return undefined;
  return from.tag !== undefined && localTags.has(from.tag) ? undefined : `its tag ${from.tag} is not that of this end`;
}

function areSame(one: Party, other: Party): boolean {
  return one.uri === other.uri && one.tag === other.tag;
}
