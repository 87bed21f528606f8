/** Rules of traffic, and what they do to the frames of a link. */

import { type RuleAction, type TrafficRule, TrafficRules } from '../../../sim/faults/rules.ts';
import { test } from '../../kit/test.ts';
import { meshOf } from '../../ports/link/mesh.ts';
import { SimulatedNodes } from './nodes.ts';

const map = meshOf(['a', 'b', 'c']);
const [a, b] = [map.node('a'), map.node('b')];
const unharmed = { isDropped: false, isHeld: false, afterMs: 0, copies: 0 };

test('without rules a frame passes unharmed', (t) => {
  t.deepEqual(new TrafficRules().effectOn(a, b, 'frame'), unharmed);
});

const verdicts: readonly [RuleAction[], Partial<typeof unharmed>][] = [
  [['pass'], {}],
  [['drop'], { isDropped: true }],
  [['hold'], { isHeld: true }],
  [[{ afterMs: 5 }], { afterMs: 5 }],
  [[{ copies: 2 }], { copies: 2 }],
  [['pass', 'drop', 'pass'], { isDropped: true }],
  [['hold', 'drop'], { isDropped: true, isHeld: true }],
  [[{ afterMs: 5 }, { afterMs: 0.5 }], { afterMs: 5.5 }],
  [[{ copies: 1 }, { afterMs: 3 }, { copies: 1 }, 'hold'], { isHeld: true, afterMs: 3, copies: 2 }],
];
for (const [words, fate] of verdicts) {
  test(`rules that say ${JSON.stringify(words)} add up`, (t) => {
    const rules = new TrafficRules();
    const lifts = words.map((word) => rules.install(() => word));
    t.deepEqual(rules.effectOn(a, b, 'frame'), { ...unharmed, ...fate });
    for (const lift of lifts) lift();
    t.deepEqual(rules.effectOn(a, b, 'frame'), unharmed);
  });
}

test('a rule is asked for each frame, with where it comes from, where it goes, and what it is', (t) => {
  const rules = new TrafficRules();
  const asked: string[] = [];
  rules.install((from, to, frame) => {
    asked.push(`${from.address} ${to.address} ${frame}`);
    return 'pass';
  });
  rules.effectOn(a, b, 'frame');
  rules.effectOn(b, a, 'frame');
  t.deepEqual(asked, ['site/a site/b frame', 'site/b site/a frame']);
});

test('a rule is lifted once: lifting it again notifies no listener, and lifts nothing else', (t) => {
  const rules = new TrafficRules();
  const rule = (): RuleAction => 'drop';
  let lifted = 0;
  const stopListening = rules.onLifted(() => {
    lifted += 1;
  });
  const lift = rules.install(rule);
  rules.install(() => 'hold');
  lift();
  lift();
  t.is(lifted, 1);
  t.deepEqual(rules.effectOn(a, b, 'frame'), { ...unharmed, isHeld: true });
  stopListening();
  rules.install(rule)();
  t.is(lifted, 1);
});

/** Nodes `a`, `b` and `c`, and a rule of traffic from `a` to `b`. */
function ruled(verdict: RuleAction) {
  const nodes = new SimulatedNodes(map);
  const rule: TrafficRule = (from, to) => (from.name === 'a' && to.name === 'b' ? verdict : 'pass');
  return { nodes, b: nodes.node('b'), rule, lift: nodes.rules.install(rule) };
}

test('dropped frames are lost, all others arrive', (t) => {
  const { nodes, lift } = ruled('drop');
  nodes.send('a', 'b', 'lost');
  nodes.send('b', 'a', 'back');
  nodes.send('a', 'c', 'aside');
  nodes.pass();
  lift();
  nodes.pass();
  nodes.send('a', 'b', 'after');
  nodes.pass();
  t.deepEqual(nodes.node('b').from('a'), ['after']);
  t.deepEqual(nodes.node('a').from('b'), ['back']);
  t.deepEqual(nodes.node('c').from('a'), ['aside']);
});

