/** A count that all owners share: at most so many together, and at most a share of them for each. */
export class Quota {
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
