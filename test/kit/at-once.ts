/** Sliced work, done without a pause. */
import { applyCollection, type ItemCount } from '../../src/model/collection/collection.ts';
import type { CollectionQuery } from '../../src/model/collection/query.ts';
import type { CollectionShape } from '../../src/model/collection/shape.ts';
import type { Sliced } from '../../src/model/collection/slices.ts';

export function atOnce<T>(work: Sliced<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/** The steps of each slice of some work. */
export function slicesOf(work: Sliced<unknown>): number[] {
  const slices: number[] = [];
  for (const steps of { [Symbol.iterator]: () => work }) slices.push(steps);
  return slices;
}

/** What a query makes of a list. */
export function applyAtOnce<T extends object>(
  items: readonly T[],
  query: CollectionQuery,
  shape: CollectionShape<T>,
): readonly object[] | ItemCount {
  return atOnce(applyCollection(items, query, shape));
}
