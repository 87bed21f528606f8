/** Texts by number: each is kept once, however often it comes. */
export class Names {
  readonly #numbers = new Map<string, number>();

  of(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.#numbers.size);
    return this.#numbers.size - 1;
  }

  get all(): readonly string[] {
    return [...this.#numbers.keys()];
  }
}
