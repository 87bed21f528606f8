/**
 * To whose calls the subscriptions of plain users are limited: the SIP users that are bound to their user. They are read again when they
 * have changed, and once more when a directory can be reached again: until one answers they stay as they are. (chosen)
 */
import { activeDirectory, type RoleScope } from '../../cluster/role.ts';
import { done, type Outcome } from '../../model/fault.ts';
import type { BodyOf } from '../../model/protocol/catalogue.ts';
import type { Timer } from '../../ports/clock.ts';
import { listSipUsers } from '../sip-users.ts';

/** Time until a directory that did not answer is asked again. */
const retryMs = 1_000;

/** The SIP users of a user, for all subscriptions of it. */
export interface OwnLimit {
  readonly domain: string;
  readonly user: string;
  /** Their ids. */
  ids: ReadonlySet<string>;
}

interface FollowedLimit extends OwnLimit {
  /** Subscriptions that it limits, also such that are being opened. */
  holders: number;
  /** How often it may have changed. */
  changes: number;
}

const none: ReadonlySet<string> = new Set();

export class OwnSipUsers {
  readonly #scope: RoleScope;
  /** By domain and user. */
  readonly #limits = new Map<string, FollowedLimit>();
  /** Of them the ones that have to be read again. */
  readonly #stale = new Set<FollowedLimit>();
  /** For each domain, the directory that is asked, according to the last view. */
  readonly #directories = new Map<string, string | undefined>();
  #isReading = false;
  #isOver = false;
  #retry: Timer | undefined;

  constructor(scope: RoleScope) {
    this.#scope = scope;
    scope.onViewChange(() => this.#onViewChange());
  }

  readonly handlers = {
    'directory.changed': ({ changedusers }: BodyOf<'directory.changed'>): void => {
      if (changedusers === undefined) return this.#outdate(() => true);
      this.#outdate(({ user, ids }) => changedusers.some(([id, iduser]) => iduser === user || ids.has(id)));
    },
  };

  /** The limit of a subscription of a user, until `release`. A fault if no directory answers. */
  async take(user: string, domain: string): Promise<Outcome<OwnLimit>> {
    const key = keyOf({ user, domain });
    const limit = this.#limits.get(key) ?? { domain, user, ids: none, holders: 0, changes: 0 };
    this.#limits.set(key, limit);
    limit.holders += 1;
    if (!this.#directories.has(domain)) this.#directories.set(domain, this.#directoryOf(domain));
    const read = await this.#read(limit);
    if (read.ok) return done(limit);
    this.release(limit);
    return read;
  }

  release({ user, domain }: OwnLimit): void {
    const key = keyOf({ user, domain });
    const limit = this.#limits.get(key);
    if (limit === undefined) return;
    limit.holders -= 1;
    if (limit.holders > 0) return;
    this.#limits.delete(key);
    this.#stale.delete(limit);
  }

  stop(): void {
    this.#isOver = true;
    this.#retry?.cancel();
    this.#limits.clear();
    this.#stale.clear();
  }

  /** What has changed while a directory could not be reached was not sent here. */
  #onViewChange(): void {
    for (const [domain, before] of this.#directories) {
      const address = this.#directoryOf(domain);
      if (address === before) continue;
      this.#directories.set(domain, address);
      if (address !== undefined) this.#outdate((limit) => limit.domain === domain);
    }
  }

  #directoryOf(domain: string): string | undefined {
    return activeDirectory(this.#scope, domain)?.address;
  }

  #outdate(isAffected: (limit: OwnLimit) => boolean): void {
    for (const limit of this.#limits.values()) {
      if (!isAffected(limit)) continue;
      limit.changes += 1;
      this.#stale.add(limit);
    }
    this.#readStale();
  }

  #readStale(): void {
    if (this.#isReading || this.#isOver || this.#stale.size === 0) return;
    this.#isReading = true;
    this.#retry?.cancel();
    this.#readEach().then((isDone) => {
      this.#isReading = false;
      if (!isDone && !this.#isOver) this.#retry = this.#scope.clock.setTimer(retryMs, () => this.#readStale());
    }, this.#scope.crash);
  }

  /** One after the other: there may be many. False: a directory did not answer. */
  async #readEach(): Promise<boolean> {
    for (;;) {
      const [limit] = this.#stale;
      if (limit === undefined) return true;
      this.#stale.delete(limit);
      const read = await this.#read(limit);
      if (read.ok) continue;
      if (this.#limits.get(keyOf(limit)) === limit) this.#stale.add(limit);
      return false;
    }
  }

  /** An answer that a change has overtaken is taken as well, and the SIP users are read again. */
  async #read(limit: FollowedLimit): Promise<Outcome<unknown>> {
    const { domain, user, changes } = limit;
    const untilMs = this.#scope.clock.now() + this.#scope.map.topology.timings.edgeWaitMs;
    const bound = await listSipUsers(this.#scope, { domain, where: { field: 'iduser', value: user } }, untilMs);
    if (!bound.ok) return bound;
    limit.ids = new Set(bound.value.map(({ id }) => id));
    if (limit.changes !== changes && this.#limits.get(keyOf(limit)) === limit) {
      this.#stale.add(limit);
      this.#readStale();
    }
    return bound;
  }
}

function keyOf({ user, domain }: Pick<OwnLimit, 'user' | 'domain'>): string {
  return `${domain} ${user}`;
}
