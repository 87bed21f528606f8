/** What is in use at once of something that is bounded: in all, and by one owner, so that none takes it from the others. */
export interface SharesOptions {
  readonly all: number;
  readonly each: number;
}

export class Shares {
  readonly #options: SharesOptions;
  readonly #ofOwner = new Map<string, number>();
  #all = 0;

  constructor(options: SharesOptions) {
    this.#options = options;
  }

  /** Takes more for an owner. False, and nothing is taken, where that is past a bound. */
  take(owner: string, more: number): boolean {
    const { all, each } = this.#options;
    const own = (this.#ofOwner.get(owner) ?? 0) + more;
    if (own > each || this.#all + more > all) return false;
    this.#ofOwner.set(owner, own);
    this.#all += more;
    return true;
  }

  /** Gives back what was taken. */
  release(owner: string, less: number): void {
    const own = (this.#ofOwner.get(owner) ?? 0) - less;
    if (own < 0) throw new Error(`${owner} has given back more than it took`);
    if (own === 0) this.#ofOwner.delete(owner);
    else this.#ofOwner.set(owner, own);
    this.#all -= less;
  }
}
