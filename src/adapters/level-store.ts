/** The port of stores over level: a database in a folder for each store. */
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { Level } from 'level';
import {
  type Store,
  type StoreChange,
  StoreClosed,
  StoreDamaged,
  StoreLocked,
  type StoreRange,
  type Stores,
  StoreUnwritable,
} from '../ports/store.ts';
import { type Disk, isHeadless, realDisk, WriteTrouble } from './disk.ts';

/** Error messages and codes for a file that can't be written, as passed on by level and by Node. */
const unwritable =
  /No space left|File too large|quota exceeded|Read-only file system|Permission denied|Operation not permitted|Input\/output error|Too many open files|ENOSPC|EFBIG|EDQUOT|EROFS|EACCES|EPERM|EIO|EMFILE/;

/** Translates an error of level into the error that the port promises; other errors are returned unchanged. */
export function asStoreError(name: string, error: unknown, call: 'open' | 'read' | 'write'): unknown {
  const codes = chainOf(error).map(({ code }) => code);
  const reason = reasonOf(error);
  if (codes.includes('LEVEL_LOCKED')) return new StoreLocked(name);
  if (codes.includes('LEVEL_CORRUPTION')) return new StoreDamaged(name, reason);
  if (call === 'open')
    return unwritable.test(reason) ? new StoreUnwritable(name, reason) : new StoreDamaged(name, reason);
  if (codes.includes('LEVEL_IO_ERROR'))
    return call === 'write' ? new StoreUnwritable(name, reason) : new StoreDamaged(name, reason);
  // A store that could not be reopened.
  return codes.includes('LEVEL_DATABASE_NOT_OPEN') ? new StoreUnwritable(name, reason) : error;
}

/** The message of the innermost error: the outer ones say what failed, the innermost why. */
export function reasonOf(error: unknown): string {
  return chainOf(error).at(-1)?.message ?? String(error);
}

function chainOf(error: unknown): NodeJS.ErrnoException[] {
  return error instanceof Error ? [error, ...chainOf(error.cause)] : [];
}

/** Valid names of stores: one component of a path, so that a name can't leave the directory. */
const storeName = /^[A-Za-z0-9_-]+$/;

/** The number of waiting writes that share one batch, and so one sync. */
const writesPerBatch = 256;

export interface LevelStoresOptions {
  readonly disk?: Disk;
  /** Shared by the stores of a process, which usually are on one disk. */
  readonly trouble?: WriteTrouble;
}

/** Opens the stores of a node under `directory`, which is created if missing. */
export class LevelStores implements Stores {
  readonly #directory: string;
  readonly #disk: Disk;
  readonly #trouble: WriteTrouble;

  constructor(directory: string, { disk = realDisk, trouble = new WriteTrouble() }: LevelStoresOptions = {}) {
    this.#directory = directory;
    this.#disk = disk;
    this.#trouble = trouble;
  }

