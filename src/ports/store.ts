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
   * Applies all changes or none. When the promise resolves they are durable: they survive a crash of the process
   * and of the machine. Until then a crash may keep or lose them, but never a part of them. Writes take effect in the
   * order of the calls, also those that nobody awaits: a write that survives a crash has all the earlier ones with it.
   *
   * Rejects with `StoreUnwritable` while the disk is full or can't be written; reads go on. Such a write did not happen
   * (only a crash before the next write that succeeds may keep it), nor did any that was called before its failure was
   * known. A later call tries again, so that writing recovers when there is room.
   */
  write(changes: readonly StoreChange[]): Promise<void>;
  /**
   * Entries with `from <= key < to`, in key order (or the reverse), at most `limit` of them, as of the time of the call.
   * To be read once. From the first step until its end (or a `break`) the iteration is a call under way.
   */
  entries(range: StoreRange): AsyncIterable<readonly [key: string, value: string]>;
  /**
   * Releases the store and its lock. Calls under way finish first; later calls reject with `StoreClosed`, but closing
   * again is harmless.
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

/** Opens the stores of a node, each under a name of its own. A store that is open can't be opened again: its lock is a fence. */
export interface Stores {
  /**
   * Makes the store if there is none. Rejects with `StoreLocked` while it is open elsewhere, with `StoreUnwritable` where
   * its disk can't be written, with `StoreDamaged` where it can't be read, and with a `RangeError` for a name that is not
   * made of letters, digits, `-` and `_`.
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

/** The disk of the store is full, or can't be written for another reason. */
export class StoreUnwritable extends Error {
  readonly code = 'store_unwritable';
  constructor(name: string, reason: string) {
    super(`store "${name}" can't be written: ${reason}`);
    this.name = 'StoreUnwritable';
  }
}

/** What the store holds can't be read. */
export class StoreDamaged extends Error {
  readonly code = 'store_damaged';
  constructor(name: string, reason: string) {
    super(`store "${name}" is damaged: ${reason}; stop the cluster and run \`strowger data check\` on its folder`);
    this.name = 'StoreDamaged';
  }
}
