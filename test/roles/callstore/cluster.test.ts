/** Callstores of a site: every member hears all, one serves, and it knows all live calls before it answers. */

import { CallstoreCluster, callMap } from '../../kit/calls/callstores.ts';
import { acme, globex, userIdOf } from '../../kit/calls/played-calls.ts';
import { test } from '../../kit/test.ts';

test('live calls are listed from their beginning to their end, over all b2b of the site', async (t) => {
  const cluster = await CallstoreCluster.start();
  const first = cluster.b2b('b2b-11').begin();
  await cluster.pass(10);
  const second = cluster.b2b('b2b-31').begin({ from: '1003' });
  await cluster.pass();
  t.deepEqual(await cluster.live('callstore-12'), [first, second]);
  t.deepEqual(await cluster.live('callstore-12', globex), []);
  const found = await cluster.ask('callstore-12', 'callstore.find', { domain: acme, key: 'login', values: ['1003'] });
  t.deepEqual(
    found.records.map(({ dialogid }) => dialogid),
    [second],
  );
  const got = await cluster.ask('callstore-12', 'callstore.get', { domain: acme, dialogid: first });
  t.is(got.record?.b2b, 'north/a1/b2b-11');
  t.is(got.dialog?.status, 'init');
  const others = await cluster.ask('callstore-12', 'callstore.get', {
    domain: acme,
    own: [[userIdOf(acme, '1003'), '1003']],
    dialogid: first,
  });
  t.deepEqual(others, { record: null, dialog: null });
  cluster.b2b('b2b-11').end(first);
  await cluster.pass();
  t.deepEqual(await cluster.live('callstore-12'), [second]);
});

test('more calls than go into one answer are found piece by piece', async (t) => {
  const cluster = await CallstoreCluster.start();
  const label = 'x'.repeat(900);
  const calls = Array.from({ length: 700 }, () => cluster.b2b('b2b-11').begin({ to: label }));
  await cluster.pass();
  const first = await cluster.ask('callstore-12', 'callstore.find', { domain: acme, key: 'login', values: ['1001'] });
  t.true(first.records.length < calls.length);
  const found = [...first.records];
  for (let { rest } = first; rest !== undefined; ) {
    const piece = await cluster.ask('callstore-12', 'callstore.rest', { rest });
    found.push(...(piece.items as typeof found));
    rest = piece.rest;
  }
  t.deepEqual(found.map(({ dialogid }) => dialogid).sort(), calls.toSorted());
});

test('a call that ended has a record, with its times and how it ended', async (t) => {
  const cluster = await CallstoreCluster.start();
  const b2b = cluster.b2b('b2b-21');
  const startts = cluster.nowMs;
  const call = b2b.begin();
  await cluster.pass(2_000);
  b2b.answer(call);
  await cluster.pass(5_000);
  b2b.end(call, 'call_terminate');
  await cluster.pass();
  const [record, ...others] = await cluster.records('callstore-12');
  t.deepEqual(others, []);
  t.like(record, {
    inviteid: `i-${call}`,
    dialogid: call,
    site: 'north',
    from: `<sip:1001@${acme}>`,
    to: `<sip:1002@${acme}>`,
    startts,
    answerts: startts + 2_000,
    endts: startts + 7_000,
    durationms: 7_000,
    talkms: 5_000,
    type: 'call_terminate',
    status: 200,
    reason: 'OK',
  });
  const one = await cluster.ask('callstore-12', 'callstore.records', { domain: acme, inviteid: `i-${call}` });
  t.is(one.count, 1);
  const foreign = await cluster.ask('callstore-12', 'callstore.records', { domain: globex, inviteid: `i-${call}` });
  t.is(foreign.count, 0);
});

