/**
 * What a query makes of a list or an item: the part of the answer that is the same for every list of the product.
 *
 * Items are plain JSON data, as the requester may see them: a filter or an order can read whatever is in them, so a
 * secret must be masked before they come here.
 */
import { flatten } from './flat.ts';
import { applyMask } from './mask.ts';
import { ascending, sortItems } from './order.ts';
import type { CollectionQuery, ItemQuery } from './query.ts';
import type { CollectionShape } from './shape.ts';

/** The number of items that pass the filter, paging aside. */
export interface ItemCount {
  readonly count: number;
}

/**
 * The answer to a list: the page of items, or their number where the query wants only that.
 *
 * In this order: filter, count, order, page (`[]` beyond the end), mask, flat. The items given are not changed; those
 * without anything to mask or flatten are in the answer themselves.
 */
export function applyCollection<T extends object>(
  items: readonly T[],
  query: CollectionQuery,
  shape: CollectionShape<T>,
): readonly object[] | ItemCount {
  const { filter, offset, limit } = query;
  const found = filter === undefined ? items : items.filter(filter);
  if (query.countonly) return { count: found.length };
  return inOrder(found, query, shape)
    .slice(offset, offset + limit)
    .map((item) => applyItem(item, query));
}

function inOrder<T extends object>(
  items: readonly T[],
  { order }: CollectionQuery,
  { defaultOrder, tieBreak, isOrdered }: CollectionShape<T>,
): readonly T[] {
  if (order === undefined && isOrdered) return items;
  return sortItems(items, [...(order ?? ascending(defaultOrder)), ...ascending(tieBreak)]);
}

/** The answer to a single item: as it is, or what the mask shows of it, flat if wanted. */
export function applyItem(item: object, { mask, flat }: ItemQuery): object {
  const shown = mask === undefined ? item : applyMask(item, mask);
  return flat ? flatten(shown) : shown;
}
