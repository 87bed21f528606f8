/** A session of the master domain is bound to another one, by cookie, and administers what is below it. */
import { noSession } from '../../../questions.ts';
import { being } from '../kit/answers.ts';
import { current, nodes } from '../kit/paths.ts';
import { expecting, filterOf, type Item, itemsOf, type Judge, type UseCase, useCaseOf } from '../kit/use-case.ts';
import {
  byToken,
  cookieIn,
  logIn,
  makeUser,
  type OwnUser,
  type RequestHeaders,
  reaching,
  wrongCookie,
} from './own-sessions.ts';

const domainsPath = '/rest/v1/domain/domains';

export const sessionsSwitched = useCaseOf({
  name: 'sessions-switched',
  rule: 'In a quiescent cluster, an administrator of the master domain reaches all domains, and another user the master domain only; a session by cookie that is bound to another domain has the same cookie, the data of that domain and its paths at each front, also when it is switched twice in the same moment, and a copy of it is bound there too; an administrator lists exactly the domains that it reaches, and another user its own, and manages the users of a domain below, which goes by its id and its name.',
  sender: '10.6.20.7',
  isOfMaster: true,
  play: async (useCase) => {
    const admin = await makeUser(useCase, 'sessions-switched', { opts: { roles: ['admin'] } });
    if (admin === undefined) return;
    const user = await makeUser(useCase, 'sessions-switched-user', { opts: { roles: ['user', 'other'] } });
    const child = useCase.otherDomain;
    if (user === undefined || child === undefined) return;
    await stay(useCase, user, child);
    await move(useCase, admin, child);
    await manage(useCase, child);
  },
});

async function stay(useCase: UseCase, user: OwnUser, child: string): Promise<void> {
  const request = { session: noSession, headers: byToken(await logIn(useCase, user)) };
  await useCase.everywhere(current, reaching([{ domain: user.domain, is_master: true }]), useCase.quickMs, request);
  const moved = await useCase.ask(current, { ...request, method: 'PATCH', body: { domain: child } });
  useCase.expect(`a switch of a user to ${child}`, moved, expecting(403, { error_code: 1403 }));
  const below = await useCase.ask(`${domainsPath}/${child}/users`, request);
  useCase.expect(`the users of ${child} for a user of the master domain`, below, expecting(403));
  await useCase.everywhere(domainsPath, naming([user.domain]), 0, request);
  await useCase.everywhere(current, expecting(200, { domain: user.domain, domain_is_master: true }), 0, request);
}

/** The list has exactly these domains, in any order. */
function naming(names: readonly string[]): Judge {
  return (answer) => {
    const got = itemsOf(answer).map(({ name }) => String(name));
    const isRight = answer?.status === 200 && got.toSorted().join() === names.toSorted().join();
    return isRight ? undefined : `expected the domains ${names.join()}, got ${got.join() || answer?.status}`;
  };
}

async function move(useCase: UseCase, admin: OwnUser, child: string): Promise<void> {
  const { map } = useCase.context;
  const all = [...map.domains.keys()].map((domain) => ({ domain, is_master: domain === map.masterDomain }));
  const id = cookieIn(await logIn(useCase, admin, { changed: { session_type: undefined } }));
  const headers: RequestHeaders = { cookie: `RSession=${id}` };
  const request = { session: noSession, headers };
  await useCase.everywhere(current, reaching(all), useCase.quickMs, request);
  const moved = await useCase.ask(current, {
    ...request,
    site: useCase.there,
    method: 'PATCH',
    body: { domain: child },
  });
  useCase.expect(`a switch to ${child} at ${useCase.there}`, moved, (answer) => {
    const isSame = cookieIn(answer) === id ? undefined : 'another session is set';
    return expecting(204)(answer) ?? wrongCookie(answer, undefined) ?? isSame;
  });
  const bound = { domain: child, domain_is_master: false, solution: map.solutionOf(child), roles: ['admin'] };
  await useCase.everywhere(current, expecting(200, { ...bound, user_id: admin.id }), useCase.quickMs, request);
  await useCase.everywhere(current, reaching(all), 0, request);
  await useCase.everywhere(nodes, expecting(403, { error_code: 1403 }), 0, request);
  await useCase.everywhere('/rest/v1/uc/sipusers?limit=0', expecting(200), 0, request);
  const below = await useCase.ask(`${domainsPath}/${map.masterDomain}/users`, request);
  useCase.expect(`the users of the master domain from ${child}`, below, expecting(403, { error_code: 1403 }));
  const copied = await logIn(useCase, admin, { headers, changed: { session_type: 'token_clone_cookie' } });
  const copy = { session: noSession, headers: byToken(copied) };
  await useCase.everywhere(current, expecting(200, bound), useCase.quickMs, copy);
  const back = await useCase.ask(current, { ...copy, method: 'PATCH', body: { domain: map.masterDomain } });
  useCase.expect('a switch of the copy to the master domain', back, expecting(204));
  await useCase.everywhere(current, expecting(200, { domain: map.masterDomain }), useCase.quickMs, copy);
  await useCase.everywhere(current, expecting(200, { domain: child }), 0, request);
  await cross(useCase, request);
  const end = await useCase.ask(current, { ...request, site: useCase.there, method: 'DELETE' });
  useCase.expect('a logout by cookie', end, (answer) => expecting(204)(answer) ?? wrongCookie(answer, 0));
}

