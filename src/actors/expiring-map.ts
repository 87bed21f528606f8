/**
 * A map that drops each entry a fixed time after it was last set, or up to a second later, with one timer for all entries.
 * Above its limit, the entry that was set first is dropped.
 */
import type { Clock, Timer } from '../ports/clock.ts';

interface Kept<V> {
  readonly value: V;
  readonly untilMs: number;
}

/** Entries are dropped in batches: a timer for each would cost more than the memory. */
const roundMs = 1_000;

export class ExpiringMap<V> {
  readonly #clock: Clock;
  readonly #keepMs: number;
  readonly #limit: number;
  readonly #kept = new Map<string, Kept<V>>();
  #timer: Timer | undefined;

  constructor(clock: Clock, keepMs: number, limit = Number.POSITIVE_INFINITY) {
    this.#limit = limit;
    this.#clock = clock;
    this.#keepMs = keepMs;
  }

  get size(): number {
    return this.#kept.size;
  }

  get(key: string): V | undefined {
    return this.#kept.get(key)?.value;
  }

  set(key: string, value: V): void {
    // A Map keeps the order of insertion, which is also the order of expiry here.
    this.#kept.delete(key);
    // Asked for only at the limit: a new iterator steps over all entries that were deleted lately.
    if (this.#kept.size >= this.#limit) {
      const [oldest] = this.#kept.keys();
      if (oldest !== undefined) this.#kept.delete(oldest);
    }
    this.#kept.set(key, { value, untilMs: this.#clock.now() + this.#keepMs });
    this.#timer ??= this.#clock.setTimer(this.#keepMs, () => this.#forget());
  }

  delete(key: string): void {
    this.#kept.delete(key);
  }

  clear(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#kept.clear();
  }

  #forget(): void {
    this.#timer = undefined;
    const nowMs = this.#clock.now();
    for (const [key, { untilMs }] of this.#kept) {
      if (untilMs > nowMs) {
        this.#timer = this.#clock.setTimer(Math.max(untilMs - nowMs, roundMs), () => this.#forget());
        return;
      }
      this.#kept.delete(key);
    }
  }
}
