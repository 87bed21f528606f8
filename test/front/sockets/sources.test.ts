/** Subscriptions while the sources of events start again, and a callstore learns of them late. */
import { SocketCluster } from '../../kit/http/sockets.ts';
import { test } from '../../kit/test.ts';

test('a subscription that began after its sources had started again misses nothing, though the callstore learns of them late', async (t) => {
  const cluster = await SocketCluster.start();
  const { faults } = cluster.world;
  const before = await cluster.open();
  await cluster.subscribe(before);
  cluster.b2b('b2b-211').begin();
  await cluster.wait(1_000);
  const release = faults.hold({ from: 'b2b-211', to: '*', oneWay: true, kinds: ['reply'] });
  for (const name of ['callstore-212', 'callstore-222', 'callstore-232', 'b2b-211']) faults.crashInstance(name);
  await cluster.wait(5_000);
  const after = await cluster.open();
  t.is((await cluster.subscribe(after))['result'], 'ok');
  release();
  await cluster.wait(15_000);
  const gaps = (socket: typeof after) => socket.received.filter((text) => text.startsWith('["gap"')).length;
  t.true(gaps(before) > 0);
  t.is(gaps(after), 0);
});
