/** Web sockets and sessions: which sessions may open one, what ends it, and what happens to clients that do not read or answer. */

import { limits } from '../../../src/model/limits.ts';
import { acmeAdmin, acmeUser, notificationsOn, SocketCluster } from '../../kit/http/sockets.ts';
import { test } from '../../kit/test.ts';

type Shown = Record<string, string>;

/** Status of the answer, or `open`. */
async function knock(cluster: SocketCluster, headers: Shown, target = '/ws'): Promise<number | 'open'> {
  const answer = await cluster.world.socket('north', { headers, target });
  if (!(answer instanceof Response)) return 'open';
  const body = (await answer.json()) as { error_code: number };
  return body.error_code === 1_000 + answer.status ? answer.status : -1;
}

test('a session opens a socket: shown by header, by cookie, or by a parameter', async (t) => {
  const cluster = await SocketCluster.start();
  const token = await cluster.fronts.token(acmeAdmin, 'north');
  const kiosk = await cluster.fronts.token({ ...acmeAdmin, login: 'guest', pwd: 'guest' }, 'north');
  const bearer = `Bearer ${token}`;
  const cookie = `RSession=${token}`;
  const table: readonly [what: string, headers: Shown, target: string, status: number | 'open'][] = [
    ['nothing', {}, '/ws', 401],
    ['a token in the header', { authorization: bearer }, '/ws', 'open'],
    ['a token in the URL', {}, `/ws?token=${token}`, 'open'],
    ['a token in the URL, from a page elsewhere', { origin: 'http://else.test' }, `/ws?token=${token}`, 'open'],
    ['a cookie, without a page', { cookie }, '/ws', 'open'],
    ['a cookie, from a page of the front', { cookie, origin: 'http://north' }, '/ws', 'open'],
    ['a cookie, from a page of the front by TLS', { cookie, origin: 'https://NORTH' }, '/ws', 'open'],
    ['a cookie, from a page elsewhere', { cookie, origin: 'http://else.test' }, '/ws', 403],
    ['a cookie, from a page without an origin', { cookie, origin: 'null' }, '/ws', 403],
    ['a cookie, from a page at another port', { cookie, origin: 'http://north:8080' }, '/ws', 403],
    ['a malformed header, and a cookie', { authorization: 'Basic x', cookie }, '/ws', 401],
    ['a header, and a wrong token in the URL', { authorization: bearer }, '/ws?token=wrong', 'open'],
    ['a wrong token in the URL, and a cookie', { cookie }, '/ws?token=wrong', 401],
    ['a session without an access role', { authorization: `Bearer ${kiosk}` }, '/ws', 403],
  ];
  for (const [what, headers, target, status] of table) t.is(await knock(cluster, headers, target), status, what);
});

test('a client that sends unknown session ids is banned, and known sessions continue', async (t) => {
  const cluster = await SocketCluster.start();
  const token = await cluster.fronts.token(acmeAdmin, 'north');
  for (let n = 0; n < 5; n++) t.is(await knock(cluster, { authorization: `Bearer wrong${n}` }), 401);
  t.is(await knock(cluster, { authorization: 'Bearer wrong' }), 429);
  t.is(await knock(cluster, { authorization: `Bearer ${token}` }), 'open');
});

test('a plain GET of the path is answered with 426 Upgrade Required', async (t) => {
  const cluster = await SocketCluster.start();
  const answer = await cluster.fronts.ask('GET /ws', { at: 'north' });
  t.is(answer.status, 426);
  t.is(answer.headers.get('upgrade'), 'websocket');
});

test('a logout closes the sockets of the session, at every site, and no others', async (t) => {
  const cluster = await SocketCluster.start();
  const token = await cluster.fronts.token(acmeAdmin, 'north');
  const mine = [await cluster.open(token), await cluster.open(token), await cluster.open(token, 'hq')];
  const other = await cluster.open(acmeUser);
  await cluster.fronts.ask('DELETE /rest/v1/iam/sessions/current', { at: 'north', token });
  await cluster.wait(200);
  for (const socket of mine) t.deepEqual(socket.end, { code: 4401, reason: 'the session is over' });
  t.is(other.end, undefined);
});

