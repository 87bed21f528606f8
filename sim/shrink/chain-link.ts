/** Observations as links of causal chains, with what they are about. */
import type { Envelope } from '../../src/model/cluster/envelope.ts';
import type { StreamItem } from '../../src/model/protocol/messages/stream.ts';
import type { ObservationOf } from '../observation/observation.ts';

export type LinkSource =
  | 'state'
  | 'crash'
  | 'sent'
  | 'delivered'
  | 'dead'
  | 'status'
  | 'fault'
  | 'request'
  | 'answer'
  | 'sip'
  | 'socket';

export interface ChainLink {
  readonly source: LinkSource;
  readonly atMs: number;
  /** The node where it happened; of a request: the site. */
  readonly place: string;
  readonly text: string;
  /** What it is about: ids, the most specific first. */
  readonly about: readonly string[];
  /** The calls that it is of, by inviteid. */
  readonly calls?: readonly string[];
  readonly isOfCall?: boolean;
  /** The id of its envelope or request; of a reply also that of its ask. */
  readonly id?: string;
  readonly re?: string | undefined;
  /** Of an answer: as failures quote it. */
  readonly says?: string;
  /** Of a request and its answer: `METHOD target`, and the address of the client. */
  readonly asks?: string;
  readonly sender?: string | undefined;
  /** The number of the last observation before it in its context. */
  readonly cause?: number | undefined;
}

/** As much of an answer as use cases and drills quote. */
const quotedChars = 200;
/** Pings and their like are between all nodes at all times, and cause nothing that another observation does not show. */
const background = /^(peer|quorum)\.(?!digest$)/;
/** Messages that are of no call. */
const apart = /^(REGISTER|OPTIONS)$/;

/** `site/node` of an address; an endpoint outside is a place of its own. */
export function placeOf(owner: string): string {
  const [site, node] = owner.split('/');
  return node === undefined ? owner : `${site}/${node}`;
}

export function enveloped(
  source: LinkSource,
  { envelope }: { readonly envelope: Envelope },
  end = '',
): Omit<ChainLink, 'atMs'> | undefined {
  const { id, type, from, to, re, body } = envelope;
  if (background.test(type)) return undefined;
  const { callid, method, status } = (body ?? {}) as Readonly<Record<string, unknown>>;
  const what = type === 'sip' ? `sip ${status ?? ''} ${method}`.replace('  ', ' ') : `${type} ${envelope.kind}`;
  const about = typeof callid === 'string' ? [callid] : [id];
  const verb = source === 'delivered' ? 'reaches' : 'to';
  const place = source === 'delivered' ? placeOf(to) : placeOf(from);
  return {
    source,
    place,
    text: `${what} from ${from} ${verb} ${to}${end}`,
    about: [...about, from, to],
    id,
    re,
    calls: callsIn(body),
  };
}

/** Of a SIP message, or of events that a source has published. */
function callsIn(body: unknown): string[] {
  const { inviteid, items } = (body ?? {}) as { readonly inviteid?: unknown; readonly items?: readonly StreamItem[] };
  if (typeof inviteid === 'string') return [inviteid];
  if (!Array.isArray(items)) return [];
  return items.flatMap(({ event, dialog }: StreamItem) => {
    const id = event?.data?.['inviteid'] ?? dialog?.inviteid;
    return typeof id === 'string' ? [id] : [];
  });
}

export function faultOf({ args }: { readonly args: readonly unknown[] }) {
  return { source: 'fault', place: '', about: [String(args[0])] } as const;
}

export function requested(
  source: 'request' | 'answer',
  { id, site, method, target }: { id: number; site: string; method: string; target: string },
  end: string,
): Omit<ChainLink, 'atMs'> {
  const name = `request ${id}`;
  const asks = `${method} ${target}`;
  return { source, place: site, text: `${asks} at ${site}${end}`, about: [name, site], id: name, asks };
}

export function sentOutside({
  from,
  to,
  message,
  isLost = false,
}: ObservationOf<'outside.sent'>): Omit<ChainLink, 'atMs'> {
  const { callid, method, inviteid } = message;
  const what = message.kind === 'response' ? `sip ${message.status} ${method}` : `sip ${method}`;
  return {
    source: 'sip',
    place: placeOf(from),
    text: `${what} of ${callid} from ${from} to ${to}${isLost ? ', which is lost' : ''}`,
    about: [callid, from, to],
    calls: inviteid === undefined ? [] : [inviteid],
    isOfCall: !apart.test(method),
  };
}

/** The beginning of its body; empty without one. */
export function quoted({ status, body }: ObservationOf<'request.answered'>): string {
  return body === undefined || body === '' ? '' : `${status} ${body.slice(0, quotedChars)}`;
}

/** The token of the session that an answer opens. */
export function sessionIn({ status, body = '' }: ObservationOf<'request.answered'>): string | undefined {
  return status === 200 ? /"session_token":"([^"]+)"/.exec(body)?.[1] : undefined;
}

/** `sender`: the address of the client. */
export function sentToSocket(
  { socket, site, text }: ObservationOf<'socket.message'>,
  sender: string | undefined,
): Omit<ChainLink, 'atMs'> {
  const name = `web socket ${socket}`;
  return {
    source: 'socket',
    place: site,
    text: `${name} at ${site} is sent ${text.slice(0, quotedChars)}`,
    about: [name],
    sender,
  };
}

/** As a scenario has it: `crash` for `crashNode`. */
export function writtenVerb(verb: string): string {
  return verb.replace(/(Node|Instance)$/, '');
}

export function argText(arg: unknown): string {
  return typeof arg === 'string' ? arg : JSON.stringify(arg);
}
