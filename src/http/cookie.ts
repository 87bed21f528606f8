/** The session cookie `RSession`. Attributes are documented; `HttpOnly` is added, and `Secure` over HTTPS. (chosen) */
import { parse } from 'hono/utils/cookie';
import { limits } from '../model/limits.ts';
import { httpDate } from '../model/time.ts';
import type { Ws } from '../roles/ws/ws.ts';

const name = 'RSession';
const attributes = 'Path=/; SameSite=Strict; HttpOnly';

const deleted = 'deleted';

/** The session id that a client keeps. What a logout leaves behind, in a client that ignores `Expires`, is none. */
export function sessionIdIn(header: string | null): string | undefined {
  const id = header === null ? undefined : parse(header, name)[name];
  return id === deleted ? undefined : id;
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
