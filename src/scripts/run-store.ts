/** Runs of scripts in a store that the instances of a group share: the active instance alone has it open. */

import type { RoleScope } from '../cluster/role.ts';
import { passed } from '../ports/clock.ts';
import {
  type Store,
  type StoreChange,
  StoreClosed,
  type StoreRange,
  type Stores,
  StoreUnwritable,
} from '../ports/store.ts';
import { openUnlocked } from '../storage/store-opening.ts';
import type { RunRecord } from './run-record.ts';

const unwritableMs = 1_000;
const prefix = 'run/';
const afterPrefix = 'run0';
const globalPrefix = 'global/';
const afterGlobalPrefix = 'global0';

type Entry = readonly [key: string, value: string];

/** What waits for a disk that cannot be written: the newest change of each key, so that no older state of a run replaces it. */
interface Late {
  readonly changes: Map<string, StoreChange>;
  readonly written: Promise<boolean>;
}

export class RunStore {
  readonly #clock: RoleScope['clock'];
  readonly #store: Promise<Store | undefined>;
  #late: Late | undefined;
  #isOver = false;

  constructor({ clock }: Pick<RoleScope, 'clock'>, stores: Stores, name: string) {
    this.#clock = clock;
    this.#store = openUnlocked({ open: () => stores.open(name), clock, isWanted: () => !this.#isOver });
    // `load` fails with it.
    this.#store.catch(() => {});
  }

  /** The runs that are stored, in the order in which they started; `undefined` where the store was closed, also meanwhile. */
  async load(): Promise<RunRecord[] | undefined> {
    const stored = await this.#read({ from: prefix, to: afterPrefix });
    const records = stored?.map(([, value]) => JSON.parse(value) as RunRecord);
    return records?.sort((one, other) => one.startedMs - other.startedMs || (one.id < other.id ? -1 : 1));
  }

  /** The global variables that are stored, by domain; `undefined` where the store was closed, also meanwhile. */
  async globals(): Promise<[domain: string, values: Record<string, unknown>][] | undefined> {
    const stored = await this.#read({ from: globalPrefix, to: afterGlobalPrefix });
    return stored?.map(([key, value]) => [
      key.slice(globalPrefix.length),
      JSON.parse(value) as Record<string, unknown>,
    ]);
  }

  /**
   * Stores a run as it is now, as JSON, together with the global variables of domains that have changed. While the disk cannot be
   * written it tries again. Returns false where the store was closed.
   */
  put(id: string, value: string, globals: readonly [domain: string, values: object][] = []): Promise<boolean> {
    return this.#write([
      { put: `${prefix}${id}`, value },
      ...globals.map(([domain, values]) => ({ put: `${globalPrefix}${domain}`, value: JSON.stringify(values) })),
    ]);
  }

  /** Removes a run, as soon as the disk can be written. */
  async remove(id: string): Promise<void> {
    await this.#write([{ delete: `${prefix}${id}` }]);
  }

  close(): void {
    this.#isOver = true;
    // Where the store fails, the instance is at its end already.
    this.#store.then((store) => store?.close()).catch(() => {});
  }

  async #read(range: StoreRange): Promise<Entry[] | undefined> {
    const store = await this.#store;
    if (store === undefined || this.#isOver) return undefined;
    const read: Entry[] = [];
    try {
      for await (const entry of store.entries(range)) read.push(entry);
    } catch (error) {
      if (error instanceof StoreClosed) return undefined;
      throw error;
    }
    return read;
  }

  async #write(changes: readonly StoreChange[]): Promise<boolean> {
    const store = await this.#store;
    if (store === undefined || this.#isOver) return false;
    if (this.#late !== undefined) return this.#putBehind(store, changes);
    return (await isWritten(store, changes)) ?? this.#putBehind(store, changes);
  }

  #putBehind(store: Store, changes: readonly StoreChange[]): Promise<boolean> {
    this.#late ??= this.#beginLate(store);
    for (const change of changes) this.#late.changes.set('put' in change ? change.put : change.delete, change);
    return this.#late.written;
  }

  #beginLate(store: Store): Late {
    const changes: Late['changes'] = new Map();
    return { changes, written: this.#writeLate(store, changes) };
  }

  /** Resolves when no change waits any more. */
  async #writeLate(store: Store, changes: Late['changes']): Promise<boolean> {
    for (;;) {
      await passed(this.#clock, unwritableMs);
      if (this.#isOver) return false;
      const batch = [...changes];
      const result = await isWritten(
        store,
        batch.map(([, change]) => change),
      );
      if (result === undefined) continue;
      if (!result) return false;
      for (const [key, change] of batch) if (changes.get(key) === change) changes.delete(key);
      if (changes.size > 0) continue;
      this.#late = undefined;
      return true;
    }
  }
}

/** False: the store was closed. `undefined`: the disk cannot be written now. */
async function isWritten(store: Store, changes: readonly StoreChange[]): Promise<boolean | undefined> {
  try {
    await store.write(changes);
    return true;
  } catch (error) {
    if (error instanceof StoreClosed) return false;
    if (error instanceof StoreUnwritable) return undefined;
    throw error;
  }
}
