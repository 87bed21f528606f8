/**
 * Whose turn it is among the web sockets of an instance: one message of each in turn, and after a slice of time (or of messages,
 * where time stands still) the event loop has its turn. So a flood on one socket delays neither the others nor HTTP.
 */
import { limits } from '../../model/limits.ts';
import type { Clock, Timer } from '../../ports/clock.ts';

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
    return this.#done < limits.sliceMessages && this.#clock.now() - this.#sinceMs < limits.sliceMs;
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
