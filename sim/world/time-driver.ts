/**
 * Moves virtual time on while somebody waits: from deadline to deadline, and no further than to the first moment at which one of
 * those who wait has what they wait for. Each so goes on at its own moment, however many wait at once.
 */
import type { VirtualClock } from '../clock.ts';

const turnsAtOnce = 16;

interface Waiter {
  readonly untilMs: number;
  readonly isDone: () => boolean;
  readonly resolve: (isDone: boolean) => void;
  readonly reject: (error: unknown) => void;
}

export class TimeDriver {
  readonly #clock: VirtualClock;
  readonly #turns = new Turns();
  readonly #waiters = new Set<Waiter>();
  #isDriving = false;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  /** Lets time pass until `isDone`, or until `untilMs`, or until nothing is left to happen. Says whether it is done. */
  run(untilMs: number, isDone: () => boolean): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#waiters.add({ untilMs, isDone, resolve, reject });
      if (!this.#isDriving) void this.#drive();
    });
  }

  async #drive(): Promise<void> {
    this.#isDriving = true;
    while (this.#waiters.size > 0) {
      await this.#turns.next();
      // Who is let go continues before time moves on.
      if (this.#release()) continue;
      try {
        this.#advance();
      } catch (error) {
        for (const waiter of this.#takeAll()) waiter.reject(error);
      }
    }
    this.#isDriving = false;
  }

  /** To the next deadline, or to the end of somebody's time. */
  #advance(): void {
    let toMs = this.#clock.nextDeadlineMs() ?? Number.POSITIVE_INFINITY;
    for (const { untilMs } of this.#waiters) toMs = Math.min(toMs, untilMs);
    if (toMs < Number.POSITIVE_INFINITY) this.#clock.advanceTo(Math.max(this.#clock.now(), toMs));
    else for (const { resolve } of this.#takeAll()) resolve(false);
  }

  /** Those who have what they wait for, and those whose time is over. Says whether there are any. */
  #release(): boolean {
    const nextMs = this.#clock.nextDeadlineMs() ?? Number.POSITIVE_INFINITY;
    const nowMs = this.#clock.now();
    let isAny = false;
    for (const waiter of this.#waiters) {
      const isDone = waiter.isDone();
      if (!isDone && (nowMs < waiter.untilMs || nextMs <= waiter.untilMs)) continue;
      isAny = true;
      this.#waiters.delete(waiter);
      waiter.resolve(isDone);
    }
    return isAny;
  }

  #takeAll(): Waiter[] {
    const all = [...this.#waiters];
    this.#waiters.clear();
    return all;
  }
}

/**
 * Turns of the event loop, in each of which everything that was awaited continues: microtasks drain before an immediate and
 * between two. Several are asked for at once, for a round of the loop costs more than most of what is done in it.
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
