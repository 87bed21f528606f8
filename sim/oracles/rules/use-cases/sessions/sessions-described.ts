/** What a session shows, by which header or cookie it is known, and what changes of its user mean for it. */
import { isDeepStrictEqual } from 'node:util';
import { noSession } from '../../../questions.ts';
import { current, groups } from '../kit/paths.ts';
import { expecting, type Item, type Judge, textOf, type UseCase, useCaseOf } from '../kit/use-case.ts';
import {
  byToken,
  cookieIn,
  logIn,
  makeUser,
  type OwnUser,
  type RequestHeaders,
  reaching,
  tokenOf,
  unauthorized,
  unusedAddress,
  wrongCookie,
} from './own-sessions.ts';

export const sessionsDescribed = useCaseOf({
  name: 'sessions-described',
  rule: 'In a quiescent cluster, a login sets a cookie with its attributes for an hour, or answers a token and sets none; a session shows exactly its data, the domains that it reaches and the applications of its roles; a header counts in place of a cookie for each method; a copy of a session needs its cookie; malformed logins are refused with 400, wrong ones with 401; a session keeps its roles and lasts while its user is changed, until the user has another password.',
  sender: '10.6.20.6',
  play: async (useCase) => {
    const opts = { roles: ['user'], tags: ['b', 'a'] };
    const user = await makeUser(useCase, 'sessions-described', { name: 'Sessions Described', opts });
    if (user === undefined) return;
    await refuseLogins(useCase, user);
    const cookie = await byCookie(useCase, user);
    await clone(useCase, user, cookie);
    await preferHeader(useCase, user, cookie);
    await stay(useCase, user, { cookie: `RSession=${cookie}` });
    await changeUser(useCase, user);
  },
});

/** Answers to requests with a header or a cookie. */
function as(useCase: UseCase, headers: RequestHeaders, request: Parameters<UseCase['ask']>[1] = {}) {
  return useCase.ask(current, { session: noSession, headers, ...request });
}

async function refuseLogins(useCase: UseCase, user: OwnUser): Promise<void> {
  const malformed: readonly Item[] = [
    ...[{ domain: undefined }, { login: undefined }, { pwd: undefined }, { pwd: 5 }, { domain: null }],
    ...[{ session_type: 'cookie' }, { session_type: null }, { other: 1 }],
  ];
  for (const [index, changed] of malformed.entries()) {
    const answer = await logIn(useCase, user, { site: useCase.siteAt(index), changed });
    const [field = ''] = Object.keys(changed);
    useCase.expect(`a login with ${JSON.stringify(changed)}`, answer, (given) => {
      const wrong = expecting(400, { error_code: 1400 })(given);
      const isNamed = String((given?.body as Item | undefined)?.['error_message']).startsWith(`${field}:`);
      return wrong ?? (isNamed ? undefined : `expected a message about ${field}, got ${textOf(given)}`);
    });
  }
  const sender = unusedAddress(useCase, 1);
  const others: readonly Item[] = [
    { pwd: user.pwd.toUpperCase() },
    { login: 'nowhere-known' },
    { domain: 'nowhere.test' },
  ];
  for (const changed of others) {
    const answer = await logIn(useCase, user, { sender, changed: { ...changed, session_type: undefined } });
    useCase.expect(`a login with ${JSON.stringify(changed)}`, answer, unauthorized);
  }
}

