/** A clock that is wrong: ahead at once, slewed when it is set back, and never earlier than before. */

import fc from 'fast-check';
import { SkewedClock } from '../../../sim/faults/skewed-clock.ts';
import { VirtualClock } from '../../../sim/ports/virtual-clock.ts';
import { holds } from '../../kit/property.ts';
import { test } from '../../kit/test.ts';

test('it is ahead at once, and set back goes slower until the time is right', (t) => {
  const clock = new VirtualClock(0);
  let skewMs = 0;
  const skewed = new SkewedClock(clock, () => skewMs);
  const shown = [
    [1_000, 0],
    [1_000, 60_000],
    [2_000, 60_000],
    [2_000, 0],
    [4_000, 0],
    [202_000, 0],
    [250_000, 0],
  ].map(([atMs = 0, skew = 0]) => {
    clock.advanceTo(atMs);
    skewMs = skew;
    return skewed.now();
  });
  t.deepEqual(shown, [1_000, 61_000, 62_000, 62_000, 63_500, 212_000, 250_000]);
});

test('whatever is done to it, it never goes back', async (t) => {
  const change = fc.record({ passMs: fc.nat(5_000), skewMs: fc.integer({ min: -60_000, max: 60_000 }) });
  await holds(
    t,
    fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
      const clock = new VirtualClock(0);
      let skewMs = 0;
      const skewed = new SkewedClock(clock, () => skewMs);
      let before = skewed.now();
      return changes.every((each) => {
        clock.advanceTo(clock.now() + each.passMs);
        skewMs = each.skewMs;
        const isLater = skewed.now() >= before;
        before = skewed.now();
        return isLater;
      });
    }),
  );
});
