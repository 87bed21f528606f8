/**
 * The filter of a list: an expression over an item's properties, compiled once to a predicate.
 *
 * It is JSON, in one of two forms. (public: the example `["==",["property","status"],"online"]`; the rest chosen)
 * - An object of equalities that all must hold: `{"name":"a","opts.title":"b"}`. A value may be any JSON; an object or
 *   array is compared as a whole. `{}` lets everything pass.
 * - A prefix expression, `[operator, operand…]`:
 *   `&&` and `||` of two or more expressions, `!` of one;
 *   `==` of values of the same type and content, and `!=`, its negation;
 *   `<` `<=` `>` `>=` of two numbers or two strings (by code points), false for anything else;
 *   `in`, whose right operand is an array of literals or a property that holds an array, else false;
 *   `like`, whose right operand is a pattern (see `LikePattern`), false unless both are strings.
 *   Operands are `["property", "dotted.name"]`, or a string, number, boolean or null. To the right of `in`,
 *   `["property", "x"]` is the property and not two strings.
 *
 * A missing property is null. A node is an expression, an operand, a member of an array or a value in an object; the
 * outermost is at depth 1, its operands or values at depth 2.
 */
import { bad, good, type Parsed, type QueryFault, readJson, unexpected } from './fault.ts';
import { isLike } from './like.ts';
import { measureLiteral, type OperandReader, readAny, readArray, readPattern } from './operand.ts';
import { FilterPlace } from './place.ts';
import { isRecord, readProperty } from './property.ts';
import type { NameReader } from './shape.ts';
import { compareAlike, isSame } from './value.ts';

/** Tells whether an item is in the list. Never throws. */
export type Filter = (item: object) => boolean;

/** An operator: how many operands it takes, and how it is compiled with them (the first is at `[1]` of its place). */
interface Operator {
  readonly least: number;
  readonly most: number;
  compile(operands: readonly unknown[], place: FilterPlace): Filter | QueryFault;
}

const operators: ReadonlyMap<unknown, Operator> = new Map<unknown, Operator>([
  ['==', comparison(readAny, isSame)],
  ['!=', comparison(readAny, (left, right) => !isSame(left, right))],
  ['<', comparison(readAny, (left, right) => compareAlike(left, right) < 0)],
  ['<=', comparison(readAny, (left, right) => compareAlike(left, right) <= 0)],
  ['>', comparison(readAny, (left, right) => compareAlike(left, right) > 0)],
  ['>=', comparison(readAny, (left, right) => compareAlike(left, right) >= 0)],
  ['in', comparison(readArray, (left, members) => members.some((member) => isSame(left, member)))],
  ['like', comparison(readPattern, (left, right) => typeof left === 'string' && !!right && isLike(left, right))],
  ['&&', combination([2, Infinity], (filters) => (item) => filters.every((filter) => filter(item)))],
  ['||', combination([2, Infinity], (filters) => (item) => filters.some((filter) => filter(item)))],
  ['!', combination([1, 1], (filters) => (item) => !filters.some((filter) => filter(item)))],
]);

/** Reads the text of a `filter`. An empty text is a fault: an expression that got lost must not mean everything. */
export function parseFilter(text: string, readName: NameReader): Parsed<Filter> {
  const read = readJson('filter', text);
  if (!read.ok) return read;
  const json = read.value;
  const place = FilterPlace.root(readName);
  if (isRecord(json)) return toParsed(compileEqualities(json, place));
  if (Array.isArray(json)) return toParsed(compileExpression(json, place));
  return bad(unexpected('filter', '', { wanted: 'a JSON object or array', got: json === undefined ? text : json }));
}

function toParsed(compiled: Filter | QueryFault): Parsed<Filter> {
  return typeof compiled === 'function' ? good(compiled) : bad(compiled);
}

function compileEqualities(json: Readonly<Record<string, unknown>>, place: FilterPlace): Filter | QueryFault {
  const fault = measureLiteral(json, place);
  if (fault !== undefined) return fault;
  const wanted = Object.entries(json).map(([name, value]) => ({ path: place.pathOf(name), value }));
  return (item) => wanted.every(({ path, value }) => isSame(readProperty(item, path), value));
}

/** Recursive only as far as the depth limit lets it. */
function compileExpression(json: unknown, place: FilterPlace): Filter | QueryFault {
  const fault = place.enter();
  if (fault !== undefined) return fault;
  if (!Array.isArray(json)) return place.unexpected('[operator, operand…]', json);
  const [name, ...operands] = json;
  const operator = operators.get(name);
  if (operator === undefined) {
    return place.inside(0).unexpected(`an operator (${[...operators.keys()].join(' ')})`, name);
  }
  const { least, most } = operator;
  if (operands.length < least || operands.length > most) {
    const wanted = most > least ? `${least} or more` : `${least}`;
    return place.fault(`${name} takes ${wanted} operand${most > 1 ? 's' : ''}, got ${operands.length}`);
  }
  return operator.compile(operands, place);
}

function comparison<V>(readRight: OperandReader<V>, holds: (left: unknown, right: V) => boolean): Operator {
  return {
    least: 2,
    most: 2,
    compile([leftJson, rightJson], place) {
      const left = readAny(leftJson, place.inside(1));
      if (typeof left !== 'function') return left;
      const right = readRight(rightJson, place.inside(2));
      if (typeof right !== 'function') return right;
      return (item) => holds(left(item), right(item));
    },
  };
}

function combination([least, most]: readonly [number, number], join: (filters: readonly Filter[]) => Filter): Operator {
  return {
    least,
    most,
    compile(operands, place) {
      const filters: Filter[] = [];
      for (const [index, operand] of operands.entries()) {
        const filter = compileExpression(operand, place.inside(index + 1));
        if (typeof filter !== 'function') return filter;
        filters.push(filter);
      }
      return join(filters);
    },
  };
}
