/**
 * What happened to sessions and must outlive every restart: logouts, and switches of the domain. Kept in memory (`session-log.ts`)
 * and in the store of the instance until the session could not live any more (`limits.sessionMaxMs`). Why: docs/adr/0001-durable-logout.md.
 */

import type { RoleScope } from '../../cluster/role.ts';
import { limits } from '../../model/limits.ts';
import type { SessionChange } from '../../model/protocol/messages/session.ts';
import { type Store, type StoreChange, StoreClosed, type Stores, StoreUnwritable } from '../../ports/store.ts';
import { openUnlocked } from '../../storage/store-opening.ts';
import { keyOfChange, SessionLog } from './session-log.ts';

type Scope = Pick<RoleScope, 'clock' | 'crash' | 'epoch' | 'instance'>;
export class SessionChanges {
  readonly #scope: Scope;
  readonly #store: Promise<Store>;
  /** What is known here. */
  readonly log: SessionLog;
  /** Resolves when what an earlier incarnation has stored is here. */
  readonly loaded: Promise<void>;
  /** Keys in the store of what could not be written. */
  readonly #unwritten = new Set<string>();
  #isOver = false;

  /** `onLoaded` gets the changes that an earlier incarnation has stored. */
  constructor(scope: Scope, stores: Stores, onLoaded: (changes: readonly SessionChange[]) => void) {
    this.#scope = scope;
    this.log = new SessionLog({ epoch: scope.epoch, now: () => scope.clock.now() });
    this.#store = this.#open(stores);
    this.loaded = this.#load().then(onLoaded);
    // It is for the one that waits for it to fail.
    this.loaded.catch(() => {});
    this.#sweepLater();
  }

  /**
   * Takes a change that is to be acknowledged into the store, then into memory. It is durable when this resolves, with what is
   * news here; rejects where the store fails.
   */
  async store(change: SessionChange): Promise<SessionChange[]> {
    const key = keyOfChange(change);
    await (await this.#store).write([{ put: key, value: JSON.stringify(change) }]);
    const { news, writes } = this.log.absorb([change]);
    this.#write(writes.filter((write) => !('put' in write && write.put === key)));
    return news;
  }

  /** Takes changes into memory and, without waiting for it, into the store. Returns the changes that are news here. */
  take(changes: readonly SessionChange[]): SessionChange[] {
    const { news, writes } = this.log.absorb(changes);
    this.#write(writes);
    return news;
  }

  /** Forgets the domain of a session that is over here. */
  forget(key: string): void {
    this.#write(this.log.forget(key));
  }

  #sweepLater(): void {
    this.#scope.clock.setTimer(limits.sessionSyncMs, () => {
      this.#sweep();
      this.#sweepLater();
    });
  }

  /** Drops what cannot matter any more, and writes what could not be written before. */
  #sweep(): void {
    const again = [...this.#unwritten].map((key): StoreChange => {
      const change = this.log.changeAt(key);
      return change === undefined ? { delete: key } : { put: key, value: JSON.stringify(change) };
    });
    this.#unwritten.clear();
    this.#write([...again, ...this.log.dropOld()]);
  }

  /** Closes the store; what is being written is written first. */
  stop(): void {
    this.#isOver = true;
    // Where the store fails, the instance is at its end already.
    this.#store.then((store) => store.close()).catch(() => {});
  }

  async #open(stores: Stores): Promise<Store> {
    const name = `ws-${this.#scope.instance.srvidx}`;
    const { clock } = this.#scope;
    const store = await openUnlocked({ open: () => stores.open(name), clock, isWanted: () => !this.#isOver });
    if (store === undefined) throw new StoreClosed(name);
    return store;
  }

  async #load(): Promise<SessionChange[]> {
    const stored = new Map<string, string>();
    for await (const [key, text] of (await this.#store).entries({})) stored.set(key, text);
    const loaded = [...stored.values()].map((text) => JSON.parse(text) as SessionChange);
    const { news, writes } = this.log.absorb(loaded);
    const old = [...stored.keys()].filter((key) => this.log.changeAt(key) === undefined);
    const changed = writes.filter((write) => 'delete' in write || stored.get(write.put) !== write.value);
    this.#write([...old.map((key) => ({ delete: key })), ...changed]);
    return news;
  }

  /** What cannot be written now is in memory, and in the store of the instance that acknowledged it; the next sweep tries again. */
  #write(changes: readonly StoreChange[]): void {
    if (changes.length === 0) return;
    const keep = (error: unknown) => {
      if (!(error instanceof StoreUnwritable)) throw error;
      for (const change of changes) this.#unwritten.add('put' in change ? change.put : change.delete);
    };
    this.#store
      .then((store) => store.write(changes))
      .catch(keep)
      .catch((error: unknown) => {
        if (!this.#isOver) this.#scope.crash(error);
      });
  }
}
