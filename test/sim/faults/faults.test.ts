/** The verbs of an operator: where they strike, when they are over, and what they answer to wrong names. */

import type { NodeTraffic } from '../../../sim/faults/faults.ts';
import type { Lift } from '../../../sim/faults/periodic.ts';
import { test } from '../../kit/test.ts';
import { meshOf } from '../../ports/link/mesh.ts';
import { SimulatedNodes } from './nodes.ts';

/** Two nodes at each of two sites, and one at a third. */
const names = ['h1', 'h2', 'n1', 'n2', 's1'];
const sites: Record<string, string> = { h: 'hq', n: 'north', s: 'south' };
const map = meshOf(names, (name) => sites[name.charAt(0)] ?? '');

/** Sends a frame from each node to each other and gives the ways, `n1 h1`, on which none arrived. */
function brokenWays(nodes: SimulatedNodes): string[] {
  const ways = names.flatMap((from) => names.filter((to) => to !== from).map((to) => [from, to] as const));
  const before = new Map(names.map((name) => [name, nodes.node(name).heard.length]));
  for (const [from, to] of ways) nodes.send(from, to, 'hello');
  nodes.pass();
  return ways
    .filter(
      ([from, to]) =>
        !nodes
          .node(to)
          .heard.slice(before.get(to))
          .some((heard) => heard.from === from),
    )
    .map(([from, to]) => `${from} ${to}`);
}

const cuts: readonly [what: string, between: NodeTraffic, broken: string[]][] = [
  [
    'a site from all others',
    { from: 'north' },
    ['h1 n1', 'h1 n2', 'h2 n1', 'h2 n2', 'n1 h1', 'n1 h2', 'n1 s1', 'n2 h1', 'n2 h2', 'n2 s1', 's1 n1', 's1 n2'],
  ],
  ['a site from another', { from: 'hq', to: 'south' }, ['h1 s1', 'h2 s1', 's1 h1', 's1 h2']],
  ['a node from another', { from: 'h1', to: 'n1' }, ['h1 n1', 'n1 h1']],
  ['a node from its own site', { from: 'h1', to: 'hq' }, ['h1 h2', 'h2 h1']],
  ['a node from all others', { from: 's1' }, names.slice(0, 4).flatMap((name) => [`${name} s1`, `s1 ${name}`])],
  ['a site in itself', { from: 'north', to: 'north' }, ['n1 n2', 'n2 n1']],
  ['one way only', { from: 'north', to: 's1', oneWay: true }, ['n1 s1', 'n2 s1']],
  ['one way out of a site', { from: 's1', oneWay: true }, ['s1 h1', 's1 h2', 's1 n1', 's1 n2']],
  ['one way into a site', { from: '*', to: 'south', oneWay: true }, ['h1 s1', 'h2 s1', 'n1 s1', 'n2 s1']],
  ['all from all', { from: '*', to: '*' }, names.flatMap((a) => names.filter((b) => b !== a).map((b) => `${a} ${b}`))],
  ['all, in one word', { from: '*' }, names.flatMap((a) => names.filter((b) => b !== a).map((b) => `${a} ${b}`))],
];
for (const [what, between, broken] of cuts) {
  test(`a cut separates ${what}, until it is mended`, (t) => {
    const nodes = new SimulatedNodes(map);
    const mend = nodes.faults.cut(between);
    t.deepEqual(brokenWays(nodes).sort(), [...broken].sort());
    mend();
    t.deepEqual(brokenWays(nodes), []);
  });
}

test('a hold keeps frames back until it is mended', (t) => {
  const nodes = new SimulatedNodes(map);
  const mend = nodes.faults.hold({ from: 'n1', to: 'hq' });
  nodes.send('n1', 'h1', '1', '2');
  nodes.send('h1', 'n1', 'back');
  nodes.pass();
  t.deepEqual([nodes.node('h1').heard, nodes.node('n1').heard], [[], []]);
  mend();
  nodes.pass();
  t.deepEqual(nodes.node('h1').from('n1'), ['1', '2']);
  t.deepEqual(nodes.node('n1').from('h1'), ['back']);
});

test('delays add up', (t) => {
  const nodes = new SimulatedNodes(map);
  const startMs = nodes.clock.now();
  nodes.faults.delay({ from: 'h1' }, 100);
  nodes.faults.delay({ from: 'hq', to: 'h2' }, 50);
  nodes.send('h1', 'h2', 'late');
  nodes.pass(200);
  const tookMs = (nodes.node('h2').heard[0]?.atMs ?? 0) - startMs;
  t.true(tookMs >= 150 && tookMs < 151, `${tookMs}`);
});

