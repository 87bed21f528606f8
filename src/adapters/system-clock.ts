/** The system clock, which never goes back, and timers over one alarm of the process. */
import { performance } from 'node:perf_hooks';
import { limits } from '../model/limits.ts';
import type { Clock, Timer } from '../ports/clock.ts';
import { TimerHeap } from '../ports/timer-heap.ts';

/** The longest delay of `setTimeout`; a longer one fires after 1 ms. */
const longestAlarmMs = 2 ** 31 - 1;

/**
 * Keeps its own timers because `setTimeout` guarantees no order across delays: it keeps one list per delay and, when late,
 * empties one list before the next.
 */
export class SystemClock implements Clock {
  readonly #longestAlarmMs: number;
  readonly #timers = new TimerHeap();
  #alarm: NodeJS.Timeout | NodeJS.Immediate | undefined;
  /** The deadline of the current alarm. */
  #alarmMs = Infinity;

  /** `longestAlarm` is for tests: a later deadline takes several alarms. */
  constructor(longestAlarm = longestAlarmMs) {
    this.#longestAlarmMs = longestAlarm;
  }

  /**
   * Whole milliseconds: the wall clock at the start of the process (or worker) plus the time elapsed since. It never goes
   * back, and does not follow changes of the wall clock or sleep of the machine.
   */
  now(): number {
    return Math.floor(performance.timeOrigin + performance.now());
  }

  setTimer(delayMs: number, fire: () => void): Timer {
    if (!Number.isFinite(delayMs)) throw new RangeError(`a delay of ${delayMs} ms`);
    const timer = this.#timers.set(this.now() + Math.max(0, delayMs), fire);
    this.#setAlarm();
    return {
      cancel: () => {
        timer.cancel();
        // Keeping the alarm would be harmless but would keep the process alive.
        if (this.#timers.pending === 0) this.#setAlarm();
      },
    };
  }

  #setAlarm(): void {
    const soonestMs = this.#timers.nextDeadlineMs() ?? Infinity;
    if (soonestMs === this.#alarmMs) return;
    clearTimeout(this.#alarm as NodeJS.Timeout);
    clearImmediate(this.#alarm as NodeJS.Immediate);
    this.#alarmMs = soonestMs;
    if (soonestMs === Infinity) return;
    const delayMs = Math.ceil(soonestMs - this.now());
    // Node fires a `setTimeout` that is due by the end of another one before it reads from the network; `setImmediate` after.
    if (delayMs <= 0) this.#alarm = setImmediate(() => this.#fireDue());
    else this.#alarm = setTimeout(() => this.#fireDue(), Math.min(delayMs, this.#longestAlarmMs));
  }

  #fireDue(): void {
    this.#alarmMs = Infinity;
    const nowMs = this.now(); // read once, so that timers that set timers do not block the event loop
    try {
      for (let due = this.#timers.take(nowMs); due !== undefined; due = this.#timers.take(nowMs)) {
        due.fire();
        if (this.now() - nowMs >= limits.sliceMs) break; // those left are due at once, after the loop has gone on
      }
    } finally {
      this.#setAlarm(); // also when a timer throws, or when the alarm was early
    }
  }
}

/** The clock of a live process. */
export const systemClock: Clock = new SystemClock();
