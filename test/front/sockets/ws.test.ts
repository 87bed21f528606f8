/** The web socket as a client sees it: requests, answers and events. */

import { acme, globex } from '../../kit/calls/played-calls.ts';
import { good } from '../../kit/front.ts';
import { acmeAdmin, acmeUser, notificationsOn, SocketCluster, shortOf } from '../../kit/http/sockets.ts';
import { test } from '../../kit/test.ts';

test('a subscription is answered, and then gets events as they happen, at both sites', async (t) => {
  const cluster = await SocketCluster.start();
  const socket = await cluster.open();
  const answer = await cluster.subscribe(socket, { qid: 'q1', id: 'mine', expires: 60 });
  t.like(answer, { qid: 'q1', id: 'mine', result: 'ok', expires: 60 });
  t.regex(String(answer['cursor']), /^1/);
  const here = cluster.b2b('b2b-211').begin();
  await cluster.wait();
  const there = cluster.b2b('b2b-121').begin();
  await cluster.wait();
  cluster.b2b('b2b-211').answer(here);
  cluster.b2b('b2b-211').end(here);
  await cluster.wait();
  const events = notificationsOn(socket);
  t.deepEqual(shortOf(events), [`invite ${here}`, `invite ${there}`, `dlg_start ${here}`, `dlg_end ${here}`]);
  t.like(events[0], { id: 'mine', qid: 'q1', class: 'callevents', event: 'invite' });
  t.regex(String(events[0]?.data['eventid']), /^[0-9a-f-]{36}$/);
  t.regex(String(events[0]?.data['eventts']), /^\d{4}-.*Z$/);
  t.deepEqual(Object.keys(events[0] ?? {}), ['id', 'qid', 'class', 'event', 'cursor', 'data']);
});

test('an event that matches several subscriptions is sent once for each, and none for those it does not match', async (t) => {
  const cluster = await SocketCluster.start();
  const socket = await cluster.open();
  await cluster.subscribe(socket, { id: 'all' });
  await cluster.subscribe(socket, { id: 'starts', events: ['callevents.dlg_start', 'confevents.*'] });
  await cluster.subscribe(socket, { id: 'of 1003', objects: ['1003', 'unknown'] });
  await cluster.subscribe(socket, { id: 'silent', events: ['ccsevents.*', 'ccsevents.x'] });
  const b2b = cluster.b2b('b2b-211');
  const one = b2b.begin();
  const two = b2b.begin({ from: '1003' });
  b2b.answer(one);
  await cluster.wait();
  const ids = notificationsOn(socket).map(({ id, event, data }) => `${id}: ${event} ${data['dialogid']}`);
  t.deepEqual(ids, [
    `all: invite ${one}`,
    `all: invite ${two}`,
    `of 1003: invite ${two}`,
    `all: dlg_start ${one}`,
    `starts: dlg_start ${one}`,
  ]);
});

test('events of another domain are not sent', async (t) => {
  const cluster = await SocketCluster.start();
  const socket = await cluster.open();
  await cluster.subscribe(socket);
  cluster.b2b('b2b-211').begin({ domain: globex });
  const both = cluster.b2b('b2b-211').begin();
  await cluster.wait();
  t.deepEqual(shortOf(notificationsOn(socket)), [`invite ${both}`]);
});

test('a plain user gets the events of calls of the SIP users bound to him, and no others', async (t) => {
  const cluster = await SocketCluster.start();
  const socket = await cluster.open(acmeUser);
  const answer = await cluster.subscribe(socket, { events: ['callevents.*', 'registrarevents.*'] });
  t.is(answer['result'], 'ok');
  const b2b = cluster.b2b('b2b-211');
  const own = [b2b.begin({ from: '1001' }), b2b.begin({ from: '1003', to: '1001' })];
  b2b.begin({ from: '1003', to: '1004' });
  b2b.end(own[0] as string);
  await cluster.wait();
  t.deepEqual(shortOf(notificationsOn(socket)), [`invite ${own[0]}`, `invite ${own[1]}`, `dlg_end ${own[0]}`]);
});