test('a call has its record when its end is published, while its last leg is still to go, also on a slow disk', async (t) => {
  const cluster = await CallstoreCluster.start();
  const b2b = cluster.b2b('b2b-21');
  const [call, other] = [b2b.begin({ inviteid: 'x' }), b2b.begin({ inviteid: 'x' })];
  const records = (by: object) => cluster.ask('callstore-12', 'callstore.records', { domain: acme, ...by });
  await cluster.pass(1_000);
  for (const node of ['a1', 'a2']) cluster.slowStore(node, 300);
  b2b.beginEnd(other);
  await cluster.pass(1_000);
  t.is((await records({ inviteid: 'x' })).count, 0, 'one dialog goes on');
  b2b.beginEnd(call, 'cancel');
  await cluster.pass(50);
  const [one, all] = await Promise.all([records({ inviteid: 'x' }), records({ params: [] })]);
  const ends = [one, all].map(({ records: [record] }) => [record?.type, record?.durationms]);
  t.deepEqual(ends, [ends[1], ['cancel', 2_000]]);
  t.deepEqual(await cluster.live('callstore-12'), [call, other]);
  for (const each of [call, other]) b2b.leave(each);
  await cluster.pass(1_000);
  t.deepEqual((await records({ inviteid: 'x' })).records, one.records);
});

test('dialogs of one inviteid are one call with one record, also when one begins after another has ended', async (t) => {
  const cluster = await CallstoreCluster.start();
  const b2b = cluster.b2b('b2b-11');
  const first = b2b.begin({ inviteid: 'x' });
  const second = b2b.begin({ inviteid: 'x' });
  await cluster.pass(1_000);
  b2b.end(first);
  await cluster.pass(1_000);
  t.deepEqual(await cluster.records('callstore-12'), []);
  b2b.end(second);
  await cluster.pass(1_000);
  const third = b2b.begin({ inviteid: 'x' });
  await cluster.pass(120_000);
  b2b.end(third, 'cancel');
  await cluster.pass();
  const records = await cluster.records('callstore-12');
  t.deepEqual(
    records.map(({ dialogid, durationms, type }) => [dialogid, durationms, type]),
    [[first, 123_000, 'cancel']],
  );
});

test('when the active one is lost the other serves, with all live calls and all records', async (t) => {
  const cluster = await CallstoreCluster.start();
  const [one, two] = [cluster.b2b('b2b-21'), cluster.b2b('b2b-31')];
  const calls = [one.begin(), two.begin(), one.begin()];
  one.end(calls[2] as string);
  await cluster.pass();
  cluster.crashNode('a1');
  await cluster.pass(6_000);
  t.is(cluster.active(), 'callstore-22');
  t.deepEqual(await cluster.live('callstore-22'), calls.slice(0, 2));
  t.deepEqual(
    (await cluster.records('callstore-22')).map(({ dialogid }) => dialogid),
    [calls[2]],
  );
});

test('calls of a b2b whose node dies end as dead, on the callstore that serves, with an event and a record', async (t) => {
  const cluster = await CallstoreCluster.start();
  const lost = cluster.b2b('b2b-31').begin();
  const other = cluster.b2b('b2b-11').begin();
  await cluster.pass();
  cluster.crashNode('a3');
  await cluster.pass(3_500);
  t.deepEqual(
    await cluster.ask('callstore-12', 'callstore.list', { domain: acme, params: [] }, 'ws-13').then((r) => r.count),
    2,
  );
  await cluster.pass(3_000);
  const ask = { domain: acme, params: [] };
  const { dialogs } = await cluster.ask('callstore-12', 'callstore.list', ask, 'ws-13');
  t.deepEqual(
    dialogs.map(({ dialogid }) => dialogid),
    [other],
  );
  const { records } = await cluster.ask('callstore-12', 'callstore.records', ask, 'ws-13');
  t.deepEqual(
    records.map(({ dialogid, type }) => [dialogid, type]),
    [[lost, 'dead']],
  );
  const { items } = await cluster.ask('callstore-12', 'events.read', { after: [] }, 'ws-13');
  const dead = items.filter(({ event }) => event.name === 'dlg_dead');
  t.deepEqual(
    dead.map(({ event, source, sipusers }) => [event.data['dialogid'], source, sipusers]),
    [[lost, 'callstore-12', [userIdOf(acme, '1001'), userIdOf(acme, '1002')]]],
  );
});

