/**
 * Time, as everything in `src/` sees it. The system clock and the virtual clock implement it.
 *
 * `now` never goes back. Timers fire in the order of their deadlines; timers with the same deadline fire in
 * the order in which they were set.
 */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Calls `fire` once, `delayMs` from now (a negative delay counts as 0), never before this call has returned. */
  setTimer(delayMs: number, fire: () => void): Timer;
}

/** A pending timer. */
export interface Timer {
  /** Takes the timer back. Harmless when it has fired or was cancelled before. */
  cancel(): void;
}
