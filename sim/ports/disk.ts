/** What a simulated process has of one store: the disk, which outlives it, and its handle, which dies with it. */
import type { Clock, Timer } from '../../src/ports/clock.ts';
import { type Store, type StoreChange, StoreClosed, type StoreRange } from '../../src/ports/store.ts';

interface PendingWrite {
  readonly changes: readonly StoreChange[];
  acknowledge(): void;
  isDue: boolean;
  timer?: Timer;
}

export interface DiskRules {
  clock: Clock;
  latencyMs(): number;
  isStalled(): boolean;
  /** An equal value that another disk keeps under this key; else the value itself. */
  oneCopyOf(key: string, value: string): string;
}

/** What outlives the process: the contents of one store, and the holder of its lock. */
export class SimulatedDisk {
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
export class SimulatedStore implements Store {
  /** The process that has it open. */
  readonly owner: string;
  readonly #path: string;
  readonly #disk: SimulatedDisk;
  #isDead = false;
  #closing: Promise<void> | undefined;
  #callsUnderWay = 0;
  #whenIdle = () => {};

  constructor(path: string, disk: SimulatedDisk, owner: string) {
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

/** A key with its value. */
type Entry = readonly [key: string, value: string];

const surrogate = /[\ud800-\udfff]/;

/** The contents of one simulated store. */
class SortedEntries {
  readonly #entries: Entry[] = [];
  /** Whether no key has a surrogate: then the runtime compares keys in the same order. */
  #isPlain = true;

  get(key: string): string | undefined {
    const entry = this.#entries[this.#position(key)];
    return entry?.[0] === wellFormed(key) ? entry[1] : undefined;
  }

  apply(changes: readonly StoreChange[]): void {
    for (const change of changes) {
      const key = wellFormed('put' in change ? change.put : change.delete);
      if (surrogate.test(key)) this.#isPlain = false;
      const position = this.#position(key);
      const isThere = this.#entries[position]?.[0] === key;
      if ('put' in change) {
        const entry: Entry = [key, wellFormed(change.value)];
        if (isThere) this.#entries[position] = entry;
        else if (position === this.#entries.length) this.#entries.push(entry);
        else this.#entries.splice(position, 0, entry);
      } else if (isThere) this.#entries.splice(position, 1);
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
    const isPlain = !surrogate.test(sought);
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const [key] = this.#entries[middle] as Entry;
      if (isPlain && this.#isPlain ? key < sought : isBefore(key, sought)) low = middle + 1;
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
