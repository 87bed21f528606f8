/** The clock of one scope (a node, a role instance in it): its timers, and those of the scopes in it, end with the scope. */
import type { Clock, Timer } from '../ports/clock.ts';

export class ScopedClock implements Clock {
  readonly #clock: Clock;
  readonly #timers = new Set<ScopedTimer>();
  readonly #inner = new Set<ScopedClock>();
  readonly #onEnd: (() => void) | undefined;
  #isEnded = false;

  constructor(clock: Clock, onEnd?: () => void) {
    this.#clock = clock;
    this.#onEnd = onEnd;
  }

  /** A scope in this one. Its timers are set at the clock of this one, not beside those of this scope. */
  scope(): ScopedClock {
    const inner = new ScopedClock(this.#clock, () => this.#inner.delete(inner));
    if (this.#isEnded) inner.end();
    else this.#inner.add(inner);
    return inner;
  }

  now(): number {
    return this.#clock.now();
  }

  setTimer(delayMs: number, fire: () => void): Timer {
    return this.#set(delayMs, fire, undefined);
  }

  /** The same clock, whose timers run what they fire by `run`. */
  running(run: Run): Clock {
    return { now: () => this.#clock.now(), setTimer: (delayMs, fire) => this.#set(delayMs, fire, run) };
  }

  /** The number of timers that have not fired, those of the scopes in it included. */
  get pending(): number {
    let pending = this.#timers.size;
    for (const inner of this.#inner) pending += inner.pending;
    return pending;
  }

  /** Cancels every timer, and sets none from now on. */
  end(): void {
    this.#isEnded = true;
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
    for (const inner of this.#inner) inner.end();
    this.#onEnd?.();
  }

  #set(delayMs: number, fire: () => void, run: Run | undefined): Timer {
    if (this.#isEnded) return { cancel() {} };
    const timer = new ScopedTimer(this.#timers, fire, run);
    timer.inner = this.#clock.setTimer(delayMs, () => timer.due());
    this.#timers.add(timer);
    return timer;
  }
}

type Run = (fire: () => void) => void;

/** A timer that leaves the set of its scope when it fires or is cancelled. Many are set: it is one object with one function. */
class ScopedTimer implements Timer {
  inner: Timer | undefined;
  readonly #timers: Set<ScopedTimer>;
  readonly #fire: () => void;
  readonly #run: Run | undefined;

  constructor(timers: Set<ScopedTimer>, fire: () => void, run: Run | undefined) {
    this.#timers = timers;
    this.#fire = fire;
    this.#run = run;
  }

  due(): void {
    this.#timers.delete(this);
    if (this.#run === undefined) this.#fire();
    else this.#run(this.#fire);
  }

  cancel(): void {
    this.#timers.delete(this);
    this.inner?.cancel();
  }
}
