/** Recordings at the callstores of a site: every member has them, and what is deleted stays deleted. */

import type { CallRecording } from '../../../src/model/recording/recording.ts';
import { CallstoreCluster } from '../../kit/calls/callstores.ts';
import { acme, globex } from '../../kit/calls/played-calls.ts';
import { test } from '../../kit/test.ts';

/** A call of 5 s, all of which is recorded. */
async function recordedCall(cluster: CallstoreCluster, name = 'b2b-31'): Promise<string> {
  const b2b = cluster.b2b(name);
  const call = b2b.begin();
  b2b.answer(call);
  b2b.record(call);
  await cluster.pass(5_000);
  return call;
}

async function found(cluster: CallstoreCluster, to: string, call: string, domain = acme) {
  return cluster.ask(to, 'callstore.recordings', { domain, inviteid: `i-${call}` });
}

/** Length of each, in milliseconds. */
function lengths(recordings: readonly CallRecording[]): number[] {
  return recordings.map(({ startts, endts = 0 }) => endts - startts);
}

function remove(cluster: CallstoreCluster, to: string, call: string) {
  const names = [`${call}-1.wav`, 'x.wav'];
  return cluster.ask(to, 'callstore.recordings.delete', { domain: acme, inviteid: `i-${call}`, names });
}

test('a recording is there when its call is over, and as long as that', async (t) => {
  const cluster = await CallstoreCluster.start();
  const call = await recordedCall(cluster);
  t.deepEqual(await found(cluster, 'callstore-12', call), { isKnown: true, recordings: [] });
  cluster.b2b('b2b-31').end(call);
  await cluster.pass();
  const { isKnown, recordings } = await found(cluster, 'callstore-12', call);
  t.deepEqual([isKnown, lengths(recordings)], [true, [5_000]]);
  t.like((await cluster.records('callstore-12'))[0], { talkms: 5_000, recordings: 1 });
  t.deepEqual(await found(cluster, 'callstore-12', call, globex), { isKnown: false, recordings: [] });
  t.deepEqual(await found(cluster, 'callstore-12', 'unknown'), { isKnown: false, recordings: [] });
});

test('the member that takes over has what was recorded, also of calls that go on', async (t) => {
  const cluster = await CallstoreCluster.start();
  const first = await recordedCall(cluster);
  cluster.b2b('b2b-31').end(first);
  const second = await recordedCall(cluster);
  cluster.crashNode('a1');
  await cluster.pass(6_000);
  cluster.b2b('b2b-31').end(second);
  await cluster.pass();
  t.deepEqual(lengths((await found(cluster, 'callstore-22', first)).recordings), [5_000]);
  t.deepEqual(lengths((await found(cluster, 'callstore-22', second)).recordings), [11_000]);
});

test('a call whose b2b dies is recorded until it has died', async (t) => {
  const cluster = await CallstoreCluster.start();
  const call = await recordedCall(cluster, 'b2b-21');
  cluster.crashNode('a2');
  await cluster.pass(10_000);
  const [record] = await cluster.records('callstore-12');
  t.like(record, { type: 'dead', recordings: 1 });
  const { recordings } = await found(cluster, 'callstore-12', call);
  t.deepEqual(lengths(recordings), [record?.talkms]);
});

test('dialogs of one call have recordings of their own', async (t) => {
  const cluster = await CallstoreCluster.start();
  const b2b = cluster.b2b('b2b-31');
  const both = [b2b.begin({ inviteid: 'i-x' }), b2b.begin({ inviteid: 'i-x' })];
  for (const call of both) {
    b2b.answer(call);
    b2b.record(call);
    await cluster.pass(1_000);
  }
  for (const call of both) {
    b2b.end(call);
    await cluster.pass(1_000);
  }
  const { recordings } = await found(cluster, 'callstore-12', 'x');
  t.deepEqual(
    recordings.map(({ dialogid }) => dialogid),
    both,
  );
  t.deepEqual(lengths(recordings), [2_000, 2_000]);
});

test('a deleted recording is deleted at every member, also after a failover', async (t) => {
  const cluster = await CallstoreCluster.start();
  const call = await recordedCall(cluster);
  cluster.b2b('b2b-31').end(call);
  await cluster.pass();
  t.deepEqual(await remove(cluster, 'callstore-12', call), { deleted: [`${call}-1.wav`] });
  t.deepEqual(await remove(cluster, 'callstore-12', call), { deleted: [] });
  cluster.crashNode('a1');
  await cluster.pass(6_000);
  t.deepEqual(await found(cluster, 'callstore-22', call), { isKnown: true, recordings: [] });
  t.is((await cluster.records('callstore-22'))[0]?.recordings, 0);
});

// Seed 4088: the active one crashed after its answer, and the next one listed the recording until it had written what it had heard.
test('a deletion is answered when each member in reach has written it', async (t) => {
  const cluster = await CallstoreCluster.start();
  const call = await recordedCall(cluster);
  cluster.b2b('b2b-31').end(call);
  await cluster.pass(1_000);
  const [writeMs, beganMs] = [400, cluster.nowMs];
  cluster.slowStore('a2', writeMs);
  t.deepEqual(await remove(cluster, 'callstore-12', call), { deleted: [`${call}-1.wav`] });
  t.true(cluster.nowMs - beganMs >= writeMs, `${cluster.nowMs - beganMs} ms`);
});

test('a member that was away when a recording was deleted does not bring it back', async (t) => {
  const cluster = await CallstoreCluster.start();
  const call = await recordedCall(cluster);
  cluster.b2b('b2b-31').end(call);
  await cluster.pass(1_000);
  cluster.crashNode('a2');
  await cluster.pass(6_000);
  await remove(cluster, 'callstore-12', call);
  const back = cluster.probed.faults.restartNode('a2');
  await cluster.pass(10_000);
  await back;
  t.is(cluster.active(), 'callstore-12');
  cluster.crashNode('a1');
  await cluster.pass(6_000);
  t.is(cluster.active(), 'callstore-22');
  t.deepEqual(await found(cluster, 'callstore-22', call), { isKnown: true, recordings: [] });
});
