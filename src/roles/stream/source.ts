/**
 * The stream of a source of events (an instance of b2b, conf or sr): numbers its items, tells them to every callstore
 * instance of its site, and keeps the last ones for those who missed some.
 */

import type { InstanceEntry } from '../../model/cluster-map.ts';
import { done, type Outcome } from '../../model/fault.ts';
import { limits } from '../../model/limits.ts';
import type { DialogRecord } from '../../model/protocol/dialog.ts';
import type { PlatformEvent, StreamItem } from '../../model/protocol/stream.ts';
import { isoTime } from '../../model/time.ts';
import { randomUuid } from '../../model/uuid.ts';
import type { RoleScope } from '../../runtime/role.ts';

/** An event without what every event gets: `eventid` and `eventts`. */
export type NewEvent = PlatformEvent;

export class EventSource {
  readonly #scope: RoleScope;
  readonly #listeners: readonly InstanceEntry[];
  readonly #kept: StreamItem[] = [];
  #last = 0;

  constructor(scope: RoleScope) {
    this.#scope = scope;
    this.#listeners = listenersOf(scope);
  }

  get last(): number {
    return this.#last;
  }

  /** Tells an event, a change of a live call, or the end of one; what is in one item happens at once. */
  tell({ event, ...change }: { event?: NewEvent; dialog?: DialogRecord; gone?: string }): void {
    const { epoch, clock, random, tell } = this.#scope;
    this.#last += 1;
    const eventid = { eventid: randomUuid(random.stream('ids').bytes(16)), eventts: isoTime(clock.now()) };
    const told = event === undefined ? {} : { event: { ...event, data: { ...eventid, ...event.data } } };
    const item: StreamItem = { n: this.#last, ...told, ...change };
    this.#kept.push(item);
    if (this.#kept.length > limits.streamItems) this.#kept.shift();
    for (const listener of this.#listeners) tell(listener.address, 'stream.told', { epoch, items: [item] });
  }

  readonly handlers = {
    'stream.read': ({ after }: { after: number }): Outcome<{ epoch: number; last: number; items: StreamItem[] }> => {
      const items = this.#kept.filter(({ n }) => n > after).slice(0, limits.streamPage);
      return done({ epoch: this.#scope.epoch, last: this.#last, items });
    },
  };
}

/** The callstore instances of the own site or, where it has none, of the master site, or of the first site that has. */
export function listenersOf({ map, instance }: RoleScope): readonly InstanceEntry[] {
  const all = map.instancesOf('callstore');
  const at = (site: string) => all.filter((each) => each.site === site);
  const sites = [instance.site, map.masterSite.name, ...map.sites.keys()];
  return sites.map(at).find((found) => found.length > 0) ?? [];
}
