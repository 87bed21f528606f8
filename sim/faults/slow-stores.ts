/** Stores on a slow disk: any Stores port whose calls take longer while a fault says so, and still come in order. */
import type { Clock } from '../../src/ports/clock.ts';
import type { Store, StoreChange, StoreRange, Stores } from '../../src/ports/store.ts';

export interface SlowStoresOptions {
  readonly stores: Stores;
  readonly clock: Clock;
  /** How much longer a call takes now, in milliseconds. */
  readonly slowMs: () => number;
}

export class SlowStores implements Stores {
  readonly #options: SlowStoresOptions;

  constructor(options: SlowStoresOptions) {
    this.#options = options;
  }

  async open(name: string): Promise<Store> {
    return new SlowStore(await this.#options.stores.open(name), this.#options);
  }
}

class SlowStore implements Store {
  readonly #store: Store;
  readonly #options: SlowStoresOptions;
  /** When the last of the calls that wait is made. */
  #queue: Promise<void> | undefined;

  constructor(store: Store, options: SlowStoresOptions) {
    this.#store = store;
    this.#options = options;
  }

  get(key: string): Promise<string | undefined> {
    return this.#inTurn(() => this.#store.get(key));
  }

  write(changes: readonly StoreChange[]): Promise<void> {
    return this.#inTurn(() => this.#store.write(changes));
  }

  entries(range: StoreRange): AsyncIterable<readonly [key: string, value: string]> {
    const isFast = this.#options.slowMs() === 0 && this.#queue === undefined;
    return isFast ? this.#store.entries(range) : this.#entriesLater(range);
  }

  close(): Promise<void> {
    return this.#queue === undefined ? this.#store.close() : this.#queue.then(() => this.#store.close());
  }

  async *#entriesLater(range: StoreRange): AsyncGenerator<readonly [key: string, value: string]> {
    await this.#inTurn(() => Promise.resolve());
    yield* this.#store.entries(range);
  }

  /** A call takes its time, beside those before it, and is made after them. */
  #inTurn<T>(call: () => Promise<T>): Promise<T> {
    const ms = this.#options.slowMs();
    if (ms === 0 && this.#queue === undefined) return call();
    const before = this.#queue ?? Promise.resolve();
    const turn = this.#wait(ms).then(() => before);
    this.#queue = turn;
    return turn.then(() => {
      if (this.#queue === turn) this.#queue = undefined;
      return call();
    });
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#options.clock.setTimer(ms, resolve));
  }
}
