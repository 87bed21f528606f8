/**
 * Moves virtual time while callers wait for the world: from deadline to deadline, up to the first moment at which a
 * waiter is satisfied.
 *
 * Each turn of the event loop does one thing: it fires one timer, does one piece of pending work, or resumes one
 * waiter. Everything that follows without another turn is complete before the next thing, so a run does not depend on
 * the number of microtasks in the runtime. Due timers come first, except timers that such a timer sets: a client is a
 * waiter, and resumes when everything that reaches the cluster together with its answer has arrived. Time moves when
 * nothing else can be done.
 */
import type { VirtualClock } from '../ports/clock.ts';
import type { PendingWork } from './pending-work.ts';

const turnsAtOnce = 16;

interface Waiter {
  readonly untilMs: number;
  readonly isDone: () => boolean;
  readonly resolve: (isDone: boolean) => void;
  readonly reject: (error: unknown) => void;
}

export class TimeDriver {
  readonly #clock: VirtualClock;
  readonly #pending: PendingWork;
  readonly #turns = new Turns();
  readonly #waiters = new Set<Waiter>();
  /** Timers that are due now, and among the first so many that were set, precede everything else. */
  #round = 0;
  #isRoundOver = true;
  #isDriving = false;

  constructor(clock: VirtualClock, pending: PendingWork) {
    this.#clock = clock;
    this.#pending = pending;
  }

  /** Lets time pass until `isDone`, `untilMs`, or the last event. Returns whether it is done. */
  run(untilMs: number, isDone: () => boolean): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#waiters.add({ untilMs, isDone, resolve, reject });
      if (!this.#isDriving) void this.#drive();
    });
  }

  async #drive(): Promise<void> {
    this.#isDriving = true;
    this.#isRoundOver = true;
    while (this.#waiters.size > 0) {
      await this.#turns.next();
      if (this.#isRoundOver) this.#round = this.#clock.everSet;
      try {
        this.#isRoundOver = !this.#clock.runDue(this.#round);
        if (!this.#isRoundOver) continue;
        if (!this.#pending.isEmpty) await this.#pending.doFirst();
        else if (!this.#release()) this.#advance();
      } catch (error) {
        for (const waiter of this.#takeAll()) waiter.reject(error);
      }
    }
    this.#isDriving = false;
  }

  /** Resumes the first waiter that is satisfied or out of time. Returns whether there was one. */
  #release(): boolean {
    const nextMs = this.#nextMs;
    const nowMs = this.#clock.now();
    for (const waiter of this.#waiters) {
      const isDone = waiter.isDone();
      if (!isDone && (nowMs < waiter.untilMs || nextMs <= waiter.untilMs)) continue;
      this.#waiters.delete(waiter);
      waiter.resolve(isDone);
      return true;
    }
    return false;
  }

  /** To the next deadline, or to the end of a waiter's time. */
  #advance(): void {
    let untilMs = Number.POSITIVE_INFINITY;
    for (const waiter of this.#waiters) untilMs = Math.min(untilMs, waiter.untilMs);
    if (this.#nextMs <= untilMs && this.#clock.runNext()) return;
    if (untilMs < Number.POSITIVE_INFINITY) this.#clock.advanceTo(Math.max(this.#clock.now(), untilMs));
    else for (const { resolve } of this.#takeAll()) resolve(false);
  }

  get #nextMs(): number {
    return this.#clock.nextDeadlineMs() ?? Number.POSITIVE_INFINITY;
  }

  #takeAll(): Waiter[] {
    const all = [...this.#waiters];
    this.#waiters.clear();
    return all;
  }
}

/**
 * Turns of the event loop, in which awaiting code continues: microtasks drain before an immediate and between two.
 * Several are requested at once, because a round of the loop costs more than most of its work.
 */
class Turns {
  #left = 0;
  #resolve: () => void = () => {};

  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      if (this.#left > 0) return;
      for (; this.#left < turnsAtOnce; this.#left += 1) setImmediate(this.#take);
    });
  }

  readonly #take = () => {
    this.#left -= 1;
    this.#resolve();
  };
}
