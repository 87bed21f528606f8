/**
 * Lists of domain data: what a query picks of the rows of a table. What can be found by a field that is indexed is; else
 * the rows are looked at one after the other, with pauses for others, and not for longer than there is time.
 */
import { passing, shown } from '../model/collection/collection.ts';
import { ascending, type OrderKey, sorted } from '../model/collection/order.ts';
import { isRecord } from '../model/collection/property.ts';
import type { CollectionQuery } from '../model/collection/query.ts';
import type { Sliced } from '../model/collection/slices.ts';
import type { EntityItem } from '../model/entities/entity.ts';
import { shownTo } from '../model/entities/item.ts';
import type { Outcome } from '../model/fault.ts';
import { limits } from '../model/limits.ts';
import type { DataRow } from '../model/protocol/messages/data.ts';
import type { Clock } from '../ports/clock.ts';
import { Pace } from '../ports/pace.ts';
import type { Table } from './table.ts';

export interface Search {
  readonly query: CollectionQuery;
  /** The texts that the query was read from. */
  readonly params: readonly (readonly [name: string, text: string])[];
  readonly isAdmin: boolean;
  /** When the answer must be there (ms since the epoch). */
  readonly untilMs: number;
}

export interface Found {
  readonly items: readonly object[];
  readonly count?: number;
}

/** A page of the items of a collection, or their number. It shows one moment, however long it takes. */
export async function search(table: Table, collectionKey: string, how: Search, clock: Clock): Promise<Outcome<Found>> {
  const all = table.inOrder(collectionKey).length;
  return new Pace(clock, how.untilMs).inTime(found(table, collectionKey, how), `${all} items, looked at one by one`);
}

function* found(table: Table, collectionKey: string, how: Search): Sliced<Found> {
  const { query, isAdmin } = how;
  const { filter, order, offset, limit, countonly } = query;
  const show = shownTo(table.entity, isAdmin);
  if (filter === undefined && countonly) return { items: [], count: table.inOrder(collectionKey).length };
  if (filter === undefined && (order === undefined || isNewestFirst(order))) {
    const rows = order === undefined ? table.inOrder(collectionKey) : table.newestFirst(collectionKey, offset + limit);
    return { items: yield* shown(shownRows(rows.slice(offset, offset + limit), show), query) };
  }
  const most = countonly || order !== undefined ? Number.POSITIVE_INFINITY : offset + limit;
  const items = yield* passing(shownRows(candidates(table, collectionKey, how), show), filter ?? everything, most);
  if (countonly) return { items: [], count: items.length };
  const ordered = order === undefined ? items : yield* sorted(items, [...order, ...ascending(['id'])], offset + limit);
  return { items: yield* shown(ordered.slice(offset, offset + limit), query) };
}

function* shownRows(rows: readonly DataRow[], show: (item: EntityItem) => EntityItem): Generator<EntityItem> {
  for (const { item } of rows) yield show(item);
}

function everything(): boolean {
  return true;
}

/** The rows among which those sought must be, in the order of lists. Rows don't change; the array is a copy. */
function candidates(table: Table, collectionKey: string, { query, params }: Search): readonly DataRow[] {
  const [, text] = params.find(([name]) => name === 'filter') ?? [];
  if (query.filter === undefined || text === undefined) return table.inOrder(collectionKey).slice();
  const equality = equalitiesOf(text, table.entity.names ?? {}).find(({ name }) => table.hasIndex(name));
  const isKey =
    equality !== undefined && table.countOf(collectionKey, equality.name, equality.value) <= limits.foundByKey;
  return isKey ? table.find(collectionKey, equality.name, equality.value) : table.inOrder(collectionKey).slice();
}

function isNewestFirst([key, ...others]: readonly OrderKey[]): boolean {
  return others.length === 0 && key?.isDescending === true && key.path.join('.') === 'ext.ct';
}

/** An equality of a filter that every match fulfils: by it an index finds the items. */
export interface Equality {
  readonly name: string;
  readonly value: unknown;
}

/** The equalities in the text of a filter that was read before; `names` are the aliases. */
export function equalitiesOf(text: string, names: Readonly<Record<string, string>>): Equality[] {
  const found = equalitiesIn(JSON.parse(text));
  return found.map(({ name, value }) => ({ name: Object.hasOwn(names, name) ? (names[name] as string) : name, value }));
}

function equalitiesIn(json: unknown): Equality[] {
  if (isRecord(json)) return Object.entries(json).map(([name, value]) => ({ name, value }));
  if (!Array.isArray(json)) return [];
  const [operator, ...operands] = json as unknown[];
  if (operator === '&&') return operands.flatMap(equalitiesIn);
  if (operator !== '==') return [];
  const [left, right] = operands;
  return [...equalityOf(left, right), ...equalityOf(right, left)];
}

function equalityOf(property: unknown, value: unknown): Equality[] {
  const isProperty = Array.isArray(property) && property[0] === 'property' && typeof property[1] === 'string';
  return isProperty && !Array.isArray(value) ? [{ name: property[1] as string, value }] : [];
}
