/** A faulty disk in front of any Stores port: it delays calls, still in order, or fails writes and openings. */

import { ScopedClock } from '../../src/actors/scoped-clock.ts';
import { type Clock, passed } from '../../src/ports/clock.ts';
import { type Store, type StoreChange, type StoreRange, type Stores, StoreUnwritable } from '../../src/ports/store.ts';

export interface DiskFaults {
  /** Present delay of a call in milliseconds. */
  readonly slowMs: () => number;
  /** Whether writes fail at present, and the opening of stores, which writes as well. */
  readonly isFull: () => boolean;
}

/** The stores of one process. */
export class FaultyDisk {
  readonly #clock: ScopedClock;
  readonly #faults: DiskFaults;
  #isDead = false;

  constructor(clock: Clock, faults: DiskFaults) {
    this.#clock = new ScopedClock(clock);
    this.#faults = faults;
  }

  get slowMs(): number {
    return this.#faults.slowMs();
  }

  get isFull(): boolean {
    return this.#faults.isFull();
  }

  /** The process has ended: waiting calls are dropped. */
  get isDead(): boolean {
    return this.#isDead;
  }

  die(): void {
    this.#isDead = true;
    this.#clock.end();
  }

  /** The same stores, on this disk. */
  of(stores: Stores): Stores {
    const open = async (name: string) => {
      if (this.isFull) throw unwritable(name);
      return new FaultyStore(name, await stores.open(name), this);
    };
    return { open };
  }

  wait(ms: number): Promise<void> {
    return passed(this.#clock, ms);
  }
}

class FaultyStore implements Store {
  readonly #store: Store;
  readonly #disk: FaultyDisk;
  /** When the last waiting call will be made. */
  #queue: Promise<void> | undefined;
  /** Number of failed writes, to fail later writes of the same batch of calls too. */
  #failures = 0;
  readonly #name: string;

  constructor(name: string, store: Store, disk: FaultyDisk) {
    this.#name = name;
    this.#store = store;
    this.#disk = disk;
  }

  get(key: string): Promise<string | undefined> {
    return this.#inTurn(() => this.#store.get(key));
  }

  write(changes: readonly StoreChange[]): Promise<void> {
    const failures = this.#failures;
    return this.#inTurn(() => {
      if (!this.#disk.isFull && this.#failures === failures) return this.#store.write(changes);
      this.#failures += 1;
      return Promise.reject(unwritable(this.#name));
    });
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

  /** Delays a call behind those before it. */
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

function unwritable(name: string): StoreUnwritable {
  return new StoreUnwritable(name, 'no space left on device');
}
