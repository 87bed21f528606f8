/**
 * Turns of clients: one piece of work of each in the order in which they asked, and after a slice of time (or of pieces,
 * where time stands still) the event loop goes on. So a flood of one client delays neither the others nor anything else.
 */
import { limits } from '../model/limits.ts';
import type { Clock, Timer } from '../ports/clock.ts';

export class Turns {
  readonly #clock: Clock;
  readonly #queue: (() => void)[] = [];
  /** Ends the slice; none while nothing was done since the last one. */
  #slice: Timer | undefined;
  #sinceMs = 0;
  #done = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Does `work` now if the slice has room, else in its turn. It must be short, and must not throw. */
  take(work: () => void): void {
    if (this.#queue.length > 0 || !this.#hasRoom()) this.#queue.push(work);
    else this.#run(work);
  }

  stop(): void {
    this.#queue.length = 0;
    this.#slice?.cancel();
  }

  #hasRoom(): boolean {
    if (this.#slice === undefined) return true;
    return this.#done < limits.sliceTurns && this.#clock.now() - this.#sinceMs < limits.sliceMs;
  }

  #run(work: () => void): void {
    this.#slice ??= this.#begin();
    this.#done += 1;
    work();
  }

  #begin(): Timer {
    this.#sinceMs = this.#clock.now();
    this.#done = 0;
    return this.#clock.setTimer(0, () => {
      this.#slice = undefined;
      while (this.#queue.length > 0 && this.#hasRoom()) this.#run(this.#queue.shift() as () => void);
    });
  }
}