// Seed 10249 of the campaign: the second event had the id of the first, and was taken for it.
test('a call that was taken for dead, and went on, is published as dead again when its b2b is gone', async (t) => {
  const cluster = await CallstoreCluster.start();
  const call = cluster.b2b('b2b-31').begin();
  await cluster.pass();
  const dead = async () => {
    const { items } = await cluster.ask('callstore-12', 'events.read', { after: [] }, 'ws-13');
    return items.filter(({ event }) => event.name === 'dlg_dead').map(({ event }) => event.data);
  };
  cluster.probed.faults.pauseNode('a3');
  await cluster.pass(6_500);
  t.is((await dead()).length, 1);
  cluster.probed.faults.resumeNode('a3');
  await cluster.pass(2_000);
  t.deepEqual(await cluster.live('callstore-12'), [call]);
  cluster.crashNode('a3');
  await cluster.pass(6_500);
  const [first, second, ...others] = await dead();
  t.is(second?.['dialogid'], call);
  t.not(second?.['eventid'], first?.['eventid']);
  t.deepEqual(others, []);
});

// Seed 177 of the campaign: the others had lost the node, so it was sent nothing; it had lost none of them, so it asked for nothing.
test('a callstore whose node did nothing learns what it missed with the first pings', async (t) => {
  const cluster = await CallstoreCluster.start();
  const b2b = cluster.b2b('b2b-21');
  const call = b2b.begin();
  await cluster.pass(16_000);
  // Its clocks find that something has come a moment ago.
  const other = b2b.begin();
  await cluster.pass();
  cluster.probed.faults.pauseNode('a1');
  await cluster.pass(5_000);
  b2b.end(call, 'call_terminate');
  await cluster.pass(1_000);
  cluster.probed.faults.resumeNode('a1');
  await cluster.pass(1_500);
  t.deepEqual(await cluster.live('callstore-12'), [other]);
});

test('calls of a b2b instance that crashed end as soon as another life of it begins', async (t) => {
  const cluster = await CallstoreCluster.start();
  const lost = cluster.b2b('b2b-21').begin();
  await cluster.pass();
  cluster.probed.faults.crashInstance('b2b-21');
  await cluster.pass(1_000);
  t.deepEqual(await cluster.live('callstore-12'), []);
  t.deepEqual(
    (await cluster.records('callstore-12')).map(({ dialogid }) => dialogid),
    [lost],
  );
});

test('a b2b that was only cut off has its calls again when it is back, and their real ends count', async (t) => {
  const cluster = await CallstoreCluster.start();
  const b2b = cluster.b2b('b2b-31');
  const calls = [b2b.begin(), b2b.begin(), b2b.begin()];
  await cluster.pass();
  const mend = cluster.probed.faults.cut({ from: 'a3' });
  await cluster.pass(8_000);
  b2b.end(calls[0] as string);
  const late = b2b.begin();
  const ask = { domain: acme, params: [] };
  t.is((await cluster.ask('callstore-12', 'callstore.list', ask, 'ws-13')).count, 0);
  mend();
  await cluster.pass(5_000);
  t.deepEqual(await cluster.live('callstore-12'), [calls[1], calls[2], late]);
  b2b.end(calls[1] as string);
  await cluster.pass();
  const types = new Map((await cluster.records('callstore-12')).map(({ dialogid, type }) => [dialogid, type]));
  t.deepEqual(
    [...calls, late].map((each) => types.get(each)),
    ['bye', 'bye', 'dead', undefined],
  );
});

