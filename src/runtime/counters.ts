/** Counters of things that should be rare and must not be lost: dead letters, unexpected facts, refused asks. */
export class Counters {
  readonly #counts = new Map<string, number>();

  add(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  get(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  /** All counts by name, in the order in which they were first met. */
  all(): ReadonlyMap<string, number> {
    return this.#counts;
  }
}
