/** The order of a list: its names and directions, and a sort that works in slices. */
import { limits } from '../limits.ts';
import { compareValues, isRecord, type PropertyPath, readProperty } from './property.ts';
import { bad, faultAt, good, type Parsed, type QueryFault, readJson, shown, unexpected } from './query-fault.ts';
import { type NameReader, pathOf } from './shape.ts';
import { itemSteps, type Sliced, Steps } from './slices.ts';

/** One name of an order: the property and the direction. */
export interface OrderKey {
  readonly path: PropertyPath;
  readonly isDescending: boolean;
}

/** Names without JSON. Ambiguous texts (`-name`, `name desc`) are refused. */
const bareNames = /^[\w.]+(,[\w.]+)*$/;

/** An order by `names`, all ascending. */
export function ascending(names: readonly string[]): OrderKey[] {
  return names.map((name) => ({ path: pathOf(name), isDescending: false }));
}

/**
 * Reads `order`: a JSON array of names (ascending) or objects of one name with `"asc"` or `"desc"`. (chosen)
 *
 * Also taken, since they can mean only one thing: one such name or object without the array, and bare names with
 * commas between them (`order=name,ext.ct`). An empty text or array is no order.
 */
export function parseOrder(text: string, readName: NameReader): Parsed<readonly OrderKey[] | undefined> {
  const read = text === '' ? good([]) : bareNames.test(text) ? good(text.split(',')) : readJson('order', text);
  if (!read.ok) return read;
  const json = read.value;
  if (typeof json !== 'string' && typeof json !== 'object') {
    return bad(unexpected('order', '', { wanted: 'a JSON array of names', got: json === undefined ? text : json }));
  }
  const terms = Array.isArray(json) ? json : [json];
  if (terms.length > limits.orderNames) return bad(faultAt('order', '', `more than ${limits.orderNames} names`));
  const keys: OrderKey[] = [];
  for (const [index, term] of terms.entries()) {
    const key = readTerm(term, Array.isArray(json) ? `[${index}]` : '', readName);
    if ('message' in key) return bad(key);
    keys.push(key);
  }
  return good(keys.length > 0 ? keys : undefined);
}

function readTerm(term: unknown, path: string, readName: NameReader): OrderKey | QueryFault {
  if (typeof term === 'string') return keyOf(term, path, { readName, isDescending: false });
  const [entry, ...others] = isRecord(term) ? Object.entries(term) : [];
  if (entry === undefined || others.length > 0) {
    return unexpected('order', path, { wanted: 'a name or {name: "asc" or "desc"} with one name', got: term });
  }
  const [name, way] = entry;
  if (way !== 'asc' && way !== 'desc') {
    return unexpected('order', `${path}[${shown(name)}]`, { wanted: '"asc" or "desc"', got: way });
  }
  return keyOf(name, path, { readName, isDescending: way === 'desc' });
}

function keyOf(
  name: string,
  path: string,
  { readName, isDescending }: { readonly readName: NameReader; readonly isDescending: boolean },
): OrderKey | QueryFault {
  const problem = readName.problemOf(name);
  if (problem !== undefined) return faultAt('order', path, problem);
  return { path: pathOf(readName.translate(name)), isDescending };
}

/** Compares two items by the values that they have for the keys of an order. */
export function compareRows(a: readonly unknown[], b: readonly unknown[], keys: readonly OrderKey[]): number {
  for (const [index, { isDescending }] of keys.entries()) {
    const order = compareValues(a[index], b[index]);
    if (order !== 0) return isDescending ? -order : order;
  }
  return 0;
}

/** Limits of a run in items, and in characters to compare, unless it has one item. */
const runItems = 500;
const runChars = 20_000;

interface Sortable<T> {
  readonly item: T;
  readonly values: readonly unknown[];
  /** Characters of its values. */
  readonly letters: number;
}

type Compare<T> = (a: Sortable<T>, b: Sortable<T>) => number;

/**
 * The first `most` items in the order of `keys`, null and missing first when ascending. The sort is stable, and in slices:
 * runs are sorted, then merged, so that a step compares at most two long texts.
 */
export function* sorted<T extends object>(
  items: readonly T[],
  keys: readonly OrderKey[],
  most = Number.POSITIVE_INFINITY,
): Sliced<T[]> {
  const compare: Compare<T> = (a, b) => compareRows(a.values, b.values, keys);
  let runs = yield* runsOf(items, keys, { compare, most });
  while (runs.length > 1) {
    const merged: Sortable<T>[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      merged.push(yield* merging(runs[at] ?? [], runs[at + 1] ?? [], { compare, most }));
    }
    runs = merged;
  }
  return (runs[0] ?? []).map(({ item }) => item);
}

interface Sorting<T> {
  readonly compare: Compare<T>;
  readonly most: number;
}

function* runsOf<T extends object>(
  items: readonly T[],
  keys: readonly OrderKey[],
  { compare, most }: Sorting<T>,
): Sliced<Sortable<T>[][]> {
  const runs: Sortable<T>[][] = [];
  const steps = new Steps();
  let run: Sortable<T>[] = [];
  let letters = 0;
  for (const item of items) {
    const next = sortableOf(item, keys);
    if (run.length >= runItems || (run.length > 0 && letters + next.letters > runChars)) {
      // Each item is compared as often as a run can be halved.
      if (run.length > 1) steps.add(letters * 8);
      runs.push(run.sort(compare).slice(0, most));
      run = [];
      letters = 0;
    }
    run.push(next);
    letters += next.letters;
    steps.add(itemSteps);
    if (steps.areMany) yield steps.take();
  }
  if (run.length > 0) runs.push(run.sort(compare).slice(0, most));
  yield steps.take();
  return runs;
}

function sortableOf<T extends object>(item: T, keys: readonly OrderKey[]): Sortable<T> {
  let letters = 0;
  const values = keys.map(({ path }) => {
    const value = readProperty(item, path);
    if (typeof value === 'string') letters += value.length;
    return value;
  });
  return { item, values, letters };
}

function* merging<T>(
  one: readonly Sortable<T>[],
  other: readonly Sortable<T>[],
  { compare, most }: Sorting<T>,
): Sliced<Sortable<T>[]> {
  const merged: Sortable<T>[] = [];
  const steps = new Steps();
  let [a, b] = [0, 0];
  while (merged.length < most) {
    const [left, right] = [one[a], other[b]];
    if (left === undefined && right === undefined) break;
    const isLeft = right === undefined || (left !== undefined && compare(left, right) <= 0);
    merged.push((isLeft ? left : right) as Sortable<T>);
    if (isLeft) a += 1;
    else b += 1;
    steps.add(itemSteps / 10 + Math.min(left?.letters ?? 0, right?.letters ?? 0));
    if (steps.areMany) yield steps.take();
  }
  yield steps.take();
  return merged;
}
