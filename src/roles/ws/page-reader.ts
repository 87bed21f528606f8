/**
 * Reads pages of the past of a feed: one at a time, the users in turns. A page takes the callstore some milliseconds, and a
 * client may come back with many subscriptions.
 */

import { FairQueue } from '../../model/fair-queue.ts';
import type { Outcome } from '../../model/fault.ts';
import type { Turns } from '../../ports/turns.ts';

export class PageReader {
  /** What waits for its turn: with nothing, it reads; with the answer before, which has failed, it fails alike. */
  readonly #waiting = new FairQueue<(failure: Outcome<never> | undefined) => void>();
  readonly #turns: Turns;
  #isReading = false;

  constructor(turns: Turns) {
    this.#turns = turns;
  }

  async read<P>(user: string, ask: () => Promise<Outcome<P>>): Promise<Outcome<P>> {
    if (this.#isReading) {
      const failure = await new Promise<Outcome<never> | undefined>((resolve) => this.#waiting.add(user, resolve));
      if (failure !== undefined) return failure;
    }
    this.#isReading = true;
    try {
      const page = await ask();
      if (!page.ok) for (let next = this.#waiting.take(); next !== undefined; next = this.#waiting.take()) next(page);
      return page;
    } finally {
      this.#passOn();
    }
  }

  #passOn(): void {
    const next = this.#waiting.take();
    if (next === undefined) this.#isReading = false;
    else this.#turns.take(() => next(undefined));
  }
}
