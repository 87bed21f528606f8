/** The session cookie `RSession`. Attributes are documented; `HttpOnly` is added, and `Secure` over HTTPS. (chosen) */
import { FaultError, fault } from '../model/fault.ts';
import { limits } from '../model/limits.ts';
import { httpDate } from '../model/time.ts';
import type { Ws } from '../roles/ws/ws.ts';

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
