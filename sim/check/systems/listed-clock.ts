/**
 * A clock whose deadlines can be listed: an exploration goes to the next one, and includes them in the key of a state.
 */
import type { Clock, Timer } from '../../../src/ports/clock.ts';

interface Pending {
  readonly whose: string;
  readonly dueMs: number;
  readonly command: number;
  readonly fire: () => void;
}

export class ListedClock {
  #nowMs = 0;
  #made = 0;
  readonly #pending = new Set<Pending>();

  get nowMs(): number {
    return this.#nowMs;
  }

  /** The clock of one owner; its deadlines are listed under that name. */
  of(whose: string): Clock {
    return {
      now: () => this.#nowMs,
      setTimer: (delayMs, fire): Timer => {
        this.#made += 1;
        const timer = { whose, dueMs: this.#nowMs + Math.max(0, delayMs), command: this.#made, fire };
        this.#pending.add(timer);
        return { cancel: () => void this.#pending.delete(timer) };
      },
    };
  }

  /** When the next deadline is due, and its owner. */
  next(): { readonly whose: string; readonly dueMs: number } | undefined {
    return this.#first();
  }

  /** Goes to the next deadline. */
  fire(): void {
    const first = this.#first();
    if (first === undefined) return;
    this.#pending.delete(first);
    this.#nowMs = Math.max(this.#nowMs, first.dueMs);
    first.fire();
  }

  /** All pending deadlines, as text. */
  list(): string {
    const all = [...this.#pending].map(({ whose, dueMs }) => `${whose} ${dueMs - this.#nowMs}`);
    return all.sort().join();
  }

  #first(): Pending | undefined {
    let first: Pending | undefined;
    for (const timer of this.#pending) {
      const isSooner = first === undefined || timer.dueMs < first.dueMs;
      if (isSooner || (timer.dueMs === first?.dueMs && timer.command < first.command)) first = timer;
    }
    return first;
  }
}
