/** SIP URIs, as far as the platform has them: `sip:user@host` or `sip:user@host:port`. */

export interface SipUri {
  readonly user: string;
  readonly host: string;
  readonly port: number | undefined;
}

/** The keys of URIs seen lately: those of a call are compared whenever its record changes. */
const keys = new Map<string, string>();
const mostKeys = 2_000;

const shape = /^(sips?):(?:([^@\s<>;?]*)@)?([^@\s<>:;?]+)(?::(\d{1,5}))?$/i;

/** The parts of a URI, in angle brackets or not, its host in lower case: hosts have no case. `undefined` when it is none. */
export function parseUri(text: string): SipUri | undefined {
  const [, , user = '', host, port] = shape.exec(bare(text)) ?? [];
  if (host === undefined) return undefined;
  return { user: decodeUser(user), host: host.toLowerCase(), port: port === undefined ? undefined : Number(port) };
}

/** `sip:user@host`; `host` may have a port. */
export function sipUri(user: string, host: string): string {
  return `sip:${encodeUser(user)}@${host}`;
}

/** A URI as the interface shows it: `<sip:user@domain>`. */
export function bracketed(uri: string): string {
  return uri.startsWith('<') ? uri : `<${uri}>`;
}

/** Host, in lower case, and port of a URI: an endpoint outside, or the name of a role instance. */
export function hostOf(uri: string): string {
  const parsed = parseUri(uri);
  if (parsed === undefined) return '';
  return parsed.port === undefined ? parsed.host : `${parsed.host}:${parsed.port}`;
}

export function userOf(uri: string): string {
  return parseUri(uri)?.user ?? '';
}

/** `#` and `%` have a meaning of their own in URIs; `*` and `+` stay as they are. Half a surrogate pair has no encoding. */
function encodeUser(user: string): string {
  const wellFormed = user.replace(/\p{Surrogate}/gu, '\ufffd');
  return wellFormed.replace(/[^A-Za-z0-9\-_.!~*'()&=+$,/]/gu, (sign) => encodeURIComponent(sign));
}

/** Equal for URIs that are the same: hosts have no case, and an escape is what it stands for (RFC 3261, 19.1.4). */
export function uriKey(uri: string): string {
  const known = keys.get(uri);
  if (known !== undefined) return known;
  if (keys.size === mostKeys) keys.clear();
  const key = keyOf(uri);
  keys.set(uri, key);
  return key;
}

function keyOf(uri: string): string {
  const [, scheme = '', user = '', host, port = ''] = shape.exec(bare(uri)) ?? [];
  if (host === undefined) return bare(uri);
  return [scheme.toLowerCase(), decodeUser(user), host.toLowerCase(), port].join(' ');
}

/** A URI without its angle brackets. */
export function bare(uri: string): string {
  return uri.startsWith('<') && uri.endsWith('>') ? uri.slice(1, -1) : uri;
}

function decodeUser(user: string): string {
  try {
    return decodeURIComponent(user);
  } catch {
    return user;
  }
}
