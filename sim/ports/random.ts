/** Repeatable random numbers: a seed draws the same numbers on every machine. */
import { createHash } from 'node:crypto';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import type { Random, RandomPurpose, RandomStream } from '../../src/ports/random.ts';

/**
 * Independent streams: each starts from a hash of the seed, the forks on the way and the purpose, so neither the order
 * of creation nor the use of other streams matters.
 *
 * Streams and forks are kept: a second request continues the first. So a restarted node never repeats its ids.
 */
export class SeededRandom implements Random {
  readonly #seed: string;
  readonly #streams = new Map<RandomPurpose, RandomStream>();
  readonly #forks = new Map<string, SeededRandom>();

  /** A number and its decimal text are the same seed, because a seed may come from a file or the command line. */
  constructor(seed: number | string) {
    this.#seed = String(seed);
  }

  stream(purpose: RandomPurpose): RandomStream {
    const stream = this.#streams.get(purpose) ?? seededStream(JSON.stringify([this.#seed, purpose]));
    this.#streams.set(purpose, stream);
    return stream;
  }

  /** The random numbers of a part of the world, for example a node: independent of this one and of every other fork. */
  fork(name: string): SeededRandom {
    const fork = this.#forks.get(name) ?? new SeededRandom(JSON.stringify([this.#seed, name]));
    this.#forks.set(name, fork);
    return fork;
  }
}

function seededStream(source: string): RandomStream {
  const generator = generatorFor(source);
  return {
    float: () => uniformFloat64(generator),

    /** Throws a `RangeError` unless both bounds, and the distance between them, are safe integers. */
    integer(min, max) {
      const isDrawable = min <= max && [min, max, max - min].every(Number.isSafeInteger);
      if (!isDrawable) throw new RangeError(`no integer can be drawn from ${min} to ${max}`);
      return uniformInt(generator, min, max);
    },

    bytes(count) {
      const bytes = new Uint8Array(count);
      for (let index = 0, word = 0; index < count; index++, word >>>= 8) {
        if (index % 4 === 0) word = generator.next();
        bytes[index] = word; // keeps the low byte
      }
      return bytes;
    },
  };
}

/**
 * All 128 bits of the state come from the hash: with a 32-bit seed, similar seeds would draw similar numbers at first.
 */
function generatorFor(source: string): RandomGenerator {
  const hash = createHash('sha256').update(source).digest();
  return xoroshiro128plusFromState([0, 4, 8, 12].map((offset) => hash.readInt32LE(offset)));
}
