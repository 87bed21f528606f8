/** Several subscriptions of one web socket. */
import { boundsOf } from '../../../bounds.ts';
import { isSame } from '../calls/call-judges.ts';
import { EventClient } from '../kit/event-client.ts';
import { current } from '../kit/paths.ts';
import { type Item, type UseCase, useCaseOf } from '../kit/use-case.ts';
import { makeUser, type OwnSipUser, register } from './own-device.ts';

const login = 'subscriptions-kept';
const ip = '10.66.4.5';
/** Of a subscription that is not renewed. */
const briefSec = 4;

export const subscriptionsKept = useCaseOf({
  name: 'subscriptions-kept',
  rule: 'In a quiescent cluster, each subscription of a web socket receives the events of its classes and names about its objects, once, with its id and qid, and no other one; it is renewed with what the request changes, also for a shorter time, expires with a notice and is removed; one that begins under the id of a removed one has its own time, and one of another socket under the same id goes on; a request that is not valid is answered with an error and changes nothing. Behind a cursor a subscription continues at another front, and one of another domain receives nothing. The socket ends with its session.',
  exclusions: 'Domains that no sg serves.',
  sender: '10.6.4.5',
  play: async (useCase) => {
    useCase.afterwards(() => useCase.copied());
    const user = await makeUser(useCase, login, { phonenumber: '779955' });
    if (user === undefined) return;
    const session = await useCase.login(undefined);
    if (session === undefined) return;
    const client = await EventClient.open(useCase, { session });
    const second = await EventClient.open(useCase, { session });
    const domain = useCase.otherDomain;
    const foreign = domain === undefined ? undefined : await EventClient.open(useCase, { domain });
    if (client === undefined || second === undefined) return;
    await refuse(useCase, client);
    const cursors = await keep({ useCase, user, client, second, foreign });
    if (cursors === undefined) return;
    await useCase.ask(current, { method: 'DELETE', session, site: useCase.there });
    for (const each of [client, second]) {
      await each.holds(() => each.isOver, useCase.quickMs);
      useCase.expect('the sockets of a session that was closed', undefined, () =>
        each.isOver ? undefined : 'one is open',
      );
    }
    await send(useCase, user, 800);
    const later = await EventClient.open(useCase, { site: useCase.there });
    if (later !== undefined) await resume(useCase, later, cursors);
  },
});

interface Stage {
  readonly useCase: UseCase;
  readonly user: OwnSipUser;
  readonly client: EventClient;
  /** Of the same session. */
  readonly second: EventClient;
  readonly foreign: EventClient | undefined;
}

interface Cursors {
  /** Before the first event, and behind the second one. */
  readonly early: unknown;
  readonly late: unknown;
}

/** Each is answered, and the socket stays open. */
async function refuse(useCase: UseCase, client: EventClient): Promise<void> {
  const valid = { objects: 'any', events: ['registrarevents.*'] };
  const bodies: Item[] = [
    {},
    { objects: 'any' },
    { events: ['registrarevents.*'] },
    { ...valid, events: [] },
    { ...valid, events: ['noevents.*'] },
    { ...valid, events: ['registrarevents'] },
    { ...valid, events: 'registrarevents.*' },
    { ...valid, events: Array.from({ length: 101 }, () => 'registrarevents.*') },
    { ...valid, objects: 'all' },
    { ...valid, objects: [1] },
    { ...valid, objects: Array.from({ length: 101 }, () => 'x') },
    { ...valid, expires: -1 },
    { ...valid, expires: 86_401 },
    { ...valid, expires: 1.5 },
    { ...valid, qid: {} },
    { ...valid, id: '' },
    { ...valid, cursor: 'none' },
    { ...valid, more: 1 },
  ];
  for (const [index, body] of bodies.entries()) {
    const qid = 'qid' in body ? undefined : index;
    const answer = await client.subscribe({ ...(qid !== undefined && { qid }), ...body });
    const { error_message: message, id: _, ...rest } = answer;
    const expected = { ...(qid !== undefined && { qid }), result: 'error', error_code: 1_400 };
    useCase.expect(`subscribe ${JSON.stringify(body).slice(0, 80)}`, undefined, () =>
      isSame(rest, expected) && typeof message === 'string' && message !== ''
        ? undefined
        : `expected ${JSON.stringify(expected)}, got ${JSON.stringify(answer)}`,
    );
  }
  for (const text of ['no JSON', '{}', '["unsubscribe",{}]', '[]', '"subscribe"']) {
    const [command, answer = {}] = (await client.send(text)) ?? [];
    useCase.expect(`the message ${text}`, undefined, () =>
      command === 'error' && answer['error_code'] === 1_400 ? undefined : `got ${command} ${JSON.stringify(answer)}`,
    );
  }
  await answers({ useCase, client }, { id: 'none', qid: null, expires: 0 }, { result: 'error', error_code: 1_404 });
}

