/** Whatever happens to a cluster, once it is left in peace it is whole again: within 30 s, one active instance a group. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { holds, runs } from '../../kit/property.ts';
import { test } from '../../kit/test.ts';
import { heal, instances, makeWorld, nodes, sites, startWorld, wrongGroups } from '../../kit/virtual.ts';

const node = fc.constantFrom(...nodes);
const place = fc.constantFrom(...nodes, ...sites);
const probability = fc.constantFrom(0.1, 0.5, 0.9);
const step = fc.oneof(
  fc.record({ crash: node }),
  fc.record({ restart: node }),
  fc.record({ cut: place, to: fc.option(place, { nil: undefined }), oneWay: fc.boolean() }),
  fc.record({ pause: node }),
  fc.record({ resume: node }),
  fc.record({ crashInstance: fc.constantFrom(...instances) }),
  fc.record({ lose: place, probability }),
  fc.record({ duplicate: place, probability }),
  fc.record({ hold: place }),
  fc.record({ delay: place, byMs: fc.integer({ min: 1, max: 2_000 }) }),
  fc.record({ mend: fc.constant(true) }),
  { weight: 4, arbitrary: fc.record({ waitMs: fc.integer({ min: 1, max: 6_000 }) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function take(world: ReturnType<typeof makeWorld>, each: Step): Promise<void> {
  const { faults } = world;
  if ('crash' in each) faults.crashNode(each.crash);
  else if ('restart' in each) void faults.restartNode(each.restart);
  else if ('cut' in each) faults.cut({ from: each.cut, to: each.to, oneWay: each.oneWay });
  else if ('pause' in each) faults.pauseNode(each.pause);
  else if ('resume' in each) faults.resumeNode(each.resume);
  else if ('crashInstance' in each) faults.crashInstance(each.crashInstance);
  else if ('lose' in each) faults.lose({ from: each.lose }, each.probability);
  else if ('duplicate' in each) faults.duplicate({ from: each.duplicate }, each.probability);
  else if ('hold' in each) faults.hold({ from: each.hold });
  else if ('delay' in each) faults.delay({ from: each.delay }, each.byMs);
  else if ('mend' in each) faults.mend();
  else await world.wait(each.waitMs);
}

test('after any disorder a cluster that is mended and restarted settles within 30 s, and stays so', async (t) => {
  await holds(
    t,
    fc.asyncProperty(fc.nat(), fc.array(step, { minLength: 1, maxLength: 14 }), async (seed, steps) => {
      const world = makeWorld(seed);
      await world.start();
      for (const each of steps) await take(world, each);
      await heal(world);
      assert.deepEqual(wrongGroups(world), {});
      // Instances that crashed may still wait for their restart, and frames that were delayed arrive.
      for (let second = 0; second < 4; second += 1) {
        await world.wait(1_000);
        assert.deepEqual(wrongGroups(world), {});
      }
      assert.ok(world.cluster.isSettled);
      await world.stop();
    }),
    { numRuns: runs(1) },
  );
});

test('with one frame in five lost and one in five doubled for a minute no instance crashes, and the cluster recovers', async (t) => {
  await holds(
    t,
    fc.asyncProperty(fc.nat(), async (seed) => {
      const world = await startWorld(seed);
      world.faults.lose({ from: '*', to: '*' }, 0.2);
      world.faults.duplicate({ from: '*', to: '*' }, 0.2);
      await world.wait(60_000);
      assert.ok(!world.journal.lines.some((line) => line.includes('instance.crashed')));
      await heal(world);
      assert.deepEqual(wrongGroups(world), {});
      for (const name of nodes) {
        const unexpected = [...world.cluster.node(name)!.counters.all().keys()].filter((each) =>
          each.startsWith('event.'),
        );
        assert.deepEqual(unexpected, []);
      }
      await world.stop();
    }),
    { numRuns: 1 },
  );
});
