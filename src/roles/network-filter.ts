/** The network filter of an edge role instance: its banned addresses, one entity each. */

import { EntityHost } from '../actors/entity-host.ts';
import type { RoleScope } from '../cluster/role.ts';
import { type BanCommand, banMachine } from '../machines/access/ban.ts';
import { done, type Outcome } from '../model/fault.ts';
import type { ReplyOf } from '../model/protocol/catalogue.ts';
import type { Banned } from '../model/protocol/messages/edge.ts';

type Done = ReplyOf<'filter.clear'>;

export class NetworkFilter {
  readonly #scope: RoleScope;
  readonly #bans: EntityHost<typeof banMachine>;

  constructor(scope: RoleScope) {
    const { clock, counters, crash } = scope;
    this.#scope = scope;
    const onCommand = (ip: string, command: BanCommand) => this.#execute(ip, command);
    this.#bans = new EntityHost({ machine: banMachine, clock, counters, onCommand, onCrash: crash });
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
    const atMs = this.#scope.clock.now();
    const untilMs = atMs + durationMs;
    if (this.#bans.send(ip, { type: 'ban.extended', atMs, untilMs })) return true;
    const refusal = this.#bans.start(ip, { atMs, untilMs });
    if (refusal === undefined) this.#scope.log.write('info', 'ban.present', { ip });
    else this.#scope.log.write('warn', 'ban.refused', { ip, reason: refusal.message });
    return refusal === undefined;
  }

  /** The handlers of the messages that all edge roles share. */
  readonly handlers = {
    'filter.list': (): Outcome<{ banned: Banned[] }> => done({ banned: this.#list() }),
    'filter.remove': ({ ip }: { ip: string }): Outcome<Done> => {
      this.#bans.send(ip, { type: 'ban.removed' });
      return done({});
    },
    'filter.clear': (): Outcome<Done> => {
      for (const ip of [...this.#bans.keys()]) this.#bans.send(ip, { type: 'ban.removed' });
      return done({});
    },
  };

  readonly adding = {
    'filter.add': ({ ip, expires }: Banned): Outcome<{ result: boolean }> =>
      done({ result: this.ban(ip, expires * 1_000) }),
  };

  stop(): void {
    this.#bans.stopAll();
  }

  #list(): Banned[] {
    const nowMs = this.#scope.clock.now();
    return [...this.#bans.keys()].map((ip) => {
      const restMs = (this.bannedUntilMs(ip) ?? nowMs) - nowMs;
      return { ip, expires: Math.max(0, Math.ceil(restMs / 1_000)) };
    });
  }

  #execute(ip: string, command: BanCommand): void {
    if (command.type === 'ban.lifted') this.#scope.log.write('info', command.type, { ip });
  }
}
