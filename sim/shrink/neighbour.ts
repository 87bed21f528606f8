/** The nearest candidate that passes: what one change makes of a failing scenario. */
import { type Candidate, objectsIn, type PlainData, put } from './candidates.ts';

/** A scenario without faults: each of them is a moment instead, so that all other steps keep their times. */
export function withoutFaults(scenario: PlainData): PlainData {
  let faultless = put(scenario, ['faultPoints'], undefined) as PlainData;
  for (const { path, object } of [...objectsIn(scenario)])
    if ('fault' in object && path.at(-2) === 'steps') faultless = put(faultless, path, momentFor(object)) as PlainData;
  return faultless;
}

/** A step that does nothing at the time of another. */
export function momentFor({ at: time }: PlainData): PlainData {
  return { ...(time !== undefined && { at: time }), wait: '1ms' };
}

/** Steps that act: a step behind them may expect what they have done. */
export function actsIn(scenario: PlainData): string[] {
  return [...objectsIn(scenario)].flatMap(({ path, object }) => {
    if (path.at(-2) !== 'steps') return [];
    const { request, call, phone } = object;
    const isRead = ((request as PlainData | undefined)?.['method'] ?? 'GET') === 'GET' && object['save'] === undefined;
    const act = call ?? phone ?? (isRead ? undefined : request);
    return act === undefined ? [] : [JSON.stringify(act)];
  });
}

interface Change {
  readonly text: string;
  readonly isFault: boolean;
}

/** Parts that judge a run: without them it passes for no reason that lies in the run. */
const judging = new Set(['always', 'expect', 'eventually', 'sometimes', 'promise', 'atFailure']);

/** The smallest of the changes that lead from `failing` to one of `passing`, faults first, in words. Never an empty change. */
export function nearestOf(failing: Candidate, passing: readonly Candidate[]): string | undefined {
  const changes = passing.flatMap((each) => changeBetween(failing, each, '') ?? []);
  const [nearest] = changes.sort((a, b) => Number(b.isFault) - Number(a.isFault) || a.text.length - b.text.length);
  return nearest?.text;
}

function changeBetween(one: unknown, other: unknown, name: string): Change | undefined {
  if (isSame(one, other)) return undefined;
  if (Array.isArray(one) && Array.isArray(other)) return changeOfLists(one, other, name);
  if (isObject(one) && isObject(other)) return changeOfObjects(one, other, name);
  return changed(name, one, other);
}

/** Compares what two lists have between their common beginning and their common end. */
function changeOfLists(one: readonly unknown[], other: readonly unknown[], name: string): Change | undefined {
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && isSame(one[start], other[start])) start += 1;
  let end = 0;
  while (end < shorter - start && isSame(one.at(-1 - end), other.at(-1 - end))) end += 1;
  const was = one.slice(start, one.length - end);
  const now = other.slice(start, other.length - end);
  if (now.length === 0) return without(was.length === 1 ? was[0] : was);
  return was.length === 1 && now.length === 1 ? changeBetween(was[0], now[0], name) : changed(name, was, now);
}

function changeOfObjects(one: PlainData, other: PlainData, name: string): Change | undefined {
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])].filter(
    (key) => !isSame(one[key], other[key]),
  );
  if (keys.some((key) => judging.has(key))) return undefined;
  const gone = keys.filter((key) => other[key] === undefined);
  const added = keys.filter((key) => one[key] === undefined);
  if (keys.length === gone.length || isSame(other, momentFor(one)))
    return without(Object.fromEntries(gone.map((key) => [key, one[key]])));
  const [key = ''] = keys;
  if (keys.length > 1) return changed(name, one, other);
  return added.length > 0
    ? { text: `with ${JSON.stringify({ [key]: other[key] })}`, isFault: false }
    : changeBetween(one[key], other[key], key);
}

function without(part: unknown): Change {
  return { text: `without ${JSON.stringify(part)}`, isFault: isObject(part) && 'fault' in part };
}

function changed(name: string, was: unknown, now: unknown): Change {
  const what = name === '' ? '' : `${name} `;
  return { text: `with ${what}${JSON.stringify(now)} in place of ${JSON.stringify(was)}`, isFault: false };
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function isObject(value: unknown): value is PlainData {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
