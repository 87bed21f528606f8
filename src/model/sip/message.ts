/**
 * SIP messages as JSON: what phones, gates, b2b, conf, ivr and providers say to each other. The fields are those of RFC 3261
 * and its extensions, by their names; a later version can put real SIP on the edge and change nothing inside.
 *
 * Hops (`via` too): an address of the cluster (`north/n1/b2b-214`) or an endpoint outside (`10.100.0.1:5060`).
 */
import { z } from 'zod';

export const sipMethods = [
  'INVITE',
  'ACK',
  'BYE',
  'CANCEL',
  'REFER',
  'NOTIFY',
  'INFO',
  'UPDATE',
  'OPTIONS',
  'REGISTER',
] as const;
export type SipMethod = (typeof sipMethods)[number];

/** From and To. */
export const partySchema = z.strictObject({
  uri: z.string(),
  tag: z.string().optional(),
  name: z.string().optional().describe('Display name'),
});
export type Party = z.infer<typeof partySchema>;

/** Who sends media: `sendonly` holds the other side. */
export const mediaSchema = z.enum(['sendrecv', 'sendonly', 'recvonly', 'inactive']);
export type Media = z.infer<typeof mediaSchema>;

/** A dialog to be replaced (RFC 3891), as the receiver of the INVITE knows it. */
export const replacesSchema = z.strictObject({ callid: z.string(), toTag: z.string(), fromTag: z.string() });
export type Replaces = z.infer<typeof replacesSchema>;

/** Where a REFER sends its receiver (RFC 3515); `replaces` for an attended transfer. */
export const referToSchema = z.strictObject({
  uri: z.string(),
  replaces: replacesSchema.optional(),
});
export type ReferTo = z.infer<typeof referToSchema>;

/** Who referred (RFC 3892). `token` names the transfer to the platform, which put it there. */
export const referredBySchema = z.strictObject({ uri: z.string(), token: z.string().optional() });
export type ReferredBy = z.infer<typeof referredBySchema>;

export const challengeSchema = z.strictObject({ realm: z.string(), nonce: z.string() });
export type Challenge = z.infer<typeof challengeSchema>;

/** Digest credentials (RFC 8760, SHA-256). */
export const credentialsSchema = z.strictObject({
  username: z.string(),
  realm: z.string(),
  nonce: z.string(),
  uri: z.string(),
  response: z.string(),
});
export type SipCredentials = z.infer<typeof credentialsSchema>;

const common = {
  callid: z.string(),
  from: partySchema,
  to: partySchema,
  cseq: z.int(),
  method: z.enum(sipMethods),
  /** Where the answer goes back through: the hop that sent this message last comes first. */
  via: z.array(z.string()),
  /** URI at which the sender of this message takes requests of the dialog. */
  contact: z.string().optional(),
  /** Seconds that a registration lasts, as wanted or as granted. */
  expires: z.int().optional(),
  media: mediaSchema.optional(),
  /** Name of the audio file that the sender plays to the other side. In a provisional response: early media; in INFO: from now on, empty: none. */
  plays: z.string().optional(),
  userAgent: z.string().optional(),
  /** The platform's id of the call, on all that b2b sends. */
  inviteid: z.string().optional(),
  /** Of a call through a provider account: `domain/code`, on all that b2b sends, and on an INVITE from esg. */
  account: z.string().optional(),
};

export const sipRequestSchema = z.strictObject({
  kind: z.literal('request'),
  /** Request-URI. */
  uri: z.string(),
  maxForwards: z.int(),
  ...common,
  replaces: replacesSchema.optional(),
  referTo: referToSchema.optional(),
  referredBy: referredBySchema.optional(),
  /** NOTIFY: event package (`refer`; `reg`; or `talk` and `hold` for device control). */
  event: z.string().optional(),
  /** NOTIFY of a REFER: the CSeq of that REFER, the parameter `id` of Event (RFC 3515, 2.4.6). */
  eventid: z.int().optional(),
  /** NOTIFY of a REFER: status line of the call that came of it, such as `SIP/2.0 180 Ringing`. */
  sipfrag: z.string().optional(),
  /** INFO: one DTMF character. */
  dtmf: z.string().optional(),
  /** INFO: what a party says, as text, since there is no media. (chosen) */
  speech: z.string().optional(),
  credentials: credentialsSchema.optional(),
  /** BYE, CANCEL: why (RFC 3326). NOTIFY of `reg`: `deactivated`. */
  reason: z.string().optional(),
  /** INVITE inward through a provider account: id that esg gave the call. */
  esgdlg: z.string().optional(),
  /** Label that the platform attached to the call. */
  label: z.string().optional(),
  /** Domain in whose name ivr and conf call. */
  domain: z.string().optional(),
  /** INVITE to ivr: code of the IVR script. */
  script: z.string().optional(),
  /** INVITE of a conference: its id. */
  confid: z.string().optional(),
  /** REGISTER: identity of the device (RFC 5626, `+sip.instance`). */
  device: z.string().optional(),
  /** REGISTER: the sg through which the device is reached (RFC 3327), added by sg. */
  path: z.string().optional(),
  /** Endpoint outside from which sg or esg took the request; added by them. */
  source: z.string().optional(),
});
export type SipRequest = z.infer<typeof sipRequestSchema>;

