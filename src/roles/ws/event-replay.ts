/** The past of a feed for one subscription that goes on from a cursor. */

import type { RoleScope } from '../../cluster/role.ts';
import type { InstanceEntry } from '../../model/cluster/cluster-map.ts';
import { limits } from '../../model/limits.ts';
import type { Position } from '../../model/position.ts';
import type { EventsReply, ForwardedEvent } from '../../model/protocol/messages/stream.ts';
import { passed } from '../../ports/clock.ts';
import { CatchUp, type Pull, pullPages, type Taken } from '../../replication/catch-up.ts';
import type { EventFeed } from './event-feed.ts';

export interface EventReplayOptions {
  readonly scope: RoleScope;
  readonly feed: EventFeed;
  /** What the subscription was sent: it moves on. */
  readonly position: Position;
  /** Id of the user whose subscription it is. */
  readonly user: string;
  /** When the subscription began (ms since the epoch), if that is known. */
  readonly sinceMs: number | undefined;
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
/** The number of events in a page: few enough to be sent at once, even to a client that is about to count as slow. */
const pageItems = 100;

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

  /** Asks whether events behind the cursor are lost. Resolves with false if there is no answer. */
  async first(): Promise<boolean> {
    const answered = new Promise<boolean>((resolve) => {
      this.#answerFirst = resolve;
    });
    this.#catchUp.look();
    const gap = await Promise.race([answered, this.#catchUp.settled().then(() => false)]);
    this.#answerFirst = undefined;
    return gap;
  }

  /** Begins to read and to send. */
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

  async #pull({ address }: InstanceEntry, pull: Pull): Promise<boolean> {
    const { scope, feed, position, user, sinceMs, isSlow } = this.#options;
    // Like events, what was lost long before it began does not count.
    const unnamed = () => sinceMs !== undefined && { unnamedMs: scope.clock.now() - sinceMs + limits.clockSkewMs };
    const read = (most: number) =>
      feed.past.read(user, () => scope.ask(address, 'events.read', { after: position.positions, most, ...unnamed() }));
    if (this.#answerFirst !== undefined) {
      const page = await read(0);
      if (pull.isOver || !page.ok) return false;
      this.#isLossReported = page.value.gap;
      this.#answerFirst?.(page.value.gap);
    }
    await this.#begun;
    const next = async () => {
      while (isSlow() && !pull.isOver) await this.#pause();
      return read(pageItems);
    };
    return pullPages(pull, next, (page) => this.#take(page));
  }

  #take({ items, more, gap, position: end, atMs }: EventsReply): Taken {
    const { scope, position, feed, onLoss, onEvent } = this.#options;
    const offsetMs = scope.clock.now() - atMs;
    if (gap && !this.#isLossReported) onLoss();
    this.#isLossReported ||= gap;
    for (const item of items) {
      if (position.advance(item.source, item.epoch, item.n)) onEvent({ ...item, atMs: item.atMs + offsetMs });
    }
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
    return passed(this.#options.scope.clock, slowMs);
  }
}
