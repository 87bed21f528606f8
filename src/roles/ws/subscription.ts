/** One subscription of a web socket: which events it is about, and the texts that its client is sent. */
import { limits } from '../../model/limits.ts';
import type { Position, StreamPosition } from '../../model/position.ts';
import type { ForwardedEvent } from '../../model/protocol/messages/stream.ts';
import { RecentSet } from '../../model/recent-set.ts';
import { isNamedUuid } from '../../model/uuid.ts';
import type { EventFeed } from './event-feed.ts';
import type { EventReplay } from './event-replay.ts';
import type { OwnLimit } from './own-sip-users.ts';

export interface Wanted {
  /** Names that an event must be about one of; absent: any. */
  readonly objects: ReadonlySet<string> | undefined;
  /** `class.name`, or `class.*`. */
  readonly events: ReadonlySet<string>;
}

/** How many names it takes to say so. */
export function namesOf({ objects, events }: Wanted): number {
  return (objects?.size ?? 0) + events.size;
}

export interface SubscriptionOptions {
  readonly id: string;
  readonly qid: string | number | null | undefined;
  readonly domain: string;
  /** Id of the user whose subscriptions it counts among. */
  readonly user: string;
  readonly wanted: Wanted;
  /** The SIP users to whose calls it is limited; absent: all of the domain. */
  readonly own: OwnLimit | undefined;
  /** When it was asked for (ms since the epoch): without a cursor it sends nothing older. With one: when the first one was. Absent: not known. */
  readonly sinceMs: number | undefined;
  readonly cursor: readonly StreamPosition[] | undefined;
  /** Sends a text to the client. */
  readonly send: (text: string) => void;
  /** Whether the client has to take what waits for it first. */
  readonly isSlow: () => boolean;
  /** Ends the socket for an error in what is its own. */
  readonly fail: (error: unknown) => void;
}

/** Clocks of two nodes may differ by so much. */
const skewMs = 1_000;

/** So many events that several instances may publish are recognized by a subscription that reads its past. */
const sharedEvents = 200;

/** The notification of an event without the names of its subscription: the same for all of a domain that read no past. */
export interface EventText {
  readonly cursor: string;
  readonly tail: string;
}

/** The names by which subscriptions may name an event. */
export function namesOfEvent({ event }: ForwardedEvent): readonly [name: string, ofClass: string] {
  return [`${event.class}.${event.name}`, `${event.class}.*`];
}

/** One subscription: which events it is about, and the texts that tell them. (public; chosen where the public facts are silent) */
export class Subscription {
  readonly id: string;
  readonly domain: string;
  readonly user: string;
  wanted: Wanted;
  readonly own: SubscriptionOptions['own'];
  qid: SubscriptionOptions['qid'];
  /** What it was sent of a feed, where that is not all that the feed has given on. */
  readonly positions = new Map<EventFeed, Position>();
  /** Feeds of which it still reads the past, and before it has begun all of them. */
  readonly behind = new Set<EventFeed>();
  /** Feeds that were not current when it began: of what they give on, older events do not count. */
  readonly outdated = new Set<EventFeed>();
  /** Of the feeds of which it reads the past. */
  readonly replays = new Map<EventFeed, EventReplay>();
  /** The cursor that its client was given last. */
  given = '';
  readonly #options: SubscriptionOptions;
  /** Ids of events that several instances may publish. What happens now the feeds give on once: the past of two sites may have both. */
  readonly #shared: RecentSet<string> | undefined;

  constructor(options: SubscriptionOptions) {
    const { id, qid, domain, user, wanted, own } = options;
    this.#options = options;
    this.id = id;
    this.qid = qid;
    this.domain = domain;
    this.user = user;
    this.wanted = wanted;
    this.own = own;
    this.#shared = options.cursor === undefined ? undefined : new RecentSet(sharedEvents);
  }

  get isSlow(): boolean {
    return this.#options.isSlow();
  }

  /** Ends the socket of its client for an error in sending to it. */
  fail(error: unknown): void {
    this.#options.fail(error);
  }

  get cursor(): readonly StreamPosition[] | undefined {
    return this.#options.cursor;
  }

  /** When it began, for its cursors; absent where they name all sources, so that this does not count. */
  get sinceMs(): number | undefined {
    const { cursor, sinceMs } = this.#options;
    return cursor === undefined && this.outdated.size === 0 ? undefined : sinceMs;
  }

  /** Whether an event of the past is from long before it began, of a source that its cursor does not name. */
  isOlder({ source, atMs }: ForwardedEvent): boolean {
    const { sinceMs = Number.NEGATIVE_INFINITY, cursor = [] } = this.#options;
    return atMs < sinceMs - limits.clockSkewMs && !cursor.some(([name]) => name === source);
  }

  /** Whether it is about this event of a feed, and its client may see it. */
  matches(
    feed: EventFeed,
    { event, sipusers, atMs }: ForwardedEvent,
    [name, ofClass]: ReturnType<typeof namesOfEvent>,
  ): boolean {
    const { sinceMs = Number.NEGATIVE_INFINITY } = this.#options;
    const { own } = this;
    const { objects, events } = this.wanted;
    if (!events.has(name) && !events.has(ofClass)) return false;
    if (!event.domains.includes(this.domain)) return false;
    if (objects !== undefined && !event.objects.some((object) => objects.has(object))) return false;
    if (this.outdated.has(feed) && atMs < sinceMs - skewMs) return false;
    return own === undefined || (event.class === 'callevents' && sipusers.some((user) => own.ids.has(user)));
  }

  /** Whether it was not sent this event already, as another instance has published it. */
  isFirst({ event }: ForwardedEvent): boolean {
    const id = String(event.data['eventid']);
    return this.#shared === undefined || !isNamedUuid(id) || this.#shared.add(id);
  }

  send({ cursor, tail }: EventText): void {
    const head = JSON.stringify({ id: this.id, qid: this.qid });
    this.#options.send(`["event",${head.slice(0, -1)}${tail}`);
    this.given = cursor;
  }

  /** Whether it may miss events that had happened by then; absent: at any time. One without a cursor misses none from before it began. */
  misses(untilMs = Number.POSITIVE_INFINITY): boolean {
    const { cursor, sinceMs = Number.NEGATIVE_INFINITY } = this.#options;
    return cursor !== undefined || untilMs >= sinceMs - skewMs;
  }

  /** Sends that events are lost for good. (chosen) */
  sendGap(cursor: string): void {
    this.given = cursor;
    this.#options.send(this.gap());
  }

  /** The notification that it misses what comes behind the cursor that was given last. (chosen) */
  gap(): string {
    return JSON.stringify(['gap', { id: this.id, qid: this.qid, cursor: this.given }]);
  }
}
