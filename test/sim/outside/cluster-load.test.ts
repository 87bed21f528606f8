/** A load of calls on a whole cluster, in virtual time: all of it comes to an end, and happens again from its seed. */

import { VirtualWorld } from '../../../sim/world/virtual.ts';
import { defaultMap as map, webApps } from '../../kit/maps.ts';
import { test } from '../../kit/test.ts';

async function started(seed: number): Promise<VirtualWorld> {
  const world = new VirtualWorld({ map, webApps, seed });
  await world.start();
  return world;
}

test('a third of all messages outside is lost and some come twice: calls get through all the same, and end', async (t) => {
  const world = await started(3);
  world.faults.loseOutside(0.33);
  world.faults.duplicateOutside(0.2);
  const traffic = world.outside.traffic({ rate: 2, holdingMs: 10_000, mix: { phoneToPhone: 2, phoneToProvider: 1 } });
  traffic.start();
  await world.wait(30_000);
  traffic.stop();
  world.faults.mend();
  await world.wait(200_000);
  const { started: begun, answered, ended } = traffic.counts;
  t.true(begun > 40 && answered > 0.9 * begun, JSON.stringify(traffic.counts));
  t.is(ended, answered);
  t.is(world.outside.calls, 0);
  t.deepEqual([...world.outside.counters.all()], []);
  await world.stop();
});

test('the same seed gives the same calls, message by message, and leaves nothing behind', async (t) => {
  const run = async (seed: number) => {
    const world = await started(seed);
    const traffic = world.outside.traffic({ rate: 5, holdingMs: 5_000 });
    traffic.start();
    await world.wait(15_000);
    traffic.stop();
    await world.wait(45_000);
    const { counts } = traffic;
    t.is(world.outside.calls, 0);
    t.is(counts.answered, counts.ended);
    t.true(counts.answered > 50, JSON.stringify(counts));
    await world.stop();
    await world.wait(1_000);
    t.is(world.clock.pending, 0);
    return { counts, hash: world.journal.hash() };
  };
  const first = await run(1);
  t.deepEqual(await run(1), first);
  t.notDeepEqual(await run(2), first);
});
