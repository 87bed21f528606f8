/** Shares of something bounded: in all, and by owner. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ArchiveShares } from '../../src/roles/ws/shares.ts';
import { holds, runs } from '../kit/property.ts';
import { test } from '../kit/test.ts';

test('no owner gets more than its bound, nor all together more than theirs, and what is given back is there again', async (t) => {
  const step = fc.record({ owner: fc.constantFrom('a', 'b', 'c'), more: fc.nat(6), isReturned: fc.boolean() });
  await holds(
    t,
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const shares = new ArchiveShares({ all: 20, each: 9 });
      const taken: { owner: string; more: number }[] = [];
      const used = (owner?: string) =>
        taken.reduce((sum, each) => sum + (owner === undefined || each.owner === owner ? each.more : 0), 0);
      for (const { owner, more, isReturned } of steps) {
        const [oldest] = taken;
        if (isReturned && oldest !== undefined) {
          shares.release(oldest.owner, oldest.more);
          taken.shift();
        } else {
          const isRoom = used(owner) + more <= 9 && used() + more <= 20;
          assert.equal(shares.take(owner, more), isRoom);
          if (isRoom) taken.push({ owner, more });
        }
      }
    }),
    { numRuns: runs(50) },
  );
});

test('a release of more than was reserved is a bug', (t) => {
  const shares = new ArchiveShares({ all: 9, each: 9 });
  shares.take('a', 2);
  t.throws(() => shares.release('a', 3), { message: /a has released more/ });
});
