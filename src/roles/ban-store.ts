/**
 * The bans of an edge role instance that were asked for, in a store of its node (`bans-<srvidx>`): they outlive a restart of the
 * instance. Bans for wrong credentials are not here: they end after minutes.
 */
import type { RoleScope } from '../cluster/role.ts';
import { passed } from '../ports/clock.ts';
import type { Stores } from '../ports/store.ts';
import { PatientStore } from '../storage/patient-store.ts';

/** How long the answer to a removal waits for the disk. (chosen) */
const removedMs = 1_000;

export interface StoredBan {
  readonly ip: string;
  /** When it ends (ms since the epoch). */
  readonly untilMs: number;
}

export class BanStore {
  readonly #scope: Pick<RoleScope, 'clock' | 'crash'>;
  readonly #store: PatientStore;
  /** The addresses in the store. */
  readonly #stored = new Set<string>();

  constructor(scope: Pick<RoleScope, 'clock' | 'crash' | 'instance'>, stores: Stores) {
    this.#scope = scope;
    this.#store = new PatientStore(stores, `bans-${scope.instance.srvidx}`, scope.clock);
  }

  /** The bans that an earlier incarnation has stored, and that hold still. */
  async load(): Promise<StoredBan[]> {
    const stored = (await this.#store.read({})) ?? [];
    for (const [ip] of stored) this.#stored.add(ip);
    const bans = stored.map(([, value]) => JSON.parse(value) as StoredBan);
    const nowMs = this.#scope.clock.now();
    await this.drop(bans.filter(({ untilMs }) => untilMs <= nowMs).map(({ ip }) => ip));
    return bans.filter(({ untilMs }) => untilMs > nowMs);
  }

  /** Stores a ban. Returns whether it is durable: false while the disk cannot be written. */
  async store(ban: StoredBan): Promise<boolean> {
    this.#stored.add(ban.ip);
    return this.#store.writeNow([{ put: ban.ip, value: JSON.stringify(ban) }]);
  }

  /** Removes bans. It is durable when this resolves, unless the disk cannot be written within a second: then it follows when it can be. */
  async drop(ips: readonly string[]): Promise<void> {
    const changes = ips.filter((ip) => this.#stored.delete(ip)).map((ip) => ({ delete: ip }));
    if (changes.length === 0) return;
    const written = this.#store.write(changes);
    written.catch(this.#scope.crash);
    await Promise.race([written, passed(this.#scope.clock, removedMs)]);
  }

  stop(): Promise<void> {
    return this.#store.close();
  }
}
