import type { Clock, Timer } from '../../src/ports/clock.ts';
import type { RandomStream } from '../../src/ports/random.ts';
import {
  type Store,
  type StoreChange,
  StoreClosed,
  StoreLocked,
  type StoreRange,
  type Stores,
} from '../../src/ports/store.ts';

/** Keys and values in the order of the keys' UTF-8 bytes, in memory. */

/** A key with its value. */
export type Entry = readonly [key: string, value: string];

/** The contents of one simulated store. */
export class SortedEntries {
  readonly #entries: Entry[] = [];

  get(key: string): string | undefined {
    const entry = this.#entries[this.#position(key)];
    return entry?.[0] === wellFormed(key) ? entry[1] : undefined;
  }

  apply(changes: readonly StoreChange[]): void {
    for (const change of changes) {
      const key = wellFormed('put' in change ? change.put : change.delete);
      const position = this.#position(key);
      const replaced = this.#entries[position]?.[0] === key ? 1 : 0;
      const added: Entry[] = 'put' in change ? [[key, wellFormed(change.value)]] : [];
      this.#entries.splice(position, replaced, ...added);
    }
  }

  slice({ from, to, limit, reverse }: StoreRange): Entry[] {
    const start = from === undefined ? 0 : this.#position(from);
    const end = to === undefined ? this.#entries.length : this.#position(to);
    const entries = this.#entries.slice(start, Math.max(start, end));
    if (reverse) entries.reverse();
    return entries.slice(0, limit);
  }

  /** Number of keys before `key`. */
  #position(key: string): number {
    const sought = wellFormed(key);
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore((this.#entries[middle] as Entry)[0], sought)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Compares as UTF-8 bytes would, so by code point: surrogates, which are U+10000 and above, come after all else. */
function isBefore(one: string, other: string): boolean {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index++) {
    const left = one.charCodeAt(index);
    const right = other.charCodeAt(index);
    if (left !== right) return isSurrogate(left) === isSurrogate(right) ? left < right : isSurrogate(right);
  }
  return one.length < other.length;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xe000;
}

/** The text with lone surrogates replaced, as UTF-8 requires. */
function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}

/** The disks of a simulated cluster: stores in memory that crash and stall like real ones, with any speed. */

export interface SimulatedStoresOptions {
  clock: Clock;
  /** Decides what a crash keeps. */
  random: RandomStream;
  /**
   * Time until a write is durable. With 0 and no write before it, the write is durable when the call returns, without
   * the clock.
   */
  latencyMs?: number;
}

/**
 * Each store has a durable half, which reads see and which outlives a crash, and a pending half: the writes in flight,
 * in order.
 *
 * Faults affect an area: one store (`north/n2/sessions`), all below a path (`north/n2`, `north`), or all stores (the
 * empty text). They also apply to stores that are opened later.
 */
export class SimulatedStores implements Stores {
  readonly #clock: Clock;
  readonly #random: RandomStream;
  readonly #disks = new Map<string, Disk>();
  readonly #stalledAreas = new Set<string>();
  /** The last one that covers a store applies. */
  #latencies: { area: string; latencyMs: number }[];

  constructor({ clock, random, latencyMs = 1 }: SimulatedStoresOptions) {
    this.#clock = clock;
    this.#random = random;
    this.#latencies = [{ area: '', latencyMs }];
  }

  async open(name: string): Promise<Store> {
    return this.#open(name, name);
  }

  /** The stores of `owner`, an address: its `sessions` is `north/n2/sessions` here. */
  of(owner: string): Stores {
    return this.shared(owner, owner);
  }

  /** The stores of `area`, which others may open as well: a crash of `owner` also affects the stores that it holds. */
  shared(area: string, owner: string): Stores {
    return { open: async (name) => this.#open(name, `${area}/${name}`, owner) };
  }

  /**
   * The processes that hold the stores of an area crash. A random number of the pending writes of each store is kept,
   * always the first ones and each as a whole; the lock is released at once. Calls of a dead process never settle and
   * have no effect.
   */
  crash(area: string): { keptWrites: number; lostWrites: number } {
    const total = { keptWrites: 0, lostWrites: 0 };
    for (const disk of this.#disks.values()) {
      if (!covers(area, disk.path) && !covers(area, disk.holder?.owner ?? disk.path)) continue;
      const pending = disk.pendingWrites;
      const kept = pending === 0 ? 0 : this.#random.integer(0, pending);
      disk.crash(kept);
      total.keptWrites += kept;
      total.lostWrites += pending - kept;
    }
    return total;
  }

  /** No write in an area becomes durable until `resume` of the same area. Reads continue, as from memory. */
  stall(area: string): void {
    this.#stalledAreas.add(area);
  }

  /** Ends the `stall` of the same area. Overdue writes become durable at once. */
  resume(area: string): void {
    this.#stalledAreas.delete(area);
    for (const disk of this.#disksOf(area)) disk.flush();
  }

  /** Duration of the next writes in an area. */
  setLatency(area: string, latencyMs: number): void {
    const others = this.#latencies.filter((latency) => latency.area !== area);
    this.#latencies = [...others, { area, latencyMs }];
  }

  #open(name: string, path: string, owner = path): Store {
    if (!/^[A-Za-z0-9_-]+$/.test(name)) throw new RangeError(`"${name}" is not a valid name of a store`);
    const disk = this.#disks.get(path) ?? this.#makeDisk(path);
    if (disk.holder !== undefined) throw new StoreLocked(path);
    disk.holder = new SimulatedStore(path, disk, owner);
    return disk.holder;
  }

  #makeDisk(path: string): Disk {
    const disk = new Disk(path, {
      clock: this.#clock,
      latencyMs: () => this.#latencies.findLast(({ area }) => covers(area, path))?.latencyMs ?? 0,
      isStalled: () => [...this.#stalledAreas].some((area) => covers(area, path)),
      oneCopyOf: (key, value) => this.#oneCopyOf(key, value),
    });
    this.#disks.set(path, disk);
    return disk;
  }

  /** The same value as another store has it, if it has it: a file whose pieces many instances store is in memory once. */
  #oneCopyOf(key: string, value: string): string {
    if (value.length < largeLetters) return value;
    for (const { durable } of this.#disks.values()) {
      const kept = durable.get(key);
      if (kept === value) return kept;
    }
    return value;
  }