test('a member that is connected to a b2b keeps its calls, whatever a member that was cut off from it does', async (t) => {
  const cluster = await CallstoreCluster.start();
  const b2b = cluster.b2b('b2b-31');
  const calls = [b2b.begin(), b2b.begin()];
  await cluster.pass();
  const mend = cluster.probed.faults.cut({ from: 'a1', to: 'a3' });
  await cluster.pass(10_000);
  const { count } = await cluster.ask('callstore-12', 'callstore.list', { domain: acme, params: [] }, 'ws-23');
  t.is(count, 0, 'the one that serves is cut off from it');
  mend();
  await cluster.pass(5_000);
  t.deepEqual(await cluster.live('callstore-12'), calls);
  cluster.crashNode('a1');
  await cluster.pass(6_000);
  t.deepEqual(await cluster.live('callstore-22'), calls);
  for (const call of calls) b2b.end(call);
  await cluster.pass();
  t.deepEqual(
    (await cluster.records('callstore-22')).map(({ type }) => type),
    ['bye', 'bye'],
  );
});

// Found by `check b2b+callstores`.
test('a member that misses a b2b for a moment, while the other one takes its calls for dead, keeps them', async (t) => {
  const cluster = await CallstoreCluster.start();
  const calls = [cluster.b2b('b2b-31').begin()];
  await cluster.pass();
  const { faults } = cluster.probed;
  const mends = [faults.cut({ from: 'a1', to: 'a3' })];
  // Both need as long to notice it: the second one does just before the first gives it up.
  await cluster.pass(1_950);
  mends.push(faults.cut({ from: 'a2', to: 'a3' }));
  const isShown = async () => {
    const { count } = await cluster.ask('callstore-12', 'callstore.list', { domain: acme, params: [] }, 'ws-23');
    return count === 1;
  };
  while ((await isShown()) && cluster.nowMs < 20_000) await cluster.pass(100);
  const isMissed = cluster.probed.scope('callstore-22').view.statusOf(callMap.instanceNamed('b2b-31')!) === undefined;
  for (const mend of mends) mend();
  await cluster.pass(5_000);
  t.true(isMissed);
  cluster.crashNode('a1');
  await cluster.pass(6_000);
  t.deepEqual(await cluster.live('callstore-22'), calls);
});

test('a callstore that starts knows the calls of b2b that began long before it', async (t) => {
  const cluster = await CallstoreCluster.start();
  const b2b = cluster.b2b('b2b-31');
  const old = b2b.begin({ from: '1005' });
  // More than a source keeps: only its list knows the call.
  for (let i = 0; i < 20_100; i++) b2b.event(old, 'refer');
  await cluster.pass();
  cluster.crashNode('a1');
  cluster.crashNode('a2');
  await cluster.pass(5_000);
  await cluster.probed.start(['a1', 'a2']);
  t.deepEqual(await cluster.live('callstore-12'), [old]);
  const found = await cluster.ask('callstore-12', 'callstore.find', { domain: acme, key: 'login', values: ['1005'] });
  t.is(found.records.length, 1);
});

test('records that one member has and the other lacks are exchanged when they see each other again', async (t) => {
  const cluster = await CallstoreCluster.start();
  const b2b = cluster.b2b('b2b-11');
  const calls = Array.from({ length: 5 }, () => b2b.begin());
  await cluster.pass();
  cluster.crashNode('a2');
  await cluster.pass(5_000);
  for (const call of calls) b2b.end(call);
  await cluster.pass();
  cluster.probed.faults.crashInstance('b2b-11');
  await cluster.pass(1_000);
  await cluster.probed.start(['a2']);
  await cluster.pass(1_000);
  cluster.crashNode('a1');
  await cluster.pass(6_000);
  t.is(cluster.active(), 'callstore-22');
  const records = await cluster.records('callstore-22');
  t.deepEqual(
    new Set(records.map(({ dialogid, type }) => `${dialogid} ${type}`)),
    new Set(calls.map((each) => `${each} bye`)),
  );
});