test('a plain user gets the events of the SIP users that are bound to him now, whatever their logins become', async (t) => {
  const cluster = await SocketCluster.start();
  const socket = await cluster.open(acmeUser);
  await cluster.subscribe(socket);
  const path = '/rest/v1/uc/sipusers';
  const token = await cluster.fronts.token(acmeAdmin, 'north');
  const ask = async (line: string, json?: object) => {
    const answer = await cluster.fronts.ask(line, { at: 'north', token, ...(json && { json }) });
    await cluster.wait();
    return good<Record<string, string>[]>(t, answer);
  };
  const users = await ask(`GET ${path}`);
  const [first, third] = ['1001', '1003'].map((login) => users.find((each) => each['login'] === login));
  const b2b = cluster.b2b('b2b-211');
  const [own, other] = [b2b.begin({ from: '1001' }), b2b.begin({ from: '1003', to: '1004' })];
  await ask(`PATCH ${path}/${first?.['id']}`, { login: 'anna' });
  b2b.end(own);
  await cluster.wait();
  t.deepEqual(shortOf(notificationsOn(socket)), [`invite ${own}`, `dlg_end ${own}`]);
  await ask(`PATCH ${path}/${third?.['id']}`, { iduser: first?.['iduser'] });
  b2b.end(other);
  await ask(`PATCH ${path}/${first?.['id']}`, { iduser: '00000000-0000-0000-0000-000000000000' });
  b2b.begin({ from: '1001' });
  const last = b2b.begin({ from: '1003', to: '1004' });
  await cluster.wait();
  t.deepEqual(shortOf(notificationsOn(socket)).slice(2), [`dlg_end ${other}`, `invite ${last}`]);
});

test('a subscription expires with a notice; a renewed one does not', async (t) => {
  const cluster = await SocketCluster.start();
  const socket = await cluster.open();
  await cluster.subscribe(socket, { id: 'short', expires: 10 });
  await cluster.subscribe(socket, { id: 'renewed', expires: 10 });
  await cluster.wait(8_000);
  t.like(await cluster.subscribe(socket, { id: 'renewed', expires: 20 }), { result: 'ok', expires: 20 });
  socket.take();
  await cluster.wait(3_000);
  t.deepEqual(socket.take(), [['expired', { id: 'short' }]]);
  const call = cluster.b2b('b2b-211').begin();
  await cluster.wait();
  t.deepEqual(
    notificationsOn(socket).map(({ id }) => id),
    ['renewed'],
  );
  socket.take();
  await cluster.wait(17_000);
  t.deepEqual(socket.take(), [['expired', { id: 'renewed' }]]);
  cluster.b2b('b2b-211').end(call);
  await cluster.wait();
  t.deepEqual(socket.take(), []);
});

test('a renewal may change what a subscription is about, and needs not say it again', async (t) => {
  const cluster = await SocketCluster.start();
  const socket = await cluster.open();
  await cluster.subscribe(socket, { objects: ['1003'] });
  socket.send(['subscribe', { id: 'x', expires: 100, qid: 7 }]);
  const b2b = cluster.b2b('b2b-211');
  const one = b2b.begin();
  const two = b2b.begin({ to: '1003' });
  await cluster.wait();
  t.deepEqual(shortOf(notificationsOn(socket)), [`invite ${two}`]);
  t.is(notificationsOn(socket)[0]?.qid, 7);
  socket.send(['subscribe', { id: 'x', events: ['callevents.dlg_end'], objects: 'any' }]);
  b2b.answer(one);
  b2b.end(one);
  await cluster.wait();
  t.deepEqual(shortOf(notificationsOn(socket)), [`invite ${two}`, `dlg_end ${one}`]);
});

