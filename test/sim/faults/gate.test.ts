/** The gate: what a paused node does not do, and does when it goes on. */

import { PauseGate } from '../../../sim/faults/gate.ts';
import { VirtualClock } from '../../../sim/ports/virtual-clock.ts';
import { test } from '../../kit/test.ts';
import { meshOf } from '../../ports/link/mesh.ts';
import { SimulatedNodes } from './nodes.ts';

test('an open gate lets work through at once', (t) => {
  const gate = new PauseGate();
  const done: number[] = [];
  t.false(gate.isShut);
  gate.pass(() => done.push(1));
  gate.open();
  gate.pass(() => done.push(2));
  t.deepEqual(done, [1, 2]);
});

test('work waits at a shut gate, and is done in order when it opens', (t) => {
  const gate = new PauseGate();
  const done: number[] = [];
  gate.shut();
  t.true(gate.isShut);
  for (const number of [1, 2, 3]) gate.pass(() => done.push(number));
  t.deepEqual(done, []);
  gate.open();
  t.deepEqual(done, [1, 2, 3]);
  gate.open();
  t.deepEqual(done, [1, 2, 3], 'once');
});

test('work that comes while the gate opens waits for what was there before', (t) => {
  const gate = new PauseGate();
  const done: string[] = [];
  gate.shut();
  gate.pass(() => {
    gate.pass(() => done.push('third'));
    done.push('first');
  });
  gate.pass(() => done.push('second'));
  gate.open();
  t.deepEqual(done, ['first', 'second', 'third']);
});

test('work can shut the gate again: the rest waits on', (t) => {
  const gate = new PauseGate();
  const done: string[] = [];
  gate.shut();
  gate.pass(() => {
    done.push('first');
    gate.shut();
  });
  gate.pass(() => done.push('second'));
  gate.open();
  t.deepEqual(done, ['first']);
  gate.open();
  t.deepEqual(done, ['first', 'second']);
});

test('work that throws does not keep the gate from the rest', (t) => {
  const gate = new PauseGate();
  const done: string[] = [];
  gate.shut();
  gate.pass(() => {
    throw new Error('broken');
  });
  gate.pass(() => done.push('rest'));
  t.throws(() => gate.open(), { message: 'broken' });
  gate.pass(() => done.push('later'));
  t.deepEqual(done, ['rest', 'later']);
});

test('what waits can be forgotten', (t) => {
  const gate = new PauseGate();
  gate.shut();
  gate.pass(() => t.fail());
  gate.clear();
  gate.open();
  t.pass();
});

test('timers behind a shut gate fire when it opens, in the order of their deadlines', (t) => {
  const gate = new PauseGate();
  const clock = new VirtualClock(0);
  const gated = gate.clock(clock);
  const fired: string[] = [];
  gate.shut();
  gated.setTimer(20, () => fired.push(`second at ${gated.now()}`));
  gated.setTimer(10, () => fired.push(`first at ${gated.now()}`));
  gated.setTimer(200, () => fired.push(`later at ${gated.now()}`));
  clock.advanceTo(100);
  t.deepEqual(fired, []);
  t.is(gated.now(), 100, 'time goes on all the same');
  gate.open();
  t.deepEqual(fired, ['first at 100', 'second at 100']);
  clock.advanceTo(300);
  t.is(fired[2], 'later at 200');
});

test('a timer that is cancelled behind a shut gate does not fire, whether it was due or not', (t) => {
  const gate = new PauseGate();
  const clock = new VirtualClock(0);
  const gated = gate.clock(clock);
  gate.shut();
  const due = gated.setTimer(10, () => t.fail());
  const pending = gated.setTimer(50, () => t.fail());
  clock.advanceTo(20);
  due.cancel();
  pending.cancel();
  due.cancel();
  t.is(clock.pending, 0);
  gate.open();
  clock.advanceTo(100);
  t.pass();
});

test('a timer can cancel one that waits behind it', (t) => {
  const gate = new PauseGate();
  const clock = new VirtualClock(0);
  const gated = gate.clock(clock);
  const fired: string[] = [];
  gate.shut();
  gated.setTimer(10, () => {
    fired.push('first');
    second.cancel();
  });
  const second = gated.setTimer(10, () => fired.push('second'));
  clock.advanceTo(20);
  gate.open();
  t.deepEqual(fired, ['first']);
});

test('frames and timers behind a shut gate keep their common order', (t) => {
  const nodes = new SimulatedNodes(meshOf(['a', 'b']));
  const { gate, heard, link } = nodes.node('b');
  const story: string[] = [];
  const gated = gate.clock(nodes.clock);
  gate.shut();
  nodes.send('a', 'b', '1');
  gated.setTimer(50, () => story.push(`timer after ${heard.length} frame`));
  nodes.pass(100);
  nodes.send('a', 'b', '2');
  nodes.pass(100);
  t.deepEqual([heard, story], [[], []]);
  t.is(link.send('a', 'still connected'), undefined, 'a pause is no end of the connection');
  gate.open();
  t.deepEqual(story, ['timer after 1 frame']);
  t.deepEqual(nodes.node('b').from('a'), ['1', '2']);
});
