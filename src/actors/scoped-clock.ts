/** The clock of one scope (a node, a role instance): its timers end with the scope. */
import type { Clock, Timer } from '../ports/clock.ts';

export class ScopedClock implements Clock {
  readonly #clock: Clock;
  readonly #timers = new Set<ScopedTimer>();
  #isEnded = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  setTimer(delayMs: number, fire: () => void): Timer {
    if (this.#isEnded) return { cancel() {} };
    const timer = new ScopedTimer(this.#timers);
    timer.inner = this.#clock.setTimer(delayMs, () => {
      this.#timers.delete(timer);
      fire();
    });
    this.#timers.add(timer);
    return timer;
  }

  /** The number of timers that have not fired. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Cancels every timer, and sets none from now on. */
  end(): void {
    this.#isEnded = true;
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
  }
}

/** A timer that leaves the set of its scope when it fires or is cancelled. Many are set: it is one object with one function. */
class ScopedTimer implements Timer {
  inner: Timer | undefined;
  readonly #timers: Set<ScopedTimer>;

  constructor(timers: Set<ScopedTimer>) {
    this.#timers = timers;
  }

  cancel(): void {
    this.#timers.delete(this);
    this.inner?.cancel();
  }
}
