/** Cursors: a client that comes back is told what it missed, once and in order, or that something is missing for good. */
import test from 'ava';
import { acmeAdmin, SocketCluster, shortOf, toldOn } from '../kit/sockets.ts';

test('a client that comes back with a cursor is told what it missed, and then what comes', async (t) => {
  const cluster = await SocketCluster.start();
  const first = await cluster.open();
  await cluster.subscribe(first);
  const b2b = cluster.b2b('b2b-211');
  const [one, two] = [b2b.begin(), cluster.b2b('b2b-111').begin()];
  await cluster.wait();
  const cursor = toldOn(first).at(-1)?.cursor;
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
    shortOf(toldOn(second)).toSorted(),
    [`dlg_end ${one}`, `dlg_end ${two}`, `dlg_start ${one}`, `invite ${three}`].toSorted(),
  );
  const ofOne = shortOf(toldOn(second)).filter((each) => each.endsWith(one));
  t.deepEqual(ofOne, [`dlg_start ${one}`, `dlg_end ${one}`]);
});

test('the cursor of an answer, and of any notification in the middle, is good at another site too', async (t) => {
  const cluster = await SocketCluster.start();
  const first = await cluster.open();
  const answer = await cluster.subscribe(first);
  const b2b = cluster.b2b('b2b-211');
  const calls = Array.from({ length: 5 }, () => b2b.begin());
  await cluster.wait();
  const told = toldOn(first);
  const token = await cluster.fronts.token(acmeAdmin, 'hq');
  const cursors = [answer['cursor'], ...told.map(({ cursor }) => cursor)];
  for (const [index, cursor] of cursors.entries()) {
    const socket = await cluster.open(token, 'hq');
    await cluster.subscribe(socket, { cursor });
    await cluster.wait();
    t.deepEqual(
      shortOf(toldOn(socket)),
      calls.slice(index).map((call) => `invite ${call}`),
    );
  }
});

test('events that come while a past is read are told behind it, once', async (t) => {
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
  const ids = (socket: typeof first) => toldOn(socket).map(({ data }) => data['eventid']);
  t.is(ids(first).length, 3_201);
  t.deepEqual(ids(second), ids(first));
});

test('a past that is longer than what may wait for a client is told as fast as it reads', async (t) => {
  const cluster = await SocketCluster.start();
  const first = await cluster.open();
  const { cursor } = await cluster.subscribe(first);
  const b2b = cluster.b2b('b2b-211');
  const call = b2b.begin();
  for (let n = 0; n < 6_000; n++) b2b.event(call, 'refer');
  await cluster.wait();
  const second = await cluster.open();
  second.pause();
  second.send(['subscribe', { id: 'x', objects: 'any', events: ['callevents.*'], cursor }]);
  for (let n = 0; n < 100; n++) {
    await cluster.wait(60);
    second.resume();
    second.pause();
  }
  t.is(second.end, undefined);
  t.is(toldOn(second).length, 6_001);
});

test('a cursor that is too old is told so: what is kept comes behind it', async (t) => {
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
  t.is(toldOn(second).length, 10_000);
});

test('a site that was cut off when a subscription began tells its events when it is back', async (t) => {
  const cluster = await SocketCluster.start();
  const mend = cluster.world.faults.cut({ from: 'hq' });
  await cluster.wait(4_000);
  const socket = await cluster.open();
  t.is((await cluster.subscribe(socket))['result'], 'ok');
  const call = cluster.b2b('b2b-111').begin();
  const here = cluster.b2b('b2b-211').begin();
  await cluster.wait(1_000);
  t.deepEqual(shortOf(toldOn(socket)), [`invite ${here}`]);
  mend();
  await cluster.wait(5_000);
  t.deepEqual(shortOf(toldOn(socket)), [`invite ${here}`, `invite ${call}`]);
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
  t.deepEqual(shortOf(toldOn(second)).toSorted(), wanted.toSorted());
});
