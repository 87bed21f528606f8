/**
 * A database of domain data: all rows in memory, and the same in a store, which is what counts. mdc commits to it: a change
 * can be seen once it is durable. sdc follows with it: what it sees it has from mdc, so that its own store may lag behind.
 */
import { rowKinds } from '../model/entities/entities.ts';
import { limits } from '../model/limits.ts';
import type { DataRow, DataRowChange } from '../model/protocol/messages/data.ts';
import type { Pace } from '../ports/pace.ts';
import { type Store, type StoreChange, type StoreRange, StoreUnwritable } from '../ports/store.ts';
import { aboutKey, allLog, allRows, isOf, logKey, rowKey, rowsOf, sequenceIn } from './keys.ts';
import { Table } from './table.ts';

/** Which database it is, and how far it has come. */
export interface DatabasePosition {
  readonly database: string;
  readonly sequence: number;
  /** Of a copy: when it was last known to be like its master (ms since the epoch). */
  readonly asOfMs?: number;
  /** Of a master: the domains that have had their first rows. Of a copy: the parts of the domain tree that it has. */
  readonly filled?: readonly string[];
}

interface About extends DatabasePosition {
  readonly generation: number;
}

interface Touched {
  readonly kind: string;
  readonly domain: string;
  readonly id: string;
}

/** A change in the log. */
export interface LogEntry {
  readonly sequence: number;
  readonly touched: readonly Touched[];
}

/** Rows that are written or removed at once where all are. */
const rowsPerBatch = 500;

export class Database {
  readonly #store: Store;
  #tables = emptyTables();
  #about: About | undefined;
  #log: LogEntry[] = [];
  /** Of a copy: what is visible and is not being written, by key. */
  #unwritten = new Map<string, StoreChange>();
  /** Of a copy: one write at a time. Of two at once the later one could be stored without the earlier one. */
  #writing: Promise<void> | undefined;

  private constructor(store: Store) {
    this.#store = store;
  }

  /** Loads what the store holds, and removes what an interrupted `refill` has left. */
  static async open(store: Store, pace: Pace): Promise<Database> {
    const database = new Database(store);
    const about = await store.get(aboutKey);
    if (about !== undefined) database.#about = JSON.parse(about) as About;
    await database.#load(pace);
    return database;
  }

  /** Absent: it is empty and was never filled. */
  get position(): DatabasePosition | undefined {
    return this.#about;
  }

