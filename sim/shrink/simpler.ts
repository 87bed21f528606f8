/** Ways to say less in a scenario: each gives another one, which may still fail in the same way. */
import { blocksOf } from '../scenario/step-tree.ts';
import { at, type Data, objectsIn, type Path, put } from './data.ts';

/** Lists from which items can be taken away one by one. */
const lists = new Set(['steps', 'parallel', 'eventually', 'sometimes', 'requests', 'changes']);

/** The places of such lists, the outermost first. */
export function listsIn(scenario: Data): Path[] {
  const places: Path[] = [];
  for (const { path, object } of objectsIn(scenario)) {
    if (path.includes('request') || path.includes('expect')) continue;
    for (const [key, value] of Object.entries(object)) {
      if (lists.has(key) && Array.isArray(value)) places.push([...path, key]);
    }
  }
  return places.toSorted((a, b) => a.length - b.length);
}

/** The scenario with a block replaced by the steps in it: all of them one after the other, or one branch alone. */
export function* unfolded(scenario: Data): Generator<Data> {
  for (const place of listsIn(scenario).filter((path) => path.at(-1) === 'steps')) {
    const steps = at(scenario, place) as readonly Data[];
    for (const [i, step] of steps.entries()) {
      const blocks = blocksOf(step);
      if (blocks.length === 0) continue;
      const alternatives = blocks.length > 1 ? [...blocks, blocks.flat()] : blocks;
      for (const block of alternatives) yield put(scenario, place, steps.toSpliced(i, 1, ...block)) as Data;
    }
  }
}

/** A change of one thing, by its place, so that it can be tried on what has become simpler meanwhile. */
export interface Change {
  readonly path: Path;
  readonly value: unknown;
}

/** `failing`: the name of the oracle that fails, if it is one that does: no other is needed then. */
export function changesOf(scenario: Data, failing: string | undefined): Change[] {
  const drop = (key: string): Change[] => (key in scenario ? [{ path: [key], value: undefined }] : []);
  const workload = scenario['workload'];
  const parts = typeof workload === 'object' && workload !== null ? Object.keys(workload) : [];
  return [
    { path: ['always'], value: failing === undefined ? [] : [failing] },
    ...['workload', 'faultPoints', 'eventually', 'sometimes', 'promise', 'atFailure'].flatMap(drop),
    ...(parts.length > 1 ? parts.map((part): Change => ({ path: ['workload', part], value: undefined })) : []),
    ...[...objectsIn(scenario)].flatMap(({ path, object }) => changesIn(path, object)),
  ].filter(({ path, value }) => JSON.stringify(at(scenario, path)) !== JSON.stringify(value));
}

const droppable = ['at', 'every', 'until', 'when', 'expect', 'save', 'mix', 'holding', 'rooms'];
/** Not `within`: what has no time to come true fails for another reason. */
const durations = ['wait', 'at', 'every', 'holding', 'stay', 'by', 'until', 'for'];
const untouched = new Set(['body', 'items', 'set', 'seen', 'when', 'until', 'promise']);
const rates = ['rate', 'times'];

function changesIn(path: Path, object: Data): Change[] {
  // What a request says, what is expected of its answer and what is to be seen is not ours to change.
  if (path.some((part) => untouched.has(String(part)))) return [];
  const to = (key: string, values: readonly unknown[]) =>
    values.map((value): Change => ({ path: [...path, key], value }));
  return Object.entries(object).flatMap(([key, value]) => [
    ...(key === 'every' ? [onceInstead(path, object)] : droppable.includes(key) ? to(key, [undefined]) : []),
    ...(durations.includes(key) && typeof value === 'string' ? to(key, shorter(value)) : []),
    ...(rates.includes(key) ? to(key, fewer(value)) : []),
    ...(key === 'probability' && value !== 1 ? to(key, [1]) : []),
  ]);
}

/** What is done again and again is done once. */
function onceInstead(path: Path, { every, times, until, ...rest }: Data): Change {
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
