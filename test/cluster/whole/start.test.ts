/** A cluster comes up, by itself and the same each time. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { roles } from '../../../src/model/cluster/roles.ts';
import { holds, sized } from '../../kit/property.ts';
import { test } from '../../kit/test.ts';
import { instanceNamed, instances, makeWorld, nodes, statusOf, wrongGroups } from '../../kit/virtual.ts';

test('a cluster that starts settles: all nodes see each other, and the first instance of each group is active', async (t) => {
  await holds(
    t,
    fc.asyncProperty(fc.nat(), async (seed) => {
      const world = makeWorld(seed);
      await world.start();
      assert.ok(world.cluster.isSettled);
      for (const name of instances) {
        const { role, group, order } = instanceNamed(name);
        const isStandby = roles[role].redundancy === 'active-passive' && group !== undefined && order !== 1;
        assert.equal(statusOf(world, name), isStandby ? 'standby' : 'active', name);
      }
      await world.wait(20_000);
      assert.ok(world.cluster.isSettled, 'and stays so');
      assert.deepEqual(wrongGroups(world), {});
      await world.stop();
    }),
    { numRuns: sized(1, 3) },
  );
});

test('nodes that start one after the other, in any order and at any distance, settle too', async (t) => {
  const order = fc.shuffledSubarray(nodes, { minLength: nodes.length });
  const gapsMs = fc.array(fc.nat(6_000), { minLength: nodes.length, maxLength: nodes.length });
  await holds(
    t,
    fc.asyncProperty(fc.nat(), order, gapsMs, async (seed, names, gaps) => {
      const world = makeWorld(seed);
      for (const [index, name] of names.entries()) {
        void world.faults.restartNode(name);
        await world.wait(gaps[index] ?? 0);
      }
      assert.ok(await world.runUntil(() => world.cluster.isSettled, 10_000));
      assert.deepEqual(wrongGroups(world), {});
      await world.stop();
    }),
    { numRuns: sized(1, 4) },
  );
});

test('a cluster without one of its nodes serves, but is not settled', async (t) => {
  const world = makeWorld(1);
  for (const name of nodes) if (name !== 'h1') void world.faults.restartNode(name);
  await world.wait(10_000);
  t.false(world.cluster.isSettled);
  t.is(statusOf(world, 'mware-126'), 'active', 'the second of the group whose first is on h1');
  void world.faults.restartNode('h1');
  await world.wait(10_000);
  t.true(world.cluster.isSettled);
  t.is(statusOf(world, 'mware-115'), 'standby');
});

/** A run with a bit of everything. Answers the journal's hash, and its lines where they are kept. */
async function run(seed: number, keepJournal = false): Promise<{ hash: string; lines: readonly string[] }> {
  const world = makeWorld(seed, { keepJournal });
  await world.start();
  world.faults.lose({ from: '*', to: '*' }, 0.05);
  world.faults.duplicate({ from: 'north' }, 0.2);
  world.faults.crashNode('n1');
  await world.wait(6_000);
  world.faults.pauseNode('h2');
  void world.faults.restartNode('n1');
  world.faults.crashInstance('mware-115');
  await world.wait(4_321);
  world.faults.resumeNode('h2');
  world.faults.mend();
  await world.wait(3_000);
  await world.stop();
  return { hash: world.journal.hash(), lines: world.journal.lines };
}

test('the same seed writes the same journal, line by line', async (t) => {
  const [one, other] = [await run(42, true), await run(42, true)];
  const difference = one.lines.findIndex((line, index) => line !== other.lines[index]);
  t.is(difference, -1, `first at line ${difference}: ${one.lines[difference]} but ${other.lines[difference]}`);
  t.is(one.hash, other.hash);
});

test('a seed gives one hash, whatever ran before and beside it, and different seeds give different ones', async (t) => {
  await holds(
    t,
    fc.asyncProperty(fc.nat(), fc.nat(), async (seed, other) => {
      fc.pre(seed !== other);
      const hashes = await Promise.all([seed, other, seed].map((each) => run(each)));
      assert.equal(hashes[0]?.hash, hashes[2]?.hash);
      assert.notEqual(hashes[0]?.hash, hashes[1]?.hash);
    }),
    { numRuns: 1 },
  );
});
