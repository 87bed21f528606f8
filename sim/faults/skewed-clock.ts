/**
 * A clock that is wrong: a node's own, which shows another time than the others'. Timers take as long as ever. It never goes
 * back: one that is ahead of what it should show goes slower until that has caught up, as a clock that is slewed.
 */
import type { Clock, Timer } from '../../src/ports/clock.ts';

/** Of a clock that is ahead, against the right one. */
const slewedSpeed = 3 / 4;

export class SkewedClock implements Clock {
  readonly #inner: Clock;
  /** Milliseconds that it is ahead. */
  readonly #skewMs: () => number;
  #shownMs = Number.NEGATIVE_INFINITY;
  /** When it showed that, by the right clock. */
  #atMs = 0;

  constructor(inner: Clock, skewMs: () => number) {
    this.#inner = inner;
    this.#skewMs = skewMs;
  }

  now(): number {
    const nowMs = this.#inner.now();
    const slewedMs = this.#shownMs + (nowMs - this.#atMs) * slewedSpeed;
    this.#shownMs = Math.max(slewedMs, nowMs + this.#skewMs());
    this.#atMs = nowMs;
    return this.#shownMs;
  }

  setTimer(delayMs: number, fire: () => void): Timer {
    return this.#inner.setTimer(delayMs, fire);
  }
}
