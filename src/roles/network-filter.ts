/** The network filter of an edge role instance: its banned addresses, one entity each. A ban that a client has asked for outlives the instance. */

import { EntityHost } from '../actors/entity-host.ts';
import type { RoleScope } from '../cluster/role.ts';
import { type BanCommand, banMachine } from '../machines/access/ban.ts';
import { done, type Outcome } from '../model/fault.ts';
import type { ReplyOf } from '../model/protocol/catalogue.ts';
import type { Banned } from '../model/protocol/messages/edge.ts';
import { passed } from '../ports/clock.ts';
import type { Stores } from '../ports/store.ts';
import { BanStore } from './ban-store.ts';

type Done = ReplyOf<'filter.clear'>;

/** How long an instance waits for its bans before it serves without them: they follow when they can be read. (chosen) */
const loadMs = 2_000;

export class NetworkFilter {
  readonly #scope: RoleScope;
  readonly #bans: EntityHost<typeof banMachine>;
  readonly #store: BanStore;
  /** Resolves when the bans of an earlier incarnation hold. */
  readonly #loaded: Promise<void>;
  /** The same, or when they cannot be read for the moment. */
  readonly ready: Promise<void>;
  #isOver = false;

  constructor(scope: RoleScope, stores: Stores) {
    const { clock, counters, crash } = scope;
    this.#scope = scope;
    const onCommand = (ip: string, command: BanCommand) => this.#execute(ip, command);
    this.#bans = new EntityHost({ machine: banMachine, clock, counters, onCommand, onCrash: crash });
    this.#store = new BanStore(scope, stores);
    this.#loaded = this.#load();
    this.#loaded.catch((error: unknown) => {
      if (!this.#isOver) crash(error);
    });
    this.ready = Promise.race([this.#loaded, passed(clock, loadMs)]);
    // The instance ends with it.
    this.ready.catch(() => {});
  }

  isBanned(ip: string): boolean {
    return this.#bans.has(ip);
  }

  /** When the ban of an address ends, unless it is prolonged (ms since the epoch). */
  bannedUntilMs(ip: string): number | undefined {
    return this.#bans.snapshot(ip)?.context.untilMs;
  }

  /** Bans an address for at least `durationMs` from now. False when there are too many bans. */
  ban(ip: string, durationMs: number): boolean {
    return this.#banUntil(ip, this.#scope.clock.now() + durationMs);
  }

  /** The handlers of the messages that all edge roles share. */
  readonly handlers = {
    'filter.list': (): Outcome<{ banned: Banned[] }> => done({ banned: this.#list() }),
    'filter.add': async ({ ip, expires }: Banned): Promise<Outcome<{ result: boolean }>> => {
      const isBanned = this.ban(ip, expires * 1_000);
      const untilMs = this.bannedUntilMs(ip);
      return done({ result: isBanned && untilMs !== undefined && (await this.#store.store({ ip, untilMs })) });
    },
    'filter.remove': ({ ip }: { ip: string }): Promise<Outcome<Done>> => this.#lift(() => [ip]),
    'filter.clear': (): Promise<Outcome<Done>> => this.#lift(() => [...this.#bans.keys()]),
  };

  stop(): void {
    this.#isOver = true;
    this.#bans.stopAll();
    void this.#store.stop();
  }

  async #load(): Promise<void> {
    for (const { ip, untilMs } of await this.#store.load()) if (!this.#isOver) this.#banUntil(ip, untilMs);
  }

  #banUntil(ip: string, untilMs: number): boolean {
    const atMs = this.#scope.clock.now();
    if (this.#bans.send(ip, { type: 'ban.extended', atMs, untilMs })) return true;
    const refusal = this.#bans.start(ip, { atMs, untilMs });
    if (refusal === undefined) this.#scope.log.write('info', 'ban.present', { ip });
    else this.#scope.log.write('warn', 'ban.refused', { ip, reason: refusal.message });
    return refusal === undefined;
  }

  /** What is not loaded yet would come back: so it waits. */
  async #lift(which: () => readonly string[]): Promise<Outcome<Done>> {
    await this.#loaded;
    const ips = which();
    const dropped = this.#store.drop(ips);
    for (const ip of ips) this.#bans.send(ip, { type: 'ban.removed' });
    await dropped;
    return done({});
  }

  #list(): Banned[] {
    const nowMs = this.#scope.clock.now();
    return [...this.#bans.keys()].map((ip) => {
      const restMs = (this.bannedUntilMs(ip) ?? nowMs) - nowMs;
      return { ip, expires: Math.max(0, Math.ceil(restMs / 1_000)) };
    });
  }

  #execute(ip: string, command: BanCommand): void {
    if (command.type !== 'ban.lifted') return;
    this.#scope.log.write('info', command.type, { ip });
    this.#store.drop([ip]).catch(this.#scope.crash);
  }
}
