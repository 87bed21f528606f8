/**
 * Gives a member of a group that starts the events which the active one has kept, so that who followed that one can go on
 * here without a gap, should it be lost.
 */

import type { RoleScope } from '../../cluster/role.ts';
import type { InstanceEntry } from '../../model/cluster-map.ts';
import { type Place, Position } from '../../model/position.ts';
import type { ToldEvent } from '../../model/protocol/stream.ts';
import type { EventLog } from './event-log.ts';

export class LogCopy {
  readonly #scope: RoleScope;
  readonly #log: EventLog;
  readonly #others: readonly InstanceEntry[];
  #isDone = false;
  #isCopying = false;

  constructor(scope: RoleScope, log: EventLog) {
    this.#scope = scope;
    this.#log = log;
    this.#others = scope.map.groupOf(scope.instance).filter((each) => each !== scope.instance);
  }

  /** Copies as soon as another member serves; where this one serves first there is nothing to copy. */
  start(): void {
    if (this.#others.length === 0) return;
    this.#scope.onView(() => this.#look());
    this.#look();
  }

  #look(): void {
    if (this.#isDone || this.#isCopying) return;
    const { view, instance, crash } = this.#scope;
    this.#isDone = view.statusOf(instance) === 'active';
    const active = this.#others.find((each) => view.statusOf(each) === 'active');
    if (this.#isDone || active === undefined) return;
    this.#isCopying = true;
    this.#copy(active).catch(crash);
  }

  async #copy({ address }: InstanceEntry): Promise<void> {
    const events: ToldEvent[] = [];
    const read = new Position();
    let floor: Place[] | undefined;
    for (let more = true; more; ) {
      const outcome = await this.#scope.ask(address, 'events.read', { after: read.places });
      this.#isCopying = outcome.ok;
      if (!outcome.ok) return;
      for (const event of outcome.value.items) if (read.advance(event.source, event.epoch, event.n)) events.push(event);
      more = outcome.value.more;
      floor ??= outcome.value.floor;
    }
    this.#isDone = true;
    this.#log.adopt(events, floor ?? []);
  }
}
