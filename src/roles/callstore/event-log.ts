/** The last events of a site, in an order that keeps each source's own, for consumers that subscribe or come back to them. */
import type { RoleScope } from '../../cluster/role.ts';
import type { InstanceEntry } from '../../model/cluster/cluster-map.ts';
import type { InstanceStatus } from '../../model/cluster/states.ts';
import { limits } from '../../model/limits.ts';
import { isBefore, Position, type StreamPosition } from '../../model/position.ts';
import type { EventsReply, ForwardedEvent } from '../../model/protocol/messages/stream.ts';
import { RecentSet } from '../../model/recent-set.ts';
import { CatchUp, type Pull, pullPages } from '../../replication/catch-up.ts';
import { fitting, RingBuffer } from '../../replication/sequence-log.ts';

/** A page of a log, without the time of the answer. */
export type EventsPage = Omit<EventsReply, 'atMs'>;

export interface ReadOptions {
  readonly sinceMs?: number;
  readonly most?: number;
  readonly unnamedSinceMs?: number;
}

/** Learns what a log receives. */
export interface EventLogFollower {
  readonly publish: (event: ForwardedEvent) => void;
  /** Items are lost, which may have been events. */
  readonly noteLoss: () => void;
}

export class EventLog {
  readonly #events: RingBuffer<ForwardedEvent>;
  readonly #received = new Position();
  /** What comes up to here is not in the log (any more). */
  readonly #floor = new Map<string, Readonly<StreamPosition>>();
  /** By positions of the floor: by when what comes up to there had happened, where that is known. */
  readonly #untilMs = new WeakMap<Readonly<StreamPosition>, number>();
  readonly #follower: EventLogFollower;
  /** Ids of events that several instances may publish, the oldest first: at most as many as events are kept. */
  readonly #once: RecentSet<string>;

  constructor(follower: EventLogFollower, limit: number = limits.events) {
    this.#follower = follower;
    this.#events = new RingBuffer(limit);
    this.#once = new RecentSet(limit);
  }

