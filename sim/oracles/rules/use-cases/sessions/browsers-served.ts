/** Pages in browsers: sessions by cookie, and web sockets, which can't have header fields there. */
import { noSession } from '../../../questions.ts';
import { makeUser as makeSipUser, register } from '../events/own-device.ts';
import { EventClient } from '../kit/event-client.ts';
import { current } from '../kit/paths.ts';
import { expecting, type UseCase, useCaseOf } from '../kit/use-case.ts';
import {
  byToken,
  cookieIn,
  logIn,
  makeUser,
  type OwnUser,
  type RequestHeaders,
  tokenOf,
  unusedAddress,
} from './own-sessions.ts';

const login = 'browsers-served';
const ip = '10.66.21.26';
const foreign = 'https://page.elsewhere.test';

export const browsersServed = useCaseOf({
  name: 'browsers-served',
  rule: 'In a quiescent cluster, a page of another origin does not write with the cookie of a session, nor opens a web socket with it, and its browser does not let it read; a page of the front does, and a token has no such limit. A web socket opens with a session by header, in the URL or by cookie, of which the first one counts, and what its URL subscribes to is received.',
  sender: '10.6.21.26',
  play: async (useCase) => {
    const user = await makeUser(useCase, login, { opts: { roles: ['admin'] } });
    if (user === undefined) return;
    const byCookie = await logIn(useCase, user, { changed: { session_type: undefined } });
    const byHeader = await logIn(useCase, user);
    const id = cookieIn(byCookie);
    const token = tokenOf(byHeader);
    if (id === '' || byHeader?.status !== 200) return;
    const cookie = { cookie: `RSession=${id}` };
    await useCase.copied();
    await write({ useCase, user, cookie, bearer: byToken(byHeader) });
    await openSockets(useCase, { id, token });
    await subscribeAtOnce(useCase, token);
    for (const headers of [cookie, byToken(byHeader)])
      await useCase.ask(current, { session: noSession, headers, method: 'DELETE' });
  },
});

interface Writing {
  readonly useCase: UseCase;
  readonly user: OwnUser;
  readonly cookie: RequestHeaders;
  readonly bearer: RequestHeaders;
}

async function write({ useCase, user, cookie, bearer }: Writing): Promise<void> {
  const rows: [what: string, headers: RequestHeaders, status: number][] = [
    ['a client that is no browser, by cookie', cookie, 200],
    ['a page of the front, by cookie', { ...cookie, 'sec-fetch-site': 'same-origin' }, 200],
    ['a page of another origin, by cookie', { ...cookie, origin: foreign }, 403],
    ['a page whose origin is hidden, by cookie', { ...cookie, origin: 'null' }, 403],
    ['a page of another site, by cookie', { ...cookie, 'sec-fetch-site': 'cross-site' }, 403],
    ['a page of a neighbour of the front, by cookie', { ...cookie, 'sec-fetch-site': 'same-site' }, 403],
    ['a page of another origin, by token', { ...bearer, origin: foreign }, 200],
  ];
  let written = login;
  for (const [index, [what, headers, status]] of rows.entries()) {
    const name = `${login}-${index}`;
    const asked = { session: noSession, headers, site: useCase.siteAt(index) };
    const answer = await useCase.ask(user.path, { ...asked, method: 'PATCH', body: { name } });
    useCase.expect(`PATCH of ${what}`, answer, expecting(status, status === 200 ? { name } : { error_code: 1403 }));
    if (answer?.status === 200) written = name;
  }
  await useCase.everywhere(user.path, expecting(200, { name: written }));
  const read = await useCase.ask(user.path, { session: noSession, headers: { ...cookie, origin: foreign } });
  useCase.expect('GET of a page of another origin', read, expecting(200, { name: written }));
  useCase.expect('what lets that page read', read, (answer) =>
    answer?.headers.has('access-control-allow-origin') === true ? 'Access-Control-Allow-Origin is set' : undefined,
  );
}

async function openSockets(useCase: UseCase, { id, token }: { id: string; token: string }): Promise<void> {
  const cookie = { cookie: `RSession=${id}` };
  const bearer = { authorization: `Bearer ${token}` };
  const wrong = 'none-that-exists';
  const rows: [what: string, target: string, headers: RequestHeaders, status?: number][] = [
    ['a token in the header', '/ws', bearer],
    ['a token in the URL', `/ws?token=${token}`, {}],
    ['a cookie', '/ws', cookie],
    ['a token in the URL, from a page of another origin', `/ws?token=${token}`, { origin: foreign }],
    ['a cookie, from a page of another origin', '/ws', { ...cookie, origin: foreign }, 403],
    ['nothing', '/ws', {}, 401],
    ['a wrong token in the URL', `/ws?token=${wrong}`, {}, 401],
    ['a wrong token in the URL, and a cookie', `/ws?token=${wrong}`, cookie, 401],
    ['a wrong token in the URL, and one in the header', `/ws?token=${wrong}`, bearer],
    [
      'a wrong token in the header, and one in the URL',
      `/ws?token=${token}`,
      { authorization: `Bearer ${wrong}` },
      401,
    ],
  ];
  for (const [index, [what, target, headers, refused]] of rows.entries()) {
    const site = useCase.siteAt(index);
    const sender = unusedAddress(useCase, 12);
    const listener = { message: () => {}, end: () => {} };
    const opened = await useCase.context.questions.openSocket(site, { token, target, headers, sender }, listener);
    const got = typeof opened === 'number' ? opened : undefined;
    if (typeof opened !== 'number') opened.close();
    useCase.expect(`a web socket at ${site} with ${what}`, undefined, () =>
      got === refused ? undefined : `expected ${refused ?? 'it to open'}, got ${got ?? 'an open one'}`,
    );
  }
}

async function subscribeAtOnce(useCase: UseCase, token: string): Promise<void> {
  const device = await makeSipUser(useCase, login, {});
  if (device === undefined) return;
  // Its events need one.
  if (useCase.context.map.serving('callstore', device.gate.site, useCase.domain).length === 0) return;
  const target = `/ws?token=${token}&subscribe=registrarevents.expire&subscribe=registrarevents.register`;
  const client = await EventClient.open(useCase, { site: useCase.there, session: { token }, target, headers: {} });
  if (client === undefined) return;
  await client.holds(() => client.answers.length > 0, useCase.quickMs);
  useCase.expect('the answer to what the URL subscribes to', undefined, () =>
    client.answers[0]?.[1]['result'] === 'ok' ? undefined : `got ${JSON.stringify(client.answers)}`,
  );
  const { status } = await register(useCase, device, { ip, expires: 600 });
  if (status !== 200) return;
  useCase.afterwards(() => register(useCase, device, { ip, expires: 0 }));
  const isHeard = () =>
    client.received.some(
      ({ name, data }) => name === 'registrarevents.register' && Object.values(data).includes(login),
    );
  const names = () => client.received.map(({ name }) => name).join(', ') || 'nothing';
  await client.holds(isHeard, useCase.quickMs);
  useCase.expect('a subscription in the URL', undefined, () =>
    isHeard() ? undefined : `expected registrarevents.register, got ${names()}`,
  );
}
