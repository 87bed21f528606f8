/**
 * The subscriptions of a ws instance, and the feeds that they need: one for each site that serves their domain. Each event
 * reaches a subscription once, those of one source in order; a cursor says what it was sent.
 */

import type { RoleScope } from '../../cluster/role.ts';
import { type Fault, fault } from '../../model/fault.ts';
import { limits } from '../../model/limits.ts';
import { cursorOf, Position, type StreamPosition } from '../../model/position.ts';
import type { BodyOf } from '../../model/protocol/catalogue.ts';
import type { ForwardedEvent } from '../../model/protocol/messages/stream.ts';
import { RecentSet } from '../../model/recent-set.ts';
import { Turns } from '../../ports/turns.ts';
import { EventFeed } from './event-feed.ts';
import { EventReplay } from './event-replay.ts';
import { type EventText, namesOf, namesOfEvent, type Subscription, type Wanted } from './subscription.ts';

/** How long the answer to a subscription waits for the sites. */
const patienceMs = 2_000;
/** The number of subscriptions that an event reaches in one step. */
const stepSubscriptions = 50;
/** So many events that several instances may publish are recognized. */
const sharedEvents = 10_000;

export class Subscriptions {
  readonly #scope: RoleScope;
  readonly #turns: Turns;
  readonly #feeds = new Map<string, EventFeed>();
  /** For all feeds: the instances that publish an event may be of several sites. */
  readonly #shared = new RecentSet<string>(sharedEvents);
  /** Feeds that were begun. */
  #made = 0;
  readonly #byDomain = new Map<string, Set<Subscription>>();
  /** Subscriptions that were admitted and not closed, and their names. */
  readonly #open = new Quota({ limit: limits.frontSubscriptions, share: limits.userSubscriptions });
  readonly #names = new Quota({ limit: limits.frontSubscribedNames, share: limits.userSubscribedNames });