  /**
   * Notes the epoch of a source, and when it began, before its items: of a source that was not known yet, those of the epochs before
   * are not in the log.
   */
  begin(source: string, epoch: number, begunMs: number): void {
    if (this.#floor.has(source)) return;
    const floor: StreamPosition = [source, epoch, 0];
    this.#floor.set(source, floor);
    this.#untilMs.set(floor, begunMs);
    this.#received.advance(source, epoch, 0);
  }

  /** Notes that an item was received, which may be an event. */
  receive([source, epoch, n]: Readonly<StreamPosition>, event?: ForwardedEvent): void {
    if (!this.#floor.has(source)) this.#floor.set(source, [source, epoch, n - 1]);
    const isNew = this.#received.advance(source, epoch, n);
    // What another member has given may be received again from its source.
    if (event === undefined || !isNew) return;
    this.#add(event);
    this.#follower.publish(event);
  }

  /** The same, of an event that other instances may publish with the same id: only the first one counts. */
  receiveOnce(position: StreamPosition, event: ForwardedEvent): void {
    const id = String(event.event.data['eventid']);
    const isFirst = this.#once.add(id);
    this.receive(position, isFirst ? event : undefined);
  }

  /** Notes that a source's items before `n` are lost. */
  lose([source, epoch, n]: Readonly<StreamPosition>): void {
    this.#raise([source, epoch, n - 1]);
    this.#received.advance(source, epoch, n - 1);
    this.#follower.noteLoss();
  }

  /**
   * A page of what came after a position, and is not older than `sinceMs`: `most` events, or fewer. What was lost before `unnamedSinceMs`
   * is no gap, of a source that the position does not name.
   */
  read(
    after: readonly Readonly<StreamPosition>[],
    { sinceMs = 0, most = limits.streamPage, unnamedSinceMs = Number.NEGATIVE_INFINITY }: ReadOptions = {},
  ): EventsPage {
    const from = new Position(after);
    const floor = [...this.#floor.values()].map(([source, epoch, n]): StreamPosition => [source, epoch, n]);
    const lostMsOf = (position: Readonly<StreamPosition>) => this.#untilMs.get(position) ?? Number.POSITIVE_INFINITY;
    const isMissing = (position: Readonly<StreamPosition>) => {
      const [source, epoch, n] = position;
      const reached = from.of(source);
      if (reached === undefined && lostMsOf(position) < unnamedSinceMs) return false;
      return isBefore(reached ?? [source, epoch, 0], epoch, n);
    };
    const missing = sinceMs === 0 ? [...this.#floor.values()].filter(isMissing) : [];
    const untilMs = Math.max(...missing.map(lostMsOf));
    const lost = { gap: missing.length > 0, ...(Number.isFinite(untilMs) && { lostUntilMs: untilMs }) };
    const isLater = ({ source, epoch, n, atMs }: ForwardedEvent) => atMs >= sinceMs && !from.isPast(source, epoch, n);
    const later = [...this.#events.from(0)].filter(isLater);
    const page = { count: Math.min(most, limits.streamPage), bytes: limits.streamBytes };
    const items = most === 0 ? [] : fitting(later, page);
    // Behind what is lost as well, of a source that is silent since: its loss is reported once.
    const reached = new Position(this.#received.positions);
    for (const [source, epoch, n] of floor) reached.advance(source, epoch, n);
    return { items, position: reached.positions, more: items.length < later.length, ...lost, floor };
  }

  /** Takes over what another member of the group has kept and this one has not received. */
  adopt(events: readonly ForwardedEvent[], floor: readonly Readonly<StreamPosition>[]): void {
    const isOlder = ({ source, epoch, n }: ForwardedEvent) => {
      const position = this.#floor.get(source);
      return position === undefined || !isBefore(position, epoch, n);
    };
    const older = events.filter(isOlder);
    for (const position of floor) {
      const own = this.#floor.get(position[0]);
      if (own === undefined || isBefore(position, own[1], own[2])) this.#floor.set(position[0], position);
    }
    // Another member may have published the same event first, at a position of its own.
    const isRepeated = ({ event }: ForwardedEvent) =>
      event.name === 'dlg_dead' && this.#once.has(String(event.data['eventid']));
    const kept = older.filter((event) => !isRepeated(event));
    for (const { source, epoch, n } of older) this.#received.advance(source, epoch, n);
    for (const { event } of kept) if (event.name === 'dlg_dead') this.#once.add(String(event.data['eventid']));
    for (const { source, epoch, n, atMs } of this.#events.prepend(kept)) this.#raise([source, epoch, n], atMs);
  }

  /** `atMs`: when the last item up to there happened, if that is known. */
  #raise(position: Readonly<StreamPosition>, atMs?: number): void {
    const [source, epoch, n] = position;
    const floor = this.#floor.get(source);
    if (floor !== undefined && !isBefore(floor, epoch, n)) return;
    this.#floor.set(source, position);
    const beforeMs = floor && this.#untilMs.get(floor);
    if (atMs !== undefined) this.#untilMs.set(position, Math.max(atMs, beforeMs ?? atMs));
  }

  #add(event: ForwardedEvent): void {
    const oldest = this.#events.push(event);
    if (oldest === undefined) return;
    this.#raise([oldest.source, oldest.epoch, oldest.n], oldest.atMs);
    this.#once.delete(String(oldest.event.data['eventid']));
  }
}

/** In these a member receives the events of its site, and has those before. */
const consuming: ReadonlySet<InstanceStatus | undefined> = new Set(['active', 'standby']);

/**
 * Gives a member of a group that starts the events which the active one has kept, so that consumers can go on here without a gap,
 * should that one be lost. A member that is about to serve itself, as its node was back before it was missed, takes them from one that
 * stands by.
 */
export class EventLogCopy {
  readonly #scope: RoleScope;
  readonly #log: EventLog;
  readonly #others: readonly InstanceEntry[];
  readonly #copied: Promise<void>;
  readonly #catchUp: CatchUp;

  constructor(scope: RoleScope, log: EventLog) {
    const { map, view, instance } = scope;
    this.#scope = scope;
    this.#log = log;
    const others = map.groupOf(instance).filter((each) => each !== instance);
    this.#others = others;
    let copied = () => {};
    this.#copied = new Promise((resolve) => {
      copied = resolve;
    });
    const withStatus = (status: InstanceStatus) => others.find((each) => view.statusOf(each) === status);
    this.#catchUp = new CatchUp({
      scope,
      source: () => withStatus('active') ?? withStatus('standby'),
      pull: (other, pull) => this.#pull(other, pull),
      delaysMs: { gone: Number.POSITIVE_INFINITY },
      onCurrent: () => {
        this.stop();
        copied();
      },
    });
    if (others.length > 0) scope.onViewChange(() => this.#catchUp.look());
    this.#catchUp.look();
  }

  /** Resolves when what another member has is here; at once where none is known, also to the other nodes of the site. */
  copied(): Promise<void> {
    const { view } = this.#scope;
    this.#catchUp.look();
    const isThere = this.#others.some((each) => consuming.has(view.reportedStatusOf(each)));
    return isThere && !this.#catchUp.isStopped ? this.#copied : Promise.resolve();
  }

  /** What others have is not needed any more. */
  stop(): void {
    this.#catchUp.stop();
  }

  async #pull({ address }: InstanceEntry, pull: Pull): Promise<boolean> {
    const events: ForwardedEvent[] = [];
    const read = new Position();
    let floor: StreamPosition[] | undefined;
    const isRead = await pullPages(
      pull,
      () => this.#scope.ask(address, 'events.read', { after: read.positions }),
      (page) => {
        for (const event of page.items) if (read.advance(event.source, event.epoch, event.n)) events.push(event);
        floor ??= page.floor;
        return page.more ? 'more' : 'done';
      },
    );
    if (isRead) this.#log.adopt(events, floor ?? []);
    return isRead;
  }
}

/** So few fit into one message without being measured. */
const fewEvents = 20;

interface Follower {
  readonly follow: string;
  readonly untilMs: number;
  seq: number;
}

/** Publishes the events of a site to the ws instances that follow it: each new one, as long as they renew now and then. */
export class EventPublisher implements EventLogFollower {
  readonly #scope: Pick<RoleScope, 'clock' | 'tell'>;
  readonly #followers = new Map<string, Follower>();
  /** The events of this instant. */
  #batch: ForwardedEvent[] = [];

