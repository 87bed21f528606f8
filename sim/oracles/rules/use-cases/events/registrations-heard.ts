/** What happens to the devices of a SIP user is published to its subscribers, each event once for each subscription. */
import { isDeepStrictEqual } from 'node:util';
import type { InstanceEntry } from '../../../../../src/model/cluster/cluster-map.ts';
import { boundsOf } from '../../../bounds.ts';
import type { OwnSession } from '../../../questions.ts';
import { EventClient } from '../kit/event-client.ts';
import { current, sipUsers, states } from '../kit/paths.ts';
import { expecting, type Item, type Judge, type UseCase, useCaseOf } from '../kit/use-case.ts';
import { makeUser } from '../sessions/own-sessions.ts';

const login = 'registrations-heard';
const pwd = 'registrations-heard-1';
const [first, second] = ['10.6.21.1', '10.6.21.2'] as const;
/** Longer than all events take, also when some are lost on their way. */
const expires = 900;

export const registrationsHeard = useCaseOf({
  name: 'registrations-heard',
  rule: 'In a quiescent cluster, subscribers at two fronts get an event of each registration, refresh and end of a device of a SIP user with its data, and one of the collection when the first device comes and the last one goes, in their order and once for each subscription; not those of other names, nor a user who is no administrator; a subscription is renewed with other events, and gets nothing after its removal; wrong ones are refused with 1400, and the removal of one that is not there with 1404.',
  sender: '10.6.20.12',
  play: async (useCase) => {
    const { map } = useCase.context;
    const [gate] = useCase.sites.flatMap((site) => map.serving('sg', site, useCase.domain));
    if (gate === undefined) return;
    const made = await useCase.make(sipUsers, { login, pwd });
    if (made === undefined) return;
    const user = await makeUser(useCase, login);
    const { id } = made;
    await useCase.copied();
    const sessions = [await useCase.login(undefined), user && (await useCase.login(user))];
    const [admin, other] = sessions;
    if (admin !== undefined && other !== undefined) await hear(useCase, { gate, id }, { admin, other });
    for (const session of sessions)
      if (session !== undefined) await useCase.ask(current, { session, method: 'DELETE' });
  },
});

interface Place {
  readonly gate: InstanceEntry;
  readonly id: string;
}

interface Sessions {
  readonly admin: OwnSession;
  readonly other: OwnSession;
}

async function hear(useCase: UseCase, place: Place, { admin, other }: Sessions): Promise<void> {
  const sites = [...new Set([useCase.here, useCase.there])];
  const clients: EventClient[] = [];
  for (const [site, session] of [...sites.map((each) => [each, admin] as const), [useCase.here, other] as const]) {
    const client = await EventClient.open(useCase, { site, session });
    useCase.expect(`a web socket at ${site}`, undefined, () => (client === undefined ? 'it is refused' : undefined));
    if (client !== undefined) clients.push(client);
  }
  if (clients.length === sites.length + 1) {
    for (const client of clients) await subscribe(useCase, client);
    await register(useCase, place, clients);
  }
}

async function subscribe(useCase: UseCase, client: EventClient): Promise<void> {
  const all = ['registrarevents.*', 'modelevents.*'];
  const answered = async (body: Item, wanted: Item, from: EventClient = client) => {
    const answer = await from.subscribe(body);
    useCase.expect(`${JSON.stringify(body)} at ${client.site}`, undefined, () => wrongAnswer(answer, wanted));
  };
  const ok = { result: 'ok' };
  await answered(
    { qid: 7, id: 'own', objects: [login, 'none'], events: all },
    { ...ok, qid: 7, id: 'own', expires: 3_600 },
  );
  const changes = { qid: 'c', id: 'changes', objects: 'any', events: ['modelevents.data_changed'], expires: 600 };
  await answered(changes, { ...ok, qid: 'c', id: 'changes', expires: 600 });
  await answered({ id: 'others', objects: ['none'], events: all }, { ...ok, id: 'others' });
  await answered({ id: 'calls', objects: [login], events: ['callevents.*', 'confevents.*'] }, { ...ok, id: 'calls' });
  const wrong = { result: 'error', error_code: 1_400 };
  await answered({ id: 'wrong', events: all }, { ...wrong, id: 'wrong' });
  await answered({ id: 'wrong', objects: [login] }, { ...wrong, id: 'wrong' });
  await answered({ id: 'wrong', objects: [login], events: 'any' }, { ...wrong, id: 'wrong' });
  await answered({ id: 'wrong', objects: 'any', events: all, expires: 86_401 }, wrong);
  await answered({ id: 'wrong', expires: 0 }, { result: 'error', error_code: 1_404, id: 'wrong' });
  const unread = await client.send('no JSON');
  useCase.expect(`a text that is no JSON at ${client.site}`, undefined, () =>
    unread?.[0] === 'error' && unread[1]['error_code'] === 1_400 ? undefined : `got ${JSON.stringify(unread)}`,
  );
}

function wrongAnswer(answer: Item, wanted: Item): string | undefined {
  const isRight = Object.entries(wanted).every(([name, value]) => answer[name] === value);
  return isRight ? undefined : `expected ${JSON.stringify(wanted)}, got ${JSON.stringify(answer)}`;
}

