/** What waits, by owner: the owners take turns, so that an owner with a long queue delays only itself. */
export class FairQueue<T> {
  /** By owner, the one whose turn it is first. */
  readonly #waiting = new Map<string, T[]>();

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  add(owner: string, item: T): void {
    const own = this.#waiting.get(owner);
    if (own === undefined) this.#waiting.set(owner, [item]);
    else own.push(item);
  }

  /** The next item of the owner whose turn it is, who then has the last turn. */
  take(): T | undefined {
    for (const [owner, own] of this.#waiting) {
      const first = own.shift();
      this.#waiting.delete(owner);
      if (own.length > 0) this.#waiting.set(owner, own);
      return first;
    }
    return undefined;
  }

  clear(): void {
    this.#waiting.clear();
  }
}
