/** Reads the past of a feed for one subscription, from its cursor to where the feed is; what happens meanwhile is read too. */

import type { RoleScope } from '../../cluster/role.ts';
import type { Position } from '../../model/position.ts';
import type { EventsReply, ToldEvent } from '../../model/protocol/stream.ts';
import type { Feed } from './feed.ts';

export interface ReplayOptions {
  readonly scope: RoleScope;
  readonly feed: Feed;
  /** What the subscription was told: it moves on. */
  readonly position: Position;
  /** Whether anybody still wants it. */
  readonly isWanted: () => boolean;
  /** Whether the client has to take what waits for it first. */
  readonly isSlow: () => boolean;
  readonly onEvent: (event: ToldEvent) => void;
  /** Events behind the cursor are lost, as the first page or a later one shows. */
  readonly onGap: () => void;
  readonly onEnd: () => void;
}

const retryMs = 1_000;
const slowMs = 50;

export class Replay {
  readonly #options: ReplayOptions;
  #page: EventsReply | undefined;

  constructor(options: ReplayOptions) {
    this.#options = options;
  }

  /** Reads the first page, of which nothing is told yet. Says whether events behind the cursor are lost. */
  async first(): Promise<boolean> {
    this.#page = await this.#read();
    return this.#page?.gap === true;
  }

  /** Tells all pages. */
  async run(): Promise<void> {
    const { isWanted, isSlow, onGap, onEnd } = this.#options;
    while (isWanted()) {
      const page = this.#page;
      this.#page = undefined;
      if (page !== undefined && this.#tell(page)) return onEnd();
      while (isSlow() && isWanted()) await this.#pause(slowMs);
      if (page === undefined) await this.#pause(retryMs);
      this.#page = await this.#read();
      if (this.#page?.gap) onGap();
    }
  }

  /** Tells a page; true when the subscription is where the feed is. */
  #tell({ items, more, position: end }: EventsReply): boolean {
    const { position, feed, isWanted, onEvent } = this.#options;
    for (const item of items) {
      if (!isWanted()) return true;
      if (position.advance(item.source, item.epoch, item.n)) onEvent(item);
    }
    if (more) return false;
    position.merge(end);
    return position.reaches(feed.position);
  }

  async #read(): Promise<EventsReply | undefined> {
    const { scope, feed, position } = this.#options;
    if (feed.active === undefined) return undefined;
    const outcome = await scope.ask(feed.active.address, 'events.read', { after: position.places });
    return outcome.ok ? outcome.value : undefined;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#options.scope.clock.setTimer(ms, resolve));
  }
}
