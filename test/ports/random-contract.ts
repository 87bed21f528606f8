/** What every implementation of the random port does. */
import type { SerialFn } from 'ava';
import type { Random, RandomPurpose } from '../../src/ports/random.ts';

export const purposes: readonly RandomPurpose[] = ['ids', 'jitter', 'network', 'phones', 'faults'];

export function randomContract(test: SerialFn, label: string, makeRandom: () => Random): void {
  const times = <T>(count: number, draw: () => T) => Array.from({ length: count }, draw);

  test(`${label}: a float is at least 0 and less than 1`, (t) => {
    const stream = makeRandom().stream('jitter');
    const floats = times(10_000, () => stream.float());
    t.true(floats.every((float) => float >= 0 && float < 1));
    t.true(floats.some((float) => float < 0.01) && floats.some((float) => float > 0.99));
    t.is(new Set(floats).size, floats.length, 'all 53 bits vary');
  });

  test(`${label}: an integer comes from the range with both its bounds, and every one of them does come`, (t) => {
    const stream = makeRandom().stream('network');
    const drawn = new Set(times(5_000, () => stream.integer(-3, 6)));
    t.deepEqual(
      [...drawn].sort((one, other) => one - other),
      [-3, -2, -1, 0, 1, 2, 3, 4, 5, 6],
    );
  });

  test(`${label}: a range of one number gives that number`, (t) => {
    const stream = makeRandom().stream('network');
    t.is(stream.integer(7, 7), 7);
    t.is(stream.integer(0, 0), 0);
    t.is(stream.integer(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
  });

  test(`${label}: wide ranges are drawn from in full`, (t) => {
    const stream = makeRandom().stream('network');
    const widths: [number, number][] = [
      [0, 2 ** 32 - 1],
      [0, 2 ** 32],
      [-(2 ** 40), 2 ** 48],
      [0, Number.MAX_SAFE_INTEGER],
      [Number.MIN_SAFE_INTEGER, 0],
    ];
    for (const [min, max] of widths) {
      const drawn = times(2_000, () => stream.integer(min, max));
      t.true(drawn.every((integer) => Number.isSafeInteger(integer) && integer >= min && integer <= max));
      const middle = min + (max - min) / 2;
      t.true(drawn.some((integer) => integer < middle) && drawn.some((integer) => integer > middle));
    }
  });

  test(`${label}: a range that is empty, broken or too wide is refused`, (t) => {
    const stream = makeRandom().stream('faults');
    for (const [min, max] of [
      [1, 0],
      [0.5, 3],
      [0, 2.5],
      [Number.NaN, 1],
      [0, Infinity],
      [0, 2 ** 53],
      [-1, Number.MAX_SAFE_INTEGER],
    ] as const) {
      t.throws(() => stream.integer(min, max), { instanceOf: RangeError }, `${min} to ${max}`);
    }
  });

  test(`${label}: bytes come as many as asked for, of every value, in memory of their own`, (t) => {
    const stream = makeRandom().stream('ids');
    for (const count of [0, 1, 3, 4, 5, 16, 70_000]) t.is(stream.bytes(count).length, count);
    t.is(new Set(stream.bytes(20_000)).size, 256);
    const first = stream.bytes(16);
    const copy = first.slice();
    t.notDeepEqual(stream.bytes(16), first);
    t.deepEqual(first, copy);
    t.throws(() => stream.bytes(-1), { instanceOf: RangeError });
  });

  test(`${label}: the same purpose gives the same stream`, (t) => {
    const random = makeRandom();
    for (const purpose of purposes) t.is(random.stream(purpose), random.stream(purpose));
  });
}
