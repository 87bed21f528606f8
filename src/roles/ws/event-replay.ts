/** Reads the past of a feed for one subscription, from its cursor to where the feed is; what happens meanwhile is read too. */

import type { RoleScope } from '../../cluster/role.ts';
import type { InstanceEntry } from '../../model/cluster-map.ts';
import type { Position } from '../../model/position.ts';
import type { EventsReply, ToldEvent } from '../../model/protocol/stream.ts';
import { CatchUp, type Pull, pullPages, type Taken } from '../../replication/catch-up.ts';
import type { EventFeed } from './event-feed.ts';

export interface EventReplayOptions {
  readonly scope: RoleScope;
  readonly feed: EventFeed;
  /** What the subscription was sent: it moves on. */
  readonly position: Position;
  /** Whether the client has to take what waits for it first. */
  readonly isSlow: () => boolean;
  readonly onEvent: (event: ToldEvent) => void;
  /** Events behind the cursor are lost, as a later page than the first one shows. */
  readonly onGap: () => void;
  /** The subscription is where the feed is. */
  readonly onEnd: () => void;
  /** What its own client caused. */
  readonly onError: (error: unknown) => void;
}

const retryMs = 1_000;
const slowMs = 50;

export class EventReplay {
  readonly #options: EventReplayOptions;
  readonly #catchUp: CatchUp;
  /** Reports to `first` whether the first page shows a gap, as long as that was not done. */
  #answerFirst: ((gap: boolean) => void) | undefined;
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
      delaysMs: { retry: retryMs, check: Number.POSITIVE_INFINITY, gone: Number.POSITIVE_INFINITY },
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
    const { position, feed, isSlow, onGap, onEvent } = this.#options;
    const report = this.#answerFirst;
    report?.(gap);
    await this.#begun;
    if (gap && report === undefined) onGap();
    for (const item of items) {
      if (pull.isOver) return 'failed';
      if (position.advance(item.source, item.epoch, item.n)) onEvent(item);
    }
    while (isSlow() && !pull.isOver) await this.#pause();
    if (more) return 'more';
    position.merge(end);
    if (position.reaches(feed.position)) return 'done';
    // The feed is ahead of this callstore, which gets there in a moment.
    return items.length > 0 ? 'more' : 'failed';
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => this.#options.scope.clock.setTimer(slowMs, resolve));
  }
}