/** Returns the session id in the cookie. */
async function byCookie(useCase: UseCase, user: OwnUser): Promise<string> {
  const opened = await logIn(useCase, user, { changed: { session_type: undefined } });
  const nowMs = useCase.context.now();
  useCase.expect('a login by cookie', opened, (answer) => {
    if (answer?.status !== 204 || answer.body !== undefined) return textOf(answer);
    return wrongCookie(answer, useCase.areClocksRight ? nowMs + 3_600_000 : undefined);
  });
  const id = cookieIn(opened);
  const token = await logIn(useCase, user);
  useCase.expect('a login by token', token, (answer) => {
    const isRight = answer?.status === 200 && isDeepStrictEqual(answer.body, { session_token: tokenOf(answer) });
    return isRight && !answer.headers.has('set-cookie') ? undefined : `expected a token only, got ${textOf(answer)}`;
  });
  await as(useCase, byToken(token), { method: 'DELETE' });
  const shown = {
    domain: user.domain,
    domain_is_master: false,
    domains: [{ domain: user.domain, is_master: false }],
    ...{ login: user.login, name: 'Sessions Described', name_login: `Sessions Described (${user.login})` },
    roles: ['user'],
    solution: useCase.context.map.solutionOf(user.domain),
    tags: ['b', 'a'],
    user_id: user.id,
  };
  const cookie = `RSession=${id}`;
  const request = { session: noSession, headers: { cookie: `a=b; ${cookie}; XSession=c` } };
  await useCase.everywhere(current, describing(shown, ['user']), useCase.quickMs, request);
  const isAlone = useCase.context.map.instancesOf('ws').filter(({ site }) => site === useCase.here).length === 1;
  const again = await as(useCase, { cookie });
  useCase.expect('a cookie with more than half of its time', again, (answer) =>
    answer?.headers.has('set-cookie') === true && isAlone ? 'it is set again' : undefined,
  );
  const nothing = [`XRSession=${id}`, `rsession=${id}`, 'RSession=deleted', 'RSession='];
  for (const other of nothing)
    useCase.expect(`the cookie ${other}`, await as(useCase, { cookie: other }), unauthorized);
  return id;
}

async function clone(useCase: UseCase, user: OwnUser, id: string): Promise<void> {
  const { sender, ...wrong } = {
    sender: unusedAddress(useCase, 2),
    domain: 'nowhere.test',
    login: 'none',
    pwd: 'none',
  };
  const copy = async (headers: RequestHeaders, changed: Item = wrong) =>
    logIn(useCase, user, {
      site: useCase.there,
      sender,
      headers,
      changed: { ...changed, session_type: 'token_clone_cookie' },
    });
  const cookie = { cookie: `RSession=${id}` };
  const copied = await copy(cookie);
  useCase.expect('a copy of a session', copied, expecting(200));
  const token = byToken(copied);
  const shown = expecting(200, { login: user.login, domain: user.domain, user_id: user.id });
  await useCase.everywhere(current, shown, useCase.quickMs, { session: noSession, headers: token });
  useCase.expect('a copy without a cookie', await copy(token), unauthorized);
  useCase.expect('a copy of an unknown session', await copy({ cookie: 'RSession=none' }), unauthorized);
  useCase.expect('a copy with another field', await copy(cookie, { other: 1 }), expecting(400));
  useCase.expect('a logout of the copy', await as(useCase, token, { method: 'DELETE' }), expecting(204));
  useCase.expect('the session that was copied', await as(useCase, cookie), expecting(200));
}

/** Both are sent: the header counts, also for changes. */
async function preferHeader(useCase: UseCase, user: OwnUser, id: string): Promise<void> {
  const cookie = `RSession=${id}`;
  const opened = await logIn(useCase, user, { site: useCase.there });
  const token = tokenOf(opened);
  const both = { cookie, authorization: `bearer ${token}` };
  await useCase.everywhere(current, expecting(200), useCase.quickMs, { session: noSession, headers: both });
  const none = { cookie, authorization: 'Bearer' };
  useCase.expect(
    'a switch by a header without a token',
    await as(useCase, none, { method: 'PATCH', body: {} }),
    unauthorized,
  );
  useCase.expect('a logout by a header without a token', await as(useCase, none, { method: 'DELETE' }), unauthorized);
  const end = await as(useCase, both, { site: useCase.there, method: 'DELETE' });
  useCase.expect(
    'a logout by header, beside a cookie',
    end,
    (answer) => wrongCookie(answer, 0) ?? expecting(204)(answer),
  );
  const sender = unusedAddress(useCase, 3);
  await useCase.context.questions.wait(useCase.quickMs);
  for (const site of useCase.sites) {
    const ended = await as(useCase, { authorization: `Bearer ${token}` }, { site, sender });
    useCase.expect(`its session at ${site}`, ended, unauthorized);
    useCase.expect(`the session of the cookie at ${site}`, await as(useCase, { cookie }, { site }), expecting(200));
  }
}

