/** What a source keeps of its numbered entries: the last ones, for consumers that missed some. */

export interface Numbered {
  readonly n: number;
}

/** A position in the entries of a source: of which epoch, and the number of an entry. Numbers of an epoch begin with 1. */
export interface LogPosition<E extends number | string = number> {
  readonly epoch: E;
  readonly n: number;
}

/** Entries that follow each other, and the number of the last one that the source has. */
export interface LogPage<T extends Numbered, E extends number | string = number> {
  readonly epoch: E;
  readonly last: number;
  readonly items: T[];
}

/** The last items of something that goes on: past the limit the oldest one is dropped. */
export class RingBuffer<T> {
  readonly #limit: number;
  #items: T[] = [];
  #first = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get length(): number {
    return this.#items.length - this.#first;
  }

  /** Adds an item; returns the one that was dropped for it. */
  push(item: T): T | undefined {
    this.#items.push(item);
    if (this.length <= this.#limit) return undefined;
    const oldest = this.#items[this.#first];
    this.#first += 1;
    // Now and then, so that it costs nothing each time.
    if (this.#first > this.#limit) {
      this.#items = this.#items.slice(this.#first);
      this.#first = 0;
    }
    return oldest;
  }

  /** The items from the `index`th kept one on, the oldest first. */
  *from(index: number): Generator<T> {
    for (let at = this.#first + Math.max(0, index); at < this.#items.length; at += 1) yield this.#items[at] as T;
  }

  /** Puts older items in front, as far as there is room for them; returns those for which there is none. */
  prepend(older: readonly T[]): T[] {
    const split = Math.max(0, older.length - (this.#limit - this.length));
    this.#items = [...older.slice(split), ...this.from(0)];
    this.#first = 0;
    return older.slice(0, split);
  }
}

/** The first of `items` that go into one answer between instances: one at least. */
export function fitting<T>(items: Iterable<T>, most: { readonly count: number; readonly bytes: number }): T[] {
  const taken: T[] = [];
  let bytes = 0;
  for (const item of items) {
    bytes += JSON.stringify(item).length;
    if (taken.length > 0 && (bytes > most.bytes || taken.length >= most.count)) break;
    taken.push(item);
  }
  return taken;
}

export class SequenceLog<T extends Numbered> {
  readonly #epoch: number;
  readonly #kept: RingBuffer<T>;
  #last = 0;

  constructor(epoch: number, limit: number) {
    this.#epoch = epoch;
    this.#kept = new RingBuffer(limit);
  }

  /** Number of the last entry. */
  get last(): number {
    return this.#last;
  }

  append(make: (n: number) => T): T {
    this.#last += 1;
    const entry = make(this.#last);
    this.#kept.push(entry);
    return entry;
  }

  /** The entries behind a position that are kept. A position of another epoch counts as the beginning. */
  page({ epoch, n }: LogPosition, most: { readonly count: number; readonly bytes: number }): LogPage<T> {
    const after = epoch === this.#epoch ? n : 0;
    const index = after - (this.#last - this.#kept.length);
    return { epoch: this.#epoch, last: this.#last, items: fitting(this.#kept.from(index), most) };
  }
}
