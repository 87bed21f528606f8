/** Lists of a user: a few at a time, in their order, and none of another user waits for them. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { VirtualClock } from '../../sim/ports/virtual-clock.ts';
import { ListShares } from '../../src/roles/ws/shares.ts';
import { holds } from '../kit/property.ts';
import { test } from '../kit/test.ts';

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Work that begins and ends as the test says. */
function works(shares: ListShares) {
  const begun: string[] = [];
  const over: string[] = [];
  const ends = new Map<string, (fails: boolean) => void>();
  return {
    begun,
    over,
    ask(user: string, name: string, patienceMs = 1_000) {
      const work = () =>
        new Promise<void>((resolve, reject) => {
          begun.push(name);
          ends.set(name, (fails) => (fails ? reject(new Error(name)) : resolve()));
        });
      shares.take(user, patienceMs, work).then(
        () => over.push(name),
        (error: Error) => over.push(`${name}: ${error.message}`),
      );
    },
    async end(name: string, fails = false) {
      ends.get(name)?.(fails);
      await settle();
    },
  };
}

test('a user has so many at a time; the next begins when one ends or fails; another user does not wait', async (t) => {
  const shares = new ListShares(new VirtualClock(0), 2);
  const { begun, over, ask, end } = works(shares);
  for (const name of ['a1', 'a2', 'a3', 'a4']) ask('a', name);
  ask('b', 'b1');
  await settle();
  t.deepEqual(begun, ['a1', 'a2', 'b1']);
  await end('a2', true);
  t.deepEqual(begun, ['a1', 'a2', 'b1', 'a3']);
  await end('a1');
  for (const name of ['a3', 'a4', 'b1']) await end(name);
  t.deepEqual(over, ['a2: a2', 'a1', 'a3', 'a4', 'b1']);
  t.is(shares.users, 0);
});

test('one that waits too long is refused, and its place in the queue is gone', async (t) => {
  const clock = new VirtualClock(0);
  const shares = new ListShares(clock, 1);
  const { begun, over, ask, end } = works(shares);
  ask('a', 'a1');
  ask('a', 'a2', 100);
  ask('a', 'a3', 200);
  await settle();
  clock.advanceTo(150);
  await settle();
  t.deepEqual(over, ['a2: list: more than 1 lists of one user are being made: try again soon']);
  await end('a1');
  t.deepEqual(begun, ['a1', 'a3']);
  await end('a3');
  t.deepEqual([shares.users, clock.pending], [0, 0]);
});

test('whatever ends when, no user has more at a time than its share, and all are done in the end', async (t) => {
  const step = fc.record({ user: fc.constantFrom('a', 'b'), ends: fc.nat(3), fails: fc.boolean() });
  await holds(
    t,
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), fc.integer({ min: 1, max: 3 }), async (steps, each) => {
      const shares = new ListShares(new VirtualClock(0), each);
      const { begun, over, ask, end } = works(shares);
      const underWay = () => begun.filter((name) => !over.some((done) => done.split(':')[0] === name));
      const check = () => {
        for (const user of 'ab') assert.ok(underWay().filter((name) => name.startsWith(user)).length <= each);
      };
      for (const [n, { user, ends, fails }] of steps.entries()) {
        ask(user, `${user}${n}`);
        await settle();
        check();
        for (const name of underWay().slice(0, ends)) await end(name, fails);
        check();
      }
      for (let left = underWay(); left.length > 0; left = underWay()) for (const name of left) await end(name);
      assert.equal(over.length, steps.length);
      assert.equal(shares.users, 0);
    }),
  );
});
