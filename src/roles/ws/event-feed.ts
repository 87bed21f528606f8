/**
 * The events of one site, from the callstore that serves it: each one once, those of a source in order. After a loss,
 * a cut or a failover it goes on behind what it has.
 */
import type { Turns } from '../../actors/turns.ts';
import { ClockShifts } from '../../cluster/peers.ts';
import type { RoleScope } from '../../cluster/role.ts';
import type { InstanceEntry } from '../../model/cluster/cluster-map.ts';
import { limits } from '../../model/limits.ts';
import { Position } from '../../model/position.ts';
import type { BodyOf } from '../../model/protocol/catalogue.ts';
import type { EventsReply, ForwardedEvent } from '../../model/protocol/stream.ts';
import { CatchUp, type Pull, pullPages, type Taken } from '../../replication/catch-up.ts';
import { Ring } from '../../replication/sequence-log.ts';
import { StreamConsumer } from '../../replication/stream-consumer.ts';
import { sourceRoles, streamConsumersOf } from '../../replication/stream-source.ts';

export interface EventFeedOptions {
  readonly scope: RoleScope;
  /** Differs from that of any other feed of the instance, now or before. */
  readonly name: string;
  /** The callstore instances of which one serves, by order. */
  readonly group: readonly InstanceEntry[];
  /** Each event is given on in a turn: it may have thousands of subscribers. */
  readonly turns: Turns;
  readonly onEvent: (event: ForwardedEvent) => void;
  /** Events are lost for good. */
  readonly onLoss: () => void;
}

/** What a callstore pushes at once; numbered anew with each answer to `events.follow`. */
interface PushedEvents {
  readonly n: number;
  readonly items: readonly ForwardedEvent[];
}

const feedRetryMs = 500;
/** Clocks of two nodes may differ by so much. */
const skewMs = 1_000;
/** So many events that several instances may publish are recognized. */
const onceLimit = 1_000;

export class EventFeed {
  /** What was given on. */
  readonly position = new Position();
  /** Names of the instances whose events it gives on. */
  readonly sources: ReadonlySet<string>;
  readonly #options: EventFeedOptions;
  readonly #catchUp: CatchUp;
  /** Its epoch is the name under which events are pushed now. Without a place what is older than the feed does not count. */
  readonly #stream: StreamConsumer<PushedEvents, string>;
  readonly #once = new Ring<string>(onceLimit);
  readonly #isOnce = new Set<string>();
  readonly #sinceMs: number;
  /** How the clocks of the callstores differ from the own. */
  readonly #shifts: ClockShifts;
  #follows = 0;

  constructor(options: EventFeedOptions) {
    const { scope, group } = options;
    const { map } = scope;
    this.#options = options;
    this.#sinceMs = scope.clock.now() - skewMs;
    this.#shifts = new ClockShifts(scope.clock);
    const all = sourceRoles.flatMap((role) => map.instancesOf(role));
    const isOf = (each: InstanceEntry) => streamConsumersOf({ map, instance: each }).some((one) => group.includes(one));
    this.sources = new Set(all.filter(isOf).map(({ name }) => name));
    this.#stream = new StreamConsumer({
      onEntry: ({ items }) => void this.#takeAll(items),
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
  #pull({ address }: InstanceEntry, pull: Pull): Promise<boolean> {
    const { scope, name, turns, onLoss } = this.#options;
    this.#follows += 1;
    const follow = `${scope.epoch}.${name}.${this.#follows}`;
    const since = () => (this.#stream.place === undefined ? { lastMs: scope.clock.now() - this.#sinceMs } : {});
    let isReported = false;
    return pullPages(
      pull,
      () => scope.ask(address, 'events.follow', { follow, after: this.position.places, ...since() }),
      ({ items, more, gap, position }) => {
        if (gap && !isReported) onLoss();
        isReported ||= gap;
        const taken = this.#takeAll(items);
        if (more) return taken.then(() => 'more');
        turns.take(() => this.position.merge(position));
        this.#stream.moveTo({ epoch: follow, n: 0 });
        return 'done';
      },
    );
  }

  /** Gives events on, in turns. What another answer brought meanwhile is not given on again. Resolves after the last one. */
  #takeAll(items: readonly ForwardedEvent[]): Promise<void> {
    const { turns } = this.#options;
    const sender = this.#catchUp.source?.name ?? '';
    for (const item of items) {
      const atMs = item.atMs + this.#shifts.offsetMs(sender, item.atMs);
      turns.take(() => this.#take({ ...item, atMs }));
    }
    return new Promise((resolve) => turns.take(resolve));
  }

  #take(item: ForwardedEvent): void {
    if (this.#catchUp.isStopped) return;
    const isNew = this.position.advance(item.source, item.epoch, item.n);
    if (isNew && this.#isFirst(item)) this.#options.onEvent(item);
  }

  /** Of a b2b that is lost, two callstores that served in turns may both publish the end of a call. */
  #isFirst({ source, event }: ForwardedEvent): boolean {
    if (!source.startsWith('callstore-')) return true;
    const id = String(event.data['eventid']);
    if (this.#isOnce.has(id)) return false;
    this.#isOnce.add(id);
    const oldest = this.#once.push(id);
    if (oldest !== undefined) this.#isOnce.delete(oldest);
    return true;
  }
}

export interface EventReplayOptions {
  readonly scope: RoleScope;
  readonly feed: EventFeed;
  /** What the subscription was sent: it moves on. */
  readonly position: Position;
  /** Whether the client has to take what waits for it first. */
  readonly isSlow: () => boolean;
  readonly onEvent: (event: ForwardedEvent) => void;
  /** Events behind the cursor are lost, as a later page than the first one shows. */
  readonly onLoss: () => void;
  /** The subscription is where the feed is. */
  readonly onEnd: () => void;
  /** What its own client caused. */
  readonly onError: (error: unknown) => void;
}

const replayRetryMs = 1_000;
const mostEmptyAnswers = 10;
const slowMs = 50;

/** Reads the past of a feed for one subscription, from its cursor to where the feed is; what happens meanwhile is read too. */
export class EventReplay {
  readonly #options: EventReplayOptions;
  readonly #catchUp: CatchUp;
  /** Reports to `first` whether the first page shows a gap, as long as that was not done. */
  #answerFirst: ((gap: boolean) => void) | undefined;
  #isLossReported = false;
  /** Answers in a row that brought nothing, a retry apart. */
  #emptyAnswers = 0;
  #begin: () => void = () => {};
  /** Resolves when the subscription has begun: before, nothing is sent to its client. */
  readonly #begun = new Promise<void>((resolve) => {
    this.#begin = resolve;
  });

