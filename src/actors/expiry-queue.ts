/** A clock for many deadlines that are far away: however many there are, one timer of the clock below is set. */
import type { Clock, Timer } from '../ports/clock.ts';
import { TimerHeap } from '../ports/timer-heap.ts';

export class ExpiryQueue implements Clock {
  readonly #clock: Clock;
  readonly #heap = new TimerHeap();
  #alarm: { readonly timer: Timer; readonly deadlineMs: number } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  setTimer(delayMs: number, fire: () => void): Timer {
    const timer = this.#heap.set(this.now() + Math.max(0, delayMs), fire);
    this.#setAlarm();
    return timer;
  }

  /** The alarm is that of the next deadline. One that was cancelled leaves an alarm that finds nothing due. */
  #setAlarm(): void {
    const deadlineMs = this.#heap.nextDeadlineMs();
    if (deadlineMs === undefined || (this.#alarm !== undefined && this.#alarm.deadlineMs <= deadlineMs)) return;
    this.#alarm?.timer.cancel();
    this.#alarm = { deadlineMs, timer: this.#clock.setTimer(deadlineMs - this.now(), () => this.#fireDue()) };
  }

  /** Fires what is due, each by its own turn at the clock below: one that throws does not keep the others from it. */
  #fireDue(): void {
    this.#alarm = undefined;
    const due = this.#heap.take(this.now());
    this.#setAlarm();
    due?.fire();
  }
}
