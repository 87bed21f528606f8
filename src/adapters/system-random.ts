/** Random numbers of the operating system, for live nodes: neither predictable nor repeatable. */
import { randomFillSync } from 'node:crypto';
import type { Random, RandomStream } from '../ports/random.ts';

/** The number of values of `bits53`. */
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
    // Draws from the last, partial run of `count` numbers are rejected: they would favour low numbers.
    const fairDraws = draws - (draws % count);
    let draw = bits53();
    while (draw >= fairDraws) draw = bits53();
    return min + (draw % count);
  },

  bytes(count) {
    return randomFillSync(new Uint8Array(count));
  },
};

/** Random numbers are expensive one by one and cheap in bulk. */
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

/** One source for every purpose: unrepeatable draws need no split. */
export const systemRandom: Random = { stream: () => stream };
