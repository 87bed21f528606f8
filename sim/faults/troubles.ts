/** Faults that take their time: they break and mend again and again by themselves, until they are lifted. */
import type { Clock } from '../../src/ports/clock.ts';
import type { RandomStream } from '../../src/ports/random.ts';
import { ScopedClock } from '../../src/runtime/scoped-clock.ts';

export type Mend = () => void;

/** Breaks and mends in turn, each for so long, beginning with the break. */
export function flap(clock: Clock, everyMs: number, breaks: () => Mend): Mend {
  const scoped = new ScopedClock(clock);
  let mend: Mend | undefined;
  const turn = () => {
    if (mend === undefined) mend = breaks();
    else {
      mend();
      mend = undefined;
    }
    scoped.setTimer(everyMs, turn);
  };
  turn();
  return () => {
    scoped.end();
    mend?.();
  };
}

export interface Swizzle<T> {
  readonly clock: Clock;
  readonly random: RandomStream;
  /** Of these some are drawn: each with a probability of a half, one at least. */
  readonly among: readonly T[];
  /** The breaks come at random times within so long, the mends, in an order of their own, within as long after that. */
  readonly overMs: number;
  readonly breaks: (one: T) => Mend;
}

/** Breaks some one after the other, then mends them one after the other in another order, once. */
export function swizzle<T>({ clock, random, among, overMs, breaks }: Swizzle<T>): Mend {
  const scoped = new ScopedClock(clock);
  const standing = new Set<Mend>();
  const drawn = among.filter(() => random.float() < 1 / 2);
  const struck = drawn.length > 0 || among.length === 0 ? drawn : among.slice(0, 1);
  for (const one of struck) {
    const [fromMs, untilMs] = [random.float() * overMs, overMs + random.float() * overMs];
    scoped.setTimer(fromMs, () => {
      const mend = breaks(one);
      standing.add(mend);
      scoped.setTimer(untilMs - fromMs, () => {
        standing.delete(mend);
        mend();
      });
    });
  }
  return () => {
    scoped.end();
    for (const mend of standing) mend();
  };
}
