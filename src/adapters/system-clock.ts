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
  #isFiring = false;

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
    if (this.#isFiring) return;
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

  /** Fires what is due by now, so that timers that set timers do not block the event loop. */
  #fireDue(): void {
    this.#isFiring = true;
    this.#fireNext(this.now());
  }

  /**
   * Each timer is followed by the promises that it has settled, so that their work counts as well. After a slice of time
   * the event loop goes on; the timers that are left are due at once.
   */
  #fireNext(sinceMs: number): void {
    const due = this.now() - sinceMs < limits.sliceMs ? this.#timers.take(sinceMs) : undefined;
    if (due === undefined) {
      this.#isFiring = false;
      this.#alarmMs = Infinity;
      this.#setAlarm();
      return;
    }
    // A tick that a promise job has queued comes after all promise jobs. Queued before `fire`, which may throw.
    queueMicrotask(() => process.nextTick(() => this.#fireNext(sinceMs)));
    due.fire();
  }
}

/** The clock of a live process. */
export const systemClock: Clock = new SystemClock();