  get size(): number {
    let size = 0;
    for (const table of this.#tables.values()) size += table.size;
    return size;
  }

  table(kind: string): Table {
    const table = this.#tables.get(kind);
    if (table === undefined) throw new Error(`no table of "${kind}"`);
    return table;
  }

  *rows(): Generator<DataRow> {
    for (const table of this.#tables.values()) yield* table.all();
  }

  /**
   * Makes a change durable, then visible. One at a time. `before` is called in between; `filled` are the domains
   * that have their first rows. Answers its sequence number.
   * Rejects with `StoreClosed`, without a change, when the store was closed before.
   */
  async commit(
    changes: readonly DataRowChange[],
    before: (changes: readonly DataRowChange[]) => void = () => {},
    filled: readonly string[] = this.#known().filled ?? [],
  ): Promise<number> {
    const about = this.#known();
    const sequence = about.sequence + 1;
    const next = { ...about, sequence, filled };
    const entry: LogEntry = { sequence, touched: changes.map(touchedBy) };
    const writes = this.#writesOf(changes, about.generation);
    writes.push(put(logKey(sequence), entry.touched), put(aboutKey, next));
    const [oldest] = this.#log;
    const isFull = oldest !== undefined && this.#log.length >= limits.dataLogChanges;
    if (isFull) writes.push({ delete: logKey(oldest.sequence) });
    await this.#store.write(writes);
    if (isFull) this.#log.shift();
    this.#log.push(entry);
    before(changes);
    this.#apply(changes, next);
    return sequence;
  }

  /** What has changed after `sequence`, each row once and as it is now; `undefined` where the log does not reach back so far. */
  changesSince(sequence: number): DataRowChange[] | undefined {
    return touchedSince(this.#log, { last: this.#known().sequence, sequence })?.map(({ kind, domain, id }) => {
      const row = this.table(kind).get(id);
      return row === undefined ? { gone: { kind, domain, id } } : { put: row };
    });
  }

  /**
   * Takes over changes that are durable elsewhere: visible at once. Resolves when they are in the store; where that can't
   * be written, with the next changes that are.
   */
  async follow(changes: readonly DataRowChange[], position: DatabasePosition): Promise<void> {
    const next = { ...position, generation: this.#known().generation };
    for (const write of [...this.#writesOf(changes, next.generation), put(aboutKey, next)])
      this.#unwritten.set('put' in write ? write.put : write.delete, write);
    this.#apply(changes, next);
    this.#writing ??= this.#writeAll();
    await this.#writing;
  }

  /** Writes what is visible, until that is all or cannot be written. */
  async #writeAll(): Promise<void> {
    try {
      while (this.#unwritten.size > 0) {
        const writes = this.#unwritten;
        this.#unwritten = new Map();
        try {
          await this.#store.write([...writes.values()]);
        } catch (error) {
          const isLast = this.#unwritten.size === 0;
          this.#unwritten = new Map([...writes, ...this.#unwritten]);
          if (!(error instanceof StoreUnwritable)) throw error;
          if (isLast) return;
        }
      }
    } finally {
      this.#writing = undefined;
    }
  }

  /** Replaces all rows, at one moment: until then the old ones are seen. */
  async refill(rows: readonly DataRow[], position: DatabasePosition, pace: Pace): Promise<void> {
    const generation = (this.#about?.generation ?? 0) + 1;
    await this.#writing;
    await this.#remove(rowsOf(generation));
    const tables = emptyTables();
    let batch: StoreChange[] = [];
    for (const row of rows) {
      tables.get(row.kind)?.add(row);
      batch.push(put(rowKey(generation, row), row));
      if (batch.length >= rowsPerBatch) {
        await this.#store.write(batch);
        batch = [];
      }
      if (pace.isPauseDue()) await pace.pause();
    }
    await sortAll(tables, pace);
    const next = { ...position, generation };
    await this.#store.write([
      ...batch,
      ...this.#log.map(({ sequence }) => ({ delete: logKey(sequence) })),
      put(aboutKey, next),
    ]);
    this.#tables = tables;
    this.#about = next;
    this.#log = [];
    this.#unwritten.clear();
    try {
      await this.#remove(rowsOf(generation - 1));
    } catch (error) {
      // They do not count; the next start removes them.
      if (!(error instanceof StoreUnwritable)) throw error;
    }
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  async #load(pace: Pace): Promise<void> {
    let leftovers: StoreChange[] = [];
    for await (const [key, value] of this.#store.entries(allRows)) {
      if (this.#about !== undefined && isOf(this.#about.generation, key)) {
        const row = JSON.parse(value) as DataRow;
        this.#tables.get(row.kind)?.add(row);
      } else leftovers.push({ delete: key });
      if (leftovers.length >= rowsPerBatch) {
        await this.#store.write(leftovers);
        leftovers = [];
      }
      if (pace.isPauseDue()) await pace.pause();
    }
    if (leftovers.length > 0) await this.#store.write(leftovers);
    await sortAll(this.#tables, pace);
    for await (const [key, value] of this.#store.entries(allLog)) {
      this.#log.push({ sequence: sequenceIn(key), touched: JSON.parse(value) as Touched[] });
    }
  }

  /** What makes changes durable that are not visible yet. */
  #writesOf(changes: readonly DataRowChange[], generation: number): StoreChange[] {
    const changed = new Map<string, DataRow | undefined>();
    return changes.flatMap((change) => {
      const { kind, id } = touchedBy(change);
      const name = `${kind}/${id}`;
      const before = changed.has(name) ? changed.get(name) : this.table(kind).get(id);
      changed.set(name, 'put' in change ? change.put : undefined);
      // A row of this id may have been made anew, at another time: the first write goes, if the second has another key.
      const removed = before === undefined ? [] : [{ delete: rowKey(generation, before) }];
      return 'put' in change ? [...removed, put(rowKey(generation, change.put), change.put)] : removed;
    });
  }

  #apply(changes: readonly DataRowChange[], about: About): void {
    for (const change of changes) {
      if ('put' in change) this.table(change.put.kind).put(change.put);
      else this.table(change.gone.kind).drop(change.gone.id);
    }
    this.#about = about;
  }

  async #remove(range: StoreRange): Promise<void> {
    for (;;) {
      const batch: StoreChange[] = [];
      for await (const [key] of this.#store.entries({ ...range, limit: rowsPerBatch })) batch.push({ delete: key });
      if (batch.length === 0) return;
      await this.#store.write(batch);
    }
  }

  #known(): About {
    if (this.#about === undefined) throw new Error('the database was not filled');
    return this.#about;
  }
}

/** What was touched after `sequence`, each row once; `undefined` where the log does not reach back so far. */
export function touchedSince(
  log: readonly LogEntry[],
  { last, sequence }: { readonly last: number; readonly sequence: number },
): Touched[] | undefined {
  const missed = last - sequence;
  if (missed < 0 || missed > log.length) return undefined;
  const touched = new Map<string, Touched>();
  for (const entry of log.slice(log.length - missed)) {
    for (const each of entry.touched) touched.set(`${each.kind}/${each.id}`, each);
  }
  return [...touched.values()];
}

function emptyTables(): Map<string, Table> {
  return new Map(rowKinds.map((entity) => [entity.kind, new Table(entity)]));
}

async function sortAll(tables: ReadonlyMap<string, Table>, pace: Pace): Promise<void> {
  for (const table of tables.values()) {
    table.sort();
    if (pace.isPauseDue()) await pace.pause();
  }
}

function touchedBy(change: DataRowChange): Touched {
  if ('gone' in change) return change.gone;
  const { kind, domain, item } = change.put;
  return { kind, domain, id: item.id };
}

function put(key: string, value: unknown): StoreChange {
  return { put: key, value: JSON.stringify(value) };
}