async function register(useCase: UseCase, { gate, id }: Place, clients: readonly EventClient[]): Promise<void> {
  const { questions, map } = useCase.context;
  const { domain } = useCase;
  // A front may lose an event just now: subscribers-hear judges how soon events come otherwise.
  const patienceMs = boundsOf(map).subscriberCatchUpMs;
  const admins = clients.slice(0, -1);
  const send = async (what: string, ip: string, seconds: number) => {
    const { status } = await questions.register({ ip, username: login, domain, gate, pwd, expires: seconds });
    useCase.expect(what, undefined, () => (status === 200 ? undefined : `got ${status}`));
    return status === 200;
  };
  const event = (name: string, ip: string, left: number, qid: unknown = 7) => ({
    ...{ name: `registrarevents.${name}`, qid, login, domain, expires: left },
    ...deviceAt(ip),
  });
  const changed = (status: string) => ({
    name: 'modelevents.data_changed',
    qid: 7,
    collection: 'sipuser_states',
    id,
    username: login,
    status,
  });
  const own: Item[] = [];
  const heard = async (what: string, ...more: readonly Item[]) => {
    own.push(...more);
    const wrong = await questions.eventually(patienceMs, () => admins.flatMap((each) => wrongEvents(each, 'own', own)));
    const changes = changesIn(own);
    const others = admins.flatMap((each) => wrongEvents(each, 'changes', changes));
    useCase.expect(`the events after ${what}`, undefined, () => wrong[0] ?? others[0]);
  };
  if (!(await send('REGISTER', first, expires))) return;
  await heard('REGISTER', event('register', first, expires), changed('online'));
  await send('REGISTER again', first, expires - 1);
  await heard('REGISTER again', event('refresh', first, expires - 1));
  await send('REGISTER of a second device', second, expires);
  await heard('REGISTER of a second device', event('register', second, expires));
  await useCase.everywhere(`${sipUsers}/${id}`, showing([first, second], gate.site));
  await send('the second device leaves', second, 0);
  await heard('the second device has left', event('unregister', second, 0));
  const dropped = await useCase.ask(`${states}/${id}`, { site: useCase.there, method: 'DELETE' });
  useCase.expect('DELETE of the state', dropped, expecting(204));
  await heard('DELETE of its state', event('unregister', first, 0), changed('offline'));
  for (const client of admins) {
    const removed = await client.subscribe({ qid: 8, id: 'own', expires: 0 });
    useCase.expect('the removal of a subscription', undefined, () => wrongAnswer(removed, { id: 'own', result: 'ok' }));
    const renewed = await client.subscribe({
      id: 'changes',
      qid: 9,
      events: ['registrarevents.register'],
      expires: 900,
    });
    const wanted = { id: 'changes', result: 'ok', expires: 900 };
    useCase.expect('the renewal of a subscription', undefined, () => wrongAnswer(renewed, wanted));
  }
  await send('REGISTER after it', second, expires);
  const last = event('register', second, expires, 9);
  const wrong = await questions.eventually(patienceMs, () =>
    admins.flatMap((each) => wrongEvents(each, 'changes', [...changesIn(own), last])),
  );
  const rest = admins.flatMap((each) => wrongEvents(each, 'own', own));
  useCase.expect('the events after the renewal', undefined, () => wrong[0] ?? rest[0]);
  for (const client of clients)
    for (const none of client === clients.at(-1) ? ['own', 'changes'] : ['others', 'calls'])
      useCase.expect(`the subscription ${none}`, undefined, () => wrongEvents(client, none, [])[0]);
}

function deviceAt(ip: string): Item {
  return { device: ip, contact: `sip:${login}@${ip}:5060`, useragent: 'strowger unknown device' };
}

/** As the other subscription has them. */
function changesIn(events: readonly Item[]): Item[] {
  return events.filter(({ collection }) => collection !== undefined).map((each) => ({ ...each, qid: 'c' }));
}

/** Exactly these devices are registered, at this site and for at most the time that was granted. */
function showing(ips: readonly string[], site: string): Judge {
  return (answer) => {
    const { devices = [] } = (answer?.body ?? {}) as { readonly devices?: readonly Item[] };
    const got = devices
      .map(({ expires: _, ...device }) => device)
      .toSorted((a, b) => (String(a['device']) < String(b['device']) ? -1 : 1));
    const isInTime = devices.every(
      (each) => Number(each['expires']) > expires - 500 && Number(each['expires']) <= expires,
    );
    const isRight =
      isInTime &&
      isDeepStrictEqual(
        got,
        ips.map((ip) => ({ ...deviceAt(ip), site })),
      );
    return isRight ? undefined : `expected the devices ${ips.join()}, got ${JSON.stringify(devices)}`;
  };
}

/** The events of a subscription that are about the SIP user are these. */
function wrongEvents(client: EventClient, id: string, wanted: readonly Item[]): string[] {
  const all = client.eventsOf(id).filter(({ data }) => [data['login'], data['username']].includes(login));
  const got = all.map(({ name, qid, data: { eventid, eventts, ...data } }) => ({ name, qid, ...data }));
  if (isDeepStrictEqual(got, wanted)) return [];
  return [`expected ${JSON.stringify(wanted)} for ${id} at ${client.site}, got ${JSON.stringify(got)}`];
}