for (const [probability, least, most] of [
  [0, 0, 0],
  [0.25, 200, 300],
  [1, 1_000, 1_000],
] as const) {
  test(`of a thousand frames with a probability of ${probability}, ${least} to ${most} are lost, or come twice`, (t) => {
    const nodes = new SimulatedNodes(map);
    const frames = Array.from({ length: 1_000 }, (_, number) => `${number}`);
    nodes.faults.lose({ from: 'h1', to: 'n1' }, probability);
    nodes.faults.duplicate({ from: 'h1', to: 'h2' }, probability);
    nodes.send('h1', 'n1', ...frames);
    nodes.send('h1', 'h2', ...frames);
    nodes.pass();
    const lost = 1_000 - nodes.node('n1').heard.length;
    const repeated = nodes.node('h2').heard.length - 1_000;
    t.true(lost >= least && lost <= most, `${lost} lost`);
    t.true(repeated >= least && repeated <= most, `${repeated} repeated`);
    t.is(new Set(nodes.node('h2').from('h1')).size, 1_000);
  });
}

test('the same seed loses the same frames', (t) => {
  const lost = (seed: number) => {
    const nodes = new SimulatedNodes(map, seed);
    nodes.faults.lose({ from: '*' }, 0.5);
    return Array.from({ length: 5 }, () => brokenWays(nodes));
  };
  t.deepEqual(lost(1), lost(1));
  t.notDeepEqual(lost(1), lost(2));
});

test('faults combine: what one holds the other drops, and each is mended by itself', (t) => {
  const nodes = new SimulatedNodes(map);
  const mendHold = nodes.faults.hold({ from: 'h1', to: 'n1' });
  const mendCut = nodes.faults.cut({ from: 'hq', to: 'north', oneWay: true });
  nodes.send('h1', 'n1', 'cut');
  mendCut();
  nodes.send('h1', 'n1', 'held');
  nodes.faults.duplicate({ from: 'h1', to: 'n1' }, 1);
  mendHold();
  nodes.pass();
  t.deepEqual(nodes.node('n1').from('h1'), ['held', 'held']);
});

test('a fault is mended once, however often that is said', (t) => {
  const nodes = new SimulatedNodes(map);
  const mend = nodes.faults.cut({ from: 'h1', to: 'n1' });
  const mendOther = nodes.faults.cut({ from: 'h1', to: 'n1' });
  mend();
  mend();
  t.deepEqual(brokenWays(nodes), ['h1 n1', 'n1 h1'], 'the other one stands');
  mendOther();
  t.deepEqual(brokenWays(nodes), []);
});

test('all faults of the traffic are mended at once, and only those', (t) => {
  const nodes = new SimulatedNodes(map);
  const { faults } = nodes;
  const lifts: Lift[] = [faults.cut({ from: 'h1' }), faults.lose({ from: '*' }, 1), faults.hold({ from: 's1' })];
  nodes.rules.install((from) => (from.name === 'n1' ? 'drop' : 'pass'));
  faults.mend();
  t.deepEqual(brokenWays(nodes), ['n1 h1', 'n1 h2', 'n1 n2', 'n1 s1']);
  for (const lift of lifts) lift();
  t.notThrows(() => faults.mend());
});

test('nodes and instances are struck by name', async (t) => {
  const { faults, calls } = new SimulatedNodes(map);
  faults.crashNode('h1');
  await faults.restartNode('h1');
  faults.pauseNode('n2');
  faults.resumeNode('n2');
  faults.crashInstance('rpco-1');
  faults.restartInstance('rpco-1');
  t.deepEqual(calls, ['crash h1', 'restart h1', 'pause n2', 'resume n2', 'crash rpco-1', 'restart rpco-1']);
});

const places =
  'no site, node, role or role instance named "west"; expected one of hq, north, south, h1, h2, n1, n2, s1, a role or an instance (such as rpco, rpco-1), or *';
const nodes = 'no node named "hq"; expected one of h1, h2, n1, n2, s1';
const instances = 'no role instance named "h1"; expected one of rpco-1, rpco-2, rpco-3, rpco-4, rpco-5';
const wrong: readonly [verb: string, strike: (world: SimulatedNodes) => unknown, message: string][] = [
  ['cut', ({ faults }) => faults.cut({ from: 'west' }), places],
  ['cut to', ({ faults }) => faults.cut({ from: 'hq', to: 'west' }), places],
  ['hold', ({ faults }) => faults.hold({ from: 'west' }), places],
  ['delay', ({ faults }) => faults.delay({ from: 'west' }, 1), places],
  ['lose', ({ faults }) => faults.lose({ from: '*', to: 'west' }, 1), places],
  ['duplicate', ({ faults }) => faults.duplicate({ from: 'west' }, 1), places],
  ['crash a node', ({ faults }) => faults.crashNode('hq'), nodes],
  ['restart a node', ({ faults }) => faults.restartNode('hq'), nodes],
  ['pause', ({ faults }) => faults.pauseNode('hq'), nodes],
  ['resume', ({ faults }) => faults.resumeNode('hq'), nodes],
  ['crash an instance', ({ faults }) => faults.crashInstance('h1'), instances],
  ['restart an instance', ({ faults }) => faults.restartInstance('h1'), instances],
];
for (const [verb, strike, message] of wrong) {
  test(`to ${verb} where there is nothing of that name is refused, with the names that there are`, (t) => {
    const world = new SimulatedNodes(map);
    t.throws(() => strike(world), { message });
    t.deepEqual(world.calls, []);
    t.deepEqual(brokenWays(world), []);
  });
}
