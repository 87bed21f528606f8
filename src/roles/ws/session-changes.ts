/**
 * What happened to sessions and must outlive every restart: logouts, and switches of the domain. Kept in memory and in the store
 * of the instance until the session could not live any more (`limits.sessionMaxMs`), in the order in which it came here, so that
 * other instances can ask for what they lack. Why: docs/adr/0001-durable-logout.md.
 */

import type { RoleScope } from '../../cluster/role.ts';
import { limits } from '../../model/limits.ts';
import type {
  ChangesPlace,
  ClosedSession,
  SessionChange,
  SessionRecord,
} from '../../model/protocol/messages/session.ts';
import { type Store, type StoreChange, StoreClosed, type Stores, StoreUnwritable } from '../../ports/store.ts';
import { openUnlocked } from '../../storage/store-opening.ts';

type Scope = Pick<RoleScope, 'clock' | 'crash' | 'epoch' | 'instance'>;
/** What says whether a session is closed. */
export type SessionOrigin = Pick<SessionRecord, 'key' | 'openedMs'> & {
  readonly user: Pick<SessionRecord['user'], 'id'>;
};

interface Entry {
  readonly n: number;
  readonly change: SessionChange;
}

export class SessionChanges {
  readonly #scope: Scope;
  readonly #store: Promise<Store>;
  /** By their keys in the store; numbers ascend. */
  readonly #entries = new Map<string, Entry>();
  /** Keys of closed sessions by user. */
  readonly #closedOf = new Map<string, Set<string>>();
  /** Resolves when what an earlier incarnation has stored is here. */
  readonly loaded: Promise<void>;
  /** Keys in the store of what could not be written. */
  readonly #unwritten = new Set<string>();
  #last = 0;
  #isOver = false;

  /** `onLoaded` gets the changes that an earlier incarnation has stored. */
  constructor(scope: Scope, stores: Stores, onLoaded: (changes: readonly SessionChange[]) => void) {
    this.#scope = scope;
    this.#store = this.#open(stores);
    this.loaded = this.#load().then(onLoaded);
    // It is for the one that waits for it to fail.
    this.loaded.catch(() => {});
    this.#sweepLater();
  }

  get size(): number {
    return this.#entries.size;
  }

  isClosed({ key, user, openedMs }: SessionOrigin): boolean {
    return this.hasClosed(key) || openedMs <= this.closedUntilMs(user.id);
  }

  hasClosed(key: string): boolean {
    return this.#entries.has(`closed/${key}`);
  }

  /** That a session is closed, as far as it is known by its key alone. */
  closedOf(key: string): ClosedSession | undefined {
    const change = this.#entries.get(`closed/${key}`)?.change;
    return change?.type === 'closed' ? change : undefined;
  }

  /** All sessions of a user that were opened at this time or before are closed. */
  closedUntilMs(user: string): number {
    return this.#entries.get(`until/${user}`)?.change.openedMs ?? Number.NEGATIVE_INFINITY;
  }

  /** The domain that a session was last bound to, where that was not at its login. */
  boundTo(key: string): Extract<SessionChange, { type: 'bound' }> | undefined {
    const change = this.#entries.get(`bound/${key}`)?.change;
    return change?.type === 'bound' ? change : undefined;
  }

