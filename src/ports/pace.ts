/** The pace of long work: after some time, or, in virtual time, after some steps, other work has its turn. */
import { itemSteps, type Sliced } from '../model/collection/slices.ts';
import { done, failed, fault, type Outcome } from '../model/fault.ts';
import { limits } from '../model/limits.ts';
import type { Clock } from './clock.ts';

/** The work was given up in a pause. */
export class GivenUp extends Error {}

/** The fault of a list that was not done in time. */
export function late(what: string): Outcome<never> {
  return failed(fault('timeout', `the list was not done in time: ${what}; name a key in the filter`));
}

export class Pace {
  readonly #clock: Clock;
  readonly #untilMs: number;
  #sinceMs: number;
  #steps = 0;
  #isOver = false;
  #wake = () => {};

  /** `untilMs`: when the work must be done (ms since the epoch). */
  constructor(clock: Clock, untilMs = Number.POSITIVE_INFINITY) {
    this.#clock = clock;
    this.#untilMs = untilMs;
    this.#sinceMs = clock.now();
  }

  /** Counts steps, by default those of a row, and says whether it is time for a pause. */
  isPauseDue(steps = itemSteps): boolean {
    this.#steps += steps;
    return this.#steps >= limits.sliceSteps || this.#clock.now() - this.#sinceMs >= limits.sliceMs;
  }

  /**
   * What sliced work gives, which pauses where it is time: at once where it needs no pause. A `timeout` fault where it was not
   * done in time.
   */
  inTime<T>(work: Sliced<T>, what: string): Outcome<T> | Promise<Outcome<T>> {
    return this.#goOn(work) ?? this.#pausing(work, what);
  }

  /** What the work gives, if it is done before the next pause. */
  #goOn<T>(work: Sliced<T>): Outcome<T> | undefined {
    for (;;) {
      const { done: isDone, value } = work.next();
      if (isDone === true) return done(value);
      if (this.isPauseDue(value)) return undefined;
    }
  }

  async #pausing<T>(work: Sliced<T>, what: string): Promise<Outcome<T>> {
    while (await this.pausedInTime()) {
      const outcome = this.#goOn(work);
      if (outcome !== undefined) return outcome;
    }
    return late(what);
  }

  /** Makes a pause, unless the time is over: then false. */
  async pausedInTime(): Promise<boolean> {
    if (this.#clock.now() >= this.#untilMs) return false;
    await this.pause();
    return true;
  }

  /** Resolves when others have had their turn; rejects with `GivenUp` if the work is given up. */
  async pause(): Promise<void> {
    if (!this.#isOver) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        this.#clock.setTimer(0, resolve);
      });
    }
    if (this.#isOver) throw new GivenUp();
    this.#sinceMs = this.#clock.now();
    this.#steps = 0;
  }

  /** Ends the work at its next pause, also where the clock has ended. */
  giveUp(): void {
    this.#isOver = true;
    this.#wake();
  }
}
