/** The steps to a property of an item: `ext.ct` is `['ext', 'ct']`. */
export type PropertyPath = readonly string[];

/** An object with named members: neither null nor an array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The property at `path`, or `undefined`.
 *
 * Only own properties of objects are read: neither inherited ones (`constructor`, `__proto__`), nor members of arrays and
 * strings (`roles.0`, `name.length`), which are values as a whole. (chosen)
 */
export function readProperty(item: object, path: PropertyPath): unknown {
  let value: unknown = item;
  for (const name of path) {
    if (!isRecord(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/**
 * Whether two values are equal: the same type and content, arrays member by member, objects regardless of the order of
 * their keys. A member that is `undefined` counts as absent, as in JSON. Not recursive, because values may be deep.
 */
export function isSame(left: unknown, right: unknown): boolean {
  if (!isComposite(left) || !isComposite(right)) return (left ?? null) === (right ?? null);
  const pairs: [unknown, unknown][] = [[left, right]];
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [a, b] = pair;
    if (a === b) continue;
    if (Array.isArray(a) && Array.isArray(b)) {
      if (a.length !== b.length) return false;
      for (const [index, member] of a.entries()) pairs.push([member, b[index]]);
    } else if (isRecord(a) && isRecord(b)) {
      const names = definedNames(a);
      if (names.length !== definedNames(b).length) return false;
      for (const name of names) {
        if (!Object.hasOwn(b, name) || b[name] === undefined) return false;
        pairs.push([a[name], b[name]]);
      }
    } else if ((a ?? null) !== (b ?? null)) return false;
  }
  return true;
}

function isComposite(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function definedNames(record: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(record).filter((name) => record[name] !== undefined);
}

/** Below, at or above 0 for two numbers or two strings; NaN, for which every comparison is false, for other values. */
export function compareAlike(left: unknown, right: unknown): number {
  if (typeof left === 'number' && typeof right === 'number') return compareNumbers(left, right);
  if (typeof left === 'string' && typeof right === 'string') return compareTexts(left, right);
  return Number.NaN;
}

/**
 * A total order of all values, for filters and orders (chosen): null, which a missing property counts as, first, then false,
 * true, numbers, strings, and last arrays and objects, which are equal to each other here.
 */
export function compareValues(left: unknown, right: unknown): number {
  const rank = rankOf(left);
  if (rank !== rankOf(right)) return rank - rankOf(right);
  return compareAlike(left, right) || 0;
}

function rankOf(value: unknown): number {
  if (value === undefined || value === null) return 0;
  if (typeof value === 'boolean') return value ? 2 : 1;
  if (typeof value === 'number') return Number.isNaN(value) ? 3 : 4;
  return typeof value === 'string' ? 5 : 6;
}

/** Not by subtraction: the difference of infinities is NaN. */
function compareNumbers(left: number, right: number): number {
  if (left < right) return -1;
  return left > right ? 1 : 0;
}

/** By code points, which is the order of the UTF-8 bytes: independent of the locale. */
function compareTexts(left: string, right: string): number {
  if (left === right) return 0;
  const shorter = Math.min(left.length, right.length);
  for (let at = 0; at < shorter; at++) {
    const a = left.codePointAt(at) as number;
    const b = right.codePointAt(at) as number;
    if (a !== b) return a - b;
  }
  return left.length - right.length;
}
