/** A part of a workload: things that begin at random moments (Poisson), and an account of what came of them. */
import type { Clock, Timer } from '../../../src/ports/clock.ts';
import type { RandomStream } from '../../../src/ports/random.ts';
import type { Tally } from './tally.ts';

export interface Part {
  start(): void;
  /** Begins nothing more. */
  stop(): void;
  /** Everybody is about to hang up, because the load is over: what nobody has answered by then has not failed. */
  hangUp?(): void;
  account(): Tally[];
}

/** What one part is made of. */
export interface PartScene {
  readonly clock: Clock;
  readonly random: RandomStream;
}

/** Calls `begin` so many times a second in the mean, until it is stopped. */
export class Beat {
  readonly #rate: number;
  readonly #scene: PartScene;
  readonly #begin: () => void;
  #next: Timer | undefined;

  constructor(rate: number, scene: PartScene, begin: () => void) {
    this.#rate = rate;
    this.#scene = scene;
    this.#begin = begin;
  }

  start(): void {
    if (this.#rate === 0 || this.#next !== undefined) return;
    const { clock, random } = this.#scene;
    this.#next = clock.setTimer((-Math.log(1 - random.float()) * 1_000) / this.#rate, () => {
      this.#next = undefined;
      this.start();
      this.#begin();
    });
  }

  stop(): void {
    this.#next?.cancel();
    this.#next = undefined;
  }
}

/** One of them, by their shares; `undefined` where none has any. */
export function drawn<T>(shares: Iterable<readonly [T, number]>, random: RandomStream): T | undefined {
  const all = [...shares].filter(([, share]) => share > 0);
  let left = random.float() * all.reduce((sum, [, share]) => sum + share, 0);
  for (const [item, share] of all) {
    left -= share;
    if (left < 0) return item;
  }
  return undefined;
}

export function oneOf<T>(items: readonly T[], random: RandomStream): T | undefined {
  return items.length === 0 ? undefined : items[random.integer(0, items.length - 1)];
}
