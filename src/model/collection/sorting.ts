/** Sorting in slices: runs are sorted and cut, then merged, so that two long texts are compared in each step at most. */
import { compareRows, type OrderKey } from './order.ts';
import { readProperty } from './property.ts';
import { itemSteps, type Sliced, Steps } from './sliced.ts';

/** A run has no more items, nor letters to compare them by, unless it is of one item. */
const runItems = 500;
const runLetters = 20_000;

interface Sortable<T> {
  readonly item: T;
  readonly values: readonly unknown[];
  /** Letters of its values. */
  readonly letters: number;
}

type Compare<T> = (a: Sortable<T>, b: Sortable<T>) => number;

/** The first `most` items in the order of `keys`, null and missing first where ascending. Equal ones keep their order. */
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
    if (run.length >= runItems || (run.length > 0 && letters + next.letters > runLetters)) {
      // Each is compared as often as a run can be halved.
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
