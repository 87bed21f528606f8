/** Parts of a report page: which rows of a long list stay, and the differences of an expected and an actual value. */
import type { Mismatch } from '../../scenario/report.ts';
import type { ComparedLines, MarkedLine } from './page-data.ts';

interface NearestOptions<R> {
  /** How many stay. */
  readonly most: number;
  /** Distance of a row from an important moment. */
  readonly distance: (row: R) => number;
}

/** Share of the last rows. */
const lastPart = 1 / 3;

/**
 * Chooses the rows that stay when a list by time is too long: the last ones, and of the others those nearest to an important
 * moment, of equal ones the later. For each row: whether it stays.
 */
export function nearest<R>(rows: readonly R[], { most, distance }: NearestOptions<R>): boolean[] {
  if (rows.length <= most) return rows.map(() => true);
  const last = Math.floor(most * lastPart);
  const early = rows.slice(0, rows.length - last);
  const distances = Float64Array.from(early, distance);
  const room = most - last;
  const farthest = distances.toSorted()[room] ?? 0;
  let equal = room - distances.reduce((sum, each) => sum + (each < farthest ? 1 : 0), 0);
  const stays = rows.map((_, i) => i >= early.length || (distances[i] ?? 0) < farthest);
  for (let i = early.length - 1; i >= 0 && equal > 0; i -= 1) {
    if (distances[i] !== farthest) continue;
    stays[i] = true;
    equal -= 1;
  }
  return stays;
}

/** Values that fit into one line take one. */
const lineChars = 72;
/** Of a long text only the lines near differences are kept. */
const mostLines = 400;
const nearLines = 8;

/** Expected and actual value as lines of JSON, with marked differences. */
export function comparedOf({ expected, actual, expectedAt, actualAt }: Mismatch): ComparedLines {
  return { expected: near(lines(expected, new Set(expectedAt))), actual: near(lines(actual, new Set(actualAt))) };
}

interface Place {
  readonly path: string;
  readonly indent: string;
  /** Text before and behind the value. */
  readonly name: string;
  readonly comma: string;
}

const root: Place = { path: '', indent: '', name: '', comma: '' };

/** `marks`: paths of the differences. */
function lines(value: unknown, marks: ReadonlySet<string>, { path, indent, name, comma }: Place = root): MarkedLine[] {
  const isMarked = marks.has(path) ? 1 : 0;
  const text = value === undefined ? 'none' : JSON.stringify(value);
  const below = [...marks].filter((mark) => mark !== path && isWithin(mark, path));
  const isShort = below.length === 0 && indent.length + name.length + text.length <= lineChars;
  if (typeof value !== 'object' || value === null || isShort) return [[`${indent}${name}${text}${comma}`, isMarked]];
  const children = childrenOf(value, path);
  const inner = children.flatMap(([key, child, at], i) => {
    const place = { path: at, indent: `${indent}  `, name: key, comma: i < children.length - 1 ? ',' : '' };
    return lines(child, marks, place);
  });
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const absent = absentIn(children, path, below).map((key): MarkedLine => [`${indent}  ${key}: is missing`, 1]);
  return [[`${indent}${name}${open}`, isMarked], ...inner, ...absent, [`${indent}${close}${comma}`, isMarked]];
}

type Child = readonly [name: string, value: unknown, path: string];

function childrenOf(value: object, path: string): Child[] {
  if (Array.isArray(value)) return value.map((child, i) => ['', child, `${path}[${i}]`] as const);
  return Object.entries(value).map(([key, child]) => [`${JSON.stringify(key)}: `, child, pathTo(path, key)] as const);
}

function pathTo(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

function isWithin(mark: string, path: string): boolean {
  return path === '' || mark.startsWith(`${path}.`) || mark.startsWith(`${path}[`);
}

/** Expected fields that are missing. */
function absentIn(children: readonly Child[], path: string, below: readonly string[]): string[] {
  const lost = below.filter((mark) => !children.some(([, , at]) => mark === at || isWithin(mark, at)));
  const names = lost.map((mark) => (path === '' ? mark : mark.slice(path.length + 1)).split(/[.[]/)[0] ?? '');
  return [...new Set(names)].map((key) => JSON.stringify(key));
}

function near(all: readonly MarkedLine[]): MarkedLine[] {
  if (all.length <= mostLines) return [...all];
  const marked = all.flatMap(([, isMarked], i) => (isMarked === 1 ? [i] : []));
  const isNear = (i: number) => marked.some((at) => Math.abs(at - i) <= nearLines);
  const kept: MarkedLine[] = [];
  let left = 0;
  for (const [i, line] of all.entries()) {
    const isKept = kept.length < mostLines && (i < nearLines || isNear(i));
    if (!isKept) left += 1;
    else if (left > 0) {
      kept.push([leftText(left), 0]);
      left = 0;
    }
    if (isKept) kept.push(line);
  }
  return left === 0 ? kept : [...kept, [leftText(left), 0]];
}

function leftText(lines: number): string {
  return `… ${lines} more lines`;
}
