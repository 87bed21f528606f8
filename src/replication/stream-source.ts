/**
 * The stream of a source of events (an instance of b2b, conf, ivr, sr or callstore): numbers its items, publishes them to every callstore
 * instance of its site, and keeps the last ones for consumers that missed some.
 */

import type { RoleScope } from '../cluster/role.ts';
import type { InstanceEntry } from '../model/cluster/cluster-map.ts';
import { done, type Outcome } from '../model/fault.ts';
import { limits } from '../model/limits.ts';
import type { BodyOf, ReplyOf } from '../model/protocol/catalogue.ts';
import type { DialogRecord } from '../model/protocol/messages/dialog.ts';
import type { PlatformEvent, StreamItem } from '../model/protocol/messages/stream.ts';
import { isoTime } from '../model/time.ts';
import { randomUuid } from '../model/uuid.ts';
import { passed, type Timer } from '../ports/clock.ts';
import { SequenceLog } from './sequence-log.ts';

/** What goes into one item, which happens at once: an event, a change of a live call, the end of one. */
export interface Published {
  /** The fields that every event gets, `eventid` and `eventts`, are added. */
  readonly event?: PlatformEvent;
  readonly dialog?: DialogRecord;
  readonly gone?: string;
}

/** Interval between questions to callstores whether they have stored what they consumed. */
const storedPollMs = 200;

export class StreamSource {
  readonly #scope: RoleScope;
  readonly #consumers: readonly InstanceEntry[];
  readonly #log: SequenceLog<StreamItem>;
  readonly #begunMs: number;
  /** What this step of the instance has brought so far: it goes out in one message. */
  #batch: StreamItem[] = [];
  /** Sends the batch where nothing else does. */
  #timer: Timer | undefined;

  constructor(scope: RoleScope) {
    this.#scope = scope;
    this.#consumers = streamConsumersOf(scope).filter((each) => each !== scope.instance);
    this.#log = new SequenceLog(scope.epoch, limits.streamItems);
    this.#begunMs = scope.clock.now();
  }

  /** Number of the last item. */
  get last(): number {
    return this.#log.last;
  }

  /** Publishes an item. It must not be changed any more: it is kept, and instances receive it without a copy where they can. */
  publish({ event, ...change }: Published): StreamItem {
    const atMs = this.#scope.clock.now();
    const stamped = event === undefined ? {} : { event: this.#stamped(event, atMs) };
    const item = this.#log.append((n) => Object.freeze({ n, ...stamped, ...change, atMs }));
    if (this.#batch.length === 0) this.#timer = this.#scope.clock.setTimer(0, () => this.flush());
    this.#batch.push(item);
    // The end of a call may be the last thing that an instance does.
    if (change.gone !== undefined) this.flush();
    return item;
  }

  readonly handlers = {
    'stream.read': ({ after }: BodyOf<'stream.read'>): Outcome<ReplyOf<'stream.read'>> => {
      const isShort = this.#scope.faultPoints.fires('stream.short_page');
      const page = this.#log.page(after, { count: isShort ? 1 : limits.streamPage, bytes: limits.streamBytes });
      return done({ ...page, atMs: this.#scope.clock.now(), begunMs: this.#begunMs });
    },
  };

  /**
   * Sends what has not gone out yet, before what follows from it: a client that has the answer finds at a callstore what it was
   * answered. A timer does it where nothing else does.
   */
  flush(): void {
    const items = this.#batch;
    if (items.length === 0) return;
    this.#batch = [];
    this.#timer?.cancel();
    this.#timer = undefined;
    const { epoch, tell } = this.#scope;
    for (const consumer of this.#consumers) tell(consumer.address, 'stream.published', { epoch, items });
  }

  /**
   * Resolves when of each group of callstores that consume the stream one has written the records of all calls whose end was
   * published: a source that stops keeps no items. Else after so long: callstores may be away, or their disks full.
   */
  async stored(mostMs: number): Promise<void> {
    this.flush();
    const { clock, map } = this.#scope;
    let isPatient = true;
    const timer = clock.setTimer(mostMs, () => {
      isPatient = false;
    });
    const groups = new Set(this.#consumers.map((each) => map.groupOf(each)));
    while (isPatient && groups.size > 0) {
      await Promise.all([...groups].map(async (group) => (await this.#isStoredBy(group)) && groups.delete(group)));
      if (groups.size > 0) await passed(clock, storedPollMs);
    }
    timer.cancel();
  }

  async #isStoredBy(group: readonly InstanceEntry[]): Promise<boolean> {
    const { epoch, ask } = this.#scope;
    const answers = await Promise.all(
      group.map(({ address }) => ask(address, 'callstore.stored', { epoch, upTo: this.last })),
    );
    return answers.some(({ ok }) => ok);
  }

  #stamped(event: PlatformEvent, atMs: number): PlatformEvent {
    const eventid = randomUuid(this.#scope.random.stream('ids').bytes(16));
    return { ...event, data: { eventid, eventts: isoTime(atMs), ...event.data } };
  }
}

/** Roles whose instances are sources. */
export const sourceRoles = ['b2b', 'conf', 'ivr', 'sr', 'callstore'] as const;

/** The callstore instances of the own site or, where it has none, of the master site, or of the first site that has. */
export function streamConsumersOf({ map, instance }: Pick<RoleScope, 'map' | 'instance'>): readonly InstanceEntry[] {
  const own = map.serving('callstore', instance.site);
  if (own.length > 0) return own;
  const sites = [map.masterSite.name, ...map.sites.keys()];
  return sites.map((site) => map.serving('callstore', site)).find((found) => found.length > 0) ?? [];
}