test('a session that runs out closes its sockets; what comes and goes over one prolongs it, a ping does not', async (t) => {
  const cluster = await SocketCluster.start({ pingIntervalMs: 600_000 });
  const silent = await cluster.open();
  const asking = await cluster.open();
  const receiving = await cluster.open(acmeUser);
  await cluster.subscribe(receiving, { expires: 86_400 });
  for (let minutes = 0; minutes < 70; minutes += 10) {
    await cluster.wait(600_000);
    cluster.b2b('b2b-211').begin();
    await cluster.subscribe(asking, { expires: 86_400 });
  }
  t.is(silent.end?.code, 4401);
  t.is(asking.end, undefined);
  t.is(receiving.end, undefined);
  await cluster.wait(3_700_000);
  t.is(asking.end?.code, 4401);
});

test('a client that does not read loses its socket, with a reason; others still get events', async (t) => {
  const cluster = await SocketCluster.start();
  const slow = await cluster.open();
  const other = await cluster.open();
  await cluster.subscribe(slow);
  await cluster.subscribe(other);
  slow.pause();
  const b2b = cluster.b2b('b2b-211');
  const call = b2b.begin();
  for (let n = 0; n < 4_000; n++) {
    b2b.event(call, 'refer');
    if (n % 200 === 0) await cluster.wait(10);
  }
  await cluster.wait();
  t.is(slow.end?.code, 1013);
  t.regex(slow.end?.reason ?? '', /bytes wait to be read/);
  t.is(notificationsOn(other).length, 4_001);
});

test('a client that was cut off as too slow gets a gap with the position of each subscription, and misses no event from there', async (t) => {
  const cluster = await SocketCluster.start();
  const slow = await cluster.open();
  await cluster.subscribe(slow, { id: 'all' });
  await cluster.subscribe(slow, { id: 'refers', qid: 7, events: ['callevents.refer'] });
  await cluster.subscribe(slow, { id: 'silent', events: ['confevents.*'] });
  slow.pause();
  const b2b = cluster.b2b('b2b-211');
  const call = b2b.begin();
  for (let n = 0; n < 1_500; n++) {
    b2b.event(call, 'refer');
    if (n % 100 === 0) await cluster.wait(10);
  }
  await cluster.wait();
  t.is(slow.end?.code, 1013);
  slow.resume();
  const gaps = slow.messages.flatMap((each) => {
    const [command, body] = each as [string, { id: string; qid?: number; cursor: string }];
    return command === 'gap' ? [body] : [];
  });
  t.like(gaps, [{ id: 'all' }, { id: 'refers', qid: 7 }, { id: 'silent' }]);
  for (const { id, cursor } of gaps.slice(0, 2)) {
    const again = await cluster.open();
    const events = id === 'all' ? ['callevents.*'] : ['callevents.refer'];
    t.like(await cluster.subscribe(again, { id, events, cursor }), { result: 'ok', gap: undefined });
    await cluster.wait(2_000);
    const missed = [...notificationsOn(slow).filter((each) => each.id === id), ...notificationsOn(again)];
    const expected = cluster.eventsOf('b2b-211').slice(id === 'all' ? 0 : 1);
    t.deepEqual(
      missed.map(({ data }) => data['eventid']),
      expected,
    );
  }
});

test('a flood on one socket is answered in order and in full, and another socket has its turn meanwhile', async (t) => {
  const cluster = await SocketCluster.start();
  const flooding = await cluster.open();
  const other = await cluster.open(acmeUser);
  await cluster.subscribe(flooding, { id: 'x' });
  await cluster.subscribe(other, { id: 'x' });
  flooding.take();
  other.take();
  for (let qid = 0; qid < 20_000; qid++) flooding.send(['subscribe', { id: 'x', qid }]);
  t.true(flooding.received.length <= limits.sliceTurns, 'no more in one turn of the loop');
  other.send(['subscribe', { id: 'x', qid: 'mine' }]);
  await cluster.world.runUntil(() => other.received.length === 1, 1_000);
  t.true(flooding.received.length < 1_000);
  await cluster.world.runUntil(() => flooding.received.length === 20_000, 10_000);
  const qids = flooding.messages.map((each) => (each as [string, { qid: number }])[1].qid);
  t.deepEqual(
    qids,
    qids.map((_each, n) => n),
  );
  t.is(flooding.end, undefined);
});