  async open(name: string): Promise<Store> {
    if (!storeName.test(name))
      throw new RangeError(`"${name}" is not a valid name of a store: expected letters, digits, "-" and "_"`);
    const path = join(this.#directory, name);
    const location: StoreLocation = { name, path, disk: this.#disk, trouble: this.#trouble };
    return new LevelStore(location, await openDatabase(location));
  }
}

interface StoreLocation {
  readonly name: string;
  readonly path: string;
  readonly disk: Disk;
  readonly trouble: WriteTrouble;
}

async function openDatabase({ name, path, disk }: StoreLocation): Promise<Level> {
  if (isHeadless(path)) throw new StoreDamaged(name, `${path} has no file CURRENT`);
  const database = disk.database(path);
  try {
    await database.open();
  } catch (error) {
    throw asStoreError(name, error, 'open');
  }
  return database;
}

interface WaitingWrite {
  readonly operations: readonly LevelOperation[];
  resolve(): void;
  reject(error: unknown): void;
}

type LevelOperation = { type: 'put'; key: string; value: string } | { type: 'del'; key: string };

/** A failed write: the previous values of the keys of the refused writes, and when the next attempt is due. */
interface Failure {
  readonly reason: string;
  readonly before: readonly LevelOperation[];
  againMs: number;
}

class LevelStore implements Store {
  readonly #location: StoreLocation;
  #database: Level;
  readonly #iterations = new Set<Promise<void>>();
  #waiting: WaitingWrite[] = [];
  #writing: Promise<void> | undefined;
  #failure: Failure | undefined;
  /** While the database is reopened, nothing can be read. */
  #reopening: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(location: StoreLocation, database: Level) {
    this.#location = location;
    this.#database = database;
  }

  async get(key: string): Promise<string | undefined> {
    this.#assertOpen();
    if (this.#reopening !== undefined) await this.#reopening;
    return this.#read(() => this.#database.get(key));
  }

  async write(changes: readonly StoreChange[]): Promise<void> {
    this.#assertOpen();
    const operations = changes.map(toOperation);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ operations, resolve, reject });
      this.#writing ??= this.#writeAll();
    });
  }

  entries(range: StoreRange): AsyncIterable<readonly [key: string, value: string]> {
    // The iterator is created here, not at the first step, because it holds the snapshot.
    const database = this.#database;
    const isReadable = this.#closing === undefined && this.#reopening === undefined;
    return this.#iterate(range, isReadable ? { database, entries: database.iterator(toLevelRange(range)) } : undefined);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /**
   * One batch at a time: level runs batches on several threads, so a later one could overtake. Writes that arrive during a
   * sync share the next one.
   */
  async #writeAll(): Promise<void> {
    await undefined; // so that the writes of one turn share a batch
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, writesPerBatch);
      const operations = group.flatMap((write) => write.operations);
      try {
        if (this.#failure !== undefined) await this.#recover(this.#failure);
        await this.#write(operations);
        for (const write of group) write.resolve();
      } catch (error) {
        // Waiting writes were called before the failure was known.
        for (const write of [...group, ...this.#waiting.splice(0)]) write.reject(error);
      }
    }
    this.#writing = undefined;
  }

  async #write(operations: readonly LevelOperation[]): Promise<void> {
    try {
      await this.#database.batch([...operations], { sync: true });
    } catch (cause) {
      const error = asStoreError(this.#location.name, cause, 'write');
      if (error instanceof StoreUnwritable) await this.#fail(operations, cause);
      throw error;
    }
  }

  /** Saves the previous values of the keys of the failed write: parts of it may be in the log of the database. */
  async #fail(operations: readonly LevelOperation[], cause: unknown): Promise<void> {
    const keys = [...new Set(operations.map(({ key }) => key))];
    const values = await this.#database.getMany(keys);
    const before = keys.map((key, at): LevelOperation => {
      const value = values[at];
      return value === undefined ? { type: 'del', key } : { type: 'put', key, value };
    });
    this.#failure = { reason: reasonOf(cause), before, againMs: this.#nextTryMs() };
    this.#location.trouble.begins(this.#location.path, this.#failure.reason);
  }

  /**
   * Reopens the database if the disk has space, and reverts the failed writes: after a failed write level accepts no other,
   * and the end of its log may be torn. Running iterations finish first, since a reader may wait for this very write.
   */
  async #recover(failure: Failure): Promise<void> {
    const { name, path, disk, trouble } = this.#location;
    const isTooEarly = performance.now() < failure.againMs || this.#iterations.size > 0;
    if (isTooEarly) throw new StoreUnwritable(name, failure.reason);
    failure.againMs = this.#nextTryMs();
    try {
      disk.tryToWrite(path);
      this.#reopening = this.#reopen();
      await this.#reopening;
      await this.#database.batch([...failure.before], { sync: true });
    } catch (cause) {
      throw cause instanceof StoreUnwritable ? cause : new StoreUnwritable(name, reasonOf(cause));
    } finally {
      this.#reopening = undefined;
    }
    this.#failure = undefined;
    trouble.ends(path);
  }

  async #reopen(): Promise<void> {
    await this.#database.close();
    this.#database = await openDatabase(this.#location);
  }

  async *#iterate(
    range: StoreRange,
    begun: { database: Level; entries: AsyncIterable<[string, string]> } | undefined,
  ): AsyncGenerator<readonly [key: string, value: string]> {
    this.#assertOpen();
    if (this.#reopening !== undefined) await this.#reopening;
    let finish = () => {};
    const iteration = new Promise<void>((resolve) => {
      finish = resolve;
    });
    this.#iterations.add(iteration);
    try {
      // If the database was reopened since, nothing has changed meanwhile.
      const isCurrent = begun?.database === this.#database;
      yield* isCurrent ? begun.entries : this.#database.iterator(toLevelRange(range));
    } catch (error) {
      throw asStoreError(this.#location.name, error, 'read');
    } finally {
      this.#iterations.delete(iteration);
      finish();
    }
  }

  async #read<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      throw asStoreError(this.#location.name, error, 'read');
    }
  }

  async #close(): Promise<void> {
    await this.#writing;
    await Promise.all(this.#iterations);
    this.#location.trouble.ends(this.#location.path);
    await this.#database.close(); // waits for reads, and frees the snapshots of iterations that never began
  }

  #nextTryMs(): number {
    return performance.now() + this.#location.disk.retryMs;
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw new StoreClosed(this.#location.name);
  }
}

function toOperation(change: StoreChange): LevelOperation {
  return 'put' in change ? { type: 'put', key: change.put, value: change.value } : { type: 'del', key: change.delete };
}

/** Leaves out absent bounds: level reads an `undefined` bound as the text "undefined". */
function toLevelRange({ from, to, limit, reverse }: StoreRange) {
  return {
    ...(from !== undefined && { gte: from }),
    ...(to !== undefined && { lt: to }),
    ...(limit !== undefined && { limit }),
    ...(reverse !== undefined && { reverse }),
  };
}
