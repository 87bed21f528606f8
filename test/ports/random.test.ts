/** The random port: the system's source and the seeded one. */

import fc from 'fast-check';
import { SeededRandom } from '../../sim/ports/random.ts';
import { systemRandom } from '../../src/adapters/system-random.ts';
import type { RandomPurpose, RandomStream } from '../../src/ports/random.ts';
import { test } from '../kit/test.ts';
import { purposes, randomContract } from './random-contract.ts';

randomContract(test, 'system', () => systemRandom);
randomContract(test, 'seeded', () => new SeededRandom('contract'));

/** A few draws of every kind. */
function sample(stream: RandomStream): unknown[] {
  return [stream.float(), stream.integer(1, 6), [...stream.bytes(6)], stream.integer(0, 2 ** 40), stream.float()];
}

test('seeded: the same seed draws the same numbers, another seed others', (t) => {
  for (const purpose of purposes) {
    const drawn = sample(new SeededRandom(42).stream(purpose));
    t.deepEqual(sample(new SeededRandom(42).stream(purpose)), drawn);
    t.deepEqual(sample(new SeededRandom('42').stream(purpose)), drawn, 'a number and its text are one seed');
    t.notDeepEqual(sample(new SeededRandom(43).stream(purpose)), drawn);
  }
});

test('seeded: seed 42 draws these numbers, today and in ten years', (t) => {
  const random = new SeededRandom(42);
  t.deepEqual(sample(random.stream('network')), [
    0.20272807251878677,
    3,
    [199, 49, 59, 68, 203, 40],
    804684237437,
    0.8604809908483917,
  ]);
  t.deepEqual(sample(random.fork('north/n1').stream('ids')), [
    0.9397180611841904,
    5,
    [5, 25, 17, 113, 31, 105],
    120550647979,
    0.5425182717535426,
  ]);
});

test('seeded: purposes and forks are streams of their own', (t) => {
  const random = new SeededRandom(1);
  const streams = [random, random.fork('n1'), random.fork('n2'), random.fork('n1').fork('n2')].flatMap((part) =>
    purposes.map((purpose) => part.stream(purpose)),
  );
  t.is(new Set(streams.map((stream) => JSON.stringify(sample(stream)))).size, 4 * purposes.length);
});

test('seeded: a fork that is asked for again goes on where it was', (t) => {
  const random = new SeededRandom(1);
  const first = random.fork('n1').stream('ids').bytes(16);
  t.notDeepEqual(random.fork('n1').stream('ids').bytes(16), first);
});

test('seeded: draws for one purpose, or of one fork, never shift another', (t) => {
  const places = ['', 'n1', 'n2'].flatMap((fork) => purposes.map((purpose) => ({ fork, purpose })));
  const streamAt = (random: SeededRandom, { fork, purpose }: { fork: string; purpose: RandomPurpose }) =>
    (fork === '' ? random : random.fork(fork)).stream(purpose);
  const property = fc.property(fc.integer(), fc.array(fc.constantFrom(...places)), (seed, order) => {
    const together = new SeededRandom(seed);
    const drawn = new Map(places.map((place) => [place, [] as number[]]));
    for (const place of order) drawn.get(place)?.push(streamAt(together, place).float());
    for (const [place, floats] of drawn) {
      const alone = streamAt(new SeededRandom(seed), place);
      t.deepEqual(
        floats.map(() => alone.float()),
        floats,
      );
    }
  });
  t.notThrows(() => fc.assert(property));
});

test('seeded: near seeds begin far apart', (t) => {
  const first = Array.from({ length: 1_000 }, (_, seed) => new SeededRandom(seed).stream('faults').float());
  const mean = first.reduce((sum, float) => sum + float) / first.length;
  t.true(Math.abs(mean - 0.5) < 0.05);
  t.is(new Set(first.map((float) => Math.floor(float * 10))).size, 10);
});
