/** Cursors: a client that reconnects gets the events that it missed, once and in order, or a notice that some are lost. */

import { acmeAdmin, notificationsOn, SocketCluster, shortOf } from '../../kit/http/sockets.ts';
import { test } from '../../kit/test.ts';

test('a client that reconnects with a cursor gets the events that it missed, then new ones', async (t) => {
  const cluster = await SocketCluster.start();
  const first = await cluster.open();
  await cluster.subscribe(first);
  const b2b = cluster.b2b('b2b-211');
  const [one, two] = [b2b.begin(), cluster.b2b('b2b-111').begin()];
  await cluster.wait();
  const cursor = notificationsOn(first).at(-1)?.cursor;
  first.close();
  b2b.answer(one);
  await cluster.wait();
  b2b.end(one);
  cluster.b2b('b2b-111').end(two);
  await cluster.wait(20_000);
  const second = await cluster.open();
  const answer = await cluster.subscribe(second, { cursor });
  t.is(answer['gap'], undefined);
  await cluster.wait();
  const three = b2b.begin();
  await cluster.wait();
  t.deepEqual(
    shortOf(notificationsOn(second)).toSorted(),
    [`dlg_end ${one}`, `dlg_end ${two}`, `dlg_start ${one}`, `invite ${three}`].toSorted(),
  );
  const ofOne = shortOf(notificationsOn(second)).filter((each) => each.endsWith(one));
  t.deepEqual(ofOne, [`dlg_start ${one}`, `dlg_end ${one}`]);
});

test('the cursor of an answer, and of any notification in the middle, is good at another site too', async (t) => {
  const cluster = await SocketCluster.start();
  const first = await cluster.open();
  const answer = await cluster.subscribe(first);
  const b2b = cluster.b2b('b2b-211');
  const calls = Array.from({ length: 5 }, () => b2b.begin());
  await cluster.wait();
  const events = notificationsOn(first);
  const token = await cluster.fronts.token(acmeAdmin, 'hq');
  const cursors = [answer['cursor'], ...events.map(({ cursor }) => cursor)];
  for (const [index, cursor] of cursors.entries()) {
    const socket = await cluster.open(token, 'hq');
    await cluster.subscribe(socket, { cursor });
    await cluster.wait();
    t.deepEqual(
      shortOf(notificationsOn(socket)),
      calls.slice(index).map((call) => `invite ${call}`),
    );
  }
});

test('events that happen during a catch-up are sent after it, once', async (t) => {
  const cluster = await SocketCluster.start();
  const first = await cluster.open();
  const { cursor } = await cluster.subscribe(first);
  const b2b = cluster.b2b('b2b-211');
  const call = b2b.begin();
  for (let n = 0; n < 3_000; n++) b2b.event(call, 'refer');
  await cluster.wait();
  const second = await cluster.open();
  second.send(['subscribe', { id: 'x', objects: 'any', events: ['callevents.*'], cursor }]);
  for (let n = 0; n < 200; n++) {
    b2b.event(call, 'replaces_refer');
    await cluster.wait(1);
  }
  await cluster.wait(1_000);
  const ids = (socket: typeof first) => notificationsOn(socket).map(({ data }) => data['eventid']);
  t.is(ids(first).length, 3_201);
  t.deepEqual(ids(second), ids(first));
});

test('a catch-up of several subscriptions, longer than the queue of their client, is sent at the pace at which it reads', async (t) => {
  const cluster = await SocketCluster.start();
  const first = await cluster.open();
  const { cursor } = await cluster.subscribe(first);
  const b2b = cluster.b2b('b2b-211');
  const call = b2b.begin();
  for (let n = 0; n < 1_500; n++) b2b.event(call, 'refer');
  await cluster.wait();
  const second = await cluster.open();
  second.pause();
  for (const id of ['w', 'x', 'y', 'z']) {
    second.send(['subscribe', { id, objects: 'any', events: ['callevents.*'], cursor }]);
  }
  for (let n = 0; n < 100; n++) {
    await cluster.wait(60);
    second.resume();
    second.pause();
  }
  t.is(second.end, undefined);
  t.is(notificationsOn(second).length, 4 * 1_501);
});

test('a cursor that is too old gets a gap, then the events that are kept', async (t) => {
  const cluster = await SocketCluster.start();
  const first = await cluster.open();
  const { cursor } = await cluster.subscribe(first);
  first.close();
  const b2b = cluster.b2b('b2b-211');
  const call = b2b.begin();
  for (let n = 0; n < 11_000; n++) {
    b2b.event(call, 'refer');
    if (n % 1_000 === 0) await cluster.wait(10);
  }
  await cluster.wait();
  const second = await cluster.open();
  const answer = await cluster.subscribe(second, { cursor });
  t.is(answer['gap'], true);
  await cluster.wait(2_000);
  t.is(notificationsOn(second).length, 10_000);
});