  constructor(scope: RoleScope) {
    this.#scope = scope;
    this.#turns = new Turns(scope.clock);
    scope.onViewChange(() => this.#look());
  }

  readonly handlers = {
    'events.pushed': (body: BodyOf<'events.pushed'>): void => {
      for (const feed of this.#feeds.values()) feed.receive(body);
    },
  };

  /** Counts a subscription in, until `close`; or says why there is no room for it. */
  admit({ user, wanted }: Subscription): Fault | undefined {
    if (!this.#open.take(user, 1)) {
      const { userSubscriptions, frontSubscriptions } = limits;
      const bounds = `${userSubscriptions} subscriptions of a user, ${frontSubscriptions} of this front`;
      return fault('overloaded', `expected at most ${bounds}`);
    }
    if (this.#names.take(user, namesOf(wanted))) return undefined;
    this.#open.give(user, 1);
    return tooManyNames();
  }

  /** Changes what a subscription is about; or says why there is no room for that. */
  change(subscription: Subscription, wanted: Wanted): Fault | undefined {
    const { user } = subscription;
    const before = namesOf(subscription.wanted);
    this.#names.give(user, before);
    if (!this.#names.take(user, namesOf(wanted))) {
      this.#names.take(user, before);
      return tooManyNames();
    }
    subscription.wanted = wanted;
    return undefined;
  }

  /**
   * Makes ready for a subscription: resolves when the sites in reach have answered. `gap`: events behind its cursor are
   * not kept any more. Nothing is sent before `begin`, which must follow at once, or `close`.
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

  /**
   * Does `work` when no event is on its way to the subscriptions: each has been sent all that the positions of its feeds
   * say. Resolves after it.
   */
  between(work: () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#turns.take(() => {
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  /** From now on events are sent to a subscription: new events, or the events behind its cursor. */
  begin(subscription: Subscription): void {
    const { cursor, behind, outdated, replays } = subscription;
    if (cursor === undefined) {
      for (const feed of behind) if (!feed.isCurrent) outdated.add(feed);
      behind.clear();
    }
    for (const replay of replays.values()) replay.run();
  }

  close(subscription: Subscription): void {
    const { domain, user, wanted } = subscription;
    const subscribed = this.#byDomain.get(domain);
    if (subscribed?.delete(subscription) !== true) return;
    for (const replay of subscription.replays.values()) replay.stop();
    this.#open.give(user, 1);
    this.#names.give(user, namesOf(wanted));
    if (subscribed.size > 0) return;
    this.#byDomain.delete(domain);
    this.#dropFeeds();
  }

  /** What a subscription was sent so far, as a text. */
  cursorOf({ domain, positions, sinceMs }: Subscription): string {
    const all = this.#feedsOf(domain).flatMap((feed) => (positions.get(feed) ?? feed.position).positions);
    return cursorOf({ positions: all, sinceMs });
  }

  stop(): void {
    for (const feed of this.#feeds.values()) feed.stop();
    this.#turns.stop();
    this.#feeds.clear();
    this.#byDomain.clear();
  }

  #look(): void {
    for (const feed of this.#feeds.values()) feed.look();
    for (const subscribed of this.#byDomain.values()) {
      for (const { replays } of subscribed) for (const replay of replays.values()) replay.look();
    }
  }

  #makeReplay(subscription: Subscription, feed: EventFeed, cursor: readonly Readonly<StreamPosition>[]): EventReplay {
    const position = new Position(cursor.filter(([source]) => feed.sources.has(source)));
    subscription.positions.set(feed, position);
    const replay = new EventReplay({
      scope: this.#scope,
      feed,
      position,
      user: subscription.user,
      sinceMs: subscription.sinceMs,
      isSlow: () => subscription.isSlow,
      onEvent: (event) => this.#sendOne(subscription, feed, event),
      onLoss: () => subscription.sendGap(this.cursorOf(subscription)),
      onEnd: () => {
        subscription.behind.delete(feed);
        subscription.replays.delete(feed);
      },
      onError: (error) => subscription.fail(error),
    });
    subscription.replays.set(feed, replay);
    return replay;
  }

  #sendOne(subscription: Subscription, feed: EventFeed, published: ForwardedEvent): void {
    if (subscription.isOlder(published) || !subscription.matches(feed, published, namesOfEvent(published))) return;
    if (!subscription.isFirst(published)) return;
    subscription.send(this.#textFor(subscription, published, dataOf(published)));
  }

  /** Gives an event on to the subscriptions that follow it as it happens. */
  *#send(feed: EventFeed, published: ForwardedEvent): Generator<void> {
    const names = namesOfEvent(published);
    const data = dataOf(published);
    for (const domain of published.event.domains) {
      let shared: EventText | undefined;
      yield* this.#each(domain, feed, (subscription) => {
        if (!this.#isNext(subscription, feed, published) || !subscription.matches(feed, published, names)) return;
        if (!subscription.isFirst(published)) return;
        const isShared = subscription.positions.size === 0 && subscription.sinceMs === undefined;
        const text = (isShared ? shared : undefined) ?? this.#textFor(subscription, published, data);
        if (isShared) shared = text;
        subscription.send(text);
      });
    }
  }

  /**
   * Does `work`, in steps, for the subscriptions that are where a feed is; one that gets there meanwhile needs none of it.
   * What `work` throws ends the socket of the subscription.
   */
  *#each(domain: string, feed: EventFeed, work: (subscription: Subscription) => void): Generator<void> {
    const all = [...(this.#byDomain.get(domain) ?? [])].filter(({ behind }) => !behind.has(feed));
    for (const [index, subscription] of all.entries()) {
      if (index > 0 && index % stepSubscriptions === 0) yield;
      if (this.#byDomain.get(domain)?.has(subscription) !== true) continue; // closed meanwhile
      try {
        work(subscription);
      } catch (error) {
        subscription.fail(error);
      }
    }
  }

  #textFor(subscription: Subscription, { event }: ForwardedEvent, data: string): EventText {
    const cursor = this.cursorOf(subscription);
    const head = JSON.stringify({ class: event.class, event: event.name, cursor });
    return { cursor, tail: `,${head.slice(1, -1)},"data":${data}}]` };
  }

  /** Whether this event is to be sent now: the subscription was not sent it already. */
  #isNext(subscription: Subscription, feed: EventFeed, { source, epoch, n }: ForwardedEvent): boolean {
    const position = subscription.positions.get(feed);
    if (position === undefined) return true;
    const isNew = position.advance(source, epoch, n);
    if (feed.position.reaches(position)) subscription.positions.delete(feed);
    return isNew;
  }

  *#sendGap(feed: EventFeed, untilMs: number | undefined): Generator<void> {
    for (const domain of [...this.#byDomain.keys()]) {
      if (!this.#feedsOf(domain).includes(feed)) continue;
      yield* this.#each(domain, feed, (subscription) => {
        if (subscription.misses(untilMs)) subscription.sendGap(this.cursorOf(subscription));
      });
    }
  }

  /** The feeds of a domain, one for each site that serves it; missing feeds begin. */
  #feedsOf(domain: string): EventFeed[] {
    return this.#groupsOf(domain).map(({ key, group }) => {
      const known = this.#feeds.get(key);
      if (known !== undefined) return known;
      this.#made += 1;
      const feed: EventFeed = new EventFeed({
        scope: this.#scope,
        name: String(this.#made),
        group,
        turns: this.#turns,
        shared: this.#shared,
        onEvent: (event) => this.#send(feed, event),
        onLoss: (untilMs) => this.#sendGap(feed, untilMs),
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

function dataOf({ event }: ForwardedEvent): string {
  return JSON.stringify(event.data);
}

function tooManyNames(): Fault {
  const { userSubscribedNames, frontSubscribedNames } = limits;
  const bounds = `${userSubscribedNames} in subscriptions of a user, ${frontSubscribedNames} in those of this front`;
  return fault('overloaded', `objects and events: expected at most ${bounds}`);
}

/** A count that all owners share: at most so many together, and at most a share of them for each. */
class Quota {
  readonly #limit: number;
  readonly #share: number;
  readonly #taken = new Map<string, number>();
  #total = 0;

  constructor({ limit, share }: { readonly limit: number; readonly share: number }) {
    this.#limit = limit;
    this.#share = share;
  }

  /** Takes `count` for `owner`. False, and nothing is taken, where its share or the whole has no room. */
  take(owner: string, count: number): boolean {
    const taken = (this.#taken.get(owner) ?? 0) + count;
    if (taken > this.#share || this.#total + count > this.#limit) return false;
    this.#taken.set(owner, taken);
    this.#total += count;
    return true;
  }

  /** Gives back what was taken. */
  give(owner: string, count: number): void {
    const taken = (this.#taken.get(owner) ?? 0) - count;
    this.#total -= count;
    if (taken > 0) this.#taken.set(owner, taken);
    else this.#taken.delete(owner);
  }
}
