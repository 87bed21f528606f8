/** Simplifications of a scenario: each gives another one, which may still fail in the same way. */
import { blocksOf } from '../scenario/language/steps.ts';

/** A scenario or a topology as plain data. */
export type PlainData = Readonly<Record<string, unknown>>;
export type Path = readonly (string | number)[];

/** A scenario and its topology. */
export interface Candidate {
  readonly scenario: PlainData;
  readonly topology: PlainData;
}

export function at(data: unknown, path: Path): unknown {
  return path.reduce<unknown>((found, key) => (found as Record<string | number, unknown> | undefined)?.[key], data);
}

/** A copy with another value at a path, or without it for `undefined`. */
export function put(data: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(data)) return data.with(Number(key), put(data[Number(key)], rest, value));
  const child = put((data as PlainData)[key], rest, value);
  if (child !== undefined) return { ...(data as PlainData), [key]: child };
  return Object.fromEntries(Object.entries(data as PlainData).filter(([name]) => name !== key));
}

/** Every object in `data` with its path, from outside to inside. */
export function* objectsIn(data: unknown, path: Path = []): Generator<{ path: Path; object: PlainData }> {
  if (typeof data !== 'object' || data === null) return;
  if (!Array.isArray(data)) yield { path, object: data as PlainData };
  for (const [key, value] of Object.entries(data)) {
    yield* objectsIn(value, [...path, Array.isArray(data) ? Number(key) : key]);
  }
}

/**
 * A list from which no single item can be removed while `holds` is true of it (delta debugging, Zeller and Hildebrandt).
 * `holds` is true of `items`, and is called with shorter lists.
 */
