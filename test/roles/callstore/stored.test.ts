/** A source that stops waits until callstores have the records of its calls. */
import { CallstoreCluster, members } from '../../kit/calls/callstores.ts';
import { test } from '../../kit/test.ts';

// Seeds 32380 and 32975 of the campaign.
for (const [title, waitMs, down, kept] of [
  ['one of two callstores crashes before the end of the call', 4_000, [members[0]], true],
  ['both callstores crash before the end of the call, and start again', 4_000, members, true],
  ['both do, and the b2b does not wait', 0, members, false],
] as const) {
  test(`the record of a call whose b2b drains is ${kept ? 'kept' : 'lost'}: ${title}`, async (t) => {
    const cluster = await CallstoreCluster.start();
    const b2b = cluster.b2b('b2b-31');
    b2b.drainMs = 1_000;
    b2b.storedMs = waitMs;
    const call = b2b.begin();
    await cluster.pass();
    const drained = cluster.probed.faults.drainNode('a3');
    await cluster.pass(900);
    for (const name of down) cluster.probed.faults.crashInstance(name);
    await cluster.probed.comes(drained);
    void cluster.probed.faults.restartNode('a3');
    await cluster.pass(15_000);
    const records = await cluster.records(cluster.active() ?? '');
    t.deepEqual(
      records.map(({ dialogid, type }) => [dialogid, type]),
      kept ? [[call, 'bye']] : [],
    );
  });
}

test('a callstore answers that it has stored once it has all items of this incarnation, and has written the records', async (t) => {
  const cluster = await CallstoreCluster.start();
  const b2b = cluster.b2b('b2b-31');
  const ask = (epoch: number, upTo: number) =>
    cluster.probed.comes(b2b.scope.ask('north/a1/callstore-12', 'callstore.stored', { epoch, upTo }));
  const call = b2b.begin();
  b2b.end(call);
  const { epoch } = b2b.scope;
  t.like((await ask(epoch, 3)).value, { ok: true });
  t.deepEqual(
    (await cluster.records('callstore-12')).map(({ dialogid }) => dialogid),
    [call],
  );
  t.like((await ask(epoch, 4)).value, { ok: false });
  t.like((await ask(epoch - 1, 1)).value, { ok: false });
});
