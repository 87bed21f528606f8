/** Users and sessions that a use case of sessions makes. */
import { isDeepStrictEqual } from 'node:util';
import { noSession, type OwnSession, type QuestionAnswer } from '../../../questions.ts';
import { unbound } from '../kit/call.ts';
import { sessions, sipUsers } from '../kit/paths.ts';
import { expecting, type Item, type Judge, type UseCase } from '../kit/use-case.ts';

export interface OwnUser {
  readonly domain: string;
  readonly login: string;
  readonly pwd: string;
  readonly id: string;
  readonly path: string;
}

export function usersOf({ domain }: Pick<UseCase, 'domain'>): string {
  return `/rest/v1/domain/domains/${domain}/users`;
}

/**
 * Makes a user that each site knows, by default with the role `user`, until all is over; `undefined`: the master is out of
 * reach, or the login is taken.
 */
export async function makeUser(useCase: UseCase, login: string, fields: Item = {}): Promise<OwnUser | undefined> {
  const pwd = `${login}-1`;
  const opts = { roles: ['user'] };
  const made = await useCase.make(usersOf(useCase), { name: login, login, pwd, opts, ...fields });
  if (made === undefined) return undefined;
  await useCase.copied();
  return { domain: useCase.domain, login, pwd, id: made.id, path: made.path };
}

/** A user with a session. Until all is over, the SIP user is bound to the user, and afterwards to `iduser`. */
export async function bindUser(
  useCase: UseCase,
  login: string,
  { id, iduser = unbound }: { readonly id: string; readonly iduser?: unknown },
): Promise<(OwnUser & { readonly session: OwnSession }) | undefined> {
  const user = await makeUser(useCase, login);
  if (user === undefined) return undefined;
  const bind = (to: unknown) => useCase.ask(`${sipUsers}/${id}`, { method: 'PATCH', body: { iduser: to } });
  useCase.afterwards(() => bind(iduser));
  if ((await bind(user.id))?.status !== 200) return undefined;
  await useCase.copied();
  const session = await useCase.login(user);
  return session && { ...user, session };
}

/** An address that no client has used: one of an earlier time may be banned. */
export function unusedAddress({ drawn: second }: UseCase, index: number): string {
  return `10.${20 + index}.${Math.floor(second / 250) % 250}.${second % 250}`;
}

interface Login {
  readonly site?: string;
  readonly sender?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** In place of the credentials, or beside them. */
  readonly changed?: Item;
}

/** A login, by default by token. */
export function logIn(
  useCase: UseCase,
  { domain, login, pwd }: Pick<OwnUser, 'domain' | 'login' | 'pwd'>,
  { changed = {}, ...request }: Login = {},
): Promise<QuestionAnswer | undefined> {
  const body = { domain, login, pwd, session_type: 'token', ...changed };
  return useCase.ask(sessions, { method: 'POST', session: noSession, body, ...request });
}

export type RequestHeaders = Readonly<Record<string, string>>;

export function tokenOf(answer: QuestionAnswer | undefined): string {
  return String((answer?.body as Item | undefined)?.['session_token']);
}

export function byToken(answer: QuestionAnswer | undefined): RequestHeaders {
  return { authorization: `Bearer ${tokenOf(answer)}` };
}

/** The session id in the cookie that an answer sets; empty: it sets none. */
export function cookieIn(answer: QuestionAnswer | undefined): string {
  return /^RSession=([^;]+);/.exec(answer?.headers.get('set-cookie') ?? '')?.[1] ?? '';
}

export const unauthorized: Judge = (answer) =>
  expecting(401, { error_code: 1401 })(answer) ??
  (answer?.headers.get('www-authenticate') === 'Bearer' ? undefined : 'no WWW-Authenticate: Bearer') ??
  (answer?.headers.has('set-cookie') === true ? 'a cookie is set' : undefined);

/** A session that reaches exactly these domains, in any order. */
export function reaching(domains: readonly Item[]): Judge {
  const byName = (all: readonly Item[]) => all.toSorted((a, b) => (String(a['domain']) < String(b['domain']) ? -1 : 1));
  return (answer) => {
    const { domains: got = [] } = (answer?.body ?? {}) as { readonly domains?: readonly Item[] };
    const isRight = answer?.status === 200 && isDeepStrictEqual(byName(got), byName(domains));
    return isRight ? undefined : `expected the domains ${JSON.stringify(domains)}, got ${JSON.stringify(got)}`;
  };
}

/** The attributes of the cookie, and when it expires; `undefined`: at any time. */
export function wrongCookie(answer: QuestionAnswer | undefined, expiresMs: number | undefined): string | undefined {
  const set = answer?.headers.get('set-cookie') ?? '';
  const [, expires = '', rest] = /^RSession=[\w-]+; Expires=([^;]+); (.*)$/.exec(set) ?? [];
  const isInTime = expiresMs === undefined || Math.abs(Date.parse(expires) - expiresMs) <= 2_000;
  return rest === 'Path=/; SameSite=Strict; HttpOnly' && isInTime ? undefined : `the cookie is ${set}`;
}