/** Judges the answer to a subscription, without its cursor and its words. Returns the cursor. */
async function answers(
  { useCase, client }: Pick<Stage, 'useCase' | 'client'>,
  body: Item,
  expected: Item,
): Promise<unknown> {
  const { id, qid } = body;
  const answer = await client.subscribe(body);
  const { cursor, error_message: _, ...rest } = answer;
  const whole = { ...(id !== undefined && { id }), ...(qid !== undefined && { qid }), ...expected };
  const named = id === undefined ? { ...rest, id: undefined } : rest;
  useCase.expect(`subscribe ${JSON.stringify(body)}`, undefined, () =>
    isSame(JSON.parse(JSON.stringify(named)), whole) && (id !== undefined || typeof answer['id'] === 'string')
      ? undefined
      : `expected ${JSON.stringify(whole)}, got ${JSON.stringify(answer)}`,
  );
  return cursor;
}

async function keep(stage: Stage): Promise<Cursors | undefined> {
  const { useCase, user, client, second, foreign } = stage;
  const ok = { result: 'ok', expires: 3_600 };
  const both = ['registrarevents.*', 'modelevents.*'];
  const own = { objects: [login], events: ['registrarevents.*'] };
  const unnamed = await client.subscribe({ qid: 1, objects: 'any', events: ['registrarevents.*', 'ccsevents.*'] });
  const named = {
    id: 'two',
    qid: 'q',
    objects: ['none', login],
    events: ['registrarevents.register', 'modelevents.*'],
  };
  const early = await answers(stage, { ...named, expires: 600 }, { result: 'ok', expires: 600 });
  const brief = { result: 'ok', expires: briefSec };
  await answers(stage, { id: 'renewed', objects: ['none'], events: both, expires: briefSec }, brief);
  await answers(
    stage,
    {
      id: 'of-id',
      objects: [user.id],
      events: ['modelevents.data_changed'],
      expires: briefSec,
      exargs: {},
      classpath: 'x',
    },
    brief,
  );
  await answers(stage, { id: 'renewed', expires: 600 }, { result: 'ok', expires: 600 });
  const askedMs = useCase.context.now();
  await answers(stage, { id: 'again', ...own, expires: briefSec }, brief);
  await answers({ useCase, client: second }, { id: 'again', ...own }, ok);
  await answers(stage, { id: 'again', expires: 0 }, { result: 'ok', expires: 0 });
  await answers(stage, { id: 'again', qid: 2, ...own, expires: 500 }, { result: 'ok', expires: 500 });
  await answers(stage, { id: 'shortened', ...own }, ok);
  await answers(stage, { id: 'shortened', expires: briefSec }, brief);
  await answers(stage, { id: 'none', objects: ['none'], events: both }, ok);
  await answers(stage, { id: 'empty', objects: [], events: both }, ok);
  await answers(stage, { id: 'others', objects: 'any', events: ['registrarevents.never_sent', 'callevents.*'] }, ok);
  await foreign?.subscribe({ id: 'foreign', objects: 'any', events: both });
  if (!(await send(useCase, user, 600))) return undefined;
  const first = String(unnamed['id']);
  await receives(stage, first, 1, ['registrarevents.register']);
  await receives(stage, 'two', 'q', ['registrarevents.register', 'modelevents.data_changed']);
  await receives(stage, 'of-id', undefined, ['modelevents.data_changed']);
  // What is not named stays as it was.
  await answers(stage, { id: 'two', qid: 5, events: ['registrarevents.refresh'] }, ok);
  await answers(stage, { id: first, expires: 0, qid: 9 }, { result: 'ok', expires: 0 });
  await answers(stage, { id: first, expires: 0 }, { result: 'error', error_code: 1_404 });
  await answers(stage, { id: 'none', objects: [login], expires: 0 }, { result: 'ok', expires: 0 });
  await send(useCase, user, 700);
  await receives(
    stage,
    'two',
    'q',
    ['registrarevents.register', 'modelevents.data_changed', 'registrarevents.refresh'],
    5,
  );
  const late = client.eventsOf('two').at(-1)?.cursor;
  await receives(stage, first, 1, ['registrarevents.register']);
  for (const id of ['none', 'empty', 'others']) await receives(stage, id, undefined, []);
  const ended = ['of-id', 'shortened'];
  await client.holds(() => client.notices.length >= ended.length, briefSec * 1_000 + useCase.quickMs);
  const afterMs = useCase.context.now() - askedMs;
  const expired = ended.map((id) => ['expired', { id }]);
  useCase.expect('the end of subscriptions', undefined, () =>
    isSame(client.notices, expired) && (afterMs >= briefSec * 1_000 - 200 || !useCase.areClocksRight)
      ? undefined
      : `expected ${JSON.stringify(expired)}, after ${afterMs} ms got ${JSON.stringify(client.notices)}`,
  );
  await answers(stage, { id: 'of-id', qid: 3, expires: 10 }, { result: 'error', error_code: 1_400 });
  await send(useCase, user, 750);
  const all = ['register', 'refresh', 'refresh'].map((name) => `registrarevents.${name}`);
  await receives(stage, 'again', 2, all);
  await receives({ useCase, client: second }, 'again', undefined, all);
  const more = client.eventsOf('shortened').filter(({ data }) => data['expires'] === 750);
  useCase.expect('a subscription that has expired', undefined, () =>
    more.length === 0 ? undefined : `got ${JSON.stringify(more)}`,
  );
  await answers(stage, { id: 'renewed', expires: 600 }, { result: 'ok', expires: 600 });
  const wrong = foreign
    ?.eventsOf('foreign')
    .filter(({ data }) => data['login'] === login || data['username'] === login);
  useCase.expect('a subscription of another domain', undefined, () =>
    wrong === undefined || wrong.length === 0 ? undefined : `got ${JSON.stringify(wrong)}`,
  );
  return { early, late };
}