test('a client that sends and never reads its answers is not read from, until it reads', async (t) => {
  const cluster = await SocketCluster.start();
  const socket = await cluster.open();
  await cluster.subscribe(socket, { id: 'x' });
  socket.take();
  socket.pause();
  for (let qid = 0; qid < 5_000; qid++) socket.send(['subscribe', { id: 'x', qid }]);
  await cluster.wait(10_000);
  t.is(socket.end, undefined);
  t.true(socket.queuedBytes <= limits.socketQueueBytes / 2);
  for (let n = 0; n < 100 && socket.received.length < 5_000; n++) {
    socket.resume();
    await cluster.wait(1_000);
  }
  t.is(socket.received.length, 5_000);
});

test('a client that has vanished loses the socket after two pings', async (t) => {
  const cluster = await SocketCluster.start();
  const there = await cluster.open();
  const vanished = await cluster.open();
  vanished.vanish();
  await cluster.wait(61_000);
  t.is(vanished.end?.code, 1006);
  t.is(there.end, undefined);
});

test('a front that closes says goodbye; one that dies does not', async (t) => {
  const cluster = await SocketCluster.start();
  const token = await cluster.fronts.token(acmeAdmin, 'north');
  const [north, hq] = [await cluster.open(token), await cluster.open(token, 'hq')];
  cluster.world.faults.crashNode('n3');
  t.is(north.end?.code, 1006);
  await cluster.fronts.world.stop();
  t.is(hq.end?.code, 1001);
});

test('what a client sends to a node that is paused is done when it goes on', async (t) => {
  const cluster = await SocketCluster.start();
  const socket = await cluster.open();
  cluster.world.faults.pauseNode('n3');
  socket.send(['subscribe', { id: 'x', objects: 'any', events: ['callevents.*'] }]);
  await cluster.wait(1_000);
  t.deepEqual(socket.messages, []);
  cluster.world.faults.resumeNode('n3');
  await cluster.wait(3_000);
  t.like(socket.messages, [['subscribe', { id: 'x', result: 'ok' }]]);
});

test('what waits at a paused node for a front that crashes meanwhile is not done', async (t) => {
  const cluster = await SocketCluster.start();
  const { world } = cluster;
  const login = JSON.stringify({ domain: acmeAdmin.domain, login: acmeAdmin.login, pwd: acmeAdmin.pwd });
  world.faults.pauseNode('n3');
  const asked = world.request(
    'north',
    new Request(`http://north/rest/v1/iam/sessions`, {
      method: 'POST',
      body: login,
      headers: { 'content-type': 'application/json' },
    }),
  );
  const opened = world.socket('north', { headers: { authorization: 'Bearer x' } });
  const ends = Promise.allSettled([asked, opened]);
  const [front] = world.map.instancesOf('ws').filter(({ node }) => node === 'n3');
  world.faults.crashInstance(front?.name ?? '');
  const done: string[] = [];
  world.observe(({ envelope }) => void done.push(envelope.type), {
    kinds: ['envelope.sent'],
    types: ['directory.authenticate', 'session.changed', 'session.find'],
  });
  world.faults.resumeNode('n3');
  await cluster.wait(3_000);
  t.deepEqual(
    (await ends).map((each) => each.status === 'rejected' && String(each.reason)),
    [
      'FrontAway: the front of site north is away: connection reset',
      'FrontAway: the front of site north is away: connection reset',
    ],
  );
  t.deepEqual(done, []);
});
