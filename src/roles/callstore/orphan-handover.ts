/**
 * Hands calls whose b2b is gone over to the member of the group that serves, which may never have known them: a member that stands by does
 * it when it still has such calls a while later.
 */

import type { RoleScope } from '../../cluster/role.ts';
import type { InstanceEntry } from '../../model/cluster/cluster-map.ts';
import { done, type Outcome } from '../../model/fault.ts';
import { limits } from '../../model/limits.ts';
import type { BodyOf } from '../../model/protocol/catalogue.ts';
import type { Timer } from '../../ports/clock.ts';
import type { SiteCalls } from './site-calls.ts';

export class OrphanHandover {
  readonly #scope: RoleScope;
  readonly #calls: SiteCalls;
  readonly #others: readonly InstanceEntry[];
  #timer: Timer | undefined;

  constructor(scope: RoleScope, calls: SiteCalls) {
    this.#scope = scope;
    this.#calls = calls;
    this.#others = scope.map.groupOf(scope.instance).filter((each) => each !== scope.instance);
  }

  readonly handlers = {
    'callstore.orphans': ({ source, epoch, calls }: BodyOf<'callstore.orphans'>): Outcome<Record<string, never>> => {
      this.#calls.takeOrphans({ source, epoch }, calls);
      return done({});
    },
  };

  /** Hands orphans over if they are still here in a while. */
  later(): void {
    if (this.#others.length === 0) return;
    const { clock, crash } = this.#scope;
    this.#timer ??= clock.setTimer(limits.orphanMs, () => {
      this.#timer = undefined;
      this.#handOver().catch(crash);
    });
  }

  async #handOver(): Promise<void> {
    const { ask, view } = this.#scope;
    const over = this.#calls.orphaned();
    if (over.length === 0) return;
    const active = this.#others.find((each) => view.statusOf(each) === 'active');
    for (const { source, epoch } of active === undefined ? [] : over) {
      const left = this.#calls.live.ofEpoch(source, epoch).map(({ record }) => record);
      for (let at = 0; at < left.length; at += limits.exchangedRecords) {
        const some = left.slice(at, at + limits.exchangedRecords);
        await ask((active as InstanceEntry).address, 'callstore.orphans', { source, epoch, calls: some });
      }
    }
    // The calls are removed here when the active member has published their end; until then they are sent again.
    this.later();
  }
}
