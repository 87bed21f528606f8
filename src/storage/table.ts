/** The rows of one kind of entity in memory: by id, by their unique and indexed fields, and in the order of lists. */
import { readProperty } from '../model/collection/property.ts';
import type { Entity } from '../model/entities/entity.ts';
import type { DataRow } from '../model/protocol/messages/data.ts';

/** Names the items among which a value is unique and that a list shows: those of a domain, or of one parent in it. */
export function collectionKeyOf({ domain, parent }: { domain: string; parent?: string | undefined }): string {
  return parent === undefined ? domain : `${domain}/${parent}`;
}

interface Index {
  readonly path: readonly string[];
  readonly ids: Map<string, Set<string>>;
}

export class Table {
  readonly entity: Entity;
  readonly #rows = new Map<string, DataRow>();
  /** By collection, each by creation and then id. */
  readonly #orders = new Map<string, DataRow[]>();
  readonly #indexes: ReadonlyMap<string, Index>;
  /** Rows were added in no order. */
  #isUnordered = false;

  constructor(entity: Entity) {
    this.entity = entity;
    const names = [...entity.unique, ...(entity.indexed ?? [])];
    this.#indexes = new Map(names.map((name) => [name, { path: name.split('.'), ids: new Map() }]));
  }

  get size(): number {
    return this.#rows.size;
  }

  get(id: string): DataRow | undefined {
    return this.#rows.get(id);
  }

  /** All rows, each collection in its order. */
  *all(): Generator<DataRow> {
    for (const order of this.#orders.values()) yield* order;
  }

  /** Adds a row, or replaces the one of its id. */
  put(row: DataRow): void {
    this.drop(row.item.id);
    this.#index(row);
    this.#insert(this.#orderOf(collectionKeyOf(row)), row);
  }

  /** Adds one of many rows, which have new ids; `sort` comes after the last. */
  add(row: DataRow): void {
    this.#index(row);
    this.#orderOf(collectionKeyOf(row)).push(row);
    this.#isUnordered = true;
  }

  sort(): void {
    if (this.#isUnordered) for (const order of this.#orders.values()) order.sort(compareRows);
    this.#isUnordered = false;
  }

  drop(id: string): void {
    const row = this.#rows.get(id);
    if (row === undefined) return;
    this.#rows.delete(id);
    for (const index of this.#indexes.values()) {
      const key = keyOf(row, index);
      const ids = index.ids.get(key);
      ids?.delete(id);
      if (ids?.size === 0) index.ids.delete(key);
    }
    const collectionKey = collectionKeyOf(row);
    const order = this.#orderOf(collectionKey);
    order.splice(positionOf(order, row), 1);
    if (order.length === 0) this.#orders.delete(collectionKey);
  }

  /** The rows of a collection in the order of lists: by creation, then by id. Not to be kept: it changes with the table. */
  inOrder(collectionKey: string): readonly DataRow[] {
    return this.#orders.get(collectionKey) ?? [];
  }

  /** The first rows of a collection, at most `most`, by creation, the newest first, and then by id. */
  newestFirst(collectionKey: string, most: number): DataRow[] {
    const order = this.inOrder(collectionKey);
    const found: DataRow[] = [];
    for (let end = order.length; end > 0 && found.length < most; ) {
      const { ct } = (order[end - 1] as DataRow).item.ext;
      let start = end - 1;
      while (start > 0 && order[start - 1]?.item.ext.ct === ct) start -= 1;
      for (let at = start; at < end; at += 1) found.push(order[at] as DataRow);
      end = start;
    }
    return found;
  }

  /** Whether rows are found by this field. */
  hasIndex(name: string): boolean {
    return name === 'id' || this.#indexes.has(name);
  }

  /** How many rows have a value in an indexed field of a collection. */
  countOf(collectionKey: string, name: string, value: unknown): number {
    return name === 'id' ? 1 : (this.#indexes.get(name)?.ids.get(indexKey(collectionKey, value))?.size ?? 0);
  }

  /** The rows of a collection that have a value in an indexed field, in the order of lists. */
  find(collectionKey: string, name: string, value: unknown): DataRow[] {
    const rows = [...this.#idsOf(collectionKey, name, value)].flatMap((id) => this.#rows.get(id) ?? []);
    return rows.filter((row) => collectionKeyOf(row) === collectionKey).sort(compareRows);
  }

  /** The row of a collection that has a value in a unique field. */
  findOne(collectionKey: string, name: string, value: string): DataRow | undefined {
    for (const id of this.#idsOf(collectionKey, name, value)) {
      const row = this.#rows.get(id);
      if (row !== undefined) return row;
    }
    return undefined;
  }

  #idsOf(collectionKey: string, name: string, value: unknown): Iterable<string> {
    if (name === 'id') return typeof value === 'string' ? [value] : [];
    return this.#indexes.get(name)?.ids.get(indexKey(collectionKey, value)) ?? [];
  }

  #index(row: DataRow): void {
    const { id } = row.item;
    this.#rows.set(id, row);
    for (const index of this.#indexes.values()) {
      const key = keyOf(row, index);
      const ids = index.ids.get(key);
      if (ids === undefined) index.ids.set(key, new Set([id]));
      else ids.add(id);
    }
  }

  #orderOf(collectionKey: string): DataRow[] {
    const order = this.#orders.get(collectionKey);
    if (order !== undefined) return order;
    const empty: DataRow[] = [];
    this.#orders.set(collectionKey, empty);
    return empty;
  }

  #insert(order: DataRow[], row: DataRow): void {
    const last = order.at(-1);
    if (last === undefined || compareRows(last, row) < 0) order.push(row);
    else order.splice(positionOf(order, row), 0, row);
  }
}

/** By creation, then by id: texts of digits, letters and `-` only, so that any comparison gives the same. */
function compareRows(a: DataRow, b: DataRow): number {
  const one = a.item;
  const other = b.item;
  if (one.ext.ct !== other.ext.ct) return one.ext.ct < other.ext.ct ? -1 : 1;
  if (one.id === other.id) return 0;
  return one.id < other.id ? -1 : 1;
}

/** How many rows of an order come before this one. */
function positionOf(order: readonly DataRow[], row: DataRow): number {
  let low = 0;
  let high = order.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareRows(order[middle] as DataRow, row) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function keyOf(row: DataRow, { path }: Index): string {
  return indexKey(collectionKeyOf(row), readProperty(row.item, path));
}

function indexKey(collectionKey: string, value: unknown): string {
  return `${collectionKey}\n${JSON.stringify(value ?? null)}`;
}
