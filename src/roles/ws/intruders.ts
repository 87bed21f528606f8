/** Counts failures to identify by sender address, and has those who fail too often banned by the network filter. */

import { EntityHost } from '../../actors/entity-host.ts';
import type { RoleScope } from '../../cluster/role.ts';
import { type SuspectCommand, suspectMachine } from '../../machines/suspect.ts';
import { limits } from '../../model/limits.ts';
import type { NetworkFilter } from '../network-filter.ts';

export class Intruders {
  readonly #scope: RoleScope;
  readonly #filter: NetworkFilter;
  readonly #suspects: EntityHost<typeof suspectMachine>;

  constructor(scope: RoleScope, filter: NetworkFilter) {
    const { clock, counters, crash } = scope;
    this.#scope = scope;
    this.#filter = filter;
    const onCommand = (ip: string, command: SuspectCommand) => this.#execute(ip, command);
    this.#suspects = new EntityHost({ machine: suspectMachine, clock, counters, onCommand, onCrash: crash });
  }

  /** Whether an attempt from `ip` must be refused unread. An attempt while banned prolongs the ban. */
  refuses(ip: string): boolean {
    if (!this.#filter.isBanned(ip)) return false;
    this.#filter.ban(ip, limits.loginWindowMs);
    return true;
  }

  /** Notes a wrong login, or a session id that does not exist. */
  failed(ip: string): void {
    if (!this.#suspects.has(ip) && this.#suspects.start(ip, undefined) !== undefined) return;
    this.#suspects.send(ip, { type: 'attempt.failed', atMs: this.#scope.clock.now() });
  }

  stop(): void {
    this.#suspects.stopAll();
  }

  #execute(ip: string, command: SuspectCommand): void {
    if (command.type === 'ban.address') this.#filter.ban(ip, limits.loginWindowMs);
  }
}
