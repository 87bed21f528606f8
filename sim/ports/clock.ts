/** Virtual time: a clock that stands still until somebody moves it, and stops at each deadline on the way. */

import type { Clock, Timer } from '../../src/ports/clock.ts';
import { TimerHeap } from '../../src/ports/timer-heap.ts';

/**
 * Time for a whole simulated cluster. Timers fire by deadline, then in the order in which they were set; while one
 * fires, `now` is its deadline. When a timer throws, whoever moves the clock gets the error, and may move on.
 */
export class VirtualClock implements Clock {
  readonly #timers = new TimerHeap();
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
    return this.#timers.set(this.#nowMs + Math.max(0, delayMs), fire);
  }

  /** Moves to the next deadline and fires that one timer. False when there is none. */
  runNext(): boolean {
    this.#assertIdle();
    return this.#fireNext(Infinity);
  }

  /** Fires the next timer that is due now, if it is among the first `ofFirst` that were set. False when there is none. */
  runDue(ofFirst: number): boolean {
    this.#assertIdle();
    return this.#fireNext(this.#nowMs, ofFirst);
  }

  /** How many timers have been set ever. */
  get everSet(): number {
    return this.#timers.everSet;
  }

  /** Fires all that is due until `timeMs`, that time included, and stays there. Timers that fire may add to it. */
  advanceTo(timeMs: number): void {
    this.#assertIdle();
    if (!(timeMs >= this.#nowMs && timeMs < Infinity))
      throw new RangeError(`can't go from ${this.#nowMs} to ${timeMs}`);
    while (this.#fireNext(timeMs));
    this.#nowMs = timeMs;
  }

  nextDeadlineMs(): number | undefined {
    return this.#timers.nextDeadlineMs();
  }

  /** How many timers are set and neither fired nor cancelled. */
  get pending(): number {
    return this.#timers.pending;
  }

  /** How many cancelled timers are still in memory: never more than there are pending ones. */
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

  /** A timer that moved the clock would take time away from under whoever moves it already. */
  #assertIdle(): void {
    if (this.#isFiring) throw new Error('a timer must not move the clock that fires it');
  }
}
