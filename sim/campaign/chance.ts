/** Random draws of a campaign. */
import type { RandomStream } from '../../src/ports/random.ts';
import { SeededRandom } from '../ports/random.ts';

export class Chance {
  readonly #random: RandomStream;

  constructor(random: RandomStream) {
    this.#random = random;
  }

  integer(least: number, most: number): number {
    return this.#random.integer(least, most);
  }

  /** From 0 to less than 1. */
  float(): number {
    return this.#random.float();
  }

  /** True with a probability from 0 to 1. */
  is(probability: number): boolean {
    return this.float() < probability;
  }

  one<T>(items: readonly T[]): T {
    const item = items[this.#random.integer(0, items.length - 1)];
    if (item === undefined) throw new Error('nothing to draw from');
    return item;
  }

  /** Each item with a probability of a half; at least one. */
  subset<T>(items: readonly T[]): T[] {
    const drawn = items.filter(() => this.is(1 / 2));
    return drawn.length > 0 || items.length === 0 ? drawn : [this.one(items)];
  }
}

/** The draws that a seed makes for one purpose. */
export function seededChance(seed: number, purpose: string): Chance {
  return new Chance(new SeededRandom(seed).fork(purpose).stream('faults'));
}

export function chanceOf(random: SeededRandom, fork: string): Chance {
  return new Chance(random.fork(fork).stream('faults'));
}
