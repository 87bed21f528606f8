/**
 * The events of one site, from the callstore that serves it: each one once, those of a source in order. After a loss,
 * a cut or a failover it goes on behind what it has.
 */

import { ClockShifts } from '../../cluster/membership/clock-shifts.ts';
import type { RoleScope } from '../../cluster/role.ts';
import type { InstanceEntry } from '../../model/cluster/cluster-map.ts';
import { limits } from '../../model/limits.ts';
import { Position } from '../../model/position.ts';
import type { BodyOf } from '../../model/protocol/catalogue.ts';
import type { ForwardedEvent } from '../../model/protocol/messages/stream.ts';
import type { RecentSet } from '../../model/recent-set.ts';
import { isNamedUuid } from '../../model/uuid.ts';
import type { Turns } from '../../ports/turns.ts';
import { CatchUp, type Pull, pullPages } from '../../replication/catch-up.ts';
import { StreamConsumer } from '../../replication/stream-consumer.ts';
import { sourceRoles, streamConsumersOf } from '../../replication/stream-source.ts';
import { PageReader } from './page-reader.ts';

export interface EventFeedOptions {
  readonly scope: RoleScope;
  /** Differs from that of any other feed of the instance, now or before. */
  readonly name: string;
  /** The callstore instances of which one serves, by order. */
  readonly group: readonly InstanceEntry[];
  /** Each event is given on in a turn, in steps: it may have thousands of subscribers. */
  readonly turns: Turns;
  /** Ids of events that several instances may publish, which any feed of the instance has given on. */
  readonly shared: RecentSet<string>;
  readonly onEvent: (event: ForwardedEvent) => Iterable<void>;
  /** Events are lost for good. `untilMs`: they had happened by then, by the own clock; absent: not known. */
  readonly onLoss: (untilMs: number | undefined) => Iterable<void>;
}

/** What a callstore pushes at once; numbered anew with each answer to `events.follow`. */
interface PushedEvents {
  readonly n: number;
  readonly items: readonly ForwardedEvent[];
}

const feedRetryMs = 500;
/** Clocks of two nodes may differ by so much. */
const skewMs = 1_000;

export class EventFeed {
  /** What was given on. */
  readonly position = new Position();
  /** Names of the instances whose events it gives on. */
  readonly sources: ReadonlySet<string>;
  /** Reads pages of its past. */
  readonly past: PageReader;
  readonly #options: EventFeedOptions;
  readonly #catchUp: CatchUp;
  /** Its epoch is the name under which events are pushed now. Without a position what is older than the feed does not count. */
  readonly #stream: StreamConsumer<PushedEvents, string>;
  readonly #sinceMs: number;
  /** How the clocks of the callstores differ from the own. */
  readonly #shifts: ClockShifts;
  #follows = 0;
  /**
   * When the feed was current for the last time, by the own clock. What comes behind its position has happened since then, whatever
   * the clocks of the sources and of the callstores say: they may have jumped.
   */
  #currentMs = Number.NEGATIVE_INFINITY;

  constructor(options: EventFeedOptions) {
    const { scope, group, turns } = options;
    const { map } = scope;
    this.#options = options;
    this.past = new PageReader(turns);
    this.#sinceMs = scope.clock.now() - skewMs;
    this.#shifts = new ClockShifts(scope.clock);
    const all = sourceRoles.flatMap((role) => map.instancesOf(role));
    const isOf = (each: InstanceEntry) => streamConsumersOf({ map, instance: each }).some((one) => group.includes(one));
    this.sources = new Set(all.filter(isOf).map(({ name }) => name));
    this.#stream = new StreamConsumer({
      onEntry: ({ items }) => {
        void this.#takeAll(items);
        this.#currentMs = scope.clock.now();
      },
      onGap: () => this.#catchUp.noticeGap(),
    });
    this.#catchUp = new CatchUp({
      scope,
      source: () => this.active,
      pull: (active, pull) => this.#pull(active, pull),
      delaysMs: { retry: feedRetryMs, check: limits.followRenewMs, gone: Number.POSITIVE_INFINITY },
    });
    this.#catchUp.look();
  }

  /** The callstore instance that serves, as this node sees it. */
  get active(): InstanceEntry | undefined {
    const { scope, group } = this.#options;
    return group.find((each) => scope.view.statusOf(each) === 'active');
  }

  /** Whether events come as they happen: what it gives on from now on is new. */
  get isCurrent(): boolean {
    return this.#catchUp.isCurrent;
  }

  /** Resolves when events come as they happen, or after so long if they don't; with which of the two. */
  live(patienceMs: number): Promise<boolean> {
    return this.#catchUp.becomesCurrent(patienceMs);
  }

  /** Looks at the view again: another instance may serve now. */
  look(): void {
    this.#catchUp.look();
  }

  receive({ follow, seq, items }: BodyOf<'events.pushed'>): void {
    if (this.#catchUp.isStopped || this.#options.scope.faultPoints.fires('events.unheard')) return;
    this.#stream.receive(follow, [{ n: seq, items }]);
  }

  stop(): void {
    this.#catchUp.stop();
  }

  /** Pulls what came before, page by page; with the last one the callstore begins to push. */
  #pull({ address, name: sender }: InstanceEntry, pull: Pull): Promise<boolean> {
    const { scope, name, turns, onLoss } = this.#options;
    this.#follows += 1;
    const follow = `${scope.epoch}.${name}.${this.#follows}`;
    const since = () => (this.#stream.position === undefined ? { lastMs: scope.clock.now() - this.#sinceMs } : {});
    let isReported = false;
    let askedMs = scope.clock.now();
    return pullPages(
      pull,
      () => {
        askedMs = scope.clock.now();
        return scope.ask(address, 'events.follow', { follow, after: this.position.positions, ...since() });
      },
      ({ items, more, gap, lostUntilMs, position, atMs }) => {
        // Before its events, of which even the last one may be old.
        const offsetMs = this.#shifts.offsetMs(sender, atMs);
        const untilMs = lostUntilMs === undefined ? undefined : lostUntilMs + offsetMs;
        if (gap && !isReported) turns.takeSteps(() => onLoss(untilMs));
        isReported ||= gap;
        const taken = this.#takeAll(items);
        if (more) return taken.then(() => 'more');
        turns.take(() => this.position.merge(position));
        this.#stream.moveTo({ epoch: follow, n: 0 });
        this.#currentMs = askedMs;
        return 'done';
      },
    );
  }

  /** Gives events on, in turns. What another answer brought meanwhile is not given on again. Resolves after the last one. */
  #takeAll(items: readonly ForwardedEvent[]): Promise<void> {
    const { turns } = this.#options;
    const sender = this.#catchUp.source?.name ?? '';
    const leastMs = this.#currentMs;
    for (const item of items) {
      const atMs = Math.max(item.atMs + this.#shifts.offsetMs(sender, item.atMs), leastMs);
      turns.takeSteps(() => this.#take({ ...item, atMs }));
    }
    return new Promise((resolve) => turns.take(resolve));
  }

  *#take(item: ForwardedEvent): Generator<void> {
    if (this.#catchUp.isStopped) return;
    const isNew = this.position.advance(item.source, item.epoch, item.n);
    if (isNew && this.#isFirst(item)) yield* this.#options.onEvent(item);
  }

  /** Of a b2b that is lost two callstores may publish the end of a call, and each registrar that a SIP user has changed. */
  #isFirst({ event }: ForwardedEvent): boolean {
    const id = String(event.data['eventid']);
    return !isNamedUuid(id) || this.#options.shared.add(id);
  }
}