export const sipResponseSchema = z.strictObject({
  kind: z.literal('response'),
  status: z.int().min(100).max(699),
  reason: z.string(),
  ...common,
  challenge: challengeSchema.optional(),
  /** 3xx: where to try instead. 200 to REGISTER: the bindings. */
  contacts: z.array(z.string()).optional(),
  /** 403 of the platform itself: wrong credentials; only the first time. The edges count them for their ban filters, and send it to no device. */
  isCredentialsWrong: z.literal(true).optional(),
});
export type SipResponse = z.infer<typeof sipResponseSchema>;
/** What a final answer of the platform may say beside its status and reason. */
export type RefusalDetails = Pick<SipResponse, 'challenge' | 'isCredentialsWrong'>;

/** The response without what only the platform knows of the credentials. */
export function withoutVerdict(response: SipResponse): SipResponse {
  if (!('isCredentialsWrong' in response)) return response;
  const { isCredentialsWrong, ...rest } = response;
  return rest;
}

export const sipMessageSchema = z.discriminatedUnion('kind', [sipRequestSchema, sipResponseSchema]);
export type SipMessage = SipRequest | SipResponse;

const reasons: Readonly<Record<number, string>> = {
  100: 'Trying',
  180: 'Ringing',
  181: 'Call Is Being Forwarded',
  183: 'Session Progress',
  200: 'OK',
  202: 'Accepted',
  300: 'Multiple Choices',
  301: 'Moved Permanently',
  302: 'Moved Temporarily',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  407: 'Proxy Authentication Required',
  408: 'Request Timeout',
  410: 'Gone',
  423: 'Interval Too Brief',
  480: 'Temporarily Unavailable',
  481: 'Call/Transaction Does Not Exist',
  482: 'Loop Detected',
  483: 'Too Many Hops',
  486: 'Busy Here',
  487: 'Request Terminated',
  488: 'Not Acceptable Here',
  491: 'Request Pending',
  500: 'Server Internal Error',
  503: 'Service Unavailable',
  600: 'Busy Everywhere',
  603: 'Decline',
  604: 'Does Not Exist Anywhere',
};

/** The reason phrase of a status. */
export function reasonOf(status: number): string {
  return reasons[status] ?? reasons[Math.floor(status / 100) * 100] ?? 'Unknown';
}

/** The status line of a response, such as `SIP/2.0 180 Ringing`. */
export function statusLine({ status, reason }: Pick<SipResponse, 'status' | 'reason'>): string {
  return `SIP/2.0 ${status} ${reason}`;
}

/** The status in a status line, if there is one. */
export function statusIn(line: string | undefined): number | undefined {
  const [, status] = /^SIP\/2\.0 (\d{3})\b/.exec(line ?? '') ?? [];
  return status === undefined ? undefined : Number(status);
}

/** What the platform says of a call, on each message of it. */
export type CallIds = Pick<SipRequest, 'inviteid' | 'account'>;

export function callIdsOf({ inviteid, account }: CallIds): CallIds {
  return { ...(inviteid !== undefined && { inviteid }), ...(account !== undefined && { account }) };
}

/** The response to a request: goes back the way the request came. */
export function responseTo(
  request: SipRequest,
  status: number,
  more: Partial<Omit<SipResponse, 'kind' | 'status'>> = {},
): SipResponse {
  const { callid, from, to, cseq, method, via, inviteid } = request;
  const id = inviteid === undefined ? {} : { inviteid };
  return { kind: 'response', status, reason: reasonOf(status), callid, from, to, cseq, method, via, ...id, ...more };
}

/**
 * The token in Referred-By by which the platform knows the call that comes of a REFER of its own: who referred, under which
 * name it knows the transfer, and the label that goes along. Devices send it back as it is. (chosen)
 */
export interface TransferToken {
  /** Address of the role instance that referred. */
  readonly address: string;
  readonly key: string;
  readonly label?: string | undefined;
}

export function transferToken({ address, key, label }: TransferToken): string {
  return label === undefined ? `${address}|${key}` : `${address}|${key}|${label}`;
}

/** The token in a text that came from outside, if it is one. */
export function readTransferToken(text: string | undefined): TransferToken | undefined {
  const [address, key, ...label] = (text ?? '').split('|');
  if (address === undefined || key === undefined) return undefined;
  return label.length === 0 ? { address, key } : { address, key, label: label.join('|') };
}

/** The domain and the code of a provider account, written `domain/code`; without a domain: the empty text. */
export function accountParts(account: string): [domain: string, code: string] {
  const end = account.lastIndexOf('/');
  return end < 0 ? ['', account] : [account.slice(0, end), account.slice(end + 1)];
}
