/** Callstores whose nodes crash and are back at once: what clients that follow the events of the site get then. */
import { SeededRandom } from '../../../sim/ports/random.ts';
import { SimulatedStores } from '../../../sim/ports/store.ts';
import type { Role } from '../../../src/cluster/role.ts';
import { done, type Outcome } from '../../../src/model/fault.ts';
import { limits } from '../../../src/model/limits.ts';
import { createCallstore } from '../../../src/roles/callstore/callstore.ts';
import { CallstoreCluster, callMap } from '../../kit/calls/callstores.ts';
import { ProbedCluster } from '../../kit/cluster/probed-cluster.ts';
import { test } from '../../kit/test.ts';

/** The end of a call of b2b-11 was published; both members of the group have it. */
async function endedCall() {
  const cluster = await CallstoreCluster.start();
  const b2b = cluster.b2b('b2b-11');
  const call = b2b.begin();
  await cluster.pass();
  const { position } = await cluster.ask('callstore-12', 'events.read', { after: [] });
  b2b.end(call);
  await cluster.pass(60_000);
  return { cluster, position };
}

/** Crashes nodes, and starts them again before they are missed. */
async function restart(cluster: CallstoreCluster, nodes: readonly string[]): Promise<void> {
  for (const node of nodes) cluster.crashNode(node);
  await cluster.pass(500);
  void cluster.probed.cluster.start(nodes);
  await cluster.pass(3_000);
}

const namesOf = (items: readonly { readonly event: { readonly name: string } }[]) =>
  items.map(({ event }) => event.name);

test('a callstore whose node is back before it is missed has the events that the other member has kept', async (t) => {
  const { cluster, position } = await endedCall();
  await restart(cluster, ['a1']);
  t.is(cluster.active(), 'callstore-12');
  const { items, gap } = await cluster.ask('callstore-12', 'events.read', { after: position });
  t.deepEqual(namesOf(items), ['dlg_end']);
  t.false(gap);
});

test('a client gets a gap when the source of events and all members that had them have started again', async (t) => {
  const { cluster, position } = await endedCall();
  await restart(cluster, ['a1', 'a2']);
  const { items, gap, position: next } = await cluster.ask('callstore-12', 'events.read', { after: position });
  t.deepEqual([namesOf(items), gap], [[], true]);
  const later = await cluster.ask('callstore-12', 'events.read', { after: next });
  t.false(later.gap, 'once');
});

test('a callstore that has started again says at once that its own earlier events are lost', async (t) => {
  const cluster = await CallstoreCluster.start();
  cluster.b2b('b2b-31').begin();
  await cluster.pass();
  cluster.crashNode('a3');
  await cluster.pass(60_000);
  void cluster.probed.cluster.start(['a3']);
  await cluster.pass(3_000);
  const active = cluster.active() ?? '';
  const { position } = await cluster.ask(active, 'events.read', { after: [] });
  const after = position.filter(([source]) => source === active);
  t.is(after.length, 1, 'it has published the death of the call');
  await restart(cluster, ['a1', 'a2']);
  const { gap, position: next } = await cluster.ask(cluster.active() ?? '', 'events.read', { after });
  t.true(gap);
  t.false((await cluster.ask(cluster.active() ?? '', 'events.read', { after: next })).gap, 'once');
});

test('an event that a callstore reads again after its restart is as old as it is', async (t) => {
  const cluster = await CallstoreCluster.start();
  cluster.b2b('b2b-31').begin();
  await cluster.pass(60_000);
  await restart(cluster, ['a1', 'a2']);
  const all = await cluster.ask('callstore-12', 'events.read', { after: [] });
  t.deepEqual(namesOf(all.items), ['invite']);
  const { items } = await cluster.ask('callstore-12', 'events.follow', { follow: 'x', after: [], lastMs: 10_000 });
  t.deepEqual(items, []);
});

test('a member that stands by gives its events to the others of its group only', async (t) => {
  const { cluster } = await endedCall();
  await t.throwsAsync(cluster.ask('callstore-22', 'events.read', { after: [] }), { message: /standby/ });
});

test('a callstore that is elected again before it has reconciled waits for the sources anew', async (t) => {
  let standby: Role<'callstore'> | undefined;
  const silent = new Promise<Outcome<unknown>>(() => {});
  const probed: ProbedCluster = new ProbedCluster({
    map: callMap,
    answer: ({ type }) => (type === 'stream.read' ? silent : done({})),
    roles: {
      callstore: (scope) => {
        const random = new SeededRandom(1).stream('faults');
        const role = createCallstore(scope, new SimulatedStores({ clock: scope.clock, random }));
        if (scope.instance.name === 'callstore-22') standby = role;
        return role;
      },
    },
  });
  await probed.start();
  standby?.serve?.();
  await probed.pass(600);
  standby?.standBy?.();
  standby?.serve?.();
  await probed.pass(limits.reconcileMs - 300);
  let isAnswered = false;
  const envelope = { id: 'x', kind: 'ask', type: 'callstore.get', from: '', to: '', hops: 0, body: {} } as const;
  const answer = standby?.handlers['callstore.get']({ domain: 'root.test', dialogid: 'x' }, envelope);
  void Promise.resolve(answer).then(() => {
    isAnswered = true;
  });
  await probed.pass(250);
  t.false(isAnswered);
  await probed.pass(100);
  t.true(isAnswered);
});
