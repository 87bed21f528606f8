/** Sessions of HTTP requests: the session id in a field or a cookie, the cookies of answers, and what a session may do. */
import { FaultError, fault } from '../model/fault.ts';
import { limits } from '../model/limits.ts';
import type { SessionRecord } from '../model/protocol/messages/session.ts';
import { httpDate } from '../model/time.ts';
import type { HeaderReader } from '../ports/http-server.ts';
import type { WsParts } from '../roles/ws/ws.ts';
import { identify, knownSession } from '../services/logins.ts';
import type { Access, Identity } from './contract.ts';

const name = 'RSession';
const attributes = 'Path=/; SameSite=Strict; HttpOnly';

const deleted = 'deleted';

/**
 * The session id in a `Cookie` header; the value that a logout sets does not count. Throws `invalid` for two different ids,
 * since the intended one is unknown. (chosen)
 */
export function sessionIdIn(header: string | null): string | undefined {
  const ids = new Set(valuesIn(header ?? '').filter((value) => value !== deleted));
  if (ids.size > 1)
    throw new FaultError(fault('invalid', `cookie: expected one ${name}, got ${ids.size} different ones`));
  const [id] = ids;
  return id;
}

/** The values of all cookies with this name. */
function valuesIn(header: string): string[] {
  return header.split(';').flatMap((pair) => {
    const [given = '', ...value] = pair.split('=');
    return given.trim() === name
      ? [
          value
            .join('=')
            .trim()
            .replace(/^"(.*)"$/, '$1'),
        ]
      : [];
  });
}

interface Asked {
  readonly ws: WsParts;
  readonly request: Request;
}

/** The cookie of a session, with a new expiry. Records that the client has it. */
export function freshCookie({ ws: { sessions, scope }, request }: Asked, key: string, id: string): string {
  sessions.noteCookie(key);
  return `${name}=${id}; Expires=${httpDate(scope.clock.now() + limits.sessionMs)}; ${attributesFor(request)}`;
}

export function deletedCookie({ request }: Pick<Asked, 'request'>): string {
  return `${name}=${deleted}; Expires=${httpDate(0)}; ${attributesFor(request)}`;
}

/** A cookie set over HTTPS is `Secure`: browsers send it over HTTPS only. */
function attributesFor({ url }: Request): string {
  return url.startsWith('https:') ? `${attributes}; Secure` : attributes;
}

export interface Admission {
  readonly access: Exclude<Access, 'open'>;
  /** IP address of the client. */
  readonly sender: string;
  /**
   * Throws when a page of another origin may have sent the session cookie. A forged request does not count as a failure of
   * its sender.
   */
  readonly refuseForged: () => void;
}

/**
 * The session of a request, checked against the access of its route. The `Authorization` header takes precedence over the
 * cookie (documented). Throws `unauthorized` or `forbidden`.
 */
export function authorize(
  ws: WsParts,
  header: HeaderReader,
  { access, sender, refuseForged }: Admission,
): Identity | Promise<Identity> {
  const shown = shownId(header);
  if (shown === undefined)
    throw new FaultError(fault('unauthorized', 'no session: log in at POST /rest/v1/iam/sessions'));
  if (shown.by === 'cookie') refuseForged();
  const { id, by } = shown;
  const permitted = (session: SessionRecord): Identity => {
    if (access !== 'session') permit(ws, session, access);
    return { session, id, by };
  };
  const known = knownSession(ws, id);
  return known === undefined ? identify(ws, sender, id).then(permitted) : permitted(known);
}

/** The session id that a client presents: the `Authorization` header takes precedence over the cookie. (documented) */
export function shownId(header: HeaderReader): { id: string; by: Identity['by'] } | undefined {
  const authorization = header('authorization');
  if (authorization !== null) {
    const token = /^Bearer +(\S+)\s*$/i.exec(authorization)?.[1];
    if (token === undefined)
      throw new FaultError(fault('unauthorized', 'authorization: expected "Bearer <session_token>"'));
    return { id: token, by: 'token' };
  }
  const id = sessionIdIn(header('cookie'));
  return id === undefined ? undefined : { id, by: 'cookie' };
}

function permit(ws: WsParts, session: SessionRecord, access: Exclude<Access, string>): void {
  const isMaster = session.domain === ws.scope.map.masterDomain;
  if (access.domain !== 'any' && isMaster !== (access.domain === 'master')) {
    const kind = access.domain === 'master' ? 'the master domain' : 'a working domain';
    throw new FaultError(fault('forbidden', `this path is for ${kind}; the session is bound to ${session.domain}`));
  }
  const wanted = access.to === 'change' ? ['admin'] : ['user', 'admin'];
  if (!wanted.some((role) => session.user.roles.includes(role))) {
    throw new FaultError(fault('forbidden', `this needs the access role ${wanted.join(' or ')}`));
  }
}
