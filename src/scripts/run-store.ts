/** Runs of scripts in a store that the instances of a group share: the active instance alone has it open. */
import type { RoleScope } from '../cluster/role.ts';
import { type Store, StoreClosed, type Stores, StoreUnwritable } from '../ports/store.ts';
import { openUnlocked } from '../storage/store-opening.ts';
import type { RunRecord } from './run-record.ts';

const unwritableMs = 1_000;
const prefix = 'run/';
const afterPrefix = 'run0';
const globalPrefix = 'global/';
const afterGlobalPrefix = 'global0';

export class RunStore {
  readonly #clock: RoleScope['clock'];
  readonly #store: Promise<Store | undefined>;
  #isOver = false;

  constructor({ clock }: Pick<RoleScope, 'clock'>, stores: Stores, name: string) {
    this.#clock = clock;
    this.#store = openUnlocked({ open: () => stores.open(name), clock, isWanted: () => !this.#isOver });
    this.#store.catch(() => {});
  }

  /** The runs that are stored, in the order in which they started; `undefined` where the store was closed before. */
  async load(): Promise<RunRecord[] | undefined> {
    const store = await this.#store;
    if (store === undefined) return undefined;
    const records: RunRecord[] = [];
    for await (const [, value] of store.entries({ from: prefix, to: afterPrefix })) {
      records.push(JSON.parse(value) as RunRecord);
    }
    return records.sort((one, other) => one.startedMs - other.startedMs || (one.id < other.id ? -1 : 1));
  }

  /** The global variables that are stored, by domain. */
  async globals(): Promise<[domain: string, values: Record<string, unknown>][]> {
    const store = await this.#store;
    const found: [string, Record<string, unknown>][] = [];
    for await (const [key, value] of store?.entries({ from: globalPrefix, to: afterGlobalPrefix }) ?? [])
      found.push([key.slice(globalPrefix.length), JSON.parse(value) as Record<string, unknown>]);
    return found;
  }

  /**
   * Stores a run as it is now, as JSON, together with the global variables of domains that have changed. While the disk cannot be
   * written it tries again. Returns false where the store was closed.
   */
  async put(id: string, value: string, globals: readonly [domain: string, values: object][] = []): Promise<boolean> {
    const batch = [
      { put: `${prefix}${id}`, value },
      ...globals.map(([domain, values]) => ({ put: `${globalPrefix}${domain}`, value: JSON.stringify(values) })),
    ];
    for (;;) {
      const store = await this.#store;
      if (store === undefined || this.#isOver) return false;
      try {
        await store.write(batch);
        return true;
      } catch (error) {
        if (error instanceof StoreClosed) return false;
        if (!(error instanceof StoreUnwritable)) throw error;
      }
      await new Promise<void>((resolve) => this.#clock.setTimer(unwritableMs, resolve));
    }
  }

  /** Removes a run without waiting for it. */
  remove(id: string): void {
    this.#store.then((store) => store?.write([{ delete: `${prefix}${id}` }])).catch(() => {});
  }

  close(): void {
    this.#isOver = true;
    this.#store.then((store) => store?.close()).catch(() => {});
  }
}
