/** The clock of a scope: when the scope ends, so do its timers. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { VirtualClock } from '../../sim/ports/virtual-clock.ts';
import { ScopedClock } from '../../src/actors/scoped-clock.ts';
import { holds } from '../kit/property.ts';
import { test } from '../kit/test.ts';
import { clockContract } from '../ports/clock-contract.ts';

clockContract(test, 'scoped', () => {
  const outer = new VirtualClock(1_000_000);
  return {
    clock: new ScopedClock(outer),
    async until(isReached) {
      while (!isReached()) if (!outer.runNext()) throw new Error('no timer is left, and it has not come to pass');
    },
  };
});

function clocks() {
  const outer = new VirtualClock(0);
  const scope = new ScopedClock(outer);
  const fired: string[] = [];
  const set = (clock: ScopedClock, name: string, delayMs = 10) => clock.setTimer(delayMs, () => fired.push(name));
  return { outer, scope, fired, set };
}

test('a scope that ends cancels all of its timers and no other', (t) => {
  const { outer, scope, fired, set } = clocks();
  const other = new ScopedClock(outer);
  set(scope, 'one');
  set(scope, 'two');
  set(other, 'other');
  scope.end();
  t.is(scope.pending, 0);
  t.is(outer.pending, 1);
  outer.advanceTo(100);
  t.deepEqual(fired, ['other']);
});

test('a scope in another one ends alone, or with it', (t) => {
  const { outer, scope, fired, set } = clocks();
  const [first, second] = [scope.scope(), scope.scope()];
  set(scope, 'own');
  set(first, 'first');
  set(second, 'second');
  t.deepEqual([scope.pending, first.pending, outer.pending], [3, 1, 3]);
  first.end();
  t.deepEqual([scope.pending, outer.pending], [2, 2]);
  outer.advanceTo(10);
  t.deepEqual(fired, ['own', 'second']);
  set(second, 'late');
  scope.end();
  set(scope.scope(), 'too late');
  set(second, 'too late');
  t.deepEqual([scope.pending, outer.pending], [0, 0]);
});

test('timers of a scope are run as its owner wants', (t) => {
  const { outer, scope, fired } = clocks();
  const clock = scope.running((fire) => {
    fired.push('before');
    fire();
  });
  clock.setTimer(10, () => fired.push('timer'));
  clock.setTimer(10, () => fired.push('cancelled')).cancel();
  t.is(clock.now(), scope.now());
  outer.advanceTo(10);
  t.deepEqual([fired, scope.pending], [['before', 'timer'], 0]);
  clock.setTimer(10, () => fired.push('after the end'));
  scope.end();
  outer.advanceTo(100);
  t.is(fired.length, 2);
});

test('a scope that has ended sets no timer, and its time goes on', (t) => {
  const { outer, scope, fired, set } = clocks();
  scope.end();
  set(scope, 'late').cancel();
  set(scope, 'late too');
  t.is(outer.pending, 0);
  outer.advanceTo(100);
  t.deepEqual([fired, scope.now()], [[], 100]);
});

test('a timer that ends its scope is the last one to fire, even of several due at the same time', (t) => {
  const { outer, scope, fired, set } = clocks();
  scope.setTimer(10, () => {
    fired.push('end');
    scope.end();
  });
  set(scope, 'same time');
  outer.advanceTo(100);
  t.deepEqual(fired, ['end']);
});

test('the scopes inside a scope end with it', (t) => {
  const { outer, scope, fired, set } = clocks();
  const inner = new ScopedClock(scope);
  const innermost = new ScopedClock(inner);
  set(inner, 'inner');
  set(innermost, 'innermost');
  scope.end();
  set(innermost, 'late');
  t.is(outer.pending, 0);
  outer.advanceTo(100);
  t.deepEqual(fired, []);
});

test('a scope that ends leaves the scope around it as it is', (t) => {
  const { outer, scope, fired, set } = clocks();
  const inner = new ScopedClock(scope);
  set(scope, 'around');
  set(inner, 'inner');
  inner.end();
  t.is(scope.pending, 1);
  outer.advanceTo(100);
  t.deepEqual([fired, scope.pending], [['around'], 0]);
});

test('the count of pending timers is right after any timers were set, cancelled and fired', async (t) => {
  const step = fc.oneof(
    fc.record({ setMs: fc.nat(50) }),
    fc.record({ cancel: fc.nat(30) }),
    fc.record({ passMs: fc.nat(30) }),
  );
  await holds(
    t,
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const { outer, scope, set } = clocks();
      const timers: { cancel(): void }[] = [];
      for (const each of steps) {
        if ('setMs' in each) timers.push(set(scope, 'any', each.setMs));
        else if ('cancel' in each) timers[each.cancel % (timers.length || 1)]?.cancel();
        else outer.advanceTo(outer.now() + each.passMs);
        assert.equal(scope.pending, outer.pending);
      }
      scope.end();
      assert.equal(outer.pending, 0);
    }),
  );
});
