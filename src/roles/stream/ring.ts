/** The last items of something that goes on: past the limit the oldest one gives way. */
export class Ring<T> {
  readonly #limit: number;
  #items: T[] = [];
  #first = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get length(): number {
    return this.#items.length - this.#first;
  }

  /** Adds an item; answers the one that gave way. */
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

  /** Puts older items in front, as far as there is room for them; answers those for which there is none. */
  prepend(older: readonly T[]): T[] {
    const split = Math.max(0, older.length - (this.#limit - this.length));
    this.#items = [...older.slice(split), ...this.from(0)];
    this.#first = 0;
    return older.slice(0, split);
  }
}

/** The first of `items` that go into one answer between instances: one at least. */
export function fitting<T>(items: Iterable<T>, most: { count: number; bytes: number }): T[] {
  const taken: T[] = [];
  let bytes = 0;
  for (const item of items) {
    bytes += JSON.stringify(item).length;
    if (taken.length > 0 && (bytes > most.bytes || taken.length >= most.count)) break;
    taken.push(item);
  }
  return taken;
}
