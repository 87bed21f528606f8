/** Counts failures to identify by sender address, and has an address that fails too often banned by the network filter. */

import { EntityHost } from '../actors/entity-host.ts';
import type { RoleScope } from '../cluster/role.ts';
import { type SuspectCommand, suspectMachine } from '../machines/access/suspect.ts';
import { limits } from '../model/limits.ts';
import type { NetworkFilter } from './network-filter.ts';

export class Intruders {
  readonly #scope: RoleScope;
  readonly #filter: NetworkFilter;
  readonly #limit: number;
  readonly #suspects: EntityHost<typeof suspectMachine>;

  /** `limit`: addresses that are watched at once. */
  constructor(scope: RoleScope, filter: NetworkFilter, limit: number = limits.entities) {
    const { clock, counters, crash } = scope;
    this.#scope = scope;
    this.#filter = filter;
    const onCommand = (ip: string, command: SuspectCommand) => this.#execute(ip, command);
    this.#limit = limit;
    this.#suspects = new EntityHost({ machine: suspectMachine, clock, counters, onCommand, onCrash: crash, limit });
  }

  /** Whether an attempt from `ip` must be refused unread. An attempt while banned prolongs the ban. */
  refuseIfBanned(ip: string): boolean {
    if (!this.#filter.isBanned(ip)) return false;
    this.#filter.ban(ip, limits.loginWindowMs);
    return true;
  }

  /** Notes a wrong login, or a session id that does not exist. Without effect in a topology without bans. */
  failed(ip: string): void {
    if (!this.#scope.map.topology.bans) return;
    if (!this.#suspects.has(ip)) this.#watch(ip);
    this.#suspects.send(ip, { type: 'attempt.failed', atMs: this.#scope.clock.now() });
  }

  stop(): void {
    this.#suspects.stopAll();
  }

  /** Every failure is counted: past the limit the address that has been watched longest is evicted. */
  #watch(ip: string): void {
    const [longest] = this.#suspects.keys();
    if (this.#suspects.size >= this.#limit && longest !== undefined) {
      this.#suspects.send(longest, { type: 'suspect.evicted' });
    }
    this.#suspects.start(ip, undefined);
  }

  #execute(ip: string, command: SuspectCommand): void {
    if (command.type === 'ban.address') this.#filter.ban(ip, limits.loginWindowMs);
  }
}
