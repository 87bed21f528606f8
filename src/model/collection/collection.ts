/** A list as a client has asked for it: filtered, ordered, paged, and with the fields of the mask. */
import type { CompiledFilter } from './filter.ts';
import { applyMask } from './mask.ts';
import { ascending, sorted } from './order.ts';
import { isRecord } from './property.ts';
import type { CollectionQuery, ItemQuery } from './query.ts';
import type { CollectionShape } from './shape.ts';
import { itemSteps, Look, type Sliced, Steps } from './slices.ts';

/** The number of items that pass the filter, paging aside. */
export interface ItemCount {
  readonly count: number;
}

/**
 * The answer to a list: a page of items, or their number for `countonly`.
 *
 * In this order: filter, count, order, page (`[]` beyond the end), mask, flat. The given items are not changed. Items are
 * plain JSON as the requester may see them: a filter or an order can read every field, so secrets must be masked before.
 */
export function* applyCollection<T extends object>(
  items: readonly T[],
  query: CollectionQuery,
  shape: CollectionShape<T>,
): Sliced<readonly object[] | ItemCount> {
  const { filter, offset, limit } = query;
  const found = filter === undefined ? items : yield* passing(items, filter);
  if (query.countonly) return { count: found.length };
  const ordered = yield* inOrder(found, query, shape);
  return yield* shown(ordered.slice(offset, offset + limit), query);
}

/** The first items that pass a filter, at most `most`. */
export function* passing<T extends object>(
  items: Iterable<T>,
  filter: CompiledFilter,
  most = Number.POSITIVE_INFINITY,
): Sliced<T[]> {
  const look = new Look();
  const found: T[] = [];
  for (const item of items) {
    if (found.length >= most) break;
    let verdict = filter(item, look);
    while (verdict === undefined) {
      yield look.steps.take();
      verdict = filter(item, look);
    }
    if (verdict) found.push(item);
    look.next();
    if (look.isInterrupted) yield look.steps.take();
  }
  yield look.steps.take();
  return found;
}

/** The items in the requested or the default order; at least as many as the page needs. */
export function* inOrder<T extends object>(
  items: readonly T[],
  { order, offset, limit }: CollectionQuery,
  { defaultOrder, tieBreak, isOrdered }: CollectionShape<T>,
): Sliced<readonly T[]> {
  if (order === undefined && isOrdered) return items;
  return yield* sorted(items, [...(order ?? ascending(defaultOrder)), ...ascending(tieBreak)], offset + limit);
}

/** Applies `applyItem` to each item. */
export function* shown(items: Iterable<object>, query: ItemQuery): Sliced<object[]> {
  const steps = new Steps();
  const all: object[] = [];
  for (const item of items) {
    all.push(applyItem(item, query));
    steps.add(query.mask === undefined && !query.flat ? itemSteps / 10 : itemSteps * 5);
    if (steps.areMany) yield steps.take();
  }
  yield steps.take();
  return all;
}

/** The answer to a single item: the item, or the part that the mask selects, flat if requested. */
export function applyItem(item: object, { mask, flat }: ItemQuery): object {
  const shown = mask === undefined ? item : applyMask(item, mask);
  return flat ? flatten(shown) : shown;
}

/**
 * An item without nested objects: `{opts: {title: 'a'}}` becomes `{'opts.title': 'a'}`. (documented)
 *
 * Arrays, the objects in them, and empty objects are unchanged, so that nothing is lost. (chosen)
 */
export function flatten(item: object): Record<string, unknown> {
  return Object.fromEntries(flatEntries(item, ''));
}

function flatEntries(item: object, prefix: string): [string, unknown][] {
  return Object.entries(item).flatMap(([name, value]): [string, unknown][] => {
    const isBranch = isRecord(value) && Object.keys(value).length > 0;
    return isBranch ? flatEntries(value, `${prefix}${name}.`) : [[`${prefix}${name}`, value]];
  });
}
