/**
 * Fair scheduling of client work: one piece of work per client in the order of arrival. After a slice of time (or a number
 * of pieces, for a clock that does not advance) the event loop continues, so that a flood from one client delays no other
 * work.
 */
import { limits } from '../model/limits.ts';
import type { Clock, Timer } from '../ports/clock.ts';

export class Turns {
  readonly #clock: Clock;
  readonly #queue: (() => void)[] = [];
  /** Ends the slice; undefined while no work was done since the last slice. */
  #slice: Timer | undefined;
  #sinceMs = 0;
  #done = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Runs `work` now if the slice has time left, otherwise queues it. `work` must be short and must not throw. */
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