  constructor(scope: Pick<RoleScope, 'clock' | 'tell'>) {
    this.#scope = scope;
  }

  /** Begins to push to an instance that has all that came before. */
  add(address: string, follow: string): void {
    this.#push();
    this.#followers.set(address, { follow, untilMs: this.#scope.clock.now() + limits.followMs, seq: 0 });
  }

  clear(): void {
    this.#followers.clear();
    this.#batch = [];
  }

  publish(event: ForwardedEvent): void {
    if (this.#followers.size === 0) return;
    if (this.#batch.length === 0) this.#scope.clock.setTimer(0, () => this.#push());
    this.#batch.push(event);
  }

  /** Events are lost: the followers notice that a push is missing, ask again, and get the gap in the answer. */
  noteLoss(): void {
    this.#push();
    for (const follower of this.#followers.values()) follower.seq += 1;
    this.#pushToAll([]);
  }

  #push(): void {
    let events = this.#batch;
    this.#batch = [];
    while (events.length > 0) {
      const most = { count: limits.streamPage, bytes: limits.streamBytes };
      const items = events.length <= fewEvents ? events : fitting(events, most);
      this.#pushToAll(items);
      events = events.slice(items.length);
    }
  }

  #pushToAll(items: ForwardedEvent[]): void {
    const nowMs = this.#scope.clock.now();
    for (const [address, follower] of this.#followers) {
      if (follower.untilMs <= nowMs) {
        this.#followers.delete(address);
        continue;
      }
      follower.seq += 1;
      const { follow, seq } = follower;
      this.#scope.tell(address, 'events.pushed', { follow, seq, items });
    }
  }
}