export async function shrinkList<T>(
  items: readonly T[],
  holds: (shorter: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  let best = items;
  let size = Math.ceil(best.length / 2);
  while (best.length > 0 && size >= 1) {
    const shorter = await withoutOneChunk(best, size, holds);
    if (shorter !== undefined) best = shorter;
    else if (size === 1) break;
    else size = Math.ceil(size / 2);
    size = Math.min(size, best.length);
  }
  return best;
}

/** Chunks at the end first: little depends on late items. */
async function withoutOneChunk<T>(
  items: readonly T[],
  size: number,
  holds: (shorter: readonly T[]) => Promise<boolean>,
): Promise<readonly T[] | undefined> {
  for (let end = items.length; end > 0; end -= size) {
    const shorter = [...items.slice(0, Math.max(0, end - size)), ...items.slice(end)];
    if (await holds(shorter)) return shorter;
  }
  return undefined;
}

type Holds = (topology: PlainData) => Promise<boolean>;

/**
 * A topology from whose lists no item can be removed. `holds` is true of `topology`, and is called with smaller ones.
 */
export async function smallerTopology(topology: PlainData, holds: Holds): Promise<PlainData> {
  let best = topology;
  const shrinkAt = async (path: Path) => {
    const items = at(best, path);
    if (!Array.isArray(items) || items.length === 0) return;
    const fewer = await shrinkList(items, (shorter) => holds(put(best, path, shorter) as PlainData));
    if (fewer.length < items.length) best = put(best, path, fewer) as PlainData;
  };
  await shrinkAt(['sites']);
  await shrinkAt(['domains']);
  for (const s of indices(at(best, ['sites']))) {
    await shrinkAt(['sites', s, 'nodes']);
    for (const n of indices(at(best, ['sites', s, 'nodes']))) await shrinkAt(['sites', s, 'nodes', n, 'instances']);
  }
  for (const d of indices(at(best, ['domains']))) {
    for (const part of ['sipusers', 'providers', 'features', 'users']) await shrinkAt(['domains', d, part]);
  }
  return best;
}

function indices(items: unknown): number[] {
  return Array.isArray(items) ? [...items.keys()] : [];
}

/** Lists whose items can be removed one by one. */
const lists = new Set(['steps', 'parallel', 'eventually', 'sometimes', 'requests', 'changes']);

/** The paths of such lists, the outermost first. */
export function listsIn(scenario: PlainData): Path[] {
  const places: Path[] = [];
  for (const { path, object } of objectsIn(scenario)) {
    if (path.includes('request') || path.includes('expect')) continue;
    for (const [key, value] of Object.entries(object)) {
      if (lists.has(key) && Array.isArray(value)) places.push([...path, key]);
    }
  }
  return places.toSorted((a, b) => a.length - b.length);
}

/** The scenario with a block replaced by its steps in sequence, or by one branch. */
export function* unfolded(scenario: PlainData): Generator<PlainData> {
  for (const place of listsIn(scenario).filter((path) => path.at(-1) === 'steps')) {
    const steps = at(scenario, place) as readonly PlainData[];
    for (const [i, step] of steps.entries()) {
      const blocks = blocksOf(step);
      if (blocks.length === 0) continue;
      const alternatives = blocks.length > 1 ? [...blocks, blocks.flat()] : blocks;
      for (const block of alternatives) yield put(scenario, place, steps.toSpliced(i, 1, ...block)) as PlainData;
    }
  }
}

/** A change at one path, so that it also applies to a scenario that is simpler by now. */
export interface Change {
  readonly path: Path;
  readonly value: unknown;
}

/** `failing`: the name of the failing oracle, if any: no other is needed then. */
export function changesOf(scenario: PlainData, failing: string | undefined): Change[] {
  const drop = (key: string): Change[] => (key in scenario ? [{ path: [key], value: undefined }] : []);
  const workload = scenario['workload'];
  const parts = typeof workload === 'object' && workload !== null ? Object.keys(workload) : [];
  return [
    { path: ['always'], value: failing === undefined ? [] : [failing] },
    ...['starts', 'workload', 'faultPoints', 'eventually', 'sometimes', 'promise', 'atFailure'].flatMap(drop),
    ...(parts.length > 1 ? parts.map((part): Change => ({ path: ['workload', part], value: undefined })) : []),
    ...[...objectsIn(scenario)].flatMap(({ path, object }) => changesIn(path, object)),
  ].filter(({ path, value }) => JSON.stringify(at(scenario, path)) !== JSON.stringify(value));
}

const droppable = ['at', 'every', 'until', 'when', 'expect', 'save', 'mix', 'holding', 'rooms'];
/** Not `within`: without time a goal fails for another reason. */
const durations = ['wait', 'at', 'every', 'holding', 'stay', 'by', 'until', 'for'];
const untouched = new Set(['body', 'items', 'set', 'seen', 'when', 'until', 'promise']);
const rates = ['rate', 'times'];
/** What the seed draws of them is the same with a smaller number. */
const drawn = ['useCases', 'drills'];

function changesIn(path: Path, object: PlainData): Change[] {
  // The contents of requests, expectations and matchers must stay.
  if (path.some((part) => untouched.has(String(part)))) return [];
  const to = (key: string, values: readonly unknown[]) =>
    values.map((value): Change => ({ path: [...path, key], value }));
  return Object.entries(object).flatMap(([key, value]) => [
    ...(key === 'every' ? [onceInstead(path, object)] : droppable.includes(key) ? to(key, [undefined]) : []),
    ...(durations.includes(key) && typeof value === 'string' ? to(key, shorter(value)) : []),
    ...(rates.includes(key) ? to(key, fewer(value)) : []),
    ...(drawn.includes(key) && typeof value === 'number' ? to(key, [0, ...fewer(value).filter(Number.isInteger)]) : []),
    ...(key === 'probability' && value !== 1 ? to(key, [1]) : []),
  ]);
}

/** A repeated step becomes a single one. */
function onceInstead(path: Path, { every, times, until, ...rest }: PlainData): Change {
  return { path, value: rest };
}

function shorter(text: string): string[] {
  return ['100ms', '1s', '2s', '5s', '10s', '30s', '60s'].filter((each) => msOf(each) < msOf(text));
}

/** Numbers below one, the smallest first; `5/s` is 5. */
function fewer(value: unknown): number[] {
  const number = Number.parseFloat(String(value));
  return [0.1, 0.5, 1, 2, 5, 10, 50].filter((each) => each < number);
}

export function msOf(text: string): number {
  const [, number = '0', unit = 'ms'] = /^([\d.]+)(ms|s|m|h)$/.exec(text) ?? [];
  return Number(number) * ({ ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }[unit] ?? 1);
}
