/** The wall clock, which here never goes back, and timers over one alarm of the process. */
import { performance } from 'node:perf_hooks';
import type { Clock, Timer } from '../ports/clock.ts';

/** The longest delay that `setTimeout` knows: it takes a longer one for 1 ms. */
const longestAlarmMs = 2 ** 31 - 1;

interface PendingTimer {
  readonly deadlineMs: number;
  readonly sequence: number;
  fire(): void;
}

/**
 * Keeps its timers itself, sorted, because `setTimeout` promises no order: it keeps one list for each delay, and after a
 * busy moment it empties one list before it looks at the next.
 */
export class SystemClock implements Clock {
  readonly #longestAlarmMs: number;
  /** The soonest last, so that taking it is cheap. */
  readonly #timers: PendingTimer[] = [];
  #sequence = 0;
  #alarm: NodeJS.Timeout | undefined;

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
    const timer = { deadlineMs: this.now() + Math.max(0, delayMs), sequence: this.#sequence++, fire };
    this.#timers.splice(this.#position(timer), 0, timer);
    if (this.#timers.at(-1) === timer) this.#setAlarm();
    return { cancel: () => this.#cancel(timer) };
  }

  #cancel(timer: PendingTimer): void {
    const position = this.#position(timer);
    if (this.#timers[position] !== timer) return;
    const wasSoonest = position === this.#timers.length - 1;
    this.#timers.splice(position, 1);
    if (wasSoonest) this.#setAlarm();
  }

  /** Where `timer` stands, or would stand: behind all that fire later. */
  #position(timer: PendingTimer): number {
    let low = 0;
    let high = this.#timers.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isLater(this.#timers[middle] as PendingTimer, timer)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #setAlarm(): void {
    clearTimeout(this.#alarm);
    const soonest = this.#timers.at(-1);
    if (soonest === undefined) return;
    const delayMs = Math.max(0, Math.ceil(soonest.deadlineMs - this.now()));
    this.#alarm = setTimeout(() => this.#fireDue(), Math.min(delayMs, this.#longestAlarmMs));
  }

  #fireDue(): void {
    const nowMs = this.now(); // read once, so that timers that set timers can't keep the process here
    try {
      for (
        let timer = this.#timers.at(-1);
        timer !== undefined && timer.deadlineMs <= nowMs;
        timer = this.#timers.at(-1)
      ) {
        this.#timers.pop();
        timer.fire();
      }
    } finally {
      this.#setAlarm(); // also when a timer throws, or when the alarm was early
    }
  }
}

function isLater(one: PendingTimer, other: PendingTimer): boolean {
  return one.deadlineMs > other.deadlineMs || (one.deadlineMs === other.deadlineMs && one.sequence > other.sequence);
}

/** The one clock of a live process. */
export const systemClock: Clock = new SystemClock();
