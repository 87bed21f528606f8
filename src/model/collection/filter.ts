/**
 * The filter of a list: an expression over an item's properties, compiled once to a predicate.
 *
 * It is JSON, in one of two forms. (public: the example `["==",["property","status"],"online"]`; the rest chosen)
 * - An object of equalities that all must hold: `{"name":"a","opts.title":"b"}`. An object as a value means the dotted
 *   names: `{"opts":{"title":"b"}}` is `{"opts.title":"b"}`; an array is compared as a whole. `{}` lets everything pass.
 * - A prefix expression, `[operator, operand…]`:
 *   `&&` and `||` of two or more expressions, `!` of one;
 *   `==` of values of the same type and content, and `!=`, its negation;
 *   `<` `<=` `>` `>=` of two numbers or two strings (by code points), false for anything else;
 *   `in`, whose right operand is an array of literals or a property that has an array, else false;
 *   `like`, whose right operand is a pattern (see `LikePattern`), false unless both are strings.
 *   Operands are `["property", "dotted.name"]`, or a string, number, boolean or null. To the right of `in`,
 *   `["property", "x"]` is the property and not two strings.
 *
 * A missing property is null; a name that no item of the list can have is a fault. A node is an expression, an operand, a member of an array or a value in an object; the
 * outermost is at depth 1, its operands or values at depth 2.
 */
import { limits } from '../limits.ts';
import { compareAlike, isRecord, isSame, type PropertyPath, readProperty } from './property.ts';
import { bad, good, type Parsed, type QueryFault, readJson, unexpected } from './query-fault.ts';
import { FilterPath, type NameReader } from './shape.ts';
import { type LikePattern, Look, parseLike } from './slices.ts';

/** Returns an operand's value for an item. */
export type Operand<V> = (item: object) => V;

/** Compiles the operand at a path, or returns its problem. */
export type OperandReader<V> = (json: unknown, at: FilterPath) => Operand<V> | QueryFault;

/** `["property", name]`, a string, a number, a boolean or null. */
export const readAny = operandReader<unknown>(
  (value) => value,
  (json, at) => (isScalar(json) ? () => json : at.unexpected('["property", name] or a literal', json)),
);

/** An array of literals, or a property; a property that is not an array counts as an empty one. */
export const readArray = operandReader<readonly unknown[]>(
  (value) => (Array.isArray(value) ? value : []),
  (json, at) => {
    if (!Array.isArray(json)) return at.unexpected('an array of literals or ["property", name]', json);
    for (const [index, member] of json.entries()) {
      const inner = at.inside(index);
      const fault = inner.enter() ?? (isScalar(member) ? undefined : inner.unexpected('a literal', member));
      if (fault !== undefined) return fault;
    }
    return () => json;
  },
);

/** A pattern of `like`, or a property with one; `undefined` for a property without. */
export const readPattern = operandReader<LikePattern | undefined>(
  (value) => (typeof value === 'string' ? parseLike(value) : undefined),
  (json, at) => {
    if (typeof json !== 'string') return at.unexpected('a pattern or ["property", name]', json);
    const pattern = parseLike(json);
    return pattern === undefined ? at.fault(`pattern longer than ${limits.likeChars} characters`) : () => pattern;
  },
);

/** Counts the nodes of a literal of any JSON. Recursive only as far as the depth limit lets it. */
export function measureLiteral(json: unknown, at: FilterPath): QueryFault | undefined {
  const fault = at.enter();
  if (fault !== undefined || isScalar(json)) return fault;
  for (const [key, member] of Array.isArray(json) ? json.entries() : Object.entries(json as object)) {
    const inner = measureLiteral(member, at.inside(key));
    if (inner !== undefined) return inner;
  }
  return undefined;
}

/** A reader of properties, whose values it converts, and of what `readLiteral` takes. */
function operandReader<V>(convert: (value: unknown) => V, readLiteral: OperandReader<V>): OperandReader<V> {
  return (json, at) => {
    const fault = at.enter();
    if (fault !== undefined) return fault;
    if (!Array.isArray(json) || json[0] !== 'property') return readLiteral(json, at);
    const path = readPath(json, at);
    return 'message' in path ? path : (item) => convert(readProperty(item, path));
  };
}

