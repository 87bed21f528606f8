/** Chance from the operating system, for live nodes: nobody can guess it and nobody can repeat it. */
import { randomFillSync } from 'node:crypto';
import type { Random, RandomStream } from '../ports/random.ts';

/** The count of numbers that `bits53` draws from. */
const draws = 2 ** 53;

const stream: RandomStream = {
  float() {
    return bits53() / draws;
  },

  /** Throws a `RangeError` unless both bounds, and the distance between them, are safe integers. */
  integer(min, max) {
    const isDrawable = min <= max && [min, max, max - min].every(Number.isSafeInteger);
    if (!isDrawable) throw new RangeError(`no integer can be drawn from ${min} to ${max}`);
    const count = max - min + 1;
    // The last, partial run of `count` numbers is refused: with it the low ones would come up more often.
    const fairDraws = draws - (draws % count);
    let draw = bits53();
    while (draw >= fairDraws) draw = bits53();
    return min + (draw % count);
  },

  bytes(count) {
    return randomFillSync(new Uint8Array(count));
  },
};

/** Random numbers are costly one by one and cheap by the kilobyte. */
const pool = new Uint32Array(1024);
let used = pool.length;

/** A whole number in [0, 2^53). */
function bits53(): number {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const high = (pool[used++] as number) >>> 5;
  const low = (pool[used++] as number) >>> 6;
  return high * 2 ** 26 + low;
}

/** One source for every purpose: where nothing can be repeated, nothing can shift. */
export const systemRandom: Random = { stream: () => stream };
