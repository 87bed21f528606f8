/**
 * Reads the query parameters of a list and of a single item. Never throws.
 *
 * Unknown parameters are ignored. A repeated parameter is a fault; of several faults the first is reported, in the order
 * below.
 */
import { limits } from '../limits.ts';
import { type CompiledFilter, parseFilter } from './filter.ts';
import { type Mask, maskOf, parseMask } from './mask.ts';
import { type OrderKey, parseOrder } from './order.ts';
import { bad, faultAt, good, type Parsed, unexpected } from './query-fault.ts';
import { type CollectionShape, nameReader } from './shape.ts';

/** Query parameters, decoded: a `URLSearchParams`, or names with their values. */
export type QueryParams = Iterable<readonly [name: string, text: string]>;

/** The query of a single item. */
export interface ItemQuery {
  /** Which fields to show; absent: all. */
  readonly mask: Mask | undefined;
  /** Nested objects become dotted keys. */
  readonly flat: boolean;
}

/** The query of a list. It contains a compiled filter, so it stays in the process; the texts can be sent. */
export interface CollectionQuery extends ItemQuery {
  readonly filter: CompiledFilter | undefined;
  readonly offset: number;
  readonly limit: number;
  /** Absent: the list's default order. */
  readonly order: readonly OrderKey[] | undefined;
  /** Only the number of items that pass the filter is requested. */
  readonly countonly: boolean;
}

/** Returns a parameter's value from its texts, one for each occurrence. */
type Parser<V> = (texts: readonly string[]) => Parsed<V>;

type Parsers<Q> = { readonly [K in keyof Q]: Parser<Q[K]> };

/**
 * Reads the parameters of a list: `filter`, `mask`, `offset` (from 0, default 0), `limit` (0 to 10000, default 1000),
 * `order`, `flat`, and `countonly` where the list takes it. (names documented, `countonly` and bounds chosen)
 *
 * An empty `mask` or `order` counts as not given; an empty `filter` is a fault. (chosen)
 */
export function parseCollectionQuery<T extends object>(
  params: QueryParams,
  shape: CollectionShape<T>,
): Parsed<CollectionQuery> {
  const parsers = listParsers.get(shape) ?? parsersOf(shape);
  listParsers.set(shape, parsers);
  return parseParams(params, parsers);
}

/** The parsers of a shape are made once. */
const listParsers = new WeakMap<object, Parsers<CollectionQuery>>();

function parsersOf<T extends object>(shape: CollectionShape<T>): Parsers<CollectionQuery> {
  const readName = nameReader(shape);
  const { fields, defaultFields } = shape;
  const defaultMask = defaultFields && maskOf(defaultFields);
  return {
    filter: once('filter', undefined, (text) => parseFilter(text, readName)),
    mask: once('mask', defaultMask, (text) => good(text === '' ? defaultMask : parseMask(text, { fields, readName }))),
    offset: once('offset', 0, (text) => parseInteger('offset', text, Number.MAX_SAFE_INTEGER)),
    limit: once('limit', limits.pageItemsDefault, (text) => parseInteger('limit', text, limits.pageItems)),
    order: once('order', undefined, (text) => parseOrder(text, readName)),
    flat: once('flat', false, (text) => parseFlag('flat', text)),
    countonly: shape.isCountable ? once('countonly', false, (text) => parseFlag('countonly', text)) : () => good(false),
  };
}

/**
 * Reads the parameters of a single item: `mask` and `flat`. (documented)
 *
 * A single item is shown with all its fields, and its mask may name any of them: `fields` and `defaultFields` of the
 * shape are about lists. (chosen)
 */
export function parseItemQuery<T extends object>(params: QueryParams, shape: CollectionShape<T>): Parsed<ItemQuery> {
  const readName = nameReader(shape);
  return parseParams<ItemQuery>(params, {
    mask: once('mask', undefined, (text) => good(text === '' ? undefined : parseMask(text, { readName }))),
    flat: once('flat', false, (text) => parseFlag('flat', text)),
  });
}

function parseParams<Q extends object>(params: QueryParams, parsers: Parsers<Q>): Parsed<Q> {
  const texts = new Map<string, string[]>();
  for (const [name, text] of params) {
    const given = texts.get(name);
    if (given === undefined) texts.set(name, [text]);
    else given.push(text);
  }
  const query: Partial<Q> = {};
  for (const name of Object.keys(parsers) as (keyof Q & string)[]) {
    const parsed = parsers[name](texts.get(name) ?? notGiven);
    if (!parsed.ok) return parsed;
    query[name] = parsed.value;
  }
  return good(query as Q);
}

const notGiven: readonly string[] = [];

function once<V>(field: string, whenAbsent: V, parse: (text: string) => Parsed<V>): Parser<V> {
  const absent = good(whenAbsent);
  return (texts) => {
    const text = texts[0];
    if (text === undefined) return absent;
    return texts.length > 1 ? bad(faultAt(field, '', 'given twice')) : parse(text);
  };
}

function parseInteger(field: string, text: string, most: number): Parsed<number> {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value <= most) return good(value);
  return bad(unexpected(field, '', { wanted: `an integer from 0 to ${most}`, got: text }));
}

/** Reads a query boolean; a bare name is true. */
function parseFlag(field: string, text: string): Parsed<boolean> {
  if (text === '' || text === 'true' || text === '1') return good(true);
  if (text === 'false' || text === '0') return good(false);
  return bad(unexpected(field, '', { wanted: 'true, false, 1 or 0', got: text }));
}
