/**
 * Fair scheduling of client work: one piece of work per client in the order of arrival. After a slice of time (or a number
 * of pieces, for a clock that does not advance) the event loop continues, so that a flood from one client delays no other
 * work.
 */
import { limits } from '../model/limits.ts';
import type { Clock, Timer } from './clock.ts';

/** Does a piece of work, or begins one in steps. */
type Work = () => Iterator<unknown> | undefined;

export class Turns {
  readonly #clock: Clock;
  readonly #queue: Work[] = [];
  /** The rest of the work that is under way, which was interrupted or runs now. */
  #steps: Iterator<unknown> | undefined;
  /** Ends the slice; undefined while no work was done since the last slice. */
  #slice: Timer | undefined;
  #sinceMs = 0;
  #done = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Runs `work` now if the slice has time left, otherwise queues it. `work` must be short and must not throw. */
  take(work: () => void): void {
    this.#take(() => {
      work();
      return undefined;
    });
  }

  /**
   * The same for long work, which may be interrupted between its steps: other work waits for its end. The steps must not
   * throw, and must take no turns here.
   */
  takeSteps(work: () => Iterable<unknown>): void {
    this.#take(() => work()[Symbol.iterator]());
  }

  /** Whether work waits for its turn. */
  get isBusy(): boolean {
    return this.#queue.length > 0 || this.#steps !== undefined;
  }

  #take(work: Work): void {
    if (this.isBusy || !this.#hasRoom()) this.#queue.push(work);
    else this.#run(work);
  }

  stop(): void {
    this.#queue.length = 0;
    this.#steps = undefined;
    this.#slice?.cancel();
  }

  #hasRoom(): boolean {
    if (this.#slice === undefined) return true;
    return this.#done < limits.sliceTurns && this.#clock.now() - this.#sinceMs < limits.sliceMs;
  }

  #run(work: Work): void {
    this.#slice ??= this.#begin();
    this.#done += 1;
    const steps = work();
    if (steps === undefined) return;
    this.#steps = steps;
    this.#goOn();
  }

  /** Does the steps of the current work, to the end of the work or of the slice. */
  #goOn(): void {
    while (this.#steps !== undefined) {
      if (this.#steps.next().done === true) this.#steps = undefined;
      else if (this.#hasRoom()) this.#done += 1;
      else return;
    }
  }

  #begin(): Timer {
    this.#sinceMs = this.#clock.now();
    this.#done = this.#steps === undefined ? 0 : 1;
    return this.#clock.setTimer(0, () => {
      this.#slice = this.#steps && this.#begin();
      this.#goOn();
      while (this.#steps === undefined && this.#queue.length > 0 && this.#hasRoom()) {
        this.#run(this.#queue.shift() as Work);
      }
    });
  }
}