test('expires 0 removes a subscription', async (t) => {
  const cluster = await SocketCluster.start();
  const socket = await cluster.open();
  await cluster.subscribe(socket, { qid: 1 });
  t.deepEqual(await cluster.subscribe(socket, { qid: 2, expires: 0 }), { qid: 2, id: 'x', result: 'ok', expires: 0 });
  cluster.b2b('b2b-211').begin();
  await cluster.wait();
  t.deepEqual(notificationsOn(socket), []);
  const again = await cluster.subscribe(socket, { expires: 0 });
  t.like(again, { id: 'x', result: 'error', error_code: 1404 });
});

test('a subscription without an id gets one', async (t) => {
  const cluster = await SocketCluster.start();
  const socket = await cluster.open();
  const first = await cluster.subscribe(socket, { id: undefined });
  const second = await cluster.subscribe(socket, { id: undefined });
  t.not(first['id'], second['id']);
  cluster.b2b('b2b-211').begin();
  await cluster.wait();
  t.deepEqual(
    notificationsOn(socket).map(({ id }) => id),
    [first['id'], second['id']],
  );
});

test('the id that a subscription without one gets is not that of another one of its socket', async (t) => {
  const cluster = await SocketCluster.start();
  const socket = await cluster.open();
  const { id: first } = await cluster.subscribe(socket, { id: undefined });
  const next = String(first).replace(/\d+$/, (number) => String(Number(number) + 1));
  await cluster.subscribe(socket, { id: next, events: ['confevents.*'] });
  const { id: second } = await cluster.subscribe(socket, { id: undefined });
  t.is(new Set([first, next, second]).size, 3);
});

const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

const wrong: readonly [
  what: string,
  text: string,
  answer: Record<string, unknown>,
  message: RegExp,
  command?: string,
][] = [
  ['no JSON', 'hello', { error_code: 1400 }, /expected JSON/, 'error'],
  ['half of JSON', '["subscribe",{', { error_code: 1400, result: 'error' }, /expected JSON/],
  ['6,000 nested arrays', deep(6_000), { error_code: 1400 }, /nested at most 64 deep/, 'error'],
  ['deep exargs', `["subscribe",{"exargs":${deep(63)}}]`, { result: 'error' }, /nested at most 64 deep/],
  [
    'a qid of many characters',
    `["subscribe",{"qid":"${'q'.repeat(257)}"}]`,
    { result: 'error' },
    /^qid: expected a number or a text of at most 256/,
  ],
  [
    'an object of many characters',
    `["subscribe",{"objects":["${'o'.repeat(513)}"],"events":["callevents.*"]}]`,
    { result: 'error' },
    /^objects.0: expected a name of at most 512/,
  ],
  ['no array', '{"subscribe":1}', { error_code: 1400 }, /expected an array/, 'error'],
  ['an empty array', '[]', { error_code: 1400 }, /unknown command nothing/, 'error'],
  ['an unknown command', '["publish",{"qid":5}]', { error_code: 1400, qid: 5 }, /unknown command "publish"/, 'error'],
  ['no body', '["subscribe"]', { result: 'error' }, /^body: /],
  ['more behind the body', '["subscribe",{},1]', { result: 'error' }, /nothing behind/],
  [
    'an unknown field',
    '["subscribe",{"qid":"q","id":"i","colour":1}]',
    { qid: 'q', id: 'i' },
    /^colour: no such field/,
  ],
  ['no events', '["subscribe",{"objects":"any"}]', { result: 'error' }, /objects and events/],
  ['no objects', '["subscribe",{"events":["callevents.*"]}]', { result: 'error' }, /objects and events/],
  [
    'no event in events',
    '["subscribe",{"objects":"any","events":[]}]',
    { result: 'error' },
    /^events: expected one event/,
  ],
  [
    'an unknown class',
    '["subscribe",{"objects":"any","events":["weather.*"]}]',
    { result: 'error' },
    /^events.0: expected "<class>.<name>"/,
  ],
  [
    'an event without a name',
    '["subscribe",{"objects":"any","events":["callevents"]}]',
    { result: 'error' },
    /^events.0: expected/,
  ],
  [
    'objects that are no names',
    '["subscribe",{"objects":[1],"events":["callevents.*"]}]',
    { result: 'error' },
    /^objects/,
  ],
  [
    'a negative life',
    '["subscribe",{"objects":"any","events":["callevents.*"],"expires":-1}]',
    { result: 'error' },
    /^expires: expected seconds/,
  ],
  [
    'too long a life',
    '["subscribe",{"objects":"any","events":["callevents.*"],"expires":86401}]',
    { result: 'error' },
    /^expires: expected seconds/,
  ],
  [
    'a life that is no number',
    '["subscribe",{"objects":"any","events":["callevents.*"],"expires":"60"}]',
    { result: 'error' },
    /^expires: expected/,
  ],
  [
    'a malformed cursor',
    '["subscribe",{"objects":"any","events":["callevents.*"],"cursor":"x"}]',
    { result: 'error' },
    /^cursor: expected/,
  ],
  ['too long an id', `["subscribe",{"id":"${'i'.repeat(257)}"}]`, { result: 'error' }, /^id: expected/],
];

