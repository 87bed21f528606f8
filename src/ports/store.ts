/**
 * Ordered, durable key-value storage: one `level` database on disk, or its simulated twin.
 *
 * Keys are ordered by their UTF-8 bytes. Values are JSON text or any other string; the store does not look inside.
 */
export interface Store {
  /** The value under `key`, or `undefined`. */
  get(key: string): Promise<string | undefined>;
  /**
   * Applies all changes or none. When the promise resolves they are durable: they survive a crash of the process
   * and of the machine. Until then a crash may keep or lose them, but never a part of them.
   */
  write(changes: readonly StoreChange[]): Promise<void>;
  /** Entries with `from <= key < to`, in key order (or the reverse), at most `limit` of them, as of the time of the call. */
  entries(range: StoreRange): AsyncIterable<readonly [key: string, value: string]>;
  /** Releases the store and its lock. Calls under way finish first; later calls reject with `StoreClosed`. */
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
  /** Rejects with `StoreLocked` while somebody else has the store open. */
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
