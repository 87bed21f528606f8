/** The world outside behind the gate of a node: a paused process reads nothing, and reads it all when it goes on. */

import { PauseGate } from '../../../sim/faults/gate.ts';
import { VirtualClock } from '../../../sim/ports/virtual-clock.ts';
import { MemoryOutside, requestOf } from '../../kit/calls/outside.ts';
import { test } from '../../kit/test.ts';

function gated() {
  const clock = new VirtualClock(0);
  const outside = new MemoryOutside(clock);
  const gate = new PauseGate();
  const heard: string[] = [];
  const edge = gate.outside(outside).attach('edge', ({ callid }, from) => heard.push(`${callid} ${from}`));
  const phone = outside.attach('phone', ({ callid }) => heard.push(`phone ${callid}`));
  const send = (callid: string) => {
    phone.send('edge', requestOf('OPTIONS', { callid }));
    clock.advanceTo(clock.now() + 10);
  };
  return { clock, outside, gate, heard, edge, send };
}

test('what comes for a paused node waits in order, and what it sends goes out', (t) => {
  const { clock, gate, heard, edge, send } = gated();
  send('1');
  gate.shut();
  send('2');
  send('3');
  t.deepEqual(heard, ['1 phone']);
  gate.open();
  t.deepEqual(heard, ['1 phone', '2 phone', '3 phone']);
  edge.send('phone', requestOf('OPTIONS', { callid: '4' }));
  clock.advanceTo(clock.now() + 10);
  t.is(heard.at(-1), 'phone 4');
});

test('what waits for a node that dies while it is paused is never read', (t) => {
  const { outside, gate, heard, edge, send } = gated();
  gate.shut();
  send('1');
  edge.detach();
  gate.open();
  t.deepEqual(heard, []);
  t.false(outside.isTaken('edge'));
});
