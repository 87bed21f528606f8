/**
 * Ordered, durable key-value storage: one `level` database on disk, or its simulated twin.
 *
 * Keys are ordered by their UTF-8 bytes. Values are JSON text or any other string; the store does not look inside.
 * A lone surrogate has no UTF-8 form: it is stored, and looked up, as U+FFFD.
 */
export interface Store {
  /** The value under `key`, or `undefined`. */
  get(key: string): Promise<string | undefined>;
  /**
   * Applies all changes or none. When the promise resolves they are durable: they survive a crash of the process and of the
   * machine. Before that, a crash keeps all changes of the write or none. Writes take effect in the order of the calls,
   * awaited or not: if a write survives a crash, all earlier ones do.
   *
   * Rejects with `StoreUnwritable` while the disk is full or not writable; reads continue to work. Such a write did not
   * happen (unless a crash precedes the next successful write), nor did any write called before its failure was known. A
   * later call tries again, so that writing recovers when the disk has space.
   */
  write(changes: readonly StoreChange[]): Promise<void>;
  /**
   * Entries with `from <= key < to`, in key order (or reverse), at most `limit` of them, as of the time of the call. Can be
   * iterated once. From the first step to its end (or a `break`) the iteration counts as a call under way.
   */
  entries(range: StoreRange): AsyncIterable<readonly [key: string, value: string]>;
  /**
   * Releases the store and its lock. Calls under way finish first; later calls reject with `StoreClosed`. Closing twice has
   * no effect.
   */
  close(): Promise<void>;
}

export type StoreChange = { put: string; value: string } | { delete: string };

export interface StoreRange {
  from?: string;
  to?: string;
  limit?: number;
  reverse?: boolean;
}

/** Opens the named stores of a node. An open store can't be opened again: its lock is a fence. */
export interface Stores {
  /**
   * Creates the store if it does not exist. Rejects with `StoreLocked` while it is open elsewhere, with `StoreUnwritable`
   * when its disk can't be written, with `StoreDamaged` when it can't be read, and with a `RangeError` for a name with
   * characters other than letters, digits, `-` and `_`.
   */
  open(name: string): Promise<Store>;
}

/** Another opener holds the store's lock. */
export class StoreLocked extends Error {
  readonly code = 'store_locked';
  constructor(name: string) {
    super(`store "${name}" is open elsewhere`);
    this.name = 'StoreLocked';
  }
}

/** The store was closed before the call. */
export class StoreClosed extends Error {
  readonly code = 'store_closed';
  constructor(name: string) {
    super(`store "${name}" is closed`);
    this.name = 'StoreClosed';
  }
}

/** The disk of the store is full or can't be written. */
export class StoreUnwritable extends Error {
  readonly code = 'store_unwritable';
  constructor(name: string, reason: string) {
    super(`store "${name}" can't be written: ${reason}`);
    this.name = 'StoreUnwritable';
  }
}

/** The content of the store can't be read. */
export class StoreDamaged extends Error {
  readonly code = 'store_damaged';
  constructor(name: string, reason: string) {
    super(`store "${name}" is damaged: ${reason}; stop the cluster and run \`strowger data check\` on its folder`);
    this.name = 'StoreDamaged';
  }
}