test('what can not be understood is answered with an error, and the socket goes on', async (t) => {
  const cluster = await SocketCluster.start();
  const socket = await cluster.open();
  for (const [what, text, answer, message, command = 'subscribe'] of wrong) {
    socket.send(text);
    await cluster.wait(1);
    const [[got, body] = [], ...others] = socket.take() as [string, Record<string, unknown>][];
    t.is(got, command, what);
    t.deepEqual(others, []);
    t.like(body, answer, what);
    t.is(body?.['error_code'], 1400);
    t.regex(String(body?.['error_message']), message);
  }
  socket.sendBinary();
  t.like(socket.take(), [['error', { error_code: 1400 }]]);
  t.is((await cluster.subscribe(socket))['result'], 'ok');
});

test('a socket has so many subscriptions and no more', async (t) => {
  const cluster = await SocketCluster.start();
  const socket = await cluster.open();
  for (let n = 0; n < 100; n++) t.is((await cluster.subscribe(socket, { id: `${n}` }))['result'], 'ok');
  t.like(await cluster.subscribe(socket, { id: 'more' }), { result: 'error', error_code: 1503 });
  t.is((await cluster.subscribe(socket, { id: '5' }))['result'], 'ok');
  await cluster.subscribe(socket, { id: '5', expires: 0 });
  t.is((await cluster.subscribe(socket, { id: 'more' }))['result'], 'ok');
});

test('a call that dies with its b2b ends for subscribers too, with one event', async (t) => {
  const cluster = await SocketCluster.start();
  const socket = await cluster.open();
  await cluster.subscribe(socket);
  const call = cluster.b2b('b2b-211').begin();
  await cluster.wait();
  cluster.world.faults.crashInstance('b2b-211');
  await cluster.wait(10_000);
  t.deepEqual(shortOf(notificationsOn(socket)), [`invite ${call}`, `dlg_dead ${call}`]);
  t.is(notificationsOn(socket)[1]?.data['cid'], `i-${call}`);
});

test("where a subscription says any, events of every object come, and domains are the session's at that time", async (t) => {
  const cluster = await SocketCluster.start();
  const token = await cluster.fronts.token({ domain: 'root.test', login: 'admin', pwd: 'admin' }, 'hq');
  const socket = await cluster.open(token, 'hq');
  await cluster.subscribe(socket, { id: 'root' });
  await cluster.fronts.ask('PATCH /rest/v1/iam/sessions/current', { token, json: { domain: acme } });
  await cluster.subscribe(socket, { id: 'acme' });
  const call = cluster.b2b('b2b-111').begin();
  const other = cluster.b2b('b2b-111').begin({ domain: 'root.test' });
  await cluster.wait();
  t.deepEqual(
    notificationsOn(socket).map(({ id, data }) => [id, data['dialogid']]),
    [
      ['acme', call],
      ['root', other],
    ],
  );
});
