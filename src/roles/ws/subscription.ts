/** One subscription: which events it is about, and the texts that tell them. (public; chosen where the public facts are silent) */
import type { Place, Position } from '../../model/position.ts';
import type { ToldEvent } from '../../model/protocol/stream.ts';
import type { Feed } from './feed.ts';
import type { Replay } from './replay.ts';

export interface Wanted {
  /** Names that an event must be about one of; absent: any. */
  readonly objects: ReadonlySet<string> | undefined;
  /** `class.name`, or `class.*`. */
  readonly events: ReadonlySet<string>;
}

export interface SubscriptionOptions {
  readonly id: string;
  readonly qid: string | number | null | undefined;
  readonly domain: string;
  readonly wanted: Wanted;
  /** SIP users, as `login@domain`, to whose calls it is limited; absent: all of the domain. */
  readonly own: ReadonlySet<string> | undefined;
  /** When it began (ms since the epoch): it tells nothing older, unless it goes on from a cursor. */
  readonly sinceMs: number;
  readonly cursor: readonly Place[] | undefined;
  /** Sends a text to the client. */
  readonly send: (text: string) => void;
  /** Whether the client has to take what waits for it first. */
  readonly isSlow: () => boolean;
}

/** Clocks of two nodes may differ by so much. */
const skewMs = 1_000;

export class Subscription {
  readonly id: string;
  readonly domain: string;
  wanted: Wanted;
  qid: SubscriptionOptions['qid'];
  /** What it was told of a feed, where that is not all that the feed has given on. */
  readonly places = new Map<Feed, Position>();
  /** Feeds of which it still reads the past, and before it has begun all of them. */
  readonly behind = new Set<Feed>();
  readonly replays: Replay[] = [];
  readonly #options: SubscriptionOptions;

  constructor(options: SubscriptionOptions) {
    const { id, qid, domain, wanted } = options;
    this.#options = options;
    this.id = id;
    this.qid = qid;
    this.domain = domain;
    this.wanted = wanted;
  }

  get isSlow(): boolean {
    return this.#options.isSlow();
  }

  get cursor(): readonly Place[] | undefined {
    return this.#options.cursor;
  }

  /** Whether it is about this event, and its client may see it. */
  matches({ event, sipusers, atMs }: ToldEvent): boolean {
    const { own, sinceMs, cursor } = this.#options;
    const { objects, events } = this.wanted;
    if (!events.has(`${event.class}.${event.name}`) && !events.has(`${event.class}.*`)) return false;
    if (!event.domains.includes(this.domain)) return false;
    if (objects !== undefined && !event.objects.some((object) => objects.has(object))) return false;
    if (cursor === undefined && atMs < sinceMs - skewMs) return false;
    return own === undefined || (event.class === 'callevents' && sipusers.some((user) => own.has(user)));
  }

  /** Tells an event. `data`: that of the event as JSON. */
  tell({ event }: ToldEvent, cursor: string, data: string): void {
    const head = JSON.stringify({ id: this.id, qid: this.qid, class: event.class, event: event.name, cursor });
    this.#options.send(`["event",${head.slice(0, -1)},"data":${data}}]`);
  }

  /** Tells that events are lost for good. (chosen) */
  tellGap(cursor: string): void {
    this.#options.send(JSON.stringify(['gap', { id: this.id, qid: this.qid, cursor }]));
  }
}
