/** The session cookie `RSession`. Attributes are documented; `HttpOnly` is added. (chosen) */
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

/** The cookie of a session, to be set anew. The session notes that its client has it. */
export function freshCookie({ sessions, scope }: Ws, key: string, id: string): string {
  sessions.noteCookie(key);
  return `${name}=${id}; Expires=${httpDate(scope.clock.now() + limits.sessionMs)}; ${attributes}`;
}

export function deletedCookie(): string {
  return `${name}=${deleted}; Expires=${httpDate(0)}; ${attributes}`;
}
