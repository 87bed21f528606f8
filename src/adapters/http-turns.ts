/**
 * Turns of requests: each is served at once while this turn of the event loop is short; then they wait in a queue, of which each turn
 * serves one. An answer is written after its handler has returned, so only the loop itself can tell how long one took.
 */
import { performance } from 'node:perf_hooks';
import { limits } from '../model/limits.ts';

export class HttpTurns {
  readonly #queue: (() => void)[] = [];
  #sinceMs = 0;
  #turn: NodeJS.Immediate | undefined;

  /** Does `work` now or in its turn. It must not throw. */
  take(work: () => void): void {
    const hasTime = this.#turn === undefined || performance.now() - this.#sinceMs < limits.sliceMs;
    this.#begin();
    if (hasTime && this.#queue.length === 0) work();
    else this.#queue.push(work);
  }

  #begin(): void {
    if (this.#turn !== undefined) return;
    this.#sinceMs = performance.now();
    this.#turn = setImmediate(() => {
      this.#turn = undefined;
      const next = this.#queue.shift();
      if (next === undefined) return;
      this.#begin();
      next();
    });
  }
}
