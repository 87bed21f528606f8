/** The disks of a simulated cluster: stores in memory that crash and stall like real ones, with any speed. */
import type { Clock } from '../../src/ports/clock.ts';
import type { RandomStream } from '../../src/ports/random.ts';
import { type Store, StoreLocked, type Stores } from '../../src/ports/store.ts';
import { SimulatedDisk, SimulatedStore } from './disk.ts';

/** The stores of a world, by their owner: a node or a site. */
export interface WorldStores {
  of(owner: string): Stores;
  /** What the stores of an owner keep is lost. The owner does not run. */
  wipe(owner: string): void;
}

/** What a store has on disk: what its instance would read if it crashed now. */
export type RecordsOnDisk = Pick<Store, 'entries'>;

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

/** Shorter values are few bytes, and not worth a search. */
const largeChars = 16 * 1024;

/**
 * Each store has a durable half, which reads see and which outlives a crash, and a pending half: the writes in flight,
 * in order.
 *
 * Faults affect an area: one store (`north/n2/sessions`), all below a path (`north/n2`, `north`), or all stores (the
 * empty text). They also apply to stores that are opened later.
 */
export class SimulatedStores implements Stores, WorldStores {
  readonly #clock: Clock;
  readonly #random: RandomStream;
  readonly #disks = new Map<string, SimulatedDisk>();
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

  /** What each store has on disk, by its path. */
  onDisk(): ReadonlyMap<string, RecordsOnDisk> {
    const records = ({ durable }: SimulatedDisk): RecordsOnDisk => ({
      entries: async function* (range) {
        yield* durable.slice(range);
      },
    });
    return new Map([...this.#disks].map(([path, disk]) => [path, records(disk)]));
  }

  /** What the stores of an area keep is lost; it is not in use. */
  wipe(area: string): void {
    for (const disk of this.#disksOf(area)) {
      disk.crash(0);
      this.#disks.delete(disk.path);
    }
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

  #makeDisk(path: string): SimulatedDisk {
    const disk = new SimulatedDisk(path, {
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
    if (value.length < largeChars) return value;
    for (const { durable } of this.#disks.values()) {
      const kept = durable.get(key);
      if (kept === value) return kept;
    }
    return value;
  }

  #disksOf(area: string): SimulatedDisk[] {
    return [...this.#disks].filter(([path]) => covers(area, path)).map(([, disk]) => disk);
  }
}

/** Whole parts only: `n1` does not cover `n10`. */
function covers(area: string, path: string): boolean {
  return area === '' || path === area || path.startsWith(`${area}/`);
}
