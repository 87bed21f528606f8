/** A slow disk: the calls of any Stores port on it take longer while a fault says so, and still come in order. */
import type { Clock } from '../../src/ports/clock.ts';
import type { Store, StoreChange, StoreRange, Stores } from '../../src/ports/store.ts';
import { ScopedClock } from '../../src/runtime/scoped-clock.ts';

/** As one process uses it. */
export class SlowDisk {
  readonly #clock: ScopedClock;
  readonly #slowMs: () => number;
  #isDead = false;

  /** `slowMs`: how much longer a call takes now, in milliseconds. */
  constructor(clock: Clock, slowMs: () => number) {
    this.#clock = new ScopedClock(clock);
    this.#slowMs = slowMs;
  }

  get slowMs(): number {
    return this.#slowMs();
  }

  /** The process is gone: the calls that wait are never made. */
  get isDead(): boolean {
    return this.#isDead;
  }

  die(): void {
    this.#isDead = true;
    this.#clock.end();
  }

  /** The same stores, on this disk. */
  of(stores: Stores): Stores {
    return { open: async (name) => new SlowStore(await stores.open(name), this) };
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#clock.setTimer(ms, resolve));
  }
}

class SlowStore implements Store {
  readonly #store: Store;
  readonly #disk: SlowDisk;
  /** When the last of the calls that wait is made. */
  #queue: Promise<void> | undefined;

  constructor(store: Store, disk: SlowDisk) {
    this.#store = store;
    this.#disk = disk;
  }

  get(key: string): Promise<string | undefined> {
    return this.#inTurn(() => this.#store.get(key));
  }

  write(changes: readonly StoreChange[]): Promise<void> {
    return this.#inTurn(() => this.#store.write(changes));
  }

  entries(range: StoreRange): AsyncIterable<readonly [key: string, value: string]> {
    const isFast = this.#disk.slowMs === 0 && this.#queue === undefined;
    return isFast ? this.#store.entries(range) : this.#entriesLater(range);
  }

  close(): Promise<void> {
    const isFree = this.#queue === undefined || this.#disk.isDead;
    return isFree ? this.#store.close() : (this.#queue ?? Promise.resolve()).then(() => this.#store.close());
  }

  async *#entriesLater(range: StoreRange): AsyncGenerator<readonly [key: string, value: string]> {
    await this.#inTurn(() => Promise.resolve());
    yield* this.#store.entries(range);
  }

  /** A call takes its time, beside those before it, and is made after them. */
  #inTurn<T>(call: () => Promise<T>): Promise<T> {
    const ms = this.#disk.slowMs;
    if (ms === 0 && this.#queue === undefined) return call();
    const before = this.#queue ?? Promise.resolve();
    const turn = this.#disk.wait(ms).then(() => before);
    this.#queue = turn;
    return turn.then(() => {
      if (this.#queue === turn) this.#queue = undefined;
      return call();
    });
  }
}