function readPath(json: readonly unknown[], at: FilterPath): PropertyPath | QueryFault {
  const [, name, ...others] = json;
  if (others.length > 0) return at.fault(`property takes 1 name, got ${others.length + 1}`);
  const inner = at.inside(1);
  return typeof name === 'string' ? inner.pathOf(name) : inner.unexpected('a property name', name);
}

function isScalar(json: unknown): boolean {
  return typeof json !== 'object' || json === null;
}

/**
 * Whether an item passes the filter; `undefined` if the evaluation was interrupted and must be repeated. Without a `look`
 * it is never interrupted. Never throws.
 */
export type CompiledFilter = (item: object, look?: Look) => boolean | undefined;

/** A filter, or a part of one. */
type Part = (item: object, look: Look) => boolean | undefined;

/** An operator: how many operands it takes, and how it is compiled with them (the first is at `[1]` of its path). */
interface Operator {
  readonly least: number;
  readonly most: number;
  compile(operands: readonly unknown[], at: FilterPath): Part | QueryFault;
}

const operators: ReadonlyMap<unknown, Operator> = new Map<unknown, Operator>([
  ['==', comparison(readAny, isSame)],
  ['!=', comparison(readAny, (left, right) => !isSame(left, right))],
  ['<', comparison(readAny, (left, right) => compareAlike(left, right) < 0)],
  ['<=', comparison(readAny, (left, right) => compareAlike(left, right) <= 0)],
  ['>', comparison(readAny, (left, right) => compareAlike(left, right) > 0)],
  ['>=', comparison(readAny, (left, right) => compareAlike(left, right) >= 0)],
  ['in', comparison(readArray, (left, members) => members.some((member) => isSame(left, member)))],
  ['like', comparison(readPattern, isLike, stepsOfLike)],
  ['&&', combination([2, Infinity], (parts) => (item, look) => firstOther(true, parts, { item, look }))],
  ['||', combination([2, Infinity], (parts) => (item, look) => firstOther(false, parts, { item, look }))],
  ['!', combination([1, 1], (parts) => (item, look) => opposite(firstOther(false, parts, { item, look })))],
]);

/** Reads the text of a `filter`. An empty text is a fault: a lost expression must not mean all items. */
export function parseFilter(text: string, readName: NameReader): Parsed<CompiledFilter> {
  const read = readJson('filter', text);
  if (!read.ok) return read;
  const json = read.value;
  const at = FilterPath.root(readName);
  if (isRecord(json)) return toParsed(compileEqualities(json, at));
  if (Array.isArray(json)) return toParsed(compileExpression(json, at));
  return bad(unexpected('filter', '', { wanted: 'a JSON object or array', got: json === undefined ? text : json }));
}

function toParsed(compiled: Part | QueryFault): Parsed<CompiledFilter> {
  if (typeof compiled !== 'function') return bad(compiled);
  return good((item, look) => (look === undefined ? verdictOf(compiled, item) : compiled(item, look)));
}

function verdictOf(part: Part, item: object): boolean {
  const look = new Look();
  for (;;) {
    const verdict = part(item, look);
    if (verdict !== undefined) return verdict;
    look.steps.take();
  }
}

function compileEqualities(json: Readonly<Record<string, unknown>>, at: FilterPath): Part | QueryFault {
  const fault = measureLiteral(json, at);
  if (fault !== undefined) return fault;
  const wanted: Equality[] = [];
  const unknown = collectEqualities(json, '', { at, wanted });
  return unknown ?? ((item) => wanted.every(({ path, value }) => isSame(readProperty(item, path), value)));
}

interface Equality {
  readonly path: PropertyPath;
  readonly value: unknown;
}