test('a request to a callstore that begins to serve waits until it knows all calls', async (t) => {
  const cluster = await CallstoreCluster.start();
  const b2b = cluster.b2b('b2b-31');
  const call = b2b.begin();
  await cluster.pass();
  // Events sent now are lost, and are not sent again.
  const loses = cluster.probed.faults.lose({ from: 'a3', to: 'a2' }, 1);
  b2b.end(call);
  const later = b2b.begin();
  await cluster.pass(50);
  loses();
  cluster.probed.faults.crashInstance('callstore-12');
  let isServed = false;
  while (!isServed) {
    await cluster.pass(1);
    isServed = cluster.active('b2b-21') === 'callstore-22';
  }
  const { value: outcome } = await cluster.probed.comes(
    cluster.probed.scope('ws-23').ask('north/a2/callstore-22', 'callstore.list', { domain: acme, params: [] }),
  );
  t.deepEqual(outcome.ok && outcome.value.dialogs.map(({ dialogid }) => dialogid), [later]);
});

test('a call that ended with its b2b, and that only the member that stands by had heard of, ends all the same', async (t) => {
  const cluster = await CallstoreCluster.start();
  const lost = cluster.b2b('b2b-11').begin();
  await cluster.pass();
  // b2b and callstore restart with empty memories before any peer has missed their node; the callstore serves again.
  cluster.crashNode('a1');
  await cluster.pass(300);
  void cluster.probed.faults.restartNode('a1');
  await cluster.pass(15_000);
  t.is(cluster.active(), 'callstore-12');
  const records = await cluster.records('callstore-12');
  t.deepEqual(
    records.map(({ dialogid, type, from }) => [dialogid, type, from]),
    [[lost, 'dead', `<sip:1001@${acme}>`]],
  );
  const { items } = await cluster.ask('callstore-12', 'events.read', { after: [] });
  const dead = items.filter(({ event }) => event.name === 'dlg_dead');
  t.deepEqual(
    dead.map(({ event, sipusers }) => [event.data['dialogid'], sipusers]),
    [[lost, [userIdOf(acme, '1001'), userIdOf(acme, '1002')]]],
  );
});

for (const [title, faults] of [
  ['the active callstore has crashed and no one noticed', ['crash a1', 'drain a2']],
  ['the callstore that stands by has crashed and no one noticed', ['crash a2', 'drain a1']],
  ['both drain at once', ['drain a1', 'drain a2']],
  ['the one that stands by drains first', ['drain a2', 'drain a1']],
] as const) {
  test(`a call that its node ends when it drains has its record: ${title}`, async (t) => {
    const cluster = await CallstoreCluster.start();
    const ended = ['a1', 'a2'].filter((node) => faults.some((each) => each === `drain ${node}`));
    const calls = ended.map((node) => {
      const b2b = cluster.b2b(`b2b-${node.slice(1)}1`);
      b2b.drainMs = 3_000;
      return b2b.begin();
    });
    await cluster.pass();
    for (const each of faults) {
      const [verb, node] = each.split(' ') as [string, string];
      if (verb === 'crash') cluster.crashNode(node);
      else void cluster.probed.faults.drainNode(node);
    }
    await cluster.pass(12_000);
    for (const node of ['a1', 'a2']) void cluster.probed.faults.restartNode(node);
    await cluster.pass(15_000);
    const records = await cluster.records('callstore-12');
    t.deepEqual(records.map(({ dialogid, type }) => [dialogid, type]).sort(), calls.map((id) => [id, 'bye']).sort());
  });
}

test('a call whose last leg goes when no callstore runs has the record of its end', async (t) => {
  const cluster = await CallstoreCluster.start();
  const b2b = cluster.b2b('b2b-31');
  const ended = b2b.begin();
  const live = b2b.begin({ from: '1003' });
  await cluster.pass();
  b2b.beginEnd(ended);
  await cluster.pass();
  for (const node of ['a2', 'a1']) await cluster.probed.comes(cluster.probed.faults.drainNode(node));
  b2b.leave(ended);
  for (const node of ['a1', 'a2']) void cluster.probed.faults.restartNode(node);
  await cluster.pass(15_000);
  const records = await cluster.records('callstore-12');
  t.deepEqual(
    records.map(({ dialogid, type }) => [dialogid, type]),
    [[ended, 'bye']],
  );
  t.deepEqual(await cluster.live('callstore-12'), [live]);
});
