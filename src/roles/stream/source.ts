/**
 * The stream of a source of events (an instance of b2b, conf or sr): numbers its items, tells them to every callstore
 * instance of its site, and keeps the last ones for those who missed some.
 */

import type { RoleScope } from '../../cluster/role.ts';
import type { InstanceEntry } from '../../model/cluster-map.ts';
import { done, type Outcome } from '../../model/fault.ts';
import { limits } from '../../model/limits.ts';
import type { DialogRecord } from '../../model/protocol/dialog.ts';
import type { PlatformEvent, StreamItem } from '../../model/protocol/stream.ts';
import { isoTime } from '../../model/time.ts';
import { randomUuid } from '../../model/uuid.ts';
import { fitting, Ring } from './ring.ts';

/** An event without what every event gets: `eventid` and `eventts`. */
export type NewEvent = PlatformEvent;

export class EventSource {
  readonly #scope: RoleScope;
  readonly #listeners: readonly InstanceEntry[];
  readonly #kept = new Ring<StreamItem>(limits.streamItems);
  #last = 0;
  /** What this step of the instance has brought so far: it goes out in one message. */
  #batch: StreamItem[] = [];

  constructor(scope: RoleScope) {
    this.#scope = scope;
    this.#listeners = listenersOf(scope).filter((each) => each !== scope.instance);
  }

  get last(): number {
    return this.#last;
  }

  /**
   * Tells an event, a change of a live call, or the end of one; what is in one item happens at once. What is told stays
   * as it is from then on: it is kept, and instances of the same node get it without a copy.
   */
  tell({ event, ...change }: { event?: NewEvent; dialog?: DialogRecord; gone?: string }): StreamItem {
    const atMs = this.#scope.clock.now();
    this.#last += 1;
    const told = event === undefined ? {} : { event: this.#stamped(event, atMs) };
    const item: StreamItem = { n: this.#last, ...told, ...change, atMs };
    this.#kept.push(item);
    if (this.#batch.length === 0) this.#scope.clock.setTimer(0, () => this.flush());
    this.#batch.push(item);
    // The end of a call may be the last thing that an instance does.
    if (change.gone !== undefined) this.flush();
    return item;
  }

  readonly handlers = {
    'stream.read': ({ after }: { after: number }): Outcome<{ epoch: number; last: number; items: StreamItem[] }> => {
      const index = Math.max(0, after - (this.#last - this.#kept.length));
      const isShort = this.#scope.faultPoints.fires('stream.short_page');
      const most = { count: isShort ? 1 : limits.streamPage, bytes: limits.streamBytes };
      return done({ epoch: this.#scope.epoch, last: this.#last, items: fitting(this.#kept.from(index), most) });
    },
  };

  #stamped(event: NewEvent, atMs: number): PlatformEvent {
    const eventid = randomUuid(this.#scope.random.stream('ids').bytes(16));
    return { ...event, data: { eventid, eventts: isoTime(atMs), ...event.data } };
  }

  /**
   * Sends what has not gone out yet, before what follows from it: a client that has the answer finds at a callstore what it was
   * answered. A timer does it where nothing else does.
   */
  flush(): void {
    const items = this.#batch;
    if (items.length === 0) return;
    this.#batch = [];
    const { epoch, tell } = this.#scope;
    for (const listener of this.#listeners) tell(listener.address, 'stream.told', { epoch, items });
  }
}

/** Roles whose instances are sources. */
export const tellers = ['b2b', 'conf', 'sr', 'callstore'] as const;

/** The callstore instances of the own site or, where it has none, of the master site, or of the first site that has. */
export function listenersOf({ map, instance }: Pick<RoleScope, 'map' | 'instance'>): readonly InstanceEntry[] {
  const all = map.instancesOf('callstore');
  const at = (site: string) => all.filter((each) => each.site === site);
  const sites = [instance.site, map.masterSite.name, ...map.sites.keys()];
  return sites.map(at).find((found) => found.length > 0) ?? [];
}
