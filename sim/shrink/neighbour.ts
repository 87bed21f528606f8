/** The nearest candidate that passes: what one change makes of a failing scenario. */
import { at, type Candidate, objectsIn, type PlainData, put } from './candidates.ts';

/** A scenario without faults: each of them is a moment instead, so that all other steps keep their times. */
export function withoutFaults(scenario: PlainData): PlainData {
  let calm = put(scenario, ['faultPoints'], undefined) as PlainData;
  for (const { path, object } of [...objectsIn(scenario)])
    if ('fault' in object && path.at(-2) === 'steps') calm = put(calm, path, momentFor(object)) as PlainData;
  return calm;
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

/** The smallest of the changes that lead from `failing` to one of `passing`, faults first, in words. */
export function nearestOf(failing: Candidate, passing: readonly Candidate[]): string | undefined {
  const changes = passing.flatMap((each) => changeBetween(failing, each) ?? []);
  const [nearest] = changes.sort((a, b) => Number(b.isFault) - Number(a.isFault) || a.text.length - b.text.length);
  return nearest?.text;
}

function changeBetween(one: unknown, other: unknown, name = ''): Change | undefined {
  if (JSON.stringify(one) === JSON.stringify(other)) return undefined;
  if (Array.isArray(one) && Array.isArray(other)) {
    const index = one.findIndex((item, i) => JSON.stringify(item) !== JSON.stringify(other[i]));
    if (one.length === other.length) return changeBetween(one[index], other[index], name);
    const gone = one.length - other.length;
    return without(gone === 1 ? one[index] : one.slice(index, index + gone));
  }
  if (!isObject(one) || !isObject(other)) return changed(name, one, other);
  const key = Object.keys(one).find((each) => JSON.stringify(one[each]) !== JSON.stringify(other[each])) ?? '';
  if (other[key] === undefined) return without({ [key]: at(one, [key]) });
  return changeBetween(one[key], other[key], key);
}

function without(part: unknown): Change {
  const text = JSON.stringify(part);
  return { text: `without ${text}`, isFault: text.startsWith('{"fault"') };
}

function changed(name: string, was: unknown, now: unknown): Change {
  return { text: `with ${name} ${JSON.stringify(now)} in place of ${JSON.stringify(was)}`, isFault: false };
}

function isObject(value: unknown): value is PlainData {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
