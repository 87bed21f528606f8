/** Virtual time: a clock that moves only on command and stops at each deadline on the way. */

import type { Clock, Timer } from '../../src/ports/clock.ts';
import { TimerHeap } from '../../src/ports/timer-heap.ts';

/**
 * The clock of a whole simulated cluster. Timers fire by deadline, then in the order in which they were set; while one
 * fires, `now` is its deadline. If a timer throws, the caller that moves the clock gets the error and may continue.
 */
export class VirtualClock implements Clock {
  readonly #timers = new TimerHeap();
  /** Changes what a timer will do, when it is set: such as to keep the context of its setter. */
  carry: ((fire: () => void) => () => void) | undefined;
  #nowMs: number;
  #isFiring = false;

  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  now(): number {
    return this.#nowMs;
  }

  setTimer(delayMs: number, fire: () => void): Timer {
    if (!Number.isFinite(delayMs)) throw new RangeError(`a delay of ${delayMs} ms`);
    const carried = this.carry === undefined ? fire : this.carry(fire);
    return this.#timers.set(this.#nowMs + Math.max(0, delayMs), carried);
  }

  /** Moves to the next deadline and fires that one timer. Returns false if there is none. */
  runNext(): boolean {
    this.#assertIdle();
    return this.#fireNext(Infinity);
  }

  /**
   * Fires the next timer that is due now, if it is among the first `ofFirst` that were set. Returns false if there is
   * none.
   */
  runDue(ofFirst: number): boolean {
    this.#assertIdle();
    return this.#fireNext(this.#nowMs, ofFirst);
  }

  /** Number of timers set so far. */
  get everSet(): number {
    return this.#timers.everSet;
  }

  /** Fires everything due until `timeMs`, included, and stays there. Timers may add more. */
  advanceTo(timeMs: number): void {
    this.#assertIdle();
    if (!(timeMs >= this.#nowMs && timeMs < Infinity))
      throw new RangeError(`cannot go from ${this.#nowMs} to ${timeMs}`);
    while (this.#fireNext(timeMs));
    this.#nowMs = timeMs;
  }

  /** Forgets all timers that are set. */
  clear(): void {
    this.#timers.clear();
  }

  nextDeadlineMs(): number | undefined {
    return this.#timers.nextDeadlineMs();
  }

  /** Number of timers that are set and neither fired nor cancelled. */
  get pending(): number {
    return this.#timers.pending;
  }

  /** Number of cancelled timers in memory: never more than the pending ones. */
  get cancelled(): number {
    return this.#timers.cancelled;
  }

  #fireNext(untilMs: number, ofFirst?: number): boolean {
    const due = this.#timers.take(untilMs, ofFirst);
    if (due === undefined) return false;
    this.#nowMs = due.deadlineMs;
    this.#isFiring = true;
    try {
      due.fire();
    } finally {
      this.#isFiring = false;
    }
    return true;
  }

  /** A timer must not move the clock while its caller moves it. */
  #assertIdle(): void {
    if (this.#isFiring) throw new Error('a timer must not move the clock that fires it');
  }
}
