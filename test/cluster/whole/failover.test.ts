/** Which instance serves after a crash. Loss takes 3 pings of 1 s after the last pong, takeover 1 s more. */
import { test } from '../../kit/test.ts';
import { msUntil, overlapMs, startWorld, statusOf, wrongGroups } from '../../kit/virtual.ts';

const cases: [node: string, afterMs: number, active: string, standby: string][] = [
  ['h1', 500, 'mware-115', 'mware-126'],
  ['h3', 1_200, 'mdc-133', 'mdc-128'],
  ['n1', 1_900, 'mware-215', 'mware-226'],
  ['s1', 2_600, 'sdc-318', 'sdc-329'],
];

for (const [node, afterMs, active, standby] of cases) {
  test(`${node} dies: ${standby} takes over from ${active} after loss and takeover, and keeps it when ${node} is back`, async (t) => {
    const world = await startWorld();
    await world.wait(afterMs);
    world.faults.crashNode(node);
    const tookMs = await msUntil(world, () => statusOf(world, standby) === 'active');
    t.true(tookMs > 3_000 && tookMs <= 5_100, `${tookMs} ms`);
    await world.wait(5_000);
    void world.faults.restartNode(node);
    t.is(await overlapMs(world, [active, standby], 10_000), 0);
    t.true(world.cluster.isSettled);
    t.deepEqual([statusOf(world, active), statusOf(world, standby)], ['standby', 'active']);
  });
}

test('a node that restarts before a peer has missed it leaves each group with exactly one active instance', async (t) => {
  const world = await startWorld();
  world.faults.crashNode('n1');
  await world.wait(800);
  void world.faults.restartNode('n1');
  await world.wait(10_000);
  t.true(world.cluster.isSettled);
  t.deepEqual(wrongGroups(world), {});
});

test('an active instance that crashes is replaced by its standby at once, and comes back as the standby', async (t) => {
  const world = await startWorld();
  world.faults.crashInstance('mware-115');
  const tookMs = await msUntil(world, () => statusOf(world, 'mware-126') === 'active');
  t.true(tookMs < 20, `${tookMs} ms`);
  await world.wait(5_000);
  t.deepEqual([statusOf(world, 'mware-115'), statusOf(world, 'mware-126')], ['standby', 'active']);
});

test('a node that leaves in good order hands its groups over as it goes, not after it is missed', async (t) => {
  const world = await startWorld();
  void world.cluster.node('h2')?.ask('hq/h1', 'node.terminate', {});
  const tookMs = await msUntil(world, () => statusOf(world, 'mware-126') === 'active');
  t.true(tookMs < 20, `${tookMs} ms`);
  t.is(await overlapMs(world, ['mware-115', 'mware-126'], 30_000), 0);
  t.deepEqual([statusOf(world, 'mware-115'), statusOf(world, 'mware-126')], ['standby', 'active'], 'it is back');
});

test('a standby that dies changes nothing for the active one', async (t) => {
  const world = await startWorld();
  world.faults.crashNode('n2');
  await world.wait(10_000);
  t.is(statusOf(world, 'mware-215'), 'active');
  const statuses = world.journal.lines.filter((line) => /instance\.status.*"mware-215"/.test(line));
  t.true(
    statuses.every((line) => Number(line.split(' ')[0]) < world.now() - 10_000),
    'it was active all the time',
  );
});

test('an instance that crashes is restarted after 0.5, 1, 2, 4 and 8 s, then given up, until it is restarted by hand', async (t) => {
  const world = await startWorld();
  const waitsMs: number[] = [];
  for (let crash = 0; crash < 5; crash += 1) {
    world.faults.crashInstance('b2b-214');
    waitsMs.push(await msUntil(world, () => statusOf(world, 'b2b-214') === 'active'));
  }
  t.deepEqual(waitsMs.map(Math.round), [500, 1_000, 2_000, 4_000, 8_000]);
  world.faults.crashInstance('b2b-214');
  await world.wait(120_000);
  t.is(statusOf(world, 'b2b-214'), undefined);
  t.false(world.cluster.isSettled);
  t.is(world.journal.lines.filter((line) => line.includes('instance.given_up')).length, 1);
  t.is(statusOf(world, 'b2b-223'), 'active', 'no other instance is affected');
  world.faults.restartInstance('b2b-214');
  t.is(statusOf(world, 'b2b-214'), 'active');
  await world.wait(1_000);
  t.true(world.cluster.isSettled);
});
