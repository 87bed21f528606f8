/**
 * What happened to sessions and is remembered, in memory: closed sessions and bindings, in the order in which they came here. Decides what is
 * news, what outweighs what, and what of it a store must hold (`session-changes.ts` writes it).
 */

import { limits } from '../../model/limits.ts';
import type {
  ChangesPosition,
  ClosedSession,
  SessionChange,
  SessionRecord,
} from '../../model/protocol/messages/session.ts';
import type { StoreChange } from '../../ports/store.ts';

/** What says whether a session is closed. */
export type SessionOrigin = Pick<SessionRecord, 'key' | 'openedMs'> & {
  readonly user: Pick<SessionRecord['user'], 'id'>;
};

interface Entry {
  readonly n: number;
  readonly change: SessionChange;
}

export interface SessionLogOptions {
  /** Of the instance: numbers of changes count in it. */
  readonly epoch: number;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

export class SessionLog {
  readonly #options: SessionLogOptions;
  /** By their keys in the store; numbers ascend. */
  readonly #entries = new Map<string, Entry>();
  /** Keys of closed sessions by user. */
  readonly #closedKeysByUser = new Map<string, Set<string>>();
  #last = 0;

  constructor(options: SessionLogOptions) {
    this.#options = options;
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
  closedChange(key: string): ClosedSession | undefined {
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

  /** Changes behind a position, at most a page of them. A position in another incarnation counts as the beginning. */
  after(
    { epoch, n }: ChangesPosition,
    most: number = limits.sessionChangesPage,
  ): { changes: SessionChange[]; upTo: ChangesPosition; more: boolean } {
    const from = epoch === this.#options.epoch ? n : 0;
    const changes: SessionChange[] = [];
    let upTo = this.#last;
    if (from < this.#last) {
      for (const entry of this.#entries.values()) {
        if (entry.n <= from) continue;
        if (changes.length === most) break;
        changes.push(entry.change);
        upTo = entry.n;
      }
    }
    const more = changes.length === most && upTo < this.#last;
    return { changes, upTo: { epoch: this.#options.epoch, n: more ? upTo : this.#last }, more };
  }

  /** The change under its key in the store. */
  changeAt(key: string): SessionChange | undefined {
    return this.#entries.get(key)?.change;
  }

  /** Forgets the domain of a session that is over here. */
  forget(key: string): StoreChange[] {
    return this.#drop([`bound/${key}`]);
  }

  /** Drops what cannot matter any more. */
  dropOld(): StoreChange[] {
    const nowMs = this.#options.now();
    return this.#drop([...this.#entries].flatMap(([key, { change }]) => (matters(change, nowMs) ? [] : [key])));
  }

  /** Takes changes: the ones that are news here, and what the store is to hold of them. */
  absorb(changes: readonly SessionChange[]): { news: SessionChange[]; writes: StoreChange[] } {
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
    if (!matters(change, this.#options.now())) return false;
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
      const keys = this.#closedKeysByUser.get(change.user) ?? new Set();
      this.#closedKeysByUser.set(change.user, keys.add(key));
    }
    if (change.type === 'closed_until') dropped.push(...this.#drop(this.#coveredBy(change)));
    return [...dropped, { put: key, value: JSON.stringify(change) }];
  }

  /** The older half of the closed sessions of a user as one change, where there are too many. */
  #merge(user: string): SessionChange[] {
    const keys = this.#closedKeysByUser.get(user);
    if (keys === undefined || keys.size <= limits.closedSessionsPerUser) return [];
    const times = [...keys].map((key) => this.#entries.get(key)?.change.openedMs ?? 0).sort((a, b) => a - b);
    return [{ type: 'closed_until', user, openedMs: times[Math.floor(times.length / 2)] ?? 0 }];
  }

  #coveredBy({ user, openedMs }: SessionChange): string[] {
    return [...(this.#closedKeysByUser.get(user) ?? [])].filter(
      (key) => (this.#entries.get(key)?.change.openedMs ?? 0) <= openedMs,
    );
  }

  #drop(keys: readonly string[]): StoreChange[] {
    return keys.flatMap((key) => {
      const entry = this.#entries.get(key);
      if (entry === undefined) return [];
      this.#entries.delete(key);
      const ofUser = this.#closedKeysByUser.get(entry.change.user);
      ofUser?.delete(key);
      if (ofUser?.size === 0) this.#closedKeysByUser.delete(entry.change.user);
      return [{ delete: key }];
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