  #disksOf(area: string): Disk[] {
    return [...this.#disks].filter(([path]) => covers(area, path)).map(([, disk]) => disk);
  }
}

/** Whole parts only: `n1` does not cover `n10`. */
function covers(area: string, path: string): boolean {
  return area === '' || path === area || path.startsWith(`${area}/`);
}

/** Shorter values are few bytes, and not worth a search. */
const largeLetters = 16 * 1024;

interface PendingWrite {
  readonly changes: readonly StoreChange[];
  acknowledge(): void;
  isDue: boolean;
  timer?: Timer;
}

interface DiskRules {
  clock: Clock;
  latencyMs(): number;
  isStalled(): boolean;
  /** An equal value that another disk keeps under this key; else the value itself. */
  oneCopyOf(key: string, value: string): string;
}

/** What outlives the process: the contents of one store, and the holder of its lock. */
class Disk {
  readonly path: string;
  readonly durable = new SortedEntries();
  holder: SimulatedStore | undefined;
  #pending: PendingWrite[] = [];
  readonly #rules: DiskRules;

  constructor(path: string, rules: DiskRules) {
    this.path = path;
    this.#rules = rules;
  }

  get pendingWrites(): number {
    return this.#pending.length;
  }

  accept(changes: readonly StoreChange[], acknowledge: () => void): void {
    const latencyMs = this.#rules.latencyMs();
    const write: PendingWrite = {
      changes: changes.map((change) => ({ ...change })),
      acknowledge,
      isDue: latencyMs === 0,
    };
    const becomeDue = () => {
      write.isDue = true;
      this.flush();
    };
    this.#pending.push(write);
    if (write.isDue) this.flush();
    else write.timer = this.#rules.clock.setTimer(latencyMs, becomeDue);
  }

  /** Makes due writes durable, in order: a write waits for the earlier ones, even if it was faster. */
  flush(): void {
    while (this.#pending[0]?.isDue && !this.#rules.isStalled()) {
      const write = this.#pending.shift() as PendingWrite;
      this.#apply(write.changes);
      write.acknowledge();
    }
  }

  crash(keptWrites: number): void {
    for (const write of this.#pending) write.timer?.cancel();
    for (const write of this.#pending.slice(0, keptWrites)) this.#apply(write.changes);
    this.#pending = [];
    this.holder?.die();
    this.holder = undefined;
  }

  #apply(changes: readonly StoreChange[]): void {
    const { oneCopyOf } = this.#rules;
    this.durable.apply(
      changes.map((each) => ('put' in each ? { ...each, value: oneCopyOf(each.put, each.value) } : each)),
    );
  }
}

/** A process's handle of a disk: open, then closed by the process or dead with it. */
class SimulatedStore implements Store {
  /** The process that has it open. */
  readonly owner: string;
  readonly #path: string;
  readonly #disk: Disk;
  #isDead = false;
  #closing: Promise<void> | undefined;
  #callsUnderWay = 0;
  #whenIdle = () => {};

  constructor(path: string, disk: Disk, owner: string) {
    this.owner = owner;
    this.#path = path;
    this.#disk = disk;
  }

  get(key: string): Promise<string | undefined> {
    return this.#call(() => this.#disk.durable.get(key));
  }

  write(changes: readonly StoreChange[]): Promise<void> {
    return this.#call(() => new Promise((resolve) => this.#disk.accept(changes, resolve)));
  }

  entries(range: StoreRange): AsyncIterable<readonly [key: string, value: string]> {
    return this.#iterate(this.#disk.durable.slice(range));
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  die(): void {
    this.#isDead = true;
  }

  async #call<T>(start: () => T | Promise<T>): Promise<T> {
    if (this.#isDead) return silence();
    this.#begin();
    try {
      return await this.#hear(start());
    } finally {
      this.#end();
    }
  }

  /** Delivers an answer, unless the process has died since the call. */
  async #hear<T>(answer: T | Promise<T>): Promise<T> {
    const heard = await answer;
    return this.#isDead ? silence() : heard;
  }

  async *#iterate(entries: Entry[]): AsyncGenerator<Entry> {
    if (this.#isDead) await silence();
    this.#begin();
    try {
      for (const entry of entries) {
        await this.#hear(undefined);
        yield entry;
      }
      await this.#hear(undefined);
    } finally {
      this.#end();
    }
  }

  async #close(): Promise<void> {
    if (this.#callsUnderWay > 0) {
      await new Promise<void>((resolve) => {
        this.#whenIdle = resolve;
      });
    }
    if (this.#isDead) return silence();
    this.#disk.holder = undefined;
  }

  #begin(): void {
    if (this.#closing !== undefined) throw new StoreClosed(this.#path);
    this.#callsUnderWay++;
  }

  #end(): void {
    this.#callsUnderWay--;
    if (this.#callsUnderWay === 0) this.#whenIdle();
  }
}

/** The promise of a dead process. A new one each time: a shared one would keep every waiter in memory. */
function silence<T>(): Promise<T> {
  return new Promise(() => {});
}
