/**
 * The time during which an instance has a database open, and beside it the contents of files: it waits for the locks, loads,
 * and releases them at its end, whatever it was doing. The locks are the fence: an instance that has lost them writes nothing any more.
 */

import type { RoleScope } from '../../cluster/role.ts';
import { limits } from '../../model/limits.ts';
import { GivenUp, Pace } from '../../ports/pace.ts';
import { type Store, StoreLocked, type Stores, StoreUnwritable } from '../../ports/store.ts';
import { Contents } from '../../storage/contents.ts';
import { Database } from '../../storage/database.ts';
import { contentsNameOf } from '../../storage/keys.ts';

export interface DatabaseLeaseOptions {
  readonly scope: Pick<RoleScope, 'clock' | 'crash' | 'log'>;
  readonly stores: Stores;
  readonly name: string;
  /** Database and contents are open; what is still to be done before it is used. */
  readonly prepare?: (database: Database, contents: Contents, pace: Pace) => Promise<void>;
  readonly onReady: (database: Database, contents: Contents) => void;
}

export class DatabaseLease {
  readonly #options: DatabaseLeaseOptions;
  readonly #pace: Pace;
  readonly #stores: Store[] = [];
  #isOver = false;

  constructor(options: DatabaseLeaseOptions) {
    this.#options = options;
    this.#pace = new Pace(options.scope.clock);
    this.#beginOnceWritable().catch((error: unknown) => {
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
    for (const store of this.#stores) store.close().catch(() => {});
  }

  /** Opening a database writes: it waits while the disk is full. */
  async #beginOnceWritable(): Promise<void> {
    const { scope, name } = this.#options;
    for (let tries = 0; ; tries += 1) {
      try {
        return await this.#begin();
      } catch (error) {
        if (!(error instanceof StoreUnwritable)) throw error;
        if (tries === 0) scope.log.write('error', 'data.waits', { name, reason: error.message });
        await Promise.all(this.#stores.splice(0).map((store) => store.close()));
      }
      await this.#wait(limits.dataReadyMs);
    }
  }

  async #begin(): Promise<void> {
    const { scope, name, prepare, onReady } = this.#options;
    const store = await this.#open(name);
    const database = await Database.open(store, this.#pace);
    const contents = await Contents.open(await this.#open(contentsNameOf(name)), scope.clock, this.#pace);
    await prepare?.(database, contents, this.#pace);
    if (!this.#isOver) onReady(database, contents);
  }

  async #open(name: string): Promise<Store> {
    const store = await this.#waitFor(name);
    this.#stores.push(store);
    if (!this.#isOver) return store;
    await store.close();
    throw new GivenUp();
  }

  async #waitFor(name: string): Promise<Store> {
    const { stores, scope } = this.#options;
    for (;;) {
      try {
        return await stores.open(name);
      } catch (error) {
        if (!(error instanceof StoreLocked)) throw error;
        scope.log.write('debug', 'store.locked', { name });
      }
      await this.#wait(limits.dataRetryMs);
    }
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#options.scope.clock.setTimer(ms, resolve);
    });
  }
}
