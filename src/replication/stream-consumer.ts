/**
 * Delivers the numbered entries of one source in order, each once, and reports gaps. Keeps entries that came early, until a pull brings
 * the missing ones or reports them lost.
 */
import type { Taken } from './catch-up.ts';
import type { LogPage, LogPosition, Numbered } from './sequence-log.ts';

/** Early entries at most; further ones are dropped, and pulled again. */
const earlyLimit = 2_000;

export interface StreamConsumerOptions<T extends Numbered, E extends number | string> {
  readonly onEntry: (entry: T, epoch: E) => void;
  /** Entries are missing. */
  readonly onGap: () => void;
  /** Whether `epoch` follows the known one, so that its entries count from 1. Where the epoch does not say, a pull does (`position`). */
  readonly isNext?: (epoch: E, known: E | undefined) => boolean;
  /** An epoch begins; the one before, if there was one, is over. */
  readonly onEpoch?: (epoch: E, before: E | undefined) => void;
  /** The source does not have the entries before `n` any more. */
  readonly onLoss?: (n: number) => void;
}

export class StreamConsumer<T extends Numbered, E extends number | string = number> {
  readonly #options: StreamConsumerOptions<T, E>;
  #epoch: E | undefined;
  /** Number of the entry that was handed on last. */
  #n = 0;
  /** Entries that overtook others, by number. */
  readonly #early = new Map<number, T>();

  constructor(options: StreamConsumerOptions<T, E>) {
    this.#options = options;
  }

  /** Absent: nothing of the source is known yet. */
  get epoch(): E | undefined {
    return this.#epoch;
  }

  get position(): LogPosition<E> | undefined {
    return this.#epoch === undefined ? undefined : { epoch: this.#epoch, n: this.#n };
  }

  /** Takes entries that the source has sent by itself. Entries of an epoch that is over are dropped. */
  receive(epoch: E, entries: readonly T[]): void {
    if (!this.#enters(epoch)) return;
    for (const entry of entries) this.#take(entry);
    this.#handOnEarly();
    if (this.#early.size > 0) this.#options.onGap();
  }

  /** Takes a page that was pulled from behind the position, whose first entry follows all that are lost. */
  takePage({ epoch, last, items }: LogPage<T, E>): Taken {
    if (!this.#enters(epoch)) return 'done';
    this.#skipTo(items[0]?.n ?? last + 1);
    for (const entry of items) this.#take(entry);
    this.#handOnEarly();
    return this.#n < last ? 'more' : 'done';
  }

  /** Skips to this position: the entries up to it arrived in another form. At another epoch, drops the early entries. */
  moveTo({ epoch, n }: LogPosition<E>): void {
    if (this.#epoch !== epoch) {
      this.#early.clear();
      this.#begin(epoch);
    }
    if (n > this.#n) this.#n = n;
    for (const early of this.#early.keys()) if (early <= this.#n) this.#early.delete(early);
    this.#handOnEarly();
  }

  /** The state was replaced by a snapshot at this position; later entries are pulled again. */
  resetTo(position: LogPosition<E>): void {
    const isBehind = this.#epoch === position.epoch && position.n < this.#n;
    if (isBehind) this.#n = position.n;
    this.moveTo(position);
    if (isBehind) this.#options.onGap();
  }

  /** Skips all missing entries and delivers the early ones. */
  giveUpMissing(): void {
    this.#skipTo(Number.POSITIVE_INFINITY);
  }

  #enters(epoch: E): boolean {
    if (epoch === this.#epoch) return true;
    if (this.#options.isNext?.(epoch, this.#epoch) !== true) return false;
    this.#begin(epoch);
    return true;
  }

  #begin(epoch: E): void {
    const before = this.#epoch;
    if (before !== undefined) this.giveUpMissing();
    this.#early.clear();
    this.#epoch = epoch;
    this.#n = 0;
    this.#options.onEpoch?.(epoch, before);
  }

  #take(entry: T): void {
    if (entry.n <= this.#n) return;
    if (entry.n === this.#n + 1) return this.#handOn(entry);
    if (this.#early.size < earlyLimit) this.#early.set(entry.n, entry);
  }

  /** Gives up what is missing before entry `n`; hands on what is here of it. */
  #skipTo(n: number): void {
    const early = [...this.#early.values()].filter((entry) => entry.n < n).sort((a, b) => a.n - b.n);
    for (const entry of early) {
      if (entry.n > this.#n + 1) this.#lose(entry.n);
      this.#handOn(entry);
    }
    if (Number.isFinite(n) && n > this.#n + 1) this.#lose(n);
  }

  #lose(n: number): void {
    this.#n = n - 1;
    this.#options.onLoss?.(n);
  }

  #handOnEarly(): void {
    while (this.#early.size > 0) {
      const entry = this.#early.get(this.#n + 1);
      if (entry === undefined) return;
      this.#handOn(entry);
    }
  }

  #handOn(entry: T): void {
    if (this.#early.size > 0) this.#early.delete(entry.n);
    this.#n = entry.n;
    this.#options.onEntry(entry, this.#epoch as E);
  }
}
