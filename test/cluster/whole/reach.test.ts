/** Which nodes see each other when lines are cut and nodes pause. */
import { test } from '../../kit/test.ts';
import { heal, msUntil, nodes, overlapMs, startWorld, statusOf, wrongGroups } from '../../kit/virtual.ts';

type World = Awaited<ReturnType<typeof startWorld>>;
const sees = (world: World, from: string, to: string) => world.cluster.node(from)?.view.isReachable(to);

test('the direct lines between north and south are cut: they reach each other through hq, and without hq they do not', async (t) => {
  const world = await startWorld();
  world.faults.cut({ from: 'north', to: 'south' });
  await world.wait(6_000);
  t.true(world.cluster.isSettled, 'all still see all');
  t.is(world.cluster.node('n1')?.view.nextHop('s2'), 'h1');
  t.is(world.cluster.node('s2')?.view.nextHop('n1'), 'h1');
  world.faults.crashNode('h1');
  await world.wait(6_000);
  t.is(world.cluster.node('n1')?.view.nextHop('s2'), 'h2');
  world.faults.cut({ from: 'hq' });
  await world.wait(6_000);
  for (const from of ['n1', 'n2'])
    for (const to of ['s1', 's2']) t.false(sees(world, from, to) || sees(world, to, from));
  await heal(world);
  await world.wait(2_000);
  t.is(world.cluster.node('n1')?.view.nextHop('s2'), 's2', 'the direct way, as soon as it is found');
});

test('a cut in one direction is seen as lost by both sides, within the site and between sites', async (t) => {
  for (const [from, to] of [
    ['h1', 'h2'],
    ['h2', 'h1'],
    ['n1', 's1'],
  ] as const) {
    const world = await startWorld();
    world.faults.cut({ from, to, oneWay: true });
    await world.wait(3_000);
    const lostBy = (node: string, peer: string) =>
      world.journal.lines.some(
        (line) => /log peer\.lost/.test(line) && line.includes(`"node":"${node}","peer":"${peer}"`),
      );
    await world.wait(1_500);
    t.true(lostBy(from, to), `${from} no longer hears ${to}`);
    t.true(lostBy(to, from), `${to} no longer hears ${from}`);
  }
});

test('a peer is lost after three unanswered pings and found again within a ping of the mend', async (t) => {
  const world = await startWorld();
  await world.wait(333);
  world.faults.cut({ from: 'h3' });
  const lostMs = await msUntil(world, () => !sees(world, 'h1', 'h3'));
  t.true(lostMs > 2_900 && lostMs <= 4_000, `${lostMs} ms`);
  await world.wait(5_000);
  world.faults.mend();
  t.true((await msUntil(world, () => world.cluster.isSettled)) <= 1_100);
});

test('frames that are held are not lost, but pings that are held for long are', async (t) => {
  const world = await startWorld();
  const release = world.faults.hold({ from: 'n1', to: 'n2' });
  await world.wait(1_500);
  release();
  await world.wait(3_000);
  t.true(world.cluster.isSettled);
  t.false(world.journal.lines.some((line) => /log peer\.lost/.test(line)));
  world.faults.hold({ from: 'n1', to: 'n2' });
  await world.wait(6_000);
  t.false(sees(world, 'n1', 'n2'));
  await heal(world);
  t.deepEqual(wrongGroups(world), {});
});

test('frames that take longer than a ping may are as good as lost, others are not', async (t) => {
  const world = await startWorld();
  const lift = world.faults.delay({ from: 'north', to: 'hq' }, 450);
  await world.wait(6_000);
  t.true(sees(world, 'n1', 'h1'), '900 ms there and back');
  lift();
  world.faults.delay({ from: 'north', to: 'hq' }, 550);
  await world.wait(6_000);
  t.false(sees(world, 'n1', 'h1'));
});

test('a node that pauses for a moment is not missed', async (t) => {
  const world = await startWorld();
  world.faults.pauseNode('n1');
  await world.wait(1_800);
  world.faults.resumeNode('n1');
  await world.wait(5_000);
  t.true(world.cluster.isSettled);
  t.false(world.journal.lines.some((line) => /log peer\.lost/.test(line)));
  t.is(statusOf(world, 'mware-215'), 'active');
});

test('a node that pauses for long is lost by all and replaced; resumed, it is found and one of the two yields at once', async (t) => {
  const world = await startWorld();
  for (const [node, active, standby] of [
    ['n1', 'mware-215', 'mware-226'],
    ['h1', 'mware-115', 'mware-126'],
  ] as const) {
    world.faults.pauseNode(node);
    await world.wait(8_000);
    for (const other of nodes) if (other !== node) t.false(sees(world, other, node), `${other} sees ${node}`);
    t.is(statusOf(world, standby), 'active');
    world.faults.resumeNode(node);
    const bothMs = await overlapMs(world, [active, standby], 5_000);
    t.true(bothMs <= 25, `both were active for ${bothMs} ms`);
    t.true(world.cluster.isSettled);
    t.deepEqual(wrongGroups(world), {});
  }
});

test('a paused node sends nothing and fires no timer until it is resumed', async (t) => {
  const world = await startWorld();
  // Until nothing is under way.
  await world.wait(1_000);
  world.faults.pauseNode('n2');
  const before = world.journal.count;
  await world.wait(10_000);
  const since = world.journal.lines.slice(before);
  t.false(since.some((line) => line.includes('frame n2 ') || line.includes('"node":"n2"')));
  world.faults.resumeNode('n2');
  await world.wait(3_000);
  t.true(world.cluster.isSettled);
});
