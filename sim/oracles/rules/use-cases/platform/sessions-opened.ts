/** Sessions by token and by cookie, at all fronts. */
import { noSession } from '../../../questions.ts';
import { current, nodes, sessions, sipUsers } from '../kit/paths.ts';
import { expecting, type UseCase, useCaseOf } from '../kit/use-case.ts';
import {
  byToken,
  cookieIn,
  logIn,
  makeUser,
  type OwnUser,
  type RequestHeaders,
  unusedAddress,
} from '../sessions/own-sessions.ts';

export const sessionsOpened = useCaseOf({
  name: 'sessions-opened',
  rule: 'In a quiescent cluster, a user logs in with the password that holds, by token and by cookie, and each front shows the session; a header counts in place of the cookie, also a wrong one; a session that was closed, or whose user was removed, is one at no front. A session of the master domain is bound to another one and back at any front, and each shows it so.',
  sender: '10.6.0.10',
  play: async (useCase) => {
    const opts = { roles: ['user'], tags: ['opened'] };
    const user = await makeUser(useCase, 'sessions-opened', { name: 'Sessions Opened', opts });
    if (user === undefined) return;
    await open(useCase, user);
    await openByCookie(useCase, user);
    await changePassword(useCase, user);
    const last = await logIn(useCase, user, { changed: { pwd: `${user.pwd}-changed` } });
    const removed = await useCase.ask(user.path, { method: 'DELETE' });
    await useCase.copied();
    if (removed?.status === 204) await closedAt(useCase, byToken(last), 'a session of a user who was removed');
    await switchDomain(useCase);
  },
});

async function open(useCase: UseCase, user: OwnUser): Promise<void> {
  const { domain, login, id } = user;
  const opened = await logIn(useCase, user);
  useCase.expect('a login by token', opened, expecting(200));
  const shown = { domain, domain_is_master: false, login, name: 'Sessions Opened', user_id: id };
  const fields = { ...shown, roles: ['user'], tags: ['opened'] };
  const token = { session: noSession, headers: byToken(opened) };
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

async function openByCookie(useCase: UseCase, user: OwnUser): Promise<void> {
  const { login } = user;
  const opened = await logIn(useCase, user, { changed: { session_type: undefined } });
  if (!useCase.expect('a login by cookie', opened, expecting(204))) return;
  const cookie = `RSession=${cookieIn(opened)}`;
  const headers = { cookie };
  const own = { session: noSession, headers };
  await useCase.everywhere(current, expecting(200, { login }), useCase.quickMs, own);
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
  const clone = { session: noSession, headers: byToken(cloned) };
  await useCase.everywhere(current, expecting(200, { login }), useCase.quickMs, clone);
  await useCase.ask(current, { ...clone, method: 'DELETE' });
}

async function changePassword(useCase: UseCase, user: OwnUser): Promise<void> {
  const body = { pwd: `${user.pwd}-changed` };
  const changed = await useCase.ask(user.path, { site: useCase.there, method: 'PATCH', body });
  useCase.expect('PATCH of the password', changed, expecting(200, { pwd: '*', login: user.login }));
  await useCase.copied();
  const old = await logIn(useCase, user, { sender: unusedAddress(useCase, 10), site: useCase.there });
  useCase.expect('a login with the old password', old, expecting(401));
}

/** At each front once: attempts with a session that does not exist get an address banned. */
async function closedAt(useCase: UseCase, headers: RequestHeaders, what: string): Promise<void> {
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
    const rest = isMaster ? nodes : sipUsers;
    await useCase.everywhere(rest, expecting(200), 0, { session });
  }
  await useCase.ask(current, { session, method: 'DELETE' });
}
