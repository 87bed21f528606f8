/** The work of a list, counted in steps: no slice of it is long, whatever is asked of however long texts. */

import type { ExecutionContext } from 'ava';
import fc from 'fast-check';
import { applyCollection } from '../../../src/model/collection/collection.ts';
import { parseCollectionQuery } from '../../../src/model/collection/query.ts';
import type { CollectionShape } from '../../../src/model/collection/shape.ts';
import { limits } from '../../../src/model/limits.ts';
import { slicesOf } from '../../kit/at-once.ts';
import { sized } from '../../kit/property.ts';
import { test } from '../../kit/test.ts';

interface Item {
  id: string;
  text: string;
  other: string;
  list: unknown[];
}

const shape: CollectionShape<Item> = { defaultOrder: ['text'], tieBreak: ['id'], isCountable: true };
const long = 'a'.repeat(limits.commentChars);

/** Items whose texts differ at their ends only: the worst for whatever compares them. */
function itemsOf(count: number): Item[] {
  return Array.from({ length: count }, (_, at) => {
    const end = String(at).padStart(6, '0');
    return { id: end, text: long + end, other: long, list: Array.from({ length: 1_000 }, (_, n) => [n]) };
  });
}

function slices(items: readonly Item[], params: Record<string, string>): number[] {
  const query = parseCollectionQuery(Object.entries(params), shape);
  if (!query.ok) throw new Error(query.fault.message);
  return slicesOf(applyCollection(items, query.value, shape));
}

/** A turn has room for several slices, so that it is not much longer than it may be. */
function areShort(t: ExecutionContext, all: readonly number[]): void {
  t.true(Math.max(...all) <= limits.sliceSteps, `${Math.max(...all)} steps`);
}

const text = ['property', 'text'];
const patterns = ['%a'.repeat(127), `%${'a'.repeat(254)}b`, `%${'a_'.repeat(127)}b`, `${'_'.repeat(255)}%`, '%%%_%'];

test('a filter of as many patterns as it may have stops within one item', (t) => {
  for (const pattern of patterns) {
    const filter = ['||', ...Array.from({ length: 80 }, () => ['like', text, `${pattern.slice(0, 170)}b`])];
    const all = slices(itemsOf(2), { filter: JSON.stringify(filter), countonly: 'true' });
    areShort(t, all);
    t.true(all.length >= 2 * 80, `${all.length} slices`);
  }
});

test('a filter is asked again where it stopped, and does no comparison of an item twice', (t) => {
  const filter = ['||', ...Array.from({ length: 80 }, () => ['like', text, patterns[1]?.slice(1, 100)])];
  const one = slices(itemsOf(1), { filter: JSON.stringify(filter) }).reduce((sum, steps) => sum + steps, 0);
  const letters = long.length + 6;
  t.true(one >= 80 * letters && one <= 80 * letters * 5, `${one} steps for 80 texts of ${letters} letters`);
});

test('an order by long texts that begin alike stops between comparisons', (t) => {
  const names = Array.from({ length: 15 }, (_, at) => (at % 2 === 0 ? 'other' : 'list'));
  const order = JSON.stringify([...names, 'text']);
  for (const params of [{ order }, { order, limit: '10' }, {}]) areShort(t, slices(itemsOf(300), params));
});

test('a page of many items is masked and flattened in slices', (t) => {
  const count = sized(4_000, 10_000);
  const items = itemsOf(count).map((item) => ({ ...item, text: '', opts: { a: { b: 1 } } }));
  const all = slices(items, { mask: 'id,opts.a', flat: 'true', limit: '10000' });
  areShort(t, all);
  t.true(all.length > count / 100);
});

const property = fc.constantFrom('text', 'other', 'list', 'id', 'none').map((name) => ['property', name]);
const right = fc.oneof(property, fc.constantFrom<unknown>(long.slice(0, 200), 'a', 1, null));
const pattern = fc.oneof(property, fc.constantFrom(...patterns.map((each) => each.slice(0, 256))));
const expression = fc.letrec((tie) => ({
  node: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    fc.tuple(fc.constant('like'), property, pattern),
    fc.tuple(fc.constantFrom('==', '!=', '<', '<=', '>', '>='), property, right),
    fc.tuple(fc.constant('in'), property, property),
    fc.array(tie('node'), { minLength: 2, maxLength: 6 }).map((all) => ['||', ...all]),
    fc.array(tie('node'), { minLength: 2, maxLength: 6 }).map((all) => ['&&', ...all]),
    fc.tuple(fc.constant('!'), tie('node')),
  ),
})).node;
const queries = fc.record(
  {
    filter: expression.map((filter) => JSON.stringify(filter)),
    order: fc
      .array(fc.constantFrom('text', 'other', 'list', 'id'), { maxLength: 16 })
      .map((names) => JSON.stringify(names)),
    mask: fc.constantFrom('text', 'list', 'id,none'),
    flat: fc.constantFrom('true', 'false'),
    limit: fc.constantFrom('0', '3', '10000'),
  },
  { requiredKeys: [] },
);

test('no slice of any query is long', (t) => {
  const items = itemsOf(40);
  fc.assert(
    fc.property(queries, (params) => {
      const query = parseCollectionQuery(Object.entries(params), shape);
      fc.pre(query.ok);
      areShort(t, slices(items, params as Record<string, string>));
    }),
    { numRuns: sized(15, 60) },
  );
});
