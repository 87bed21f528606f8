/** What the frames of a peer tell of its clock. */

import { VirtualClock } from '../../sim/ports/virtual-clock.ts';
import { ClockShifts } from '../../src/cluster/membership/clock-shifts.ts';
import { test } from '../kit/test.ts';

/** Frames: when each arrives by the own clock, when it was sent by the peer's, and the shift that follows. */
const rows: readonly [what: string, frames: readonly [atMs: number, sentMs: number, shiftMs: number][]][] = [
  ['clocks that agree', [[10, 8, 2]]],
  ['a peer that is a minute ahead', [[10, 60_008, -59_998]]],
  [
    'the quickest frame counts',
    [
      [10, 5, 5],
      [20, 18, 2],
      [30, 20, 2],
    ],
  ],
  [
    'a frame that was kept on its way changes nothing',
    [
      [10, 8, 2],
      [4_000, 100, 2],
    ],
  ],
  [
    'a clock that is set ahead is noticed at once',
    [
      [10, 8, 2],
      [1_000, 31_000, -30_000],
    ],
  ],
  [
    'a clock that is set back is noticed after two spans',
    [
      [0, 30_000, -30_000],
      [500, 500, -30_000],
      [1_001, 1_000, -30_000],
      [2_000, 1_999, -30_000],
      [2_002, 2_001, 1],
    ],
  ],
  [
    'what was kept back is known as such after a long silence',
    [
      [0, 0, 0],
      [60_000, 100, 0],
      [60_000, 59_990, 0],
      [61_001, 60_991, 10],
    ],
  ],
];
for (const [what, frames] of rows) {
  test(what, (t) => {
    const clock = new VirtualClock(0);
    const shifts = new ClockShifts(clock);
    const heard = frames.map(([atMs, sentMs]) => {
      clock.advanceTo(atMs);
      return shifts.offsetMs('n2', sentMs);
    });
    t.deepEqual(
      heard,
      frames.map(([, , shiftMs]) => shiftMs),
    );
  });
}

test('each peer has a shift of its own', (t) => {
  const clock = new VirtualClock(100);
  const shifts = new ClockShifts(clock);
  t.deepEqual([shifts.offsetMs('n1', 90), shifts.offsetMs('n2', 40), shifts.offsetMs('n1', 95)], [10, 60, 5]);
});
