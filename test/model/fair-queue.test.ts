/** Owners of a queue take turns; each owner's items keep their order. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { FairQueue } from '../../src/model/fair-queue.ts';
import { holds } from '../kit/property.ts';
import { test } from '../kit/test.ts';

test('an owner with one item waits for one item of each other owner, whatever they have queued', async (t) => {
  await holds(
    t,
    fc.property(fc.array(fc.nat({ max: 4 }), { maxLength: 60 }), fc.nat({ max: 60 }), (owners, at) => {
      const queue = new FairQueue<readonly [owner: number, nth: number]>();
      for (const [nth, owner] of owners.entries()) queue.add(String(owner), [owner, nth]);
      for (let n = 0; n < Math.min(at, owners.length); n += 1) queue.take();
      queue.add('late', [-1, -1]);
      const rest: (readonly [number, number])[] = [];
      while (!queue.isEmpty) rest.push(queue.take() ?? assert.fail('it is not empty'));
      assert.equal(rest.length, Math.max(0, owners.length - at) + 1);
      const place = rest.findIndex(([owner]) => owner === -1);
      const before = rest.slice(0, place).map(([owner]) => owner);
      assert.equal(new Set(before).size, before.length, 'no owner has two turns before it');
      for (const owner of new Set(owners)) {
        const nths = rest.filter(([each]) => each === owner).map(([, nth]) => nth);
        assert.deepEqual(
          nths,
          nths.toSorted((one, other) => one - other),
        );
      }
    }),
  );
});

test('a cleared queue is empty', (t) => {
  const queue = new FairQueue<number>();
  queue.add('a', 1);
  queue.clear();
  t.true(queue.isEmpty);
  t.is(queue.take(), undefined);
});