test('the events of a site that was cut off when a subscription began arrive when it is back', async (t) => {
  const cluster = await SocketCluster.start();
  const mend = cluster.world.faults.cut({ from: 'hq' });
  await cluster.wait(4_000);
  const socket = await cluster.open();
  t.is((await cluster.subscribe(socket))['result'], 'ok');
  const call = cluster.b2b('b2b-111').begin();
  const here = cluster.b2b('b2b-211').begin();
  await cluster.wait(1_000);
  t.deepEqual(shortOf(notificationsOn(socket)), [`invite ${here}`]);
  mend();
  await cluster.wait(5_000);
  t.deepEqual(shortOf(notificationsOn(socket)), [`invite ${here}`, `invite ${call}`]);
});

test('events of a site from long before a subscription that began while it was cut off are not sent, neither to one that continues it', async (t) => {
  const cluster = await SocketCluster.start();
  const there = cluster.b2b('b2b-121');
  there.end(there.begin());
  await cluster.wait(600_000);
  cluster.world.faults.cut({ from: 'hq' });
  const token = await cluster.fronts.token(acmeAdmin, 'north');
  const first = await cluster.open(token);
  const { cursor } = await cluster.subscribe(first);
  cluster.world.faults.mend();
  await cluster.wait(30_000);
  first.close();
  const call = there.begin();
  await cluster.wait(600_000);
  const second = await cluster.open(token);
  const { cursor: next } = await cluster.subscribe(second, { cursor });
  await cluster.wait(1_000);
  t.deepEqual(shortOf(notificationsOn(second)), [`invite ${call}`]);
  const third = await cluster.open(token);
  await cluster.subscribe(third, { cursor: next });
  await cluster.wait(1_000);
  t.deepEqual(shortOf(notificationsOn(third)), [`invite ${call}`]);
});

test('an event that happens after a subscription began is sent, though a clock has just been set', async (t) => {
  const cluster = await SocketCluster.start();
  const before = await cluster.open();
  await cluster.subscribe(before);
  const b2b = cluster.b2b('b2b-221');
  b2b.begin();
  await cluster.wait(5_000);
  cluster.world.faults.skew(['n1', 'n3'], 10_000);
  const socket = await cluster.open();
  await cluster.subscribe(socket);
  const call = b2b.begin();
  await cluster.wait();
  t.deepEqual(shortOf(notificationsOn(socket)), [`invite ${call}`]);
});

test('a callstore that fails over while a client is away, and again, leaves no gap', async (t) => {
  const cluster = await SocketCluster.start();
  const first = await cluster.open();
  const { cursor } = await cluster.subscribe(first);
  first.close();
  const b2b = cluster.b2b('b2b-221');
  const calls = [b2b.begin()];
  await cluster.wait();
  // The calls of this life end with it, which only callstores can tell later.
  calls.push(cluster.b2b('b2b-231').begin());
  await cluster.wait();
  cluster.world.faults.crashInstance('b2b-231');
  await cluster.wait(2_000);
  cluster.world.faults.crashInstance('callstore-212');
  await cluster.wait(3_000);
  calls.push(b2b.begin());
  cluster.world.faults.crashInstance('callstore-222');
  await cluster.wait(3_000);
  const second = await cluster.open();
  const answer = await cluster.subscribe(second, { cursor });
  await cluster.wait(1_000);
  t.is(answer['gap'], undefined);
  const wanted = [`invite ${calls[0]}`, `invite ${calls[1]}`, `dlg_dead ${calls[1]}`, `invite ${calls[2]}`];
  t.deepEqual(shortOf(notificationsOn(second)).toSorted(), wanted.toSorted());
});

test('the cursor of a renewal says what its subscription was sent, also while an event is on its way to many', async (t) => {
  const cluster = await SocketCluster.start();
  const token = await cluster.fronts.token(acmeAdmin, 'north');
  const sockets = [await cluster.open(token), await cluster.open(token)];
  const ids = Array.from({ length: 65 }, (_, n) => `s${n}`);
  for (const socket of sockets) for (const id of ids) await cluster.subscribe(socket, { id });
  const b2b = cluster.b2b('b2b-211');
  const call = b2b.begin();
  for (let n = 0; n < 300; n++) b2b.event(call, 'refer');
  const last = sockets[1] as (typeof sockets)[number];
  const renewSoon = (left: number): void => {
    last.send(['subscribe', { id: ids[left % ids.length], expires: 3_600 }]);
    if (left > 0) cluster.world.clock.setTimer(0, () => renewSoon(left - 1));
  };
  await cluster.world.runUntil(() => notificationsOn(last).length > 0, 1_000);
  renewSoon(300);
  await cluster.wait(1_000);
  const given = new Map<string, string>();
  for (const [command, { id, cursor }] of last.messages as [string, { id: string; cursor: string }][]) {
    if (command === 'event') given.set(id, cursor);
    else t.is(cursor, given.get(id) ?? cursor);
  }
  t.is(notificationsOn(last).length, 301 * ids.length);
});