/** Collects an equality for each value that is no object, by its dotted name. Recursive only as far as the depth limit lets it. */
function collectEqualities(
  json: Readonly<Record<string, unknown>>,
  prefix: string,
  { at, wanted }: { readonly at: FilterPath; readonly wanted: Equality[] },
): QueryFault | undefined {
  for (const [key, value] of Object.entries(json)) {
    const inner = at.inside(key);
    if (isRecord(value)) {
      const fault = collectEqualities(value, `${prefix}${key}.`, { at: inner, wanted });
      if (fault !== undefined) return fault;
      continue;
    }
    const path = inner.pathOf(`${prefix}${key}`);
    if ('message' in path) return path;
    wanted.push({ path, value });
  }
  return undefined;
}

/** Recursive only as far as the depth limit lets it. */
function compileExpression(json: unknown, at: FilterPath): Part | QueryFault {
  const fault = at.enter();
  if (fault !== undefined) return fault;
  if (!Array.isArray(json)) return at.unexpected('[operator, operand…]', json);
  const [name, ...operands] = json;
  const operator = operators.get(name);
  if (operator === undefined) {
    return at.inside(0).unexpected(`an operator (${[...operators.keys()].join(' ')})`, name);
  }
  const { least, most } = operator;
  if (operands.length < least || operands.length > most) {
    const wanted = most > least ? `${least} or more` : `${least}`;
    return at.fault(`${name} takes ${wanted} operand${most > 1 ? 's' : ''}, got ${operands.length}`);
  }
  return operator.compile(operands, at);
}

function comparison<V>(
  readRight: OperandReader<V>,
  matches: (left: unknown, right: V) => boolean,
  stepsOf: (left: unknown, right: V) => number = stepsOfComparison,
): Operator {
  return {
    least: 2,
    most: 2,
    compile([leftJson, rightJson], at) {
      const left = readAny(leftJson, at.inside(1));
      if (typeof left !== 'function') return left;
      const right = readRight(rightJson, at.inside(2));
      if (typeof right !== 'function') return right;
      return compared({ left, right, matches, stepsOf }, at.countComparison());
    },
  };
}

function combination([least, most]: readonly [number, number], join: (parts: readonly Part[]) => Part): Operator {
  return {
    least,
    most,
    compile(operands, at) {
      const parts: Part[] = [];
      for (const [index, operand] of operands.entries()) {
        const part = compileExpression(operand, at.inside(index + 1));
        if (typeof part !== 'function') return part;
        parts.push(part);
      }
      return join(parts);
    },
  };
}

interface Comparison<V> {
  readonly left: Operand<unknown>;
  readonly right: Operand<V>;
  readonly matches: (left: unknown, right: V) => boolean;
  /** The maximum number of steps. */
  readonly stepsOf: (left: unknown, right: V) => number;
}

/** The cost of comparing an array or an object of an item: about its maximum number of members. */
const compositeSteps = 2_000;

/** A comparison that is done once for each item, however often the filter is interrupted after it. */
function compared<V>({ left, right, matches, stepsOf }: Comparison<V>, index: number): Part {
  return (item, look) => {
    const known = look.verdictOf(index);
    if (known !== undefined) return known;
    if (look.isInterrupted) return undefined;
    const [a, b] = [left(item), right(item)];
    return look.note(index, matches(a, b), stepsOf(a, b));
  };
}

/** The result of the first part that does not return `verdict`, else `verdict`. */
function firstOther(verdict: boolean, parts: readonly Part[], { item, look }: { item: object; look: Look }) {
  for (const part of parts) {
    const said = part(item, look);
    if (said !== verdict) return said;
  }
  return verdict;
}

function opposite(verdict: boolean | undefined): boolean | undefined {
  return verdict === undefined ? undefined : !verdict;
}

function isLike(left: unknown, pattern: LikePattern | undefined): boolean {
  return typeof left === 'string' && pattern?.matches(left) === true;
}

function stepsOfLike(left: unknown, pattern: LikePattern | undefined): number {
  return 1 + (typeof left === 'string' && pattern !== undefined ? pattern.stepsFor(left) : 0);
}

function stepsOfComparison(left: unknown): number {
  if (typeof left === 'string') return 1 + left.length;
  return typeof left === 'object' && left !== null ? compositeSteps : 1;
}