  /**
   * Takes a change that is to be acknowledged into the store, then into memory. It is durable when this resolves, with what is
   * news here; rejects where the store fails.
   */
  async store(change: SessionChange): Promise<SessionChange[]> {
    const key = keyOfChange(change);
    await (await this.#store).write([{ put: key, value: JSON.stringify(change) }]);
    const { news, writes } = this.#absorb([change]);
    this.#write(writes.filter((write) => !('put' in write && write.put === key)));
    return news;
  }

  /** Takes changes into memory and, without waiting for it, into the store. Returns the changes that are news here. */
  take(changes: readonly SessionChange[]): SessionChange[] {
    const { news, writes } = this.#absorb(changes);
    this.#write(writes);
    return news;
  }

  /** Forgets the domain of a session that is over here. */
  forget(key: string): void {
    if (this.#entries.has(`bound/${key}`)) this.#write(this.#drop([`bound/${key}`]));
  }

  /** Changes behind a place, at most a page of them. A place in another incarnation counts as the beginning. */
  after({ epoch, n }: ChangesPlace): { changes: SessionChange[]; upTo: ChangesPlace; more: boolean } {
    const from = epoch === this.#scope.epoch ? n : 0;
    const changes: SessionChange[] = [];
    let upTo = this.#last;
    if (from < this.#last) {
      for (const entry of this.#entries.values()) {
        if (entry.n <= from) continue;
        if (changes.length === limits.sessionChangesPage) break;
        changes.push(entry.change);
        upTo = entry.n;
      }
    }
    const more = changes.length === limits.sessionChangesPage && upTo < this.#last;
    return { changes, upTo: { epoch: this.#scope.epoch, n: more ? upTo : this.#last }, more };
  }

  #sweepLater(): void {
    this.#scope.clock.setTimer(limits.sessionSyncMs, () => {
      this.#sweep();
      this.#sweepLater();
    });
  }

  /** Drops what cannot matter any more, and writes what could not be written before. */
  #sweep(): void {
    const nowMs = this.#scope.clock.now();
    const old = [...this.#entries].flatMap(([key, { change }]) => (matters(change, nowMs) ? [] : [key]));
    const again = [...this.#unwritten].map((key): StoreChange => {
      const change = this.#entries.get(key)?.change;
      return change === undefined ? { delete: key } : { put: key, value: JSON.stringify(change) };
    });
    this.#unwritten.clear();
    this.#write([...again, ...this.#drop(old)]);
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
    const { news, writes } = this.#absorb(loaded);
    const old = [...stored.keys()].filter((key) => !this.#entries.has(key));
    const changed = writes.filter((write) => 'delete' in write || stored.get(write.put) !== write.value);
    this.#write([...old.map((key) => ({ delete: key })), ...changed]);
    return news;
  }

  #absorb(changes: readonly SessionChange[]): { news: SessionChange[]; writes: StoreChange[] } {
    const news: SessionChange[] = [];
    const writes: StoreChange[] = [];
    const put = (change: SessionChange) => {
      news.push(change);
      writes.push(...this.#put(change));
    };
    // One by one: two of them may be about the same session.
    for (const change of changes) if (this.#isNews(change)) put(change);
    for (const user of new Set(news.map((change) => change.user))) for (const merged of this.#merge(user)) put(merged);
    return { news, writes };
  }

  #isNews(change: SessionChange): boolean {
    if (!matters(change, this.#scope.clock.now())) return false;
    if (change.openedMs <= this.closedUntilMs(change.user)) return false;
    if (change.type === 'closed_until') return true;
    if (this.hasClosed(change.key)) return false;
    return change.type === 'closed' || isLaterBinding(change, this.boundTo(change.key));
  }

  #put(change: SessionChange): StoreChange[] {
    const key = keyOfChange(change);
    const dropped = change.type === 'closed' ? this.#drop([`bound/${change.key}`]) : [];
    this.#entries.delete(key);
    this.#last += 1;
    this.#entries.set(key, { n: this.#last, change });
    if (change.type === 'closed') {
      const keys = this.#closedOf.get(change.user) ?? new Set();
      this.#closedOf.set(change.user, keys.add(key));
    }
    if (change.type === 'closed_until') dropped.push(...this.#drop(this.#coveredBy(change)));
    return [...dropped, { put: key, value: JSON.stringify(change) }];
  }

  /** The older half of the closed sessions of a user as one change, where there are too many. */
  #merge(user: string): SessionChange[] {
    const keys = this.#closedOf.get(user);
    if (keys === undefined || keys.size <= limits.closedSessionsPerUser) return [];
    const times = [...keys].map((key) => this.#entries.get(key)?.change.openedMs ?? 0).sort((a, b) => a - b);
    return [{ type: 'closed_until', user, openedMs: times[Math.floor(times.length / 2)] ?? 0 }];
  }

  #coveredBy({ user, openedMs }: SessionChange): string[] {
    return [...(this.#closedOf.get(user) ?? [])].filter(
      (key) => (this.#entries.get(key)?.change.openedMs ?? 0) <= openedMs,
    );
  }

  #drop(keys: readonly string[]): StoreChange[] {
    return keys.flatMap((key) => {
      const entry = this.#entries.get(key);
      if (entry === undefined) return [];
      this.#entries.delete(key);
      const ofUser = this.#closedOf.get(entry.change.user);
      ofUser?.delete(key);
      if (ofUser?.size === 0) this.#closedOf.delete(entry.change.user);
      return [{ delete: key }];
    });
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

/** Of two bindings of a session the later one counts; of two at the same moment, every instance takes the same one. */
export function isLaterBinding(
  other: Pick<SessionRecord, 'switchedMs' | 'domain'>,
  known: Pick<SessionRecord, 'switchedMs' | 'domain'> | undefined,
): boolean {
  if (known === undefined) return true;
  if (other.switchedMs !== known.switchedMs) return other.switchedMs > known.switchedMs;
  return other.domain > known.domain;
}

/** Whether the session could live yet, by the clock of any instance. */
function matters({ openedMs }: SessionChange, nowMs: number): boolean {
  return nowMs < openedMs + limits.sessionMaxMs + limits.clockSkewMs;
}

/** Its key in the store. */
export function keyOfChange(change: SessionChange): string {
  if (change.type === 'closed_until') return `until/${change.user}`;
  return `${change.type}/${change.key}`;
}
