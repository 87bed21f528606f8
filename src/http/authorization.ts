import { FaultError, fault } from '../model/fault.ts';
import { limits } from '../model/limits.ts';
import type { SessionRecord } from '../model/protocol/session.ts';
import { httpDate } from '../model/time.ts';
import type { HeaderReader } from '../ports/http-server.ts';
import type { Ws } from '../roles/ws/ws.ts';
import { identify } from '../services/sessions.ts';
import type { Access, Identity } from './contract.ts';

/** The session cookie `RSession`. Attributes are documented; `HttpOnly` is added, and `Secure` over HTTPS. (chosen) */

const name = 'RSession';
const attributes = 'Path=/; SameSite=Strict; HttpOnly';

const deleted = 'deleted';

/**
 * The session id that a client keeps. What a logout leaves behind, in a client that ignores `Expires`, is none. Throws `invalid`
 * for two different ones: which of them was meant cannot be known. (chosen)
 */
export function sessionIdIn(header: string | null): string | undefined {
  const ids = new Set(valuesIn(header ?? '').filter((value) => value !== deleted));
  if (ids.size > 1)
    throw new FaultError(fault('invalid', `cookie: expected one ${name}, got ${ids.size} different ones`));
  const [id] = ids;
  return id;
}

/** The values of all cookies of the name. */
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

/** What a cookie is an answer to. */
interface Asked {
  readonly ws: Ws;
  readonly request: Request;
}

/** The cookie of a session, to be set anew. The session notes that its client has it. */
export function freshCookie({ ws: { sessions, scope }, request }: Asked, key: string, id: string): string {
  sessions.noteCookie(key);
  return `${name}=${id}; Expires=${httpDate(scope.clock.now() + limits.sessionMs)}; ${attributesFor(request)}`;
}

export function deletedCookie({ request }: Pick<Asked, 'request'>): string {
  return `${name}=${deleted}; Expires=${httpDate(0)}; ${attributesFor(request)}`;
}

/** A browser sends what was set over HTTPS over HTTPS only. */
function attributesFor({ url }: Request): string {
  return url.startsWith('https:') ? `${attributes}; Secure` : attributes;
}

/** Who a request comes from, and whether that may use the route. The `Authorization` header wins over the cookie. (documented) */

export interface Admission {
  readonly access: Exclude<Access, 'open'>;
  /** IP address of the client. */
  readonly sender: string;
  /** Throws where another page may have sent what is shown by cookie. A forged request is no failure of its sender. */
  readonly refuseForged: () => void;
}

/** The identity that the route needs. Throws `unauthorized` or `forbidden`. */
export async function authorize(
  ws: Ws,
  header: HeaderReader,
  { access, sender, refuseForged }: Admission,
): Promise<Identity> {
  const shown = shownId(header);
  if (shown === undefined)
    throw new FaultError(fault('unauthorized', 'no session: log in at POST /rest/v1/iam/sessions'));
  if (shown.by === 'cookie') refuseForged();
  const session = await identify(ws, sender, shown.id);
  if (access !== 'session') permit(ws, session, access);
  return { session, ...shown };
}

function shownId(header: HeaderReader): { id: string; by: Identity['by'] } | undefined {
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

function permit(ws: Ws, session: SessionRecord, access: Exclude<Access, string>): void {
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
