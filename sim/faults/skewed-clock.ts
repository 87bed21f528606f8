/**
 * The skewed clock of a node. Timers keep their length. The clock never goes back: when it is ahead of its target it
 * runs slower until the target has caught up, like a slewed clock.
 */
import type { Clock, Timer } from '../../src/ports/clock.ts';

/** Rate of a clock that is being slewed. */
export const slewedSpeed = 3 / 4;

export class SkewedClock implements Clock {
  readonly #inner: Clock;
  /** Milliseconds ahead of the right clock. */
  readonly #skewMs: () => number;
  #shownMs = Number.NEGATIVE_INFINITY;
  /** Last shown time, and the right time of that moment. */
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
