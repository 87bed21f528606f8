/** Sessions by token and by cookie, at all fronts. */
import { noSession, type QuestionAnswer } from '../../../questions.ts';
import { expecting, type Item, type UseCase, useCaseOf } from '../kit/use-case.ts';
import { unusedAddress } from '../sessions/own-sessions.ts';

const sessions = '/rest/v1/iam/sessions';
const current = `${sessions}/current`;
const account = { login: 'sessions-opened', pwd: 'sessions-opened-1' };

export const sessionsOpened = useCaseOf({
  name: 'sessions-opened',
  rule: 'In a quiescent cluster, a user logs in with the password that holds, by token and by cookie, and each front shows the session; a header counts in place of the cookie, also a wrong one; a session that was closed, or whose user was removed, is one at no front. A session of the master domain is bound to another one and back at any front, and each shows it so.',
  sender: '10.6.0.10',
  play: async (useCase) => {
    const users = `/rest/v1/domain/domains/${useCase.domain}/users`;
    const user = { name: 'Sessions Opened', ...account, opts: { roles: ['user'], tags: ['opened'] } };
    const made = await useCase.ask(users, { method: 'POST', body: user });
    const { id } = (made?.body ?? {}) as Item;
    if (made?.status !== 200) return;
    await useCase.copied();
    const path = `${users}/${String(id)}`;
    await byToken(useCase, id);
    await byCookie(useCase);
    await changePassword(useCase, path);
    const last = await logIn(useCase, { pwd: `${account.pwd}-changed`, session_type: 'token' });
    const removed = await useCase.ask(path, { method: 'DELETE' });
    await useCase.copied();
    if (removed?.status === 204) await closedAt(useCase, bearerOf(last), 'a session of a user who was removed');
    await switchDomain(useCase);
  },
});

type Sent = Readonly<Record<string, string>>;

function logIn(useCase: UseCase, changed: Item): Promise<QuestionAnswer | undefined> {
  const body = { domain: useCase.domain, ...account, ...changed };
  return useCase.ask(sessions, { method: 'POST', session: noSession, body });
}

function bearerOf(answer: QuestionAnswer | undefined): Sent {
  return { authorization: `Bearer ${String((answer?.body as Item | undefined)?.['session_token'])}` };
}

async function byToken(useCase: UseCase, id: unknown): Promise<void> {
  const { domain } = useCase;
  const opened = await logIn(useCase, { session_type: 'token' });
  useCase.expect('a login by token', opened, expecting(200));
  const shown = { domain, domain_is_master: false, login: account.login, name: 'Sessions Opened', user_id: id };
  const fields = { ...shown, roles: ['user'], tags: ['opened'] };
  const token = { session: noSession, headers: bearerOf(opened) };
  await useCase.everywhere(current, expecting(200, fields), useCase.quickMs, token);
  const other = await useCase.ask(current, {
    ...token,
    method: 'PATCH',
    body: { domain: useCase.context.map.masterDomain },
  });
  useCase.expect('a switch to a domain that is not below', other, (answer) =>
    answer !== undefined && answer.status >= 400 && answer.status < 500 ? undefined : `got ${answer?.status}`,
  );
  const end = await useCase.ask(current, { ...token, site: useCase.there, method: 'DELETE' });
  useCase.expect(`a logout at ${useCase.there}`, end, expecting(204));
  await closedAt(useCase, token.headers, 'a session that was closed');
}

async function byCookie(useCase: UseCase): Promise<void> {
  const opened = await logIn(useCase, {});
  if (!useCase.expect('a login by cookie', opened, expecting(204))) return;
  const [, cookie = ''] = /^(RSession=[^;]+);/.exec(opened?.headers.get('set-cookie') ?? '') ?? [];
  const headers = { cookie };
  const own = { session: noSession, headers };
  await useCase.everywhere(current, expecting(200, { login: account.login }), useCase.quickMs, own);
  for (const authorization of ['Basic b3duOm93bg==', 'Bearer none-that-exists']) {
    const request = { ...own, headers: { cookie, authorization }, sender: unusedAddress(useCase, 10) };
    useCase.expect(`a cookie beside ${authorization}`, await useCase.ask(current, request), expecting(401));
  }
  const cloned = await useCase.ask(sessions, { ...own, method: 'POST', body: { session_type: 'token_clone_cookie' } });
  useCase.expect('a clone of a session by cookie', cloned, expecting(200));
  const end = await useCase.ask(current, { ...own, site: useCase.there, method: 'DELETE' });
  useCase.expect(`a logout by cookie at ${useCase.there}`, end, expecting(204));
  useCase.expect('its cookie', end, (answer) =>
    answer?.headers.get('set-cookie')?.startsWith('RSession=deleted;') === true ? undefined : 'it is not deleted',
  );
  await closedAt(useCase, headers, 'a session by cookie that was closed');
  const clone = { session: noSession, headers: bearerOf(cloned) };
  await useCase.everywhere(current, expecting(200, { login: account.login }), useCase.quickMs, clone);
  await useCase.ask(current, { ...clone, method: 'DELETE' });
}

async function changePassword(useCase: UseCase, path: string): Promise<void> {
  const body = { pwd: `${account.pwd}-changed` };
  const changed = await useCase.ask(path, { site: useCase.there, method: 'PATCH', body });
  useCase.expect('PATCH of the password', changed, expecting(200, { pwd: '*', login: account.login }));
  await useCase.copied();
  const request = { method: 'POST', session: noSession, sender: unusedAddress(useCase, 10), site: useCase.there };
  const old = await useCase.ask(sessions, {
    ...request,
    body: { domain: useCase.domain, ...account, session_type: 'token' },
  });
  useCase.expect('a login with the old password', old, expecting(401));
}

/** At each front once: attempts with a session that does not exist get an address banned. */
async function closedAt(useCase: UseCase, headers: Sent, what: string): Promise<void> {
  await useCase.context.questions.wait(useCase.quickMs);
  for (const site of useCase.sites) {
    const answer = await useCase.ask(current, {
      site,
      session: noSession,
      headers,
      sender: unusedAddress(useCase, 11),
    });
    useCase.expect(`${what}, at ${site}`, answer, expecting(401));
  }
}

async function switchDomain(useCase: UseCase): Promise<void> {
  const { questions, map } = useCase.context;
  const session = await questions.login(useCase.here, map.masterDomain, undefined, '10.6.0.10');
  if (session === undefined) return;
  for (const domain of [useCase.domain, map.masterDomain]) {
    const site = domain === useCase.domain ? useCase.there : useCase.here;
    const switched = await useCase.ask(current, { session, site, method: 'PATCH', body: { domain } });
    useCase.expect(`a switch to ${domain} at ${site}`, switched, expecting(204));
    const isMaster = domain === map.masterDomain;
    const bound = expecting(200, { domain, domain_is_master: isMaster });
    if (!(await useCase.everywhere(current, bound, useCase.quickMs, { session }))) break;
    const rest = isMaster ? '/rest/v1/master/nodes' : '/rest/v1/uc/sipusers';
    await useCase.everywhere(rest, expecting(200), 0, { session });
  }
  await useCase.ask(current, { session, method: 'DELETE' });
}
