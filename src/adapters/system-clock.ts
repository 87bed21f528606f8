/** The wall clock, which here never goes back, and timers over one alarm of the process. */
import { performance } from 'node:perf_hooks';
import type { Clock, Timer } from '../ports/clock.ts';
import { TimerHeap } from '../ports/timer-heap.ts';

/** The longest delay that `setTimeout` knows: it takes a longer one for 1 ms. */
const longestAlarmMs = 2 ** 31 - 1;

/**
 * Keeps its timers itself, because `setTimeout` promises no order: it keeps one list for each delay, and after a busy
 * moment it empties one list before it looks at the next.
 */
export class SystemClock implements Clock {
  readonly #longestAlarmMs: number;
  readonly #timers = new TimerHeap();
  #alarm: NodeJS.Timeout | undefined;
  /** The deadline that the alarm is set for. */
  #alarmMs = Infinity;

  /** `longestAlarm` is for tests: a later deadline takes several alarms. */
  constructor(longestAlarm = longestAlarmMs) {
    this.#longestAlarmMs = longestAlarm;
  }

  /**
   * Whole milliseconds: the wall clock as it stood when the process (or worker) started, plus the time that has run
   * since. So it never goes back, and it does not follow when somebody sets the wall clock, or the machine sleeps.
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
        // An alarm for nothing is harmless, but would keep the process.
        if (this.#timers.pending === 0) this.#setAlarm();
      },
    };
  }

  #setAlarm(): void {
    const soonestMs = this.#timers.nextDeadlineMs() ?? Infinity;
    if (soonestMs === this.#alarmMs) return;
    clearTimeout(this.#alarm);
    this.#alarmMs = soonestMs;
    if (soonestMs === Infinity) return;
    const delayMs = Math.max(0, Math.ceil(soonestMs - this.now()));
    this.#alarm = setTimeout(() => this.#fireDue(), Math.min(delayMs, this.#longestAlarmMs));
  }

  #fireDue(): void {
    this.#alarmMs = Infinity;
    const nowMs = this.now(); // read once, so that timers that set timers can't keep the process here
    try {
      for (let due = this.#timers.take(nowMs); due !== undefined; due = this.#timers.take(nowMs)) due.fire();
    } finally {
      this.#setAlarm(); // also when a timer throws, or when the alarm was early
    }
  }
}

/** The one clock of a live process. */
export const systemClock: Clock = new SystemClock();
