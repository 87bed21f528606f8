/** What an hour ends: sessions that are not used, their sockets, and subscriptions; and what it does not end. */
import { noSession } from '../../../questions.ts';
import { connect, endCall, type OwnCall, type SteadyUser, steadyUsers } from '../kit/call.ts';
import { EventClient } from '../kit/event-client.ts';
import { current, sipUsers } from '../kit/paths.ts';
import { expecting, type Item, type UseCase, useCaseOf } from '../kit/use-case.ts';
import {
  byToken,
  cookieIn,
  logIn,
  makeUser,
  type OwnUser,
  type RequestHeaders,
  tokenOf,
  unauthorized,
  unusedAddress,
  wrongCookie,
} from './own-sessions.ts';

const minuteMs = 60_000;
/** A session lasts so long after its last use, and a subscription so long if its client does not say. */
const hourMs = 60 * minuteMs;
const marginMs = 10_000;

export const sessionsExpired = useCaseOf({
  name: 'sessions-expired',
  rule: 'In a quiescent cluster a session ends at each front an hour after its last use, and its web socket with it; use prolongs it at each front, by requests and by messages of its web socket; its cookie is set again when less than half of its time is left, and not before; a subscription expires after an hour where its client does not say when. A call of this time goes on.',
  weight: 0.5,
  exclusions: 'Runs in which clocks were set.',
  sender: '10.6.21.23',
  play: async (useCase) => {
    if (!useCase.areClocksRight) return;
    const user = await makeUser(useCase, 'sessions-expired');
    if (user === undefined) return;
    const talk = await talking(useCase);
    await pass(useCase, user);
    if (talk !== undefined) await goOn(useCase, talk);
  },
});

interface Talk {
  readonly call: OwnCall;
  readonly users: readonly SteadyUser[];
}

/** A call without a limit of time. */
async function talking(useCase: UseCase): Promise<Talk | undefined> {
  const users = await steadyUsers(useCase, 2);
  const [x, y] = users;
  if (x === undefined || y === undefined) return undefined;
  for (const { id } of users) {
    const { opts = {} } = ((await useCase.ask(`${sipUsers}/${id}`))?.body ?? {}) as { opts?: Item };
    if (opts['dlgtimesec'] !== 0) return undefined;
  }
  const call = await connect(useCase, { from: x.number, to: y.number });
  return call && { call, users };
}

async function goOn(useCase: UseCase, { call, users }: Talk): Promise<void> {
  await useCase.everywhere(call.path, expecting(200, { status: 'dialog', inviteid: call.inviteid }));
  const talks = users.every((user) => useCase.callsOf(user).some(({ state }) => state === 'talking'));
  useCase.expect('its phones', undefined, () => (talks ? undefined : 'one of them has no call any more'));
  await endCall(useCase, call);
}

async function pass(useCase: UseCase, user: OwnUser): Promise<void> {
  const { questions, now, map } = useCase.context;
  const { here, there } = useCase;
  const [idle, used, heard] = [await logIn(useCase, user), await logIn(useCase, user), await logIn(useCase, user)];
  const cookie = cookieIn(await logIn(useCase, user, { changed: { session_type: undefined } }));
  const byCookie = { cookie: `RSession=${cookie}` };
  const idleSocket = await EventClient.open(useCase, { session: { token: tokenOf(idle) } });
  const heardSocket = await EventClient.open(useCase, { session: { token: tokenOf(heard) } });
  if (idleSocket === undefined || heardSocket === undefined) return;
  const beganMs = now();
  const until = (ms: number) => questions.wait(Math.max(0, beganMs + ms - now()));
  const use = async (headers: RequestHeaders, site = here) => {
    const answer = await useCase.ask(current, { session: noSession, headers, site });
    useCase.expect(`a session in use at ${site}`, answer, expecting(200, { login: user.login }));
    return answer;
  };
  const subscription = { objects: 'any', events: ['callevents.*'] };
  const subscribed = await heardSocket.subscribe({ id: 'hour', ...subscription });
  useCase.expect('a subscription without a time', undefined, () =>
    subscribed['expires'] === hourMs / 1_000 ? undefined : `expires ${String(subscribed['expires'])}`,
  );
  const isAlone = map.instancesOf('ws').filter(({ site }) => site === here).length === 1;
  await until(25 * minuteMs);
  await use(byToken(used));
  await heardSocket.subscribe({ id: 'other', ...subscription, expires: 2 * (hourMs / 1_000) });
  const early = await use(byCookie);
  useCase.expect('a cookie with more than half of its time', early, (answer) =>
    isAlone && answer?.headers.has('set-cookie') === true ? 'it is set again' : undefined,
  );
  await until(40 * minuteMs);
  const late = await use(byCookie);
  useCase.expect('a cookie with less than half of its time', late, (answer) =>
    cookieIn(answer) === cookie
      ? wrongCookie(answer, now() + hourMs)
      : `set-cookie ${answer?.headers.get('set-cookie')}`,
  );
  await until(50 * minuteMs);
  await use(byToken(used), there);
  await heardSocket.subscribe({ id: 'other', ...subscription, expires: 2 * (hourMs / 1_000) });
  await until(hourMs - marginMs);
  const isExpired = () => heardSocket.notices.some(([name, { id }]) => name === 'expired' && id === 'hour');
  useCase.expect('shortly before the hour', undefined, () => {
    if (isExpired()) return 'the subscription has expired';
    return idleSocket.isOver ? 'the socket of the session that is not used has ended' : undefined;
  });
  await until(hourMs + marginMs);
  useCase.expect('shortly after the hour', undefined, () => {
    if (!isExpired()) return 'the subscription has not expired';
    if (heardSocket.isOver) return 'the socket of a session in use has ended';
    return idleSocket.isOver ? undefined : 'the socket of the session that is not used goes on';
  });
  for (const [index, site] of useCase.sites.entries()) {
    const asked = { session: noSession, headers: byToken(idle), site, sender: unusedAddress(useCase, 4 + (index % 4)) };
    useCase.expect(`a session that is not used, at ${site}`, await useCase.ask(current, asked), unauthorized);
    for (const headers of [byToken(used), byToken(heard), byCookie]) await use(headers, site);
  }
}
