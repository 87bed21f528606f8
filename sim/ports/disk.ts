/** What a simulated process has of one store: the disk, which outlives it, and its handle, which dies with it. */
import type { Clock, Timer } from '../../src/ports/clock.ts';
import { type Store, type StoreChange, StoreClosed, type StoreRange } from '../../src/ports/store.ts';
import { type Entry, SortedEntries } from './sorted-entries.ts';

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
