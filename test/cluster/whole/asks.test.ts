/** Asks between role instances: the ways they take, and how each one ends. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { done, failed, fault } from '../../../src/model/fault.ts';
import { limits } from '../../../src/model/limits.ts';
import { ProbedCluster } from '../../kit/cluster/probed-cluster.ts';
import { holds, sized } from '../../kit/property.ts';
import { test } from '../../kit/test.ts';

const body = { ip: '10.0.0.1' };

test('an ask is answered from anywhere, and the longest way inside a whole cluster is two links', async (t) => {
  const probed = new ProbedCluster();
  await probed.start();
  for (const from of ['ws-111', 'ivr-131', 'ws-211', 'conf-224', 'esg-321']) {
    for (const to of ['esg-113', 'esg-122', 'esg-221', 'esg-321', 'sg-123', 'sg-313']) {
      const { value } = await probed.comes(probed.scope(from).ask(probed.address(to), 'filter.remove', body));
      t.deepEqual(value, { ok: true, value: {} }, `${from} to ${to}`);
      const { by, envelope } = probed.received.at(-1)!;
      t.is(by, to);
      t.true(envelope.hops <= 2, `${from} to ${to} took ${envelope.hops} links`);
    }
  }
  t.is(probed.cluster.openAsks, 0);
});

test('while the direct lines are cut an ask between two working sites goes through the master site', async (t) => {
  const probed = new ProbedCluster();
  await probed.start();
  probed.faults.cut({ from: 'north', to: 'south' });
  await probed.pass(6_000);
  const { value } = await probed.comes(probed.scope('ws-211').ask(probed.address('esg-321'), 'filter.remove', body));
  t.true(value.ok);
  t.is(probed.received.at(-1)!.envelope.hops, 2);
  probed.faults.cut({ from: 'hq' });
  await probed.pass(6_000);
  const askedMs = probed.clock.now();
  const refused = await probed.comes(probed.scope('ws-211').ask(probed.address('esg-321'), 'filter.remove', body));
  t.deepEqual([refused.value.ok || refused.value.fault.code, refused.atMs], ['unreachable', askedMs]);
  probed.faults.mend();
  await probed.pass(6_000);
  t.true((await probed.comes(probed.scope('ws-211').ask(probed.address('esg-321'), 'filter.remove', body))).value.ok);
});

test('an ask that cannot go is refused at once, and surely did not happen', async (t) => {
  const probed = new ProbedCluster();
  await probed.start();
  probed.faults.crashNode('s2');
  await probed.pass(6_000);
  const askedMs = probed.clock.now();
  const { value, atMs } = await probed.comes(probed.scope('ws-211').ask('south/s2/esg-321', 'filter.remove', body));
  t.false(value.ok);
  t.like(value, { fault: { code: 'unreachable', definite: true } });
  t.is(atMs, askedMs);
  t.is(probed.node('n1').counters.get('dead_letter.no_route'), 1);
});

test('an ask that is stopped halfway, by a node that knows no way on, is refused by that node', async (t) => {
  const probed = new ProbedCluster();
  await probed.start();
  probed.faults.cut({ from: 'hq', to: 's2' });
  probed.faults.cut({ from: 's1', to: 's2' });
  await probed.pass(3_500);
  for (let ask = 0; ask < 40; ask += 1) {
    const { value } = await probed.comes(probed.scope('ivr-131').ask('south/s2/esg-321', 'filter.remove', body));
    t.false(value.ok);
    t.true(!value.ok && ['unreachable', 'timeout'].includes(value.fault.code));
    await probed.pass(50);
  }
  t.is(probed.cluster.openAsks, 0);
});

test('an ask without an answer ends exactly at its deadline, and may have happened', async (t) => {
  const probed = new ProbedCluster();
  await probed.start();
  probed.faults.cut({ from: 'n1', to: 'n2' });
  const { ask, clock } = probed.scope('ws-211');
  const cases: [latestAfterMs: number | undefined, endsAfterMs: number][] = [
    [undefined, 2_000],
    [700, 700],
    [60_000, 2_000],
    [-1, 0],
  ];
  const askedMs = clock.now();
  const asks = cases.map(([latestAfterMs]) => {
    const options = latestAfterMs === undefined ? {} : { deadlineMs: askedMs + latestAfterMs };
    return ask(probed.address('esg-221'), 'filter.remove', body, options).then((outcome) => ({
      outcome,
      endMs: clock.now(),
    }));
  });
  const { value: ends } = await probed.comes(Promise.all(asks));
  for (const [index, { outcome, endMs }] of ends.entries()) {
    t.like(outcome, { ok: false, fault: { code: 'timeout', definite: false } });
    t.is(endMs, askedMs + cases[index]![1]);
  }
});

test('an ask to a node that crashed ends as soon as its next life is seen, also if the node was not missed', async (t) => {
  const probed = new ProbedCluster({ answer: () => new Promise(() => {}) });
  await probed.start();
  const { ask, clock } = probed.scope('ws-211');
  const askedMs = clock.now();
  const answer = ask(probed.address('esg-321'), 'filter.remove', body);
  await probed.pass(100);
  probed.faults.crashNode('s2');
  await probed.pass(500);
  void probed.cluster.start(['s2']);
  const { value, atMs } = await probed.comes(answer);
  t.like(value, { ok: false, fault: { code: 'timeout', definite: false } });
  t.true(atMs - askedMs < 1_500, `${atMs - askedMs} ms, where its deadline is 2 s`);
});

test('an answer that comes after the deadline is a dead letter, and changes nothing', async (t) => {
  const probed = new ProbedCluster();
  await probed.start();
  probed.faults.delay({ from: 'n2', to: 'n1', oneWay: true }, 900);
  const deadlineMs = probed.clock.now() + 500;
  const { value } = await probed.comes(
    probed.scope('ws-211').ask(probed.address('esg-221'), 'filter.remove', body, { deadlineMs }),
  );
  t.like(value, { fault: { code: 'timeout' } });
  t.is(probed.received.length, 1, 'it did happen');
  await probed.pass(2_000);
  t.is(probed.node('n1').counters.get('dead_letter.answer_too_late'), 1);
});

test('an ask that arrives after its deadline is a dead letter', async (t) => {
  const probed = new ProbedCluster();
  await probed.start();
  probed.faults.delay({ from: 'n1', to: 'n2', oneWay: true }, 900);
  const deadlineMs = probed.clock.now() + 500;
  await probed.comes(probed.scope('ws-211').ask(probed.address('esg-221'), 'filter.remove', body, { deadlineMs }));
  await probed.pass(2_000);
  t.deepEqual(probed.received, []);
  t.is(probed.node('n2').counters.get('dead_letter.too_late'), 1);
});

test('a node that goes on after a pause executes no command whose deadline is over', async (t) => {
  const probed = new ProbedCluster();
  await probed.start();
  const asker = probed.scope('ws-211');
  const { value: before } = await probed.comes(asker.ask('hq/h2', 'node.describe', {}));
  probed.faults.pauseNode('h2');
  const late = { deadlineMs: probed.clock.now() + 1_000 };
  const commands = [
    asker.ask('hq/h2', 'node.log_level', { name: 'h2', level: 'error' }, late),
    asker.ask('hq/h2', 'instance.terminate', { name: 'esg-122' }, late),
    asker.ask('hq/h2', 'node.terminate', {}, late),
  ];
  const { value: answers } = await probed.comes(Promise.all(commands));
  t.deepEqual(
    answers.map((answer) => answer.ok || answer.fault.code),
    ['timeout', 'timeout', 'timeout'],
  );
  // A deadline is later by the time of a frame on its way.
  await probed.pass(500);
  probed.faults.resumeNode('h2');
  await probed.pass(5_000);
  t.deepEqual((await probed.comes(asker.ask('hq/h2', 'node.describe', {}))).value, before);
});

test('a fault of the one asked is the answer: its code, its words, and whether it may have happened', async (t) => {
  for (const code of ['conflict', 'crashed'] as const) {
    const probed = new ProbedCluster({ answer: () => failed(fault(code, 'because')) });
    await probed.start();
    const { value } = await probed.comes(probed.scope('ws-211').ask(probed.address('esg-321'), 'filter.remove', body));
    const origin = probed.address('esg-321');
    t.deepEqual(value, { ok: false, fault: { code, message: 'because', definite: code === 'conflict', origin } });
  }
});

test('a malformed answer is a fault of the asked instance', async (t) => {
  const probed = new ProbedCluster({ answer: () => done({ surprise: true }) });
  await probed.start();
  const { value } = await probed.comes(probed.scope('ws-211').ask(probed.address('esg-321'), 'filter.remove', body));
  t.like(value, { ok: false, fault: { code: 'crashed', definite: false } });
});

test('a role that throws ends its instance, and the asker learns that it may have happened', async (t) => {
  const probed = new ProbedCluster({
    answer: (_, { instance }) => {
      if (instance.name === 'esg-321') throw new Error('a bug');
      return done({});
    },
  });
  await probed.start();
  const { value } = await probed.comes(probed.scope('ws-211').ask(probed.address('esg-321'), 'filter.remove', body));
  t.like(value, { ok: false, fault: { code: 'broken', definite: false } });
  t.is(probed.node('s2').instance('esg-321'), undefined);
  t.is(probed.node('s2').instance('b2b-323')?.status, 'active');
  const other = { ip: '10.0.0.99' };
  const again = await probed.comes(probed.scope('ws-211').ask('south/s2/esg-321', 'filter.remove', other));
  t.like(again.value, { ok: false, fault: { code: 'unreachable', definite: true } });
  await probed.pass(500);
  t.is(probed.node('s2').instance('esg-321')?.status, 'active');
});

test('a standby is reached but refuses', async (t) => {
  const probed = new ProbedCluster();
  await probed.start();
  const authenticate = { domain: 'root.test', login: 'admin', pwd: 'admin' };
  const { value } = await probed.comes(
    probed.scope('ws-111').ask('hq/h2/mdc-128', 'directory.authenticate', authenticate),
  );
  t.like(value, { ok: false, fault: { code: 'standby', definite: true } });
});

test('an asker that is gone, or its node, leaves no ask behind', async (t) => {
  const probed = new ProbedCluster();
  await probed.start();
  probed.faults.cut({ from: 'n1', to: 'n2' });
  const n1 = probed.node('n1');
  const asks = ['ws-211', 'ws-211', 'sg-213'].map((asker) =>
    probed.scope(asker).ask(probed.address('esg-221'), 'filter.remove', body),
  );
  t.is(n1.openAsks, 3);
  n1.crashInstance('ws-211');
  t.is(n1.openAsks, 1);
  probed.faults.crashNode('n1');
  t.is(n1.openAsks, 0);
  for (const ask of asks) t.like(await ask, { ok: false, fault: { code: 'crashed', definite: false } });
});

test('a node that is gone asks no more: an ask that comes later ends at once', async (t) => {
  const probed = new ProbedCluster();
  await probed.start();
  const n1 = probed.node('n1');
  const { ask } = probed.scope('ws-211');
  const esg = probed.address('esg-221');
  const asks = [ask(esg, 'filter.remove', body).then(() => ask(esg, 'filter.remove', body))];
  probed.faults.crashNode('n1');
  asks.push(ask(esg, 'filter.remove', body));
  const { value } = await probed.comes(Promise.all(asks));
  for (const outcome of value) t.like(outcome, { ok: false, fault: { code: 'crashed' } });
  t.is(n1.openAsks, 0);
});

test('an ask over the limit is refused as overloaded, and the others are not harmed', async (t) => {
  const probed = new ProbedCluster();
  await probed.start();
  const { ask } = probed.scope('ws-211');
  const esg = probed.address('esg-221');
  const asks = Array.from({ length: limits.openAsks }, () => ask(esg, 'filter.remove', body));
  const { value, atMs } = await probed.comes(ask(esg, 'filter.remove', body));
  t.like(value, { ok: false, fault: { code: 'overloaded', definite: true } });
  t.is(atMs, probed.clock.now());
  const outcomes = await probed.comes(Promise.all(asks));
  t.true(outcomes.value.every((outcome) => outcome.ok));
});

test('whatever is lost, doubled and cut, each ask ends once: with an answer, when its node goes out of reach, or by its deadline', async (t) => {
  const instances = ['ws-111', 'esg-113', 'ivr-131', 'ws-211', 'esg-221', 'sg-313', 'esg-321'];
  const asking = fc.record({
    from: fc.constantFrom(...instances),
    to: fc.constantFrom('esg-113', 'esg-122', 'sg-123', 'esg-221', 'sg-213', 'sg-313', 'esg-321'),
    passMs: fc.nat(700),
    cut: fc.option(fc.tuple(fc.constantFrom('hq', 'north', 's1', 'n2'), fc.constantFrom('h1', 'south', 'n1')), {
      freq: 4,
    }),
  });
  await holds(
    t,
    fc.asyncProperty(fc.nat(), fc.array(asking, { maxLength: 15 }), async (seed, askings) => {
      const probed = new ProbedCluster({ seed });
      await probed.start();
      probed.faults.lose({ from: '*', to: '*' }, 0.1);
      probed.faults.duplicate({ from: '*', to: '*' }, 0.2);
      const tookMs: number[][] = askings.map(() => []);
      for (const [index, { from, to, passMs, cut }] of askings.entries()) {
        if (cut !== null) probed.faults.cut({ from: cut[0], to: cut[1] });
        const askedMs = probed.clock.now();
        void probed
          .scope(from)
          .ask(probed.address(to), 'filter.remove', body)
          .then(() => tookMs[index]?.push(probed.clock.now() - askedMs));
        await probed.pass(passMs);
      }
      await probed.pass(2_000);
      for (const each of tookMs) assert.equal(each.length, 1);
      assert.ok(tookMs.flat().every((ms) => ms <= 2_000));
      probed.faults.mend();
      await probed.pass(5_000);
      assert.equal(probed.cluster.openAsks, 0);
    }),
    { numRuns: sized(2, 5) },
  );
});
