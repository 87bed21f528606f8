/** Faults over time: they break and repair by themselves until they are lifted. */
import { ScopedClock } from '../../src/actors/scoped-clock.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { RandomStream } from '../../src/ports/random.ts';

/** Ends a fault. */
export type Lift = () => void;

/** Breaks and repairs in turn at an interval, beginning with a break. */
export function flap(clock: Clock, everyMs: number, breaks: () => Lift): Lift {
  const scoped = new ScopedClock(clock);
  let mend: Lift | undefined;
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
  /** Draws members: each with a probability of a half, at least one. */
  readonly among: readonly T[];
  /** Breaks at random times within this span, repairs in another order within a second span of the same length. */
  readonly overMs: number;
  readonly breaks: (one: T) => Lift;
}

/** Breaks some members one after the other, then repairs them one after the other in another order, once. */
export function swizzle<T>({ clock, random, among, overMs, breaks }: Swizzle<T>): Lift {
  const scoped = new ScopedClock(clock);
  const standing = new Set<Lift>();
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
