/**
 * A clock that is wrong: a node's own, which shows another time than the others'. Timers take as long as ever. Set back, it
 * stands still until the time that it has shown is over, as a clock that is slewed, for it never goes back.
 */
import type { Clock, Timer } from '../../src/ports/clock.ts';

export class SkewedClock implements Clock {
  readonly #inner: Clock;
  /** Milliseconds that it is ahead. */
  readonly #skewMs: () => number;
  #shownMs = Number.NEGATIVE_INFINITY;

  constructor(inner: Clock, skewMs: () => number) {
    this.#inner = inner;
    this.#skewMs = skewMs;
  }

  now(): number {
    this.#shownMs = Math.max(this.#shownMs, this.#inner.now() + this.#skewMs());
    return this.#shownMs;
  }

  setTimer(delayMs: number, fire: () => void): Timer {
    return this.#inner.setTimer(delayMs, fire);
  }
}