/** The session of a user who is no administrator reaches its own domain. */
async function stay(useCase: UseCase, user: OwnUser, cookie: RequestHeaders): Promise<void> {
  const { map } = useCase.context;
  const move = (body: unknown) => as(useCase, cookie, { site: useCase.there, method: 'PATCH', body });
  for (const domain of [map.masterDomain, useCase.otherDomain, 'nowhere.test', ''].filter((name) => name !== undefined))
    useCase.expect(`a switch to ${domain}`, await move({ domain }), expecting(403, { error_code: 1403 }));
  for (const body of [{}, { domain: 5 }, { domain: user.domain, other: 1 }, []])
    useCase.expect(`a switch with ${JSON.stringify(body)}`, await move(body), expecting(400, { error_code: 1400 }));
  useCase.expect('a switch to its own domain', await move({ domain: user.domain }), (answer) => {
    const isSame = `RSession=${cookieIn(answer)}` === cookie['cookie'];
    return expecting(204)(answer) ?? (isSame ? undefined : 'another cookie is set');
  });
  const own = await useCase.ask(current, { site: useCase.there });
  const isWithin = (name: string) => name === user.domain || name.endsWith(`.${user.domain}`);
  const domains = [...map.domains.keys()].filter(isWithin).map((domain) => ({ domain, is_master: false }));
  useCase.expect('the session of the administrator', own, reaching(domains));
}

async function changeUser(useCase: UseCase, user: OwnUser): Promise<void> {
  const opened = byToken(await logIn(useCase, user));
  const patch = async (body: Item) => {
    const answer = await useCase.ask(user.path, { site: useCase.there, method: 'PATCH', body });
    useCase.expect(`PATCH of ${Object.keys(body).join()}`, answer, expecting(200, { id: user.id, pwd: '*' }));
    await useCase.copied();
    return answer;
  };
  const before = ((await useCase.ask(user.path))?.body ?? {}) as Item;
  const masked = await patch({ pwd: '*' });
  useCase.expect('PATCH of the masked password', masked, expecting(200, { ext: before['ext'] }));
  await patch({ name: 'Another', opts: { roles: ['admin'] } });
  const asked = { session: noSession, headers: opened };
  await useCase.everywhere(current, expecting(200, { roles: ['user'], login: user.login }), useCase.quickMs, asked);
  const wanted = { method: 'POST', body: { code: '' } };
  useCase.expect('a change by it', await useCase.ask(groups, { ...asked, ...wanted }), expecting(403));
  const later = await logIn(useCase, user, { site: useCase.there });
  useCase.expect('a login after it', later, expecting(200));
  const newer = { session: noSession, headers: byToken(later), site: useCase.there };
  const shown = { roles: ['admin'], name: 'Another', name_login: `Another (${user.login})` };
  useCase.expect('the session after it', await useCase.ask(current, newer), expecting(200, shown));
  useCase.expect('a change by that', await useCase.ask(groups, { ...newer, ...wanted }), expecting(400));
  const pwd = `${user.pwd}-2`;
  await patch({ pwd });
  await useCase.context.questions.wait(useCase.quickMs);
  for (const [index, site] of useCase.sites.entries())
    for (const headers of [opened, newer.headers]) {
      const ended = await as(useCase, headers, { site, sender: unusedAddress(useCase, 4 + (index % 4)) });
      useCase.expect(`a session by the old password at ${site}`, ended, unauthorized);
    }
  useCase.expect('a login by the new password', await logIn(useCase, { ...user, pwd }), expecting(200));
}

/** The whole data of a session, but its applications: each is open to one of these roles, in their order. */
function describing(shown: Item, roles: readonly string[]): Judge {
  return (answer) => {
    if (answer?.status !== 200) return textOf(answer);
    const { webapps, ...rest } = answer.body as { readonly webapps?: readonly Item[] };
    if (!isDeepStrictEqual(rest, shown)) return `expected ${JSON.stringify(shown)}, got ${JSON.stringify(rest)}`;
    const orders = (webapps ?? []).map(({ order }) => Number(order));
    const isOpen = ({ roles: open }: Item) =>
      (open as string[]).length === 0 || (open as string[]).some((role) => roles.includes(role));
    const areRight =
      isDeepStrictEqual(
        orders,
        orders.toSorted((a, b) => a - b),
      ) && webapps?.every(isOpen) === true;
    return areRight ? undefined : `the applications ${JSON.stringify(webapps)}`;
  };
}
