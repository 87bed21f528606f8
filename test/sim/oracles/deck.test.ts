/** Which use cases and drills the runs of a sweep play. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { dealt } from '../../../sim/oracles/deck.ts';
import { holds } from '../../kit/property.ts';
import { test } from '../../kit/test.ts';

const cardsOf = (count: number, weights: readonly number[]) =>
  Array.from({ length: count }, (_, index) => ({
    name: `card ${index}`,
    ...(weights[index] !== undefined && { weight: weights[index] }),
  }));

const drawn = fc.record({
  count: fc.integer({ min: 1, max: 90 }),
  weights: fc.array(fc.constantFrom(0.5, 1, 2, 4), { maxLength: 12 }),
  hand: fc.integer({ min: 1, max: 12 }),
  round: fc.integer({ min: 0, max: 1_000 }),
});

test('the seeds of a round are dealt each card as often as its weight says', async (t) => {
  await holds(
    t,
    fc.property(drawn, ({ count, weights, hand, round }) => {
      const cards = cardsOf(count, weights);
      const most = cards.reduce((sum, { weight = 1 }) => sum + Math.ceil(weight), 0);
      const seeds = Math.ceil(most / hand);
      const played = new Map<string, number>();
      // Two rounds: a card of weight 0.5 is in one of them.
      for (let turn = 0; turn < 2 * seeds; turn += 1) {
        const order = dealt(cards, { seed: 1 + 2 * round * seeds + turn, hand });
        for (const { name } of order.slice(0, hand)) played.set(name, (played.get(name) ?? 0) + 1);
      }
      for (const { name, weight = 1 } of cards) {
        // Of a card that is dealt to a seed more than once, the seed plays one.
        const least = weight <= 1 ? 2 * weight : 2;
        assert.ok((played.get(name) ?? 0) >= least, `${name} was played ${played.get(name)} times`);
      }
    }),
  );
});

test('a seed plays no card twice, and each that there is if the others cannot be played', async (t) => {
  await holds(
    t,
    fc.property(fc.nat(), fc.integer({ min: 0, max: 12 }), (seed, hand) => {
      const cards = cardsOf(30, [2, 2, 4, 0.5]);
      const names = dealt(cards, { seed, hand }).map(({ name }) => name);
      assert.deepEqual([...names].sort(), cards.map(({ name }) => name).sort());
    }),
  );
});

test('rounds are shuffled in other ways, and a seed is always dealt the same', (t) => {
  const cards = cardsOf(20, []);
  const order = (seed: number) => dealt(cards, { seed, hand: 5 }).map(({ name }) => name);
  t.deepEqual(order(1), order(1));
  t.notDeepEqual(order(1), order(5));
  t.deepEqual(new Set([1, 2, 3, 4].flatMap((seed) => order(seed).slice(0, 5))).size, 20);
});
