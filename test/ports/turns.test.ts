/** Turns of clients: a bounded number in a row, then the loop; in the order in which they were asked for. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { VirtualClock } from '../../sim/ports/virtual-clock.ts';
import { limits } from '../../src/model/limits.ts';
import { Turns } from '../../src/ports/turns.ts';
import { holds } from '../kit/property.ts';
import { test } from '../kit/test.ts';

test('the first has its turn at once, and after a slice the rest wait for the loop', (t) => {
  const clock = new VirtualClock(0);
  const turns = new Turns(clock);
  const done: number[] = [];
  for (let n = 0; n < 250; n++) turns.take(() => void done.push(n));
  t.is(done.length, limits.sliceTurns);
  t.is(clock.pending, 1);
});

test('a slice also ends by time', (t) => {
  let nowMs = 0;
  const timers: (() => void)[] = [];
  const clock = {
    now: () => nowMs,
    setTimer: (_delayMs: number, fire: () => void) => {
      timers.push(fire);
      return { cancel: () => {} };
    },
  };
  const turns = new Turns(clock);
  const done: number[] = [];
  for (let n = 0; n < 8; n++) {
    turns.take(() => {
      done.push(n);
      nowMs += limits.sliceMs / 2;
    });
  }
  t.deepEqual(done, [0, 1]);
  timers.shift()?.();
  t.deepEqual(done, [0, 1, 2, 3]);
});

test('long work is interrupted between its steps, goes on in the next slice, and what was asked for after it waits for its end', (t) => {
  const clock = new VirtualClock(0);
  const turns = new Turns(clock);
  const done: string[] = [];
  function* steps(name: string, count: number) {
    for (let n = 0; n < count; n++) {
      if (n > 0) yield;
      done.push(`${name} ${n}`);
    }
  }
  turns.takeSteps(() => steps('long', 250));
  turns.takeSteps(() => steps('next', 2));
  turns.take(() => void done.push('short'));
  t.is(done.length, limits.sliceTurns);
  clock.runNext();
  t.is(done.length, 2 * limits.sliceTurns);
  clock.runNext();
  t.deepEqual(done.slice(249), ['long 249', 'next 0', 'next 1', 'short']);
  turns.takeSteps(() => steps('stopped', 250));
  turns.stop();
  while (clock.runNext());
  t.true(done.length < 253 + limits.sliceTurns);
});

test('clients with any numbers of messages take turns: none is a round ahead of one that waits', async (t) => {
  await holds(
    t,
    fc.asyncProperty(fc.array(fc.nat(300), { minLength: 1, maxLength: 8 }), async (counts) => {
      const clock = new VirtualClock(0);
      const turns = new Turns(clock);
      const rounds = counts.map(() => 0);
      const isWaiting = (socket: number) => (rounds[socket] as number) < (counts[socket] as number);
      let inSlice = 0;
      const offer = (socket: number): void => {
        if (!isWaiting(socket)) return;
        turns.take(() => {
          inSlice += 1;
          rounds[socket] = (rounds[socket] as number) + 1;
          Promise.resolve().then(() => offer(socket));
        });
      };
      for (const socket of counts.keys()) offer(socket);
      for (let more = true; more; more = clock.runNext()) {
        await new Promise((resolve) => setImmediate(resolve));
        assert.ok(inSlice <= limits.sliceTurns);
        inSlice = 0;
        const waiting = rounds.filter((_round, socket) => isWaiting(socket));
        assert.ok(waiting.every((round) => round >= Math.max(...waiting) - 1));
      }
      assert.deepEqual(rounds, counts);
    }),
  );
});
