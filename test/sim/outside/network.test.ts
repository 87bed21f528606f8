/** The network to the edges: how long messages take, in which order they come, and what faults do to them. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { RuleAction } from '../../../sim/faults/rules.ts';
import { OutsideNetwork } from '../../../sim/outside/network.ts';
import { SeededRandom } from '../../../sim/ports/random.ts';
import { VirtualClock } from '../../../sim/ports/virtual-clock.ts';
import { requestOf } from '../../kit/calls/outside.ts';
import { holds } from '../../kit/property.ts';
import { test } from '../../kit/test.ts';

const [a, b] = ['10.0.0.1:5060', '10.0.0.2:5060'];

function network(seed = 1) {
  const clock = new VirtualClock(0);
  const seen: string[] = [];
  const lost: string[] = [];
  const net = new OutsideNetwork({
    clock,
    random: new SeededRandom(seed).stream('network'),
    onMessage: ({ from, to, message: { callid }, isLost }) => {
      seen.push(`${from} ${to} ${callid}`);
      if (isLost) lost.push(callid);
    },
  });
  const heard: { callid: string; from: string; atMs: number }[] = [];
  const line = net.attach(a, () => {});
  const other = net.attach(b, ({ callid }, from) => heard.push({ callid, from, atMs: clock.now() }));
  const send = (...callids: string[]) => {
    for (const callid of callids) line.send(b, requestOf('OPTIONS', { callid }));
  };
  const pass = (ms = 1_000) => clock.advanceTo(clock.now() + ms);
  return { clock, net, heard, seen, lost, line, other, send, pass };
}

const many = Array.from({ length: 1_000 }, (_, n) => `${n}`);

test('a message takes 1 to 4 ms, comes from where it was sent, and is seen as it is sent', (t) => {
  const { heard, seen, send, pass } = network();
  for (const callid of many) {
    send(callid);
    pass(10);
  }
  const took = heard.map(({ atMs }, n) => atMs - 10 * n);
  t.is(took.length, many.length);
  t.true(Math.min(...took) >= 1 && Math.min(...took) < 1.1, `${Math.min(...took)}`);
  t.true(Math.max(...took) <= 4 && Math.max(...took) > 3.9, `${Math.max(...took)}`);
  t.is(heard[0]?.from, a);
  t.is(seen[0], `${a} ${b} 0`);
});

test('messages of one way keep their order', (t) => {
  const { heard, send, pass } = network();
  send(...many);
  pass();
  t.deepEqual(
    heard.map(({ callid }) => callid),
    many,
  );
});

test('what is sent to an unknown endpoint, and what is under way when its receiver leaves, is lost', (t) => {
  const { heard, line, other, send, pass } = network();
  line.send('10.0.0.9:5060', requestOf('OPTIONS'));
  send('1');
  other.detach();
  pass();
  t.deepEqual(heard, []);
});

test('a later one at an endpoint takes it over, and keeps it when the earlier one leaves', (t) => {
  const { net, heard, other, send, pass } = network();
  const taken: string[] = [];
  const later = net.attach(b, ({ callid }) => taken.push(callid));
  other.detach();
  send('1');
  pass();
  t.deepEqual([taken, heard], [['1'], []]);
  later.detach();
  send('2');
  pass();
  t.deepEqual(taken, ['1']);
});

test('a network that has stopped delivers nothing and leaves no timer', (t) => {
  const { clock, net, heard, send, pass } = network();
  send('1', '2');
  t.is(net.underWay, 2);
  net.stop();
  t.is(clock.pending, 0);
  send('3');
  pass();
  t.deepEqual(heard, []);
});

test('a rule drops, delays and copies; a rule that holds loses, for the network keeps no datagram', (t) => {
  const verdicts: readonly [RuleAction, number][] = [
    ['pass', 1],
    ['drop', 0],
    ['hold', 0],
    [{ copies: 2 }, 3],
  ];
  for (const [verdict, arrivals] of verdicts) {
    const { net, heard, lost, send, pass } = network();
    const lift = net.rules.install((from, to) => (from === a && to === b ? verdict : 'pass'));
    send('1');
    pass();
    t.is(heard.length, arrivals, JSON.stringify(verdict));
    t.deepEqual(lost, arrivals === 0 ? ['1'] : []);
    lift();
    send('2');
    pass();
    t.is(heard.length, arrivals + 1);
  }
  const { net, heard, send, pass } = network();
  net.rules.install(() => ({ afterMs: 100 }));
  send('1');
  pass();
  t.true((heard[0]?.atMs ?? 0) >= 101);
});

test('a copy may come after what was sent later', (t) => {
  const { net, heard, send, pass } = network();
  net.rules.install(() => ({ copies: 1 }));
  send(...many.slice(0, 20));
  pass();
  t.is(heard.length, 40);
  const order = heard.map(({ callid }) => Number(callid));
  t.notDeepEqual(
    order,
    order.toSorted((one, other) => one - other),
  );
});

test('the same seed takes the same times', (t) => {
  const times = (seed: number) => {
    const { heard, send, pass } = network(seed);
    send(...many.slice(0, 10));
    pass();
    return heard.map(({ atMs }) => atMs);
  };
  t.deepEqual(times(5), times(5));
  t.notDeepEqual(times(5), times(6));
});

test('whatever is sent when, each message comes once, in order, within 4 ms of the last before it', async (t) => {
  await holds(
    t,
    fc.property(fc.nat(), fc.array(fc.nat(10), { maxLength: 60 }), (seed, pauses) => {
      const { heard, send, pass } = network(seed);
      let nowMs = 0;
      const sentMs = pauses.map((pauseMs, n) => {
        send(`${n}`);
        pass(pauseMs);
        nowMs += pauseMs;
        return nowMs - pauseMs;
      });
      pass();
      assert.deepEqual(
        heard.map(({ callid }) => callid),
        pauses.map((_, n) => `${n}`),
      );
      heard.forEach(({ atMs }, n) => {
        assert.ok(atMs >= (sentMs[n] ?? 0) + 1 && atMs <= (sentMs[n] ?? 0) + 4);
      });
    }),
  );
});
