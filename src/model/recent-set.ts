/** The last items that were added, as a set. */
export class RecentSet<T> {
  readonly #limit: number;
  readonly #items = new Set<T>();

  /** `limit`: how many it keeps; the oldest ones go. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  has(item: T): boolean {
    return this.#items.has(item);
  }

  /** False: it has it already. */
  add(item: T): boolean {
    if (this.#items.has(item)) return false;
    this.#items.add(item);
    const [oldest] = this.#items;
    if (oldest !== undefined && this.#items.size > this.#limit) this.#items.delete(oldest);
    return true;
  }

  delete(item: T): void {
    this.#items.delete(item);
  }
}
