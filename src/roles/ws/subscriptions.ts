/**
 * The subscriptions of a ws instance, and the feeds that they need: one for each site that serves their domain. Each event
 * reaches a subscription once, those of one source in order; a cursor says what it was told.
 */
import { cursorOf, type Place, Position } from '../../model/position.ts';
import type { BodyOf } from '../../model/protocol/catalogue.ts';
import type { ToldEvent } from '../../model/protocol/stream.ts';
import type { RoleScope } from '../../runtime/role.ts';
import { Feed } from './feed.ts';
import { Replay } from './replay.ts';
import type { Subscription } from './subscription.ts';

/** How long the answer to a subscription waits for the sites. */
const patienceMs = 2_000;

export class Subscriptions {
  readonly #scope: RoleScope;
  readonly #feeds = new Map<string, Feed>();
  /** Feeds that were begun. */
  #made = 0;
  readonly #byDomain = new Map<string, Set<Subscription>>();

  constructor(scope: RoleScope) {
    this.#scope = scope;
    scope.onView(() => {
      for (const feed of this.#feeds.values()) feed.look();
    });
  }

  readonly handlers = {
    'events.pushed': (body: BodyOf<'events.pushed'>): void => {
      for (const feed of this.#feeds.values()) feed.pushed(body);
    },
  };

  /**
   * Makes ready for a subscription: resolves when the sites in reach have answered. `gap`: events behind its cursor are
   * not kept any more. Nothing is told before `begin`, which must follow at once, or `close`.
   */
  async prepare(subscription: Subscription): Promise<{ gap: boolean }> {
    const { domain, cursor } = subscription;
    const subscribed = this.#byDomain.get(domain) ?? new Set();
    this.#byDomain.set(domain, subscribed.add(subscription));
    const feeds = this.#feedsOf(domain);
    for (const feed of feeds) subscription.behind.add(feed);
    await Promise.all(feeds.map((feed) => feed.live(patienceMs)));
    if (cursor === undefined) return { gap: false };
    const gaps = await Promise.all(feeds.map((feed) => this.#makeReplay(subscription, feed, cursor).first()));
    return { gap: gaps.includes(true) };
  }

  /** From now on a subscription is told of events: of those that come, or of those behind its cursor. */
  begin(subscription: Subscription): void {
    const { cursor, behind, replays } = subscription;
    if (cursor === undefined) behind.clear();
    for (const replay of replays) replay.run().catch(this.#scope.crash);
    replays.length = 0;
  }

  close(subscription: Subscription): void {
    const { domain } = subscription;
    const subscribed = this.#byDomain.get(domain);
    subscribed?.delete(subscription);
    if (subscribed?.size === 0) this.#byDomain.delete(domain);
    this.#dropFeeds();
  }

  /** What a subscription was told so far, as a text. */
  cursorOf({ domain, places }: Subscription): string {
    return cursorOf(this.#feedsOf(domain).flatMap((feed) => (places.get(feed) ?? feed.position).places));
  }

  stop(): void {
    for (const feed of this.#feeds.values()) feed.stop();
    this.#feeds.clear();
    this.#byDomain.clear();
  }

  #makeReplay(subscription: Subscription, feed: Feed, cursor: readonly Readonly<Place>[]): Replay {
    const position = new Position(cursor.filter(([source]) => feed.sources.has(source)));
    subscription.places.set(feed, position);
    const replay = new Replay({
      scope: this.#scope,
      feed,
      position,
      isWanted: () => this.#byDomain.get(subscription.domain)?.has(subscription) === true,
      isSlow: () => subscription.isSlow,
      onEvent: (event) => this.#tellOne(subscription, event),
      onGap: () => subscription.tellGap(this.cursorOf(subscription)),
      onEnd: () => subscription.behind.delete(feed),
    });
    subscription.replays.push(replay);
    return replay;
  }

  #tellOne(subscription: Subscription, told: ToldEvent): void {
    if (!subscription.matches(told)) return;
    subscription.tell(told, this.cursorOf(subscription), JSON.stringify(told.event.data));
  }

  /** Gives an event on to those who follow it as it happens. */
  #tell(feed: Feed, told: ToldEvent): void {
    let cursor: Readonly<Record<string, string>> = {};
    let data: string | undefined;
    for (const domain of told.event.domains) {
      for (const subscription of this.#byDomain.get(domain) ?? []) {
        if (!this.#isNext(subscription, feed, told) || !subscription.matches(told)) continue;
        data ??= JSON.stringify(told.event.data);
        if (subscription.places.size > 0) {
          subscription.tell(told, this.cursorOf(subscription), data);
          continue;
        }
        const shared = cursor[domain] ?? this.cursorOf(subscription);
        cursor = { ...cursor, [domain]: shared };
        subscription.tell(told, shared, data);
      }
    }
  }

  /** Whether a subscription is to be told this event now: it has begun, reads no past of the feed, and was not told already. */
  #isNext(subscription: Subscription, feed: Feed, { source, epoch, n }: ToldEvent): boolean {
    if (subscription.behind.has(feed)) return false;
    const place = subscription.places.get(feed);
    if (place === undefined) return true;
    const isNew = place.advance(source, epoch, n);
    if (feed.position.reaches(place)) subscription.places.delete(feed);
    return isNew;
  }

  #tellGap(feed: Feed): void {
    for (const [domain, subscribed] of this.#byDomain) {
      if (!this.#feedsOf(domain).includes(feed)) continue;
      for (const subscription of subscribed) {
        if (!subscription.behind.has(feed)) subscription.tellGap(this.cursorOf(subscription));
      }
    }
  }

  /** The feeds of a domain, one for each site that serves it; those that are missing begin. */
  #feedsOf(domain: string): Feed[] {
    return this.#groupsOf(domain).map(({ key, group }) => {
      const known = this.#feeds.get(key);
      if (known !== undefined) return known;
      this.#made += 1;
      const feed: Feed = new Feed({
        scope: this.#scope,
        name: String(this.#made),
        group,
        onEvent: (event) => this.#tell(feed, event),
        onGap: () => this.#tellGap(feed),
      });
      this.#feeds.set(key, feed);
      return feed;
    });
  }

  #groupsOf(domain: string) {
    const { map } = this.#scope;
    return [...map.sites.keys()].flatMap((site) => {
      const [first] = map.serving('callstore', site, domain);
      return first === undefined ? [] : [{ key: `${site}/${first.group}`, group: map.groupOf(first) }];
    });
  }

  #dropFeeds(): void {
    const needed = new Set(
      [...this.#byDomain.keys()].flatMap((domain) => this.#groupsOf(domain).map(({ key }) => key)),
    );
    for (const [key, feed] of this.#feeds) {
      if (needed.has(key)) continue;
      feed.stop();
      this.#feeds.delete(key);
    }
  }
}
