/** Publishes the changes of an mdc to its copies, and waits a moment for them, so that a change holds at every site in reach. */

import type { RoleScope } from '../../cluster/role.ts';
import { coverOf } from '../../model/domain-tree.ts';
import { entityOf } from '../../model/entities/entities.ts';
import { limits } from '../../model/limits.ts';
import type { DataRowChange } from '../../model/protocol/messages/data.ts';
import type { Timer } from '../../ports/clock.ts';
import type { DatabasePosition } from '../../storage/database.ts';

interface Waiter {
  readonly sequence: number;
  readonly missing: Set<string>;
  readonly timer: Timer;
  readonly resolve: () => void;
}

export class ChangePublisher {
  readonly #scope: RoleScope;
  readonly #waiters = new Set<Waiter>();

  constructor(scope: RoleScope) {
    this.#scope = scope;
  }

  /** Publishes a change. Resolves when every sdc that serves in reach has it, or did not acknowledge it in time. */
  publish({ database, sequence }: DatabasePosition, changes: readonly DataRowChange[]): Promise<void> {
    const { map, view, tell, clock } = this.#scope;
    const missing = new Set<string>();
    for (const instance of map.instancesOf('sdc')) {
      const status = view.statusOf(instance);
      if (status !== 'active' && status !== 'standby') continue;
      const theirs = changes.filter((change) => isAffectedBy(instance.domains, change));
      if (status === 'active' && theirs.length > 0) missing.add(instance.address);
      tell(instance.address, 'data.changed', { database, sequence, changes: theirs, atMs: clock.now() });
    }
    return missing.size === 0 ? Promise.resolve() : this.#wait(sequence, missing);
  }

  /** An sdc has all changes up to here. */
  acknowledged(address: string, sequence: number): void {
    for (const waiter of this.#waiters) {
      if (waiter.sequence > sequence || !waiter.missing.delete(address)) continue;
      if (waiter.missing.size === 0) this.#release(waiter);
    }
  }

  #wait(sequence: number, missing: Set<string>): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#scope.clock.setTimer(limits.dataFollowMs, () => this.#release(waiter));
      const waiter: Waiter = { sequence, missing, timer, resolve };
      this.#waiters.add(waiter);
    });
  }

  #release(waiter: Waiter): void {
    this.#waiters.delete(waiter);
    waiter.timer.cancel();
    waiter.resolve();
  }
}

/** Whether an instance that serves these parts of the domain tree is affected by a change. */
export function isAffectedBy(domains: readonly string[], change: DataRowChange): boolean {
  const { kind, domain } = 'put' in change ? change.put : change.gone;
  return entityOf(kind).isEverywhere === true || coverOf(domain, domains) !== undefined;
}
