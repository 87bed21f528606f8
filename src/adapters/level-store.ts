/** The stores of a live node: one `level` database each, in a directory of its own. */
import { join } from 'node:path';
import { Level } from 'level';
import {
  type Store,
  type StoreChange,
  StoreClosed,
  StoreLocked,
  type StoreRange,
  type Stores,
} from '../ports/store.ts';

/** What a store may be called: one part of a path, which can't lead out of the directory. */
const storeName = /^[A-Za-z0-9_-]+$/;

/** How many waiting writes share one batch, and so one sync of the disk. */
const writesPerBatch = 256;

/** Opens the stores of a node under `directory`, which it makes when it is missing. */
export class LevelStores implements Stores {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async open(name: string): Promise<Store> {
    if (!storeName.test(name)) throw new RangeError(`"${name}" can't be the name of a store`);
    const database = new Level(join(this.#directory, name));
    try {
      await database.open();
    } catch (error) {
      throw isLocked(error) ? new StoreLocked(name) : error;
    }
    return new LevelStore(name, database);
  }
}

interface WaitingWrite {
  readonly operations: readonly LevelOperation[];
  resolve(): void;
  reject(error: unknown): void;
}

type LevelOperation = { type: 'put'; key: string; value: string } | { type: 'del'; key: string };

class LevelStore implements Store {
  readonly #name: string;
  readonly #database: Level;
  readonly #iterations = new Set<Promise<void>>();
  #waiting: WaitingWrite[] = [];
  #writing: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(name: string, database: Level) {
    this.#name = name;
    this.#database = database;
  }

  async get(key: string): Promise<string | undefined> {
    this.#assertOpen();
    return this.#database.get(key);
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
    // The iterator is made here, not at the first step: it holds the snapshot.
    return this.#iterate(this.#closing === undefined ? this.#database.iterator(toLevelRange(range)) : []);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /**
   * One batch at a time: level runs batches on several threads and would let a later one overtake. Whatever arrives
   * during a sync shares the next one.
   */
  async #writeAll(): Promise<void> {
    await undefined; // so that the writes of one turn share a batch
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, writesPerBatch);
      try {
        await this.#database.batch(
          group.flatMap((write) => write.operations),
          { sync: true },
        );
        for (const write of group) write.resolve();
      } catch (error) {
        for (const write of group) write.reject(error);
      }
    }
    this.#writing = undefined;
  }

  async *#iterate(
    entries: AsyncIterable<[string, string]> | Iterable<[string, string]>,
  ): AsyncGenerator<readonly [key: string, value: string]> {
    this.#assertOpen();
    let finish = () => {};
    const iteration = new Promise<void>((resolve) => {
      finish = resolve;
    });
    this.#iterations.add(iteration);
    try {
      yield* entries;
    } finally {
      this.#iterations.delete(iteration);
      finish();
    }
  }

  async #close(): Promise<void> {
    await this.#writing;
    await Promise.all(this.#iterations);
    await this.#database.close(); // waits for reads, and frees the snapshots of iterations that never began
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw new StoreClosed(this.#name);
  }
}

function toOperation(change: StoreChange): LevelOperation {
  return 'put' in change ? { type: 'put', key: change.put, value: change.value } : { type: 'del', key: change.delete };
}

/** Leaves out what is not asked for: level takes an `undefined` bound for the text "undefined". */
function toLevelRange({ from, to, limit, reverse }: StoreRange) {
  return {
    ...(from !== undefined && { gte: from }),
    ...(to !== undefined && { lt: to }),
    ...(limit !== undefined && { limit }),
    ...(reverse !== undefined && { reverse }),
  };
}

function isLocked(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && cause.code === 'LEVEL_LOCKED';
}
