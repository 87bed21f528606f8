/**
 * Lists of domain data: what a query picks of the rows of a table. What can be found by a field that is indexed is; else
 * the rows are looked at one after the other, with pauses for others, and not for longer than there is time.
 */
import { applyItem } from '../model/collection/collection.ts';
import type { Filter } from '../model/collection/filter.ts';
import { ascending, compareRows, type OrderKey } from '../model/collection/order.ts';
import { readProperty } from '../model/collection/property.ts';
import type { CollectionQuery } from '../model/collection/query.ts';
import type { Item } from '../model/entities/entity.ts';
import { shownTo } from '../model/entities/item.ts';
import { done, failed, fault, type Outcome } from '../model/fault.ts';
import type { Row } from '../model/protocol/data.ts';
import type { Clock } from '../ports/clock.ts';
import { equalitiesOf } from './equalities.ts';
import { Pace } from './pace.ts';
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

/** A page of the items of a scope, or their number. It shows one moment, however long it takes. */
export async function search(table: Table, scope: string, how: Search, clock: Clock): Promise<Outcome<Found>> {
  const { query, isAdmin } = how;
  const { filter, order, offset, limit, countonly } = query;
  const show = shownTo(table.entity, isAdmin);
  const pageOf = (items: readonly Item[]) => items.map((item) => applyItem(item, query));
  if (filter === undefined && countonly) return done({ items: [], count: table.inOrder(scope).length });
  if (filter === undefined && (order === undefined || isNewestFirst(order))) {
    const rows = order === undefined ? table.inOrder(scope) : table.newestFirst(scope, offset + limit);
    return done({ items: pageOf(rows.slice(offset, offset + limit).map(({ item }) => show(item))) });
  }
  const looking = new Looking(candidates(table, scope, how), show, { clock, untilMs: how.untilMs });
  const most = countonly || order !== undefined ? Infinity : offset + limit;
  const found = await looking.passing(filter ?? (() => true), most);
  if (!found.ok) return found;
  if (countonly) return done({ items: [], count: found.value.length });
  const sorted = order === undefined ? found : await looking.sorted(found.value, order, offset + limit);
  return sorted.ok ? done({ items: pageOf(sorted.value.slice(offset, offset + limit)) }) : sorted;
}

/** The rows among which those sought must be, in the order of lists. Rows don't change; the array is nobody else's. */
function candidates(table: Table, scope: string, { query, params }: Search): readonly Row[] {
  const [, text] = params.find(([name]) => name === 'filter') ?? [];
  if (query.filter === undefined || text === undefined) return table.inOrder(scope).slice();
  const equality = equalitiesOf(text, table.entity.names ?? {}).find(({ name }) => table.hasIndex(name));
  return equality === undefined ? table.inOrder(scope).slice() : table.find(scope, equality.name, equality.value);
}

function isNewestFirst([key, ...others]: readonly OrderKey[]): boolean {
  return others.length === 0 && key?.isDescending === true && key.path.join('.') === 'ext.ct';
}

/** A look at many rows, with pauses. */
class Looking {
  readonly #rows: readonly Row[];
  readonly #show: (item: Item) => Item;
  readonly #clock: Clock;
  readonly #untilMs: number;
  readonly #pace: Pace;

  constructor(rows: readonly Row[], show: (item: Item) => Item, { clock, untilMs }: { clock: Clock; untilMs: number }) {
    this.#rows = rows;
    this.#show = show;
    this.#clock = clock;
    this.#untilMs = untilMs;
    this.#pace = new Pace(clock);
  }

  /** The first items, at most `most`, that pass a filter. */
  async passing(filter: Filter, most: number): Promise<Outcome<Item[]>> {
    const found: Item[] = [];
    for (const [index, row] of this.#rows.entries()) {
      if (found.length >= most) break;
      const item = this.#show(row.item);
      if (filter(item)) found.push(item);
      if (this.#pace.isPauseDue() && !(await this.#pause())) return this.#late(`${index + 1} looked at`);
    }
    return done(found);
  }

  /** The first `most` items in an order: runs are sorted and cut, then merged. */
  async sorted(items: readonly Item[], order: readonly OrderKey[], most: number): Promise<Outcome<Item[]>> {
    const keys = [...order, ...ascending(['id'])];
    const compare: Compare = (a, b) => compareRows(a.values, b.values, keys);
    let runs: Sortable[][] = [];
    for (let at = 0; at < items.length; at += runRows) {
      const run = items
        .slice(at, at + runRows)
        .map((item) => ({ item, values: keys.map(({ path }) => readProperty(item, path)) }));
      runs.push(run.sort(compare).slice(0, most));
      if (this.#pace.isPauseDue() && !(await this.#pause())) return this.#late('not sorted yet');
    }
    while (runs.length > 1) {
      const merged: Sortable[][] = [];
      for (let i = 0; i < runs.length; i += 2) {
        const run = await this.#merged(runs[i] ?? [], runs[i + 1] ?? [], { compare, most });
        if (run === undefined) return this.#late('not sorted yet');
        merged.push(run);
      }
      runs = merged;
    }
    return done((runs[0] ?? []).map(({ item }) => item));
  }

  /** The first `most` of two sorted runs; `undefined` when the time is over. */
  async #merged(one: readonly Sortable[], other: readonly Sortable[], { compare, most }: Merging) {
    const merged: Sortable[] = [];
    let [a, b] = [0, 0];
    while (merged.length < most && (a < one.length || b < other.length)) {
      const [left, right] = [one[a], other[b]];
      const isLeft = right === undefined || (left !== undefined && compare(left, right) <= 0);
      merged.push((isLeft ? left : right) as Sortable);
      if (isLeft) a += 1;
      else b += 1;
      if (this.#pace.isPauseDue() && !(await this.#pause())) return undefined;
    }
    return merged;
  }

  /** Gives others their turn. False when the time is over. */
  async #pause(): Promise<boolean> {
    if (this.#clock.now() >= this.#untilMs) return false;
    await this.#pace.pause();
    return true;
  }

  #late(state: string): Outcome<never> {
    const message = `the list was not done in time: ${this.#rows.length} items, ${state}; name a key in the filter`;
    return failed(fault('timeout', message));
  }
}

const runRows = 500;

interface Sortable {
  readonly item: Item;
  readonly values: readonly unknown[];
}

type Compare = (a: Sortable, b: Sortable) => number;

interface Merging {
  readonly compare: Compare;
  readonly most: number;
}
