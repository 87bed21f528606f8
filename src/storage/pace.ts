/** The pace of long work: after some time, or some steps where time stands still, others have their turn. */
import { limits } from '../model/limits.ts';
import type { Clock } from '../ports/clock.ts';

/** The work was given up in a pause. */
export class GivenUp extends Error {}

export class Pace {
  readonly #clock: Clock;
  #sinceMs: number;
  #steps = 0;
  #isOver = false;
  #wake = () => {};

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#sinceMs = clock.now();
  }

  /** Counts a step, and says whether it is time for a pause. */
  isPauseDue(): boolean {
    this.#steps += 1;
    return this.#steps >= limits.sliceRows || this.#clock.now() - this.#sinceMs >= limits.sliceMs;
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