/** The events of this user, once each; the last one has another qid where one is given. */
async function receives(
  { useCase, client }: Pick<Stage, 'useCase' | 'client'>,
  id: string,
  qid: unknown,
  names: readonly string[],
  lastQid = qid,
): Promise<void> {
  const own = () => client.eventsOf(id).filter(({ data }) => data['login'] === login || data['username'] === login);
  await client.holds(() => own().length >= names.length, boundsOf(useCase.context.map).subscriberCatchUpMs);
  const expected = names.map((name, index) => ({ name, qid: index === names.length - 1 ? lastQid : qid }));
  const got = own().map((each) => ({ name: each.name, qid: each.qid }));
  const cursors = own().map(({ cursor }) => cursor);
  useCase.expect(`events of subscription ${id}`, undefined, () =>
    isSame(got, expected) && cursors.every((each) => typeof each === 'string')
      ? undefined
      : `expected ${JSON.stringify(expected)}, got ${JSON.stringify(got)}`,
  );
}

/** The device registers for so many seconds. Returns whether it could. */
async function send(useCase: UseCase, user: OwnSipUser, expires: number): Promise<boolean> {
  return (await register(useCase, user, { ip, expires })).status === 200;
}

/** A new socket at another front has what came behind each cursor, and nothing else. */
async function resume(useCase: UseCase, client: EventClient, { early, late }: Cursors): Promise<void> {
  const stage = { useCase, client };
  const body = { objects: [login], events: ['registrarevents.*'] };
  const ok = { result: 'ok', expires: 3_600 };
  // By now this front has the events that came before it was asked.
  await useCase.context.questions.wait(useCase.quickMs);
  await answers(stage, { id: 'late', ...body, cursor: late }, ok);
  await answers(stage, { id: 'early', ...body, cursor: early }, ok);
  await answers(stage, { id: 'new', ...body }, ok);
  await receives(stage, 'late', undefined, ['registrarevents.refresh', 'registrarevents.refresh']);
  await receives(
    stage,
    'early',
    undefined,
    ['register', 'refresh', 'refresh', 'refresh'].map((name) => `registrarevents.${name}`),
  );
  await receives(stage, 'new', undefined, []);
  const seconds = client.eventsOf('early').map(({ data }) => data['expires']);
  useCase.expect('the seconds of events behind a cursor', undefined, () =>
    isSame(seconds, [600, 700, 750, 800]) ? undefined : `got ${JSON.stringify(seconds)}`,
  );
  useCase.expect('notices', undefined, () =>
    client.notices.length === 0 ? undefined : `got ${JSON.stringify(client.notices)}`,
  );
}
