/** Operands of a filter's comparisons: what they may be, and how their value is had from an item. */
import { limits } from '../limits.ts';
import type { QueryFault } from './fault.ts';
import { type LikePattern, parseLike } from './like.ts';
import type { FilterPlace } from './place.ts';
import { type PropertyPath, readProperty } from './property.ts';

/** Gives an operand's value for an item. */
export type Operand<V> = (item: object) => V;

/** Compiles the operand at a place, or tells what is wrong with it. */
export type OperandReader<V> = (json: unknown, place: FilterPlace) => Operand<V> | QueryFault;

/** `["property", name]`, a string, a number, a boolean or null. */
export const readAny = operandReader<unknown>(
  (value) => value,
  (json, place) => (isScalar(json) ? () => json : place.unexpected('["property", name] or a literal', json)),
);

/** An array of literals, or a property; a property that is no array counts as an empty one. */
export const readArray = operandReader<readonly unknown[]>(
  (value) => (Array.isArray(value) ? value : []),
  (json, place) => {
    if (!Array.isArray(json)) return place.unexpected('an array of literals or ["property", name]', json);
    for (const [index, member] of json.entries()) {
      const inner = place.inside(index);
      const fault = inner.enter() ?? (isScalar(member) ? undefined : inner.unexpected('a literal', member));
      if (fault !== undefined) return fault;
    }
    return () => json;
  },
);

/** A pattern of `like`, or a property that holds one; `undefined` stands for a property that does not. */
export const readPattern = operandReader<LikePattern | undefined>(
  (value) => (typeof value === 'string' ? parseLike(value) : undefined),
  (json, place) => {
    if (typeof json !== 'string') return place.unexpected('a pattern or ["property", name]', json);
    const pattern = parseLike(json);
    return pattern === undefined ? place.fault(`pattern longer than ${limits.likeLetters} letters`) : () => pattern;
  },
);

/** Counts the nodes of a literal of any JSON. Recursive only as far as the depth limit lets it. */
export function measureLiteral(json: unknown, place: FilterPlace): QueryFault | undefined {
  const fault = place.enter();
  if (fault !== undefined || isScalar(json)) return fault;
  for (const [key, member] of Array.isArray(json) ? json.entries() : Object.entries(json as object)) {
    const inner = measureLiteral(member, place.inside(key));
    if (inner !== undefined) return inner;
  }
  return undefined;
}

/** A reader of properties, whose values it converts, and of what `readLiteral` takes. */
function operandReader<V>(convert: (value: unknown) => V, readLiteral: OperandReader<V>): OperandReader<V> {
  return (json, place) => {
    const fault = place.enter();
    if (fault !== undefined) return fault;
    if (!Array.isArray(json) || json[0] !== 'property') return readLiteral(json, place);
    const path = readPath(json, place);
    return 'message' in path ? path : (item) => convert(readProperty(item, path));
  };
}

function readPath(json: readonly unknown[], place: FilterPlace): PropertyPath | QueryFault {
  const [, name, ...others] = json;
  if (others.length > 0) return place.fault(`property takes 1 name, got ${others.length + 1}`);
  const inner = place.inside(1);
  return typeof name === 'string' ? inner.pathOf(name) : inner.unexpected('a property name', name);
}

function isScalar(json: unknown): boolean {
  return typeof json !== 'object' || json === null;
}
