/** The entries of simulated stores, across many blocks. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { SortedEntries } from '../../sim/ports/sorted-entries.ts';
import { holds, sized } from '../kit/property.ts';
import { test } from '../kit/test.ts';
import { anyCharacter } from '../kit/text.ts';

/** Keys that are close to one another, so that blocks fill and empty; some with characters that UTF-16 orders differently. */
const anyKey = fc
  .tuple(fc.nat({ max: 3_000 }), fc.oneof({ weight: 9, arbitrary: fc.constant('') }, anyCharacter))
  .map(([number, end]) => `${String(number).padStart(4, '0')}${end}`);
const anyChange = fc.oneof(
  { weight: 3, arbitrary: anyKey.map((put) => ({ put, value: put })) },
  { weight: 1, arbitrary: anyKey.map((key) => ({ delete: key })) },
);
const anyRange = fc.record(
  { from: anyKey, to: anyKey, limit: fc.integer({ min: 1, max: 2_000 }), reverse: fc.boolean() },
  { requiredKeys: [] },
);

test('blocks of entries have what a sorted map has, in any range and direction', (t) => {
  const changes = fc.array(anyChange, { minLength: 500, maxLength: 4_000, size: 'max' });
  return holds(
    t,
    fc.property(changes, fc.array(anyRange, { minLength: 5, maxLength: 20 }), (all, ranges) => {
      const [entries, model] = [new SortedEntries(), new Map<string, string>()];
      entries.apply(all);
      for (const change of all) {
        if ('put' in change) model.set(change.put.toWellFormed(), change.value.toWellFormed());
        else model.delete(change.delete.toWellFormed());
      }
      const sorted = [...model].sort(([one], [other]) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
      assert.deepEqual(entries.slice({}), sorted);
      for (const range of ranges) assert.deepEqual(entries.slice(range), among(sorted, range));
      for (const change of all.slice(0, 100)) {
        const key = 'put' in change ? change.put : change.delete;
        assert.equal(entries.get(key), model.get(key.toWellFormed()));
      }
    }),
    { numRuns: sized(10, 1_000) },
  );
});

type Range = Parameters<SortedEntries['slice']>[0];

function among(sorted: readonly [string, string][], { from, to, limit, reverse }: Range): [string, string][] {
  const isBefore = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0;
  const found = sorted.filter(
    ([key]) => (from === undefined || !isBefore(key, from)) && (to === undefined || isBefore(key, to)),
  );
  return (reverse ? found.reverse() : found).slice(0, limit);
}
