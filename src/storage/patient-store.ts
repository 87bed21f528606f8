/** A store that waits: until it is free, and until its disk can be written. */
import { type Clock, passed } from '../ports/clock.ts';
import {
  type Store,
  type StoreChange,
  StoreClosed,
  type StoreRange,
  type Stores,
  StoreUnwritable,
} from '../ports/store.ts';
import { openUnlocked } from './store-opening.ts';

const unwritableMs = 1_000;

type Entry = readonly [key: string, value: string];

/** What waits for a disk that cannot be written: the newest change of each key, so that none of them replaces a newer one. */
interface Late {
  readonly changes: Map<string, StoreChange>;
  readonly written: Promise<boolean>;
}

export class PatientStore {
  readonly #clock: Clock;
  readonly #store: Promise<Store | undefined>;
  #late: Late | undefined;
  #isOver = false;

  constructor(stores: Stores, name: string, clock: Clock) {
    this.#clock = clock;
    this.#store = openUnlocked({ open: () => stores.open(name), clock, isWanted: () => !this.#isOver });
    // Each read and write fails with it.
    this.#store.catch(() => {});
  }

  /** The entries of a range; `undefined` where the store was closed, also meanwhile. */
  async read(range: StoreRange): Promise<Entry[] | undefined> {
    const store = await this.#store;
    if (store === undefined || this.#isOver) return undefined;
    const read: Entry[] = [];
    try {
      for await (const entry of store.entries(range)) read.push(entry);
    } catch (error) {
      if (error instanceof StoreClosed) return undefined;
      throw error;
    }
    return read;
  }

  /** Writes the changes, as soon as the disk can be written. Returns false where the store was closed. */
  async write(changes: readonly StoreChange[]): Promise<boolean> {
    const store = await this.#store;
    if (store === undefined || this.#isOver) return false;
    if (this.#late !== undefined) return this.#putBehind(store, changes);
    return (await isWritten(store, changes)) ?? this.#putBehind(store, changes);
  }

  /** Writes the changes now, or not at all. Returns whether they are durable. */
  async writeNow(changes: readonly StoreChange[]): Promise<boolean> {
    const store = await this.#store;
    if (store === undefined || this.#isOver || this.#late !== undefined) return false;
    return (await isWritten(store, changes)) ?? false;
  }

  /** What is being written is written first. */
  async close(): Promise<void> {
    this.#isOver = true;
    // Where the store fails, the instance is at its end already.
    await this.#store.then((store) => store?.close()).catch(() => {});
  }

  #putBehind(store: Store, changes: readonly StoreChange[]): Promise<boolean> {
    this.#late ??= this.#beginLate(store);
    for (const change of changes) this.#late.changes.set('put' in change ? change.put : change.delete, change);
    return this.#late.written;
  }

  #beginLate(store: Store): Late {
    const changes: Late['changes'] = new Map();
    return { changes, written: this.#writeLate(store, changes) };
  }

  /** Resolves when no change waits any more. */
  async #writeLate(store: Store, changes: Late['changes']): Promise<boolean> {
    for (;;) {
      await passed(this.#clock, unwritableMs);
      if (this.#isOver) return false;
      const batch = [...changes];
      const result = await isWritten(
        store,
        batch.map(([, change]) => change),
      );
      if (result === undefined) continue;
      if (!result) return false;
      for (const [key, change] of batch) if (changes.get(key) === change) changes.delete(key);
      if (changes.size > 0) continue;
      this.#late = undefined;
      return true;
    }
  }
}

/** False: the store was closed. `undefined`: the disk cannot be written now. */
async function isWritten(store: Store, changes: readonly StoreChange[]): Promise<boolean | undefined> {
  try {
    await store.write(changes);
    return true;
  } catch (error) {
    if (error instanceof StoreClosed) return false;
    if (error instanceof StoreUnwritable) return undefined;
    throw error;
  }
}
