/** The session cookie `RSession`. Attributes are documented; `HttpOnly` is added. (chosen) */
import { parse } from 'hono/utils/cookie';
import { limits } from '../model/limits.ts';
import { httpDate } from '../model/time.ts';

const name = 'RSession';
const attributes = 'Path=/; SameSite=Strict; HttpOnly';

export function sessionIdIn(header: string | null): string | undefined {
  return header === null ? undefined : parse(header, name)[name];
}

export function sessionCookie(id: string, nowMs: number): string {
  return `${name}=${id}; Expires=${httpDate(nowMs + limits.sessionMs)}; ${attributes}`;
}

export function deletedCookie(): string {
  return `${name}=deleted; Expires=${httpDate(0)}; ${attributes}`;
}
