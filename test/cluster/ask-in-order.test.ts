/** Asking a role, whichever of its instances serves. */

import { askRole } from '../../src/cluster/messaging/ask-in-order.ts';
import { done, type Fault, failed, fault } from '../../src/model/fault.ts';
import { ProbedCluster } from '../kit/cluster/probed-cluster.ts';
import { test } from '../kit/test.ts';

/** A cluster whose mware instances give scripted answers, by name; the others succeed. */
async function clusterOf(faults: Readonly<Record<string, Fault>> = {}): Promise<ProbedCluster> {
  const cluster = new ProbedCluster({
    answer: (_, { instance }) => {
      const refusal = faults[instance.name];
      return refusal === undefined ? done({ ids: [instance.name], missing: [] }) : failed(refusal);
    },
  });
  await cluster.start();
  return cluster;
}

async function ask(cluster: ProbedCluster, options: { patienceMs?: number; isRelay?: boolean; domain?: string } = {}) {
  const scope = cluster.scope('ws-211');
  const { domain = 'acme.root.test', isRelay = false, ...patience } = options;
  const sinceMs = cluster.clock.now();
  const search = { key: 'dialogid' as const, value: '1', mode: 'number' as const };
  const body = { domain, search };
  const question = { type: 'mware.calls.find' as const, body, deadlineMs: sinceMs + 5_000, ...patience };
  const { value, atMs } = await cluster.comes(askRole(scope, { role: 'mware', domain, isRelay }, question));
  const asked = cluster.received.splice(0).filter(({ envelope }) => envelope.type === 'mware.calls.find');
  return { outcome: value, tookMs: atMs - sinceMs, asked: asked.map(({ by }) => by) };
}

test('the instance of the own site that serves is asked', async (t) => {
  const { outcome, asked } = await ask(await clusterOf());
  t.deepEqual(outcome, done({ ids: ['mware-215'], missing: [] }));
  t.deepEqual(asked, ['mware-215']);
});

test('only instances that serve the domain are asked', async (t) => {
  const { asked } = await ask(await clusterOf(), { domain: 'root.test' });
  t.deepEqual(asked, ['mware-115']);
});

test('an overloaded instance is passed over, unless it relays for others', async (t) => {
  const cluster = await clusterOf({ 'mware-215': fault('overloaded', 'full') });
  t.deepEqual((await ask(cluster)).asked, ['mware-215', 'mware-115']);
  const { outcome, asked } = await ask(cluster, { isRelay: true });
  t.deepEqual(outcome, failed(fault('overloaded', 'full', 'north/n1/mware-215')));
  t.deepEqual(asked, ['mware-215']);
});

test('when all instances are overloaded, the answer is that fault', async (t) => {
  const full = fault('overloaded', 'full');
  const last = fault('overloaded', 'full', 'south/s1/mware-315');
  const cluster = await clusterOf({ 'mware-215': full, 'mware-115': full, 'mware-315': full });
  const { outcome, asked } = await ask(cluster);
  t.deepEqual(outcome, failed(last));
  t.deepEqual(asked, ['mware-215', 'mware-115', 'mware-315']);
});

for (const code of ['invalid', 'not_found', 'conflict', 'timeout', 'crashed'] as const) {
  test(`the answer ${code} is final: no other instance is asked`, async (t) => {
    const refusal = fault(code, 'so it is', 'north/n1/mware-215');
    const { outcome, asked } = await ask(await clusterOf({ 'mware-215': refusal }));
    t.deepEqual(outcome, failed(refusal));
    t.deepEqual(asked, ['mware-215']);
  });
}

test('a fault of another role or instance is an answer; an instance that does not serve itself is passed over', async (t) => {
  const origins = ['ivr', 'north/n1/mware-2150', 'north/n1/mware-21', 'hq/h1/mware-115'];
  for (const code of ['unreachable', 'standby'] as const) {
    for (const origin of origins) {
      // Words decide nothing, whatever they begin with.
      const other = fault(code, 'north/n1/mware-215 is not reachable', origin);
      const { outcome, asked } = await ask(await clusterOf({ 'mware-215': other }));
      t.deepEqual(outcome, failed(other));
      t.deepEqual(asked, ['mware-215'], origin);
    }
    for (const self of [fault(code, 'not now'), fault(code, 'not now', 'north/n1/mware-215')]) {
      const { outcome, asked } = await ask(await clusterOf({ 'mware-215': self }));
      t.true(outcome.ok);
      t.deepEqual(asked, ['mware-215', 'mware-115']);
    }
  }
});

test('with patience, an instance that crashes or is silent is skipped; without, the ask may have happened', async (t) => {
  const died = fault('crashed', 'north/n1/mware-215 died of it');
  const cluster = await clusterOf({ 'mware-215': died });
  const { outcome, asked } = await ask(cluster, { patienceMs: 1_000 });
  t.true(outcome.ok);
  t.deepEqual(asked, ['mware-215', 'mware-115']);

  const silent = await clusterOf();
  silent.faults.crashInstance('mware-215');
  await silent.pass(5_000);
  silent.faults.pauseNode('n2');
  const slow = await ask(silent);
  t.false(slow.outcome.ok);
  t.true(!slow.outcome.ok && slow.outcome.fault.code === 'timeout');
  silent.faults.resumeNode('n2');
  await silent.pass(10_000);
  silent.faults.pauseNode('n2');
  const passed = await ask(silent, { patienceMs: 1_000 });
  t.true(passed.outcome.ok);
  t.true(passed.tookMs >= 1_000 && passed.tookMs < 1_500, `${passed.tookMs}`);
});

test('without an active instance the fault names the role', async (t) => {
  const cluster = await clusterOf();
  for (const node of ['h1', 'h2', 'h3', 's1', 's2', 'n2']) cluster.faults.crashNode(node);
  await cluster.pass(15_000);
  const { outcome, asked } = await ask(cluster);
  t.deepEqual(outcome, failed(fault('unreachable', 'mware is not reachable from site north', 'mware')));
  t.deepEqual(asked, []);
});