  constructor(options: EventReplayOptions) {
    const { scope, feed, onEnd, onError } = options;
    this.#options = options;
    this.#catchUp = new CatchUp({
      scope: { clock: scope.clock, view: scope.view, crash: onError },
      source: () => feed.active,
      pull: (active, pull) => this.#pull(active, pull),
      delaysMs: { retry: replayRetryMs, check: Number.POSITIVE_INFINITY, gone: Number.POSITIVE_INFINITY },
      onCurrent: () => {
        this.stop();
        onEnd();
      },
    });
  }

  /** Reads the first page, of which nothing is sent yet. Resolves with whether events behind the cursor are lost. */
  async first(): Promise<boolean> {
    const answered = new Promise<boolean>((resolve) => {
      this.#answerFirst = resolve;
    });
    this.#catchUp.look();
    const gap = await Promise.race([answered, this.#catchUp.settled().then(() => false)]);
    this.#answerFirst = undefined;
    return gap;
  }

  /** Sends what was read, and goes on. */
  run(): void {
    this.#begin();
  }

  /** Looks at the view again: another instance may serve now. */
  look(): void {
    this.#catchUp.look();
  }

  stop(): void {
    this.#catchUp.stop();
  }

  #pull({ address }: InstanceEntry, pull: Pull): Promise<boolean> {
    return pullPages(
      pull,
      () => this.#options.scope.ask(address, 'events.read', { after: this.#options.position.places }),
      (page) => this.#take(page, pull),
    );
  }

  async #take({ items, more, gap, position: end }: EventsReply, pull: Pull): Promise<Taken> {
    const { position, feed, isSlow, onLoss, onEvent } = this.#options;
    const report = this.#answerFirst;
    report?.(gap);
    await this.#begun;
    if (gap && report === undefined && !this.#isLossReported) onLoss();
    this.#isLossReported ||= gap;
    for (const item of items) {
      if (pull.isOver) return 'failed';
      if (position.advance(item.source, item.epoch, item.n)) onEvent(item);
    }
    while (isSlow() && !pull.isOver) await this.#pause();
    if (more) return 'more';
    position.merge(end);
    if (position.reaches(feed.position)) return 'done';
    if (items.length > 0) {
      this.#emptyAnswers = 0;
      return 'more';
    }
    // The feed is ahead of this callstore, which gets there in a moment, or never has what its predecessor lost.
    this.#emptyAnswers += 1;
    if (this.#emptyAnswers < mostEmptyAnswers) return 'failed';
    onLoss();
    return 'done';
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => this.#options.scope.clock.setTimer(slowMs, resolve));
  }
}
