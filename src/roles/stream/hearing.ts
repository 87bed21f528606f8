/**
 * What a listener has heard of one source: hands its items on in order, each once, and asks for those that are missing.
 * A new epoch means that the source's earlier life is over: nothing comes of that any more.
 */

import type { RoleScope } from '../../cluster/role.ts';
import type { InstanceEntry } from '../../model/cluster-map.ts';
import { limits } from '../../model/limits.ts';
import type { StreamItem } from '../../model/protocol/stream.ts';

export interface HearingOptions {
  readonly scope: Pick<RoleScope, 'ask' | 'crash'>;
  readonly source: InstanceEntry;
  readonly onItem: (item: StreamItem, epoch: number) => void;
  /** A life of the source begins to be heard; the one before, if there was one, is over. */
  readonly onLife: (epoch: number) => void;
  /** Items are lost for good: from `n` on the stream goes on. */
  readonly onLoss: (n: number) => void;
}

export class Hearing {
  readonly #options: HearingOptions;
  #epoch = 0;
  /** Number of the item that was handed on last. */
  #position = 0;
  /** Items that came before those in front of them. */
  readonly #waiting = new Map<number, StreamItem>();
  #reading: Promise<boolean> | undefined;
  /** Whether something with a gap before it was told since the source was asked. */
  #isAhead = false;
  /** Whether anything was heard since the last look. */
  #isSilent = true;

  constructor(options: HearingOptions) {
    this.#options = options;
  }

  get source(): InstanceEntry {
    return this.#options.source;
  }

  /** Of the life that is heard; 0 where none is. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Takes items that the source told by itself. */
  told(epoch: number, items: readonly StreamItem[]): void {
    if (epoch < this.#epoch) return;
    this.#isSilent = false;
    if (epoch > this.#epoch) this.#begin(epoch);
    this.#take(items);
    if (this.#waiting.size === 0) return;
    this.#isAhead = true;
    void this.catchUp();
  }

  /** Asks for what is missing, page by page. False where the source does not answer. */
  catchUp(): Promise<boolean> {
    this.#reading ??= this.#read().then(
      (isComplete) => {
        this.#reading = undefined;
        return isComplete;
      },
      (error: unknown) => {
        this.#options.scope.crash(error);
        return false;
      },
    );
    return this.#reading;
  }

  /** Asks a source that was silent since the last look whether something of it was lost. */
  look(): void {
    if (this.#isSilent) void this.catchUp();
    this.#isSilent = true;
  }

  /** The life that is heard is over: what waits for missing items goes on without them. */
  end(): void {
    this.#skipTo(Number.POSITIVE_INFINITY);
  }

  async #read(): Promise<boolean> {
    const { scope, source } = this.#options;
    for (;;) {
      const askedOf = this.#epoch;
      const after = this.#position;
      this.#isAhead = false;
      const outcome = await scope.ask(source.address, 'stream.read', { after });
      if (!outcome.ok) {
        // Nobody gives the missing ones any more.
        if (outcome.fault.code === 'standby') this.end();
        return false;
      }
      const { epoch, last, items } = outcome.value;
      if (epoch < this.#epoch) return true;
      const isNew = epoch > this.#epoch;
      if (isNew) this.#begin(epoch);
      // The answer is about another life than the question, which left out the first ones of this.
      if (epoch !== askedOf && after > 0) continue;
      this.#takeAll(items, last);
      if (this.#position >= last && this.#waiting.size === 0) return true;
      // Who gives nothing has nothing, unless it has told more since.
      if (this.#position === after && !isNew && !this.#isAhead) return false;
    }
  }

  #begin(epoch: number): void {
    if (this.#epoch !== 0) this.end();
    this.#waiting.clear();
    this.#epoch = epoch;
    this.#position = 0;
    this.#options.onLife(epoch);
  }

  /** Takes items that follow each other: what is missing before and behind them the source does not have any more. */
  #takeAll(items: readonly StreamItem[], last: number): void {
    const [first] = items;
    this.#skipTo(first?.n ?? last + 1);
    this.#take(items);
  }

  #take(items: readonly StreamItem[]): void {
    for (const item of items) {
      if (item.n <= this.#position) continue;
      if (item.n > this.#position + 1) {
        if (this.#waiting.size < limits.streamPage * 4) this.#waiting.set(item.n, item);
        continue;
      }
      this.#handOn(item);
    }
    this.#handOnWaiting();
  }

  /** Gives up what is missing before item `n`; hands on what is there of it. */
  #skipTo(n: number): void {
    if (this.#waiting.size > 0) {
      const early = [...this.#waiting.values()].filter((item) => item.n < n).sort((a, b) => a.n - b.n);
      for (const item of early) {
        if (item.n > this.#position + 1) this.#lose(item.n);
        this.#handOn(item);
      }
    }
    if (Number.isFinite(n) && n > this.#position + 1) this.#lose(n);
    this.#handOnWaiting();
  }

  #lose(n: number): void {
    this.#position = n - 1;
    this.#options.onLoss(n);
  }

  #handOnWaiting(): void {
    while (this.#waiting.size > 0) {
      const item = this.#waiting.get(this.#position + 1);
      if (item === undefined) return;
      this.#handOn(item);
    }
  }

  #handOn(item: StreamItem): void {
    this.#position = item.n;
    if (this.#waiting.size > 0) this.#waiting.delete(item.n);
    this.#options.onItem(item, this.#epoch);
  }
}
