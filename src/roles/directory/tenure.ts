/**
 * The time during which an instance has a database open: it waits for the lock, loads, and lets go of it at its end,
 * whatever it was doing. The lock is the fence: who has lost it writes nothing any more.
 */
import { limits } from '../../model/limits.ts';
import { type Store, StoreLocked, type Stores } from '../../ports/store.ts';
import type { RoleScope } from '../../runtime/role.ts';
import { Database } from '../../storage/database.ts';
import { GivenUp, Pace } from '../../storage/pace.ts';

export interface TenureOptions {
  readonly scope: Pick<RoleScope, 'clock' | 'crash' | 'log'>;
  readonly stores: Stores;
  readonly name: string;
  /** The database is open; what is still to be done before it is used. */
  readonly prepare?: (database: Database, pace: Pace) => Promise<void>;
  readonly onReady: (database: Database) => void;
}

export class Tenure {
  readonly #options: TenureOptions;
  readonly #pace: Pace;
  #store: Store | undefined;
  #isOver = false;

  constructor(options: TenureOptions) {
    this.#options = options;
    this.#pace = new Pace(options.scope.clock);
    this.#begin().catch((error: unknown) => {
      if (!(error instanceof GivenUp) && !this.#isOver) options.scope.crash(error);
    });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Lets go of the store. What was written before is durable. */
  end(): void {
    this.#isOver = true;
    this.#pace.giveUp();
    // Where the store fails, the instance is at its end already.
    this.#store?.close().catch(() => {});
  }

  async #begin(): Promise<void> {
    const store = await this.#open();
    if (this.#isOver) return store.close();
    this.#store = store;
    const database = await Database.open(store, this.#pace);
    await this.#options.prepare?.(database, this.#pace);
    if (!this.#isOver) this.#options.onReady(database);
  }

  async #open(): Promise<Store> {
    const { stores, name, scope } = this.#options;
    for (;;) {
      try {
        return await stores.open(name);
      } catch (error) {
        if (!(error instanceof StoreLocked)) throw error;
        scope.log.write('debug', 'store.locked', { name });
      }
      await new Promise<void>((resolve) => {
        scope.clock.setTimer(limits.dataRetryMs, resolve);
      });
    }
  }
}
