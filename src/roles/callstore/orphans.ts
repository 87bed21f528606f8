/**
 * Sees to it that calls of a b2b that is gone end, even if the member of the group that serves never heard of them: a member
 * that stands by, and still has them a while later, gives them to it.
 */

import type { RoleScope } from '../../cluster/role.ts';
import type { InstanceEntry } from '../../model/cluster-map.ts';
import { done, type Outcome } from '../../model/fault.ts';
import { limits } from '../../model/limits.ts';
import type { BodyOf } from '../../model/protocol/catalogue.ts';
import type { Timer } from '../../ports/clock.ts';
import type { LiveCalls } from './live-calls.ts';

export interface OrphansOptions {
  readonly scope: RoleScope;
  readonly calls: LiveCalls;
  readonly isOver: (source: string, epoch: number) => boolean;
  /** Takes calls of a life that is over, and ends them. */
  readonly onGiven: (given: BodyOf<'callstore.orphans'>) => void;
}

export class Orphans {
  readonly #options: OrphansOptions;
  readonly #others: readonly InstanceEntry[];
  #timer: Timer | undefined;

  constructor(options: OrphansOptions) {
    const { scope } = options;
    this.#options = options;
    this.#others = scope.map.groupOf(scope.instance).filter((each) => each !== scope.instance);
  }

  readonly handlers = {
    'callstore.orphans': (body: BodyOf<'callstore.orphans'>): Outcome<Record<string, never>> => {
      // To this one it is alive: who is right will show.
      if (this.#options.isOver(body.source, body.epoch)) this.#options.onGiven(body);
      return done({});
    },
  };

  /** A life of a source is over: soon its calls should be gone. */
  expect(): void {
    if (this.#others.length === 0) return;
    this.#timer ??= this.#options.scope.clock.setTimer(limits.orphanMs, () => {
      this.#timer = undefined;
      this.#give().catch(this.#options.scope.crash);
    });
  }

  async #give(): Promise<void> {
    const { scope, calls, isOver } = this.#options;
    const over = calls.lives().filter(({ source, epoch }) => isOver(source, epoch));
    if (over.length === 0) return;
    const active = this.#others.find((each) => scope.view.statusOf(each) === 'active');
    for (const { source, epoch } of active === undefined ? [] : over) {
      const left = calls.ofLife(source, epoch).map(({ record }) => record);
      for (let at = 0; at < left.length; at += limits.exchangedRecords) {
        const some = left.slice(at, at + limits.exchangedRecords);
        await scope.ask((active as InstanceEntry).address, 'callstore.orphans', { source, epoch, calls: some });
      }
    }
    // They are gone when the other one has told so.
    this.expect();
  }
}