test('held frames go on in order when the hold is lifted, before frames that are sent later', (t) => {
  const { nodes, lift } = ruled('hold');
  nodes.send('a', 'b', '1', '2', '3');
  nodes.send('b', 'a', 'back');
  nodes.pass(60_000);
  t.deepEqual(nodes.node('b').heard, []);
  t.deepEqual(nodes.node('a').from('b'), ['back']);
  lift();
  nodes.send('a', 'b', '4');
  nodes.pass();
  t.deepEqual(nodes.node('b').from('a'), ['1', '2', '3', '4']);
  lift();
  nodes.pass();
  t.is(nodes.node('b').heard.length, 4, 'lifted twice, released once');
});

test('a frame under two holds waits for both', (t) => {
  const { nodes, lift } = ruled('hold');
  const liftOther = nodes.rules.install(() => 'hold');
  nodes.send('a', 'b', 'held twice');
  nodes.send('a', 'c', 'held once');
  lift();
  nodes.pass();
  t.deepEqual(nodes.node('b').heard, []);
  liftOther();
  nodes.pass();
  t.deepEqual(nodes.node('b').from('a'), ['held twice']);
  t.deepEqual(nodes.node('c').from('a'), ['held once']);
});

test('a held frame comes under the rules that stand when it is released', (t) => {
  const { nodes, lift } = ruled('hold');
  nodes.send('a', 'b', 'held');
  const mend = nodes.rules.install(() => 'drop');
  lift();
  mend();
  nodes.pass();
  t.deepEqual(nodes.node('b').heard, []);
});

test('a delayed frame takes so much longer, and others do not', (t) => {
  const { nodes } = ruled({ afterMs: 250 });
  const startMs = nodes.clock.now();
  nodes.send('a', 'b', 'late');
  nodes.send('a', 'c', 'soon');
  nodes.pass(1_000);
  const lateMs = (nodes.node('b').heard[0]?.atMs ?? 0) - startMs;
  const soonMs = (nodes.node('c').heard[0]?.atMs ?? 0) - startMs;
  t.true(lateMs >= 250.1 && lateMs <= 250.5, `${lateMs}`);
  t.true(soonMs >= 0.1 && soonMs <= 0.5, `${soonMs}`);
});

test('frames under one delay keep their order', (t) => {
  const { nodes } = ruled({ afterMs: 40 });
  const frames = Array.from({ length: 50 }, (_, number) => `${number}`);
  for (const frame of frames) {
    nodes.send('a', 'b', frame);
    nodes.pass(0.1);
  }
  nodes.pass();
  t.deepEqual(nodes.node('b').from('a'), frames);
});

test('a repeated frame arrives once more for each copy', (t) => {
  const { nodes } = ruled({ copies: 2 });
  nodes.send('a', 'b', 'thrice');
  nodes.send('b', 'a', 'once');
  nodes.pass();
  t.deepEqual(nodes.node('b').from('a'), ['thrice', 'thrice', 'thrice']);
  t.deepEqual(nodes.node('a').from('b'), ['once']);
});

test('a repeated frame under a delay arrives late, each time', (t) => {
  const { nodes } = ruled({ copies: 1 });
  nodes.rules.install(() => ({ afterMs: 90 }));
  const startMs = nodes.clock.now();
  nodes.send('a', 'b', 'twice');
  nodes.pass(1_000);
  const { heard } = nodes.node('b');
  t.deepEqual(
    heard.map(({ frame }) => frame),
    ['twice', 'twice'],
  );
  t.true(heard.every(({ atMs }) => atMs - startMs >= 90));
});

for (const end of ['close', 'crash'] as const) {
  test(`what is held or delayed is gone with its link when that ends by a ${end}, and leaves no timer`, async (t) => {
    const { nodes, lift } = ruled('hold');
    nodes.rules.install((_from, to) => (to.name === 'c' ? { afterMs: 3_600_000 } : 'pass'));
    nodes.send('a', 'b', 'held');
    nodes.send('a', 'c', 'delayed');
    await nodes.node('a').link[end]();
    lift();
    nodes.pass();
    t.is(nodes.clock.pending, 0);
    t.deepEqual(nodes.node('b').heard, []);
    t.deepEqual(nodes.node('c').heard, []);
  });
}
