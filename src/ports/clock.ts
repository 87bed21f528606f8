/**
 * Time, as all of `src/` sees it. Implemented by the system clock and the virtual clock.
 *
 * `now` never goes back. Timers fire in the order of their deadlines; timers with equal deadlines fire in the order in
 * which they were set.
 */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Calls `fire` once, `delayMs` from now (a negative delay counts as 0), never before this call has returned. */
  setTimer(delayMs: number, fire: () => void): Timer;
}

/** Resolves in so many milliseconds. */
export function passed(clock: Pick<Clock, 'setTimer'>, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.setTimer(ms, resolve));
}

/** A pending timer. */
export interface Timer {
  /** Cancels the timer. Has no effect on a timer that has fired or was cancelled. */
  cancel(): void;
}
