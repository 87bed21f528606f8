/** A cluster that has stopped leaves only frames in flight, which have no receiver. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { holds, runs, sized } from '../../kit/property.ts';
import { test } from '../../kit/test.ts';
import { makeWorld, nodes, startWorld } from '../../kit/virtual.ts';

/** Longer than any frame takes. */
const inFlightMs = 100;

test('a stopped cluster has no asks, and no timers but the ones of frames in flight, which have no effect', async (t) => {
  const world = await startWorld();
  await world.wait(1_234);
  const running = nodes.map((name) => world.cluster.node(name)!);
  t.true(running.every((node) => node.openTimers > 0));
  await world.stop();
  t.is(world.cluster.openAsks, 0);
  for (const node of running) t.deepEqual([node.status, node.openTimers, node.openAsks], ['stopped', 0, 0]);
  const written = world.journal.count;
  await world.wait(inFlightMs);
  t.is(world.clock.pending, 0);
  t.is(world.journal.count, written);
});

test('a crashed node leaves no ask and no timer', async (t) => {
  const world = await startWorld();
  world.faults.cut({ from: 'n1', to: 'n2' });
  await world.wait(4_000);
  for (const name of nodes) {
    const node = world.cluster.node(name)!;
    world.faults.crashNode(name);
    t.deepEqual([node.openTimers, node.openAsks], [0, 0], name);
  }
  await world.wait(inFlightMs);
  t.is(world.clock.pending, 0);
});

test('a crashed node has no ask and no timer later either, even one that died while it claimed its site', async (t) => {
  await holds(
    t,
    fc.asyncProperty(fc.nat(), fc.integer({ min: 2_900, max: 4_100 }), async (seed, afterMs) => {
      const world = await startWorld(seed);
      world.faults.cut({ from: 'n1', to: 'n2' });
      world.faults.hold({ from: 'north', to: 'hq' });
      await world.wait(afterMs);
      const running = nodes.map((name) => world.cluster.node(name)!);
      for (const name of nodes) world.faults.crashNode(name);
      await world.wait(10_000);
      for (const node of running) assert.deepEqual([node.openTimers, node.openAsks], [0, 0]);
      assert.equal(world.clock.pending, 0);
    }),
    { numRuns: sized(1, 2) },
  );
});

test('a cluster that stops in any state of disorder still stops, and leaves nothing', async (t) => {
  const step = fc.oneof(
    fc.record({ crash: fc.constantFrom(...nodes) }),
    fc.record({ pause: fc.constantFrom(...nodes) }),
    fc.record({ cut: fc.constantFrom(...nodes, 'hq', 'north', 'south') }),
    fc.record({ hold: fc.constantFrom(...nodes) }),
    fc.record({ terminate: fc.constantFrom(...nodes) }),
    fc.record({ waitMs: fc.nat(6_000) }),
  );
  await holds(
    t,
    fc.asyncProperty(fc.nat(), fc.array(step, { maxLength: 8 }), async (seed, steps) => {
      const world = makeWorld(seed);
      await world.start();
      const running = nodes.map((name) => world.cluster.node(name)!);
      for (const each of steps) {
        if ('crash' in each) world.faults.crashNode(each.crash);
        else if ('pause' in each) world.faults.pauseNode(each.pause);
        else if ('cut' in each) world.faults.cut({ from: each.cut });
        else if ('hold' in each) world.faults.hold({ from: each.hold });
        else if ('waitMs' in each) await world.wait(each.waitMs);
        else {
          const node = world.cluster.node(each.terminate);
          void node?.ask(node.entry.address, 'node.terminate', {});
        }
      }
      await world.stop();
      await world.wait(inFlightMs);
      assert.equal(world.cluster.openAsks, 0);
      for (const node of running) assert.deepEqual([node.openTimers, node.openAsks], [0, 0], node.entry.name);
      assert.equal(world.clock.pending, 0);
    }),
    { numRuns: runs(1) },
  );
});