/** It is switched to two domains in the same moment, at two fronts: it has one of them, and the same one at each front. */
async function cross(
  useCase: UseCase,
  request: { readonly session: typeof noSession; readonly headers: RequestHeaders },
): Promise<void> {
  const { map } = useCase.context;
  const [one, other] = [...map.domains.keys()].filter((name) => name !== map.masterDomain);
  if (one === undefined || other === undefined) return;
  for (const targets of [
    [one, other],
    [other, one],
  ] as const) {
    const moved = await Promise.all(
      [useCase.here, useCase.there].map((site, index) =>
        useCase.ask(current, { ...request, site, method: 'PATCH', body: { domain: targets[index] } }),
      ),
    );
    for (const each of moved) useCase.expect('one of two switches in the same moment', each, expecting(204));
    await useCase.context.questions.wait(useCase.quickMs);
    const { domain } = ((await useCase.ask(current, request))?.body ?? {}) as Item;
    useCase.expect(`the domain after switches to ${one} and ${other}`, undefined, () =>
      domain === one || domain === other ? undefined : `got ${String(domain)}`,
    );
    await useCase.everywhere(current, expecting(200, { domain }), 0, request);
  }
}

/** Users of a domain below, from the master domain. */
async function manage(useCase: UseCase, child: string): Promise<void> {
  const { map } = useCase.context;
  await useCase.everywhere(domainsPath, naming([...map.domains.keys()]));
  const found = itemsOf(await useCase.ask(domainsPath)).find(({ name }) => name === child);
  for (const key of [child, String(found?.['id'])])
    await useCase.everywhere(`${domainsPath}/${key}`, expecting(200, { id: found?.['id'], name: child }));
  await useCase.everywhere(`${domainsPath}?${filterOf({ name: child })}&mask=name`, being([{ name: child }]));
  const others = filterOf(['!=', ['property', 'name'], child]);
  await useCase.everywhere(`${domainsPath}?${others}&countonly&limit=1`, being({ count: map.domains.size - 1 }));
  const isBelow = (name: string) => name === child || name.endsWith(`.${child}`);
  const ofChild = await useCase.ask(domainsPath, { domain: child, site: useCase.there });
  // Its administrator may have been changed, and the session ended.
  if (ofChild?.status === 200)
    useCase.expect(`the domains of ${child}`, ofChild, naming([...map.domains.keys()].filter(isBelow)));
  const users = `${domainsPath}/${String(found?.['id'])}/users`;
  const body = { name: 'Managed', login: 'sessions-managed', pwd: 'sessions-managed', opts: { roles: ['user'] } };
  const made = await useCase.ask(users, { site: useCase.there, method: 'POST', body });
  if (!useCase.expect(`POST of a user of ${child} by its id`, made, expecting(200, { login: body.login }))) return;
  await useCase.copied();
  const { id } = (made?.body ?? {}) as Item;
  const path = `${domainsPath}/${child}/users/${String(id)}`;
  await useCase.everywhere(path, expecting(200, { login: body.login }));
  const opened = await logIn(useCase, { domain: child, login: body.login, pwd: body.pwd });
  useCase.expect(`a login to ${child}`, opened, expecting(200));
  const wrong = await useCase.ask(`${domainsPath}/nowhere.test/users`);
  useCase.expect('the users of an unknown domain', wrong, expecting(404, { error_code: 1404 }));
  const own = `${domainsPath}/${useCase.domain}/users/${String(id)}`;
  useCase.expect(`the user in ${useCase.domain}`, await useCase.ask(own), expecting(404));
  for (const key of [body.login, id]) {
    const answer = await useCase.ask(users, { method: 'LOOKUP', body: key });
    useCase.expect(`LOOKUP of ${String(key)} in ${child}`, answer, being([id]));
  }
  const end = await useCase.ask(path, { site: useCase.there, method: 'DELETE' });
  useCase.expect(`DELETE of the user of ${child}`, end, expecting(204));
}
