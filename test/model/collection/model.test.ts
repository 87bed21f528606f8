/** The engine against a model that does the same the slow, plain way: interpreted, by canonical JSON, by insertion. */

import fc from 'fast-check';
import { applyItem } from '../../../src/model/collection/collection.ts';
import { parseCollectionQuery, parseItemQuery } from '../../../src/model/collection/query.ts';
import type { CollectionShape } from '../../../src/model/collection/shape.ts';
import { applyAtOnce } from '../../kit/at-once.ts';
import { runs } from '../../kit/property.ts';
import { test } from '../../kit/test.ts';

type Json = Record<string, unknown>;

interface Params {
  filter?: unknown;
  order?: readonly (string | Json)[];
  mask?: readonly string[];
  offset?: number;
  limit?: number;
  flat?: boolean;
  countonly?: boolean;
}

// The generators: few names and few values, so that they meet.

const names = fc.constantFrom('a', 'b', 'c', 'id', '__proto__', 'constructor');
const dotted = fc.array(fc.oneof(names, fc.constantFrom('a', 'b', 'length', '0')), { minLength: 1, maxLength: 3 });
const name = dotted.map((steps) => steps.join('.'));
const text = fc
  .array(fc.constantFrom('a', 'b', 'B', '%', '_', '\\', '\u{1f600}', '\uffff', 'é'), { maxLength: 3 })
  .map((letters) => letters.join(''));
const scalar = fc.oneof(text, fc.integer({ min: -2, max: 2 }), fc.boolean(), fc.constantFrom(null, 0.5, 1e300, -0));
const { value } = fc.letrec<{ value: unknown; record: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    tie('record'),
  ),
  record: fc.array(fc.tuple(names, tie('value')), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
}));
const item = fc.array(fc.tuple(names, value), { maxLength: 6 }).map((entries): Json => Object.fromEntries(entries));

const property = fc.tuple(fc.constant('property'), name);
const operand = fc.oneof(property, scalar);
const comparison = fc.oneof(
  fc.tuple(fc.constantFrom('==', '!=', '<', '<=', '>', '>='), operand, operand),
  fc.tuple(fc.constant('in'), operand, fc.oneof(property, fc.array(scalar, { maxLength: 4 }))),
  fc.tuple(fc.constant('like'), operand, fc.oneof(property, text)),
);
const { expression } = fc.letrec<{ expression: unknown[] }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 3 },
    comparison,
    fc
      .tuple(fc.constantFrom('&&', '||'), fc.array(tie('expression'), { minLength: 2, maxLength: 3 }))
      .map(([operator, operands]) => [operator, ...operands]),
    fc.tuple(fc.constant('!'), tie('expression')),
  ),
}));
const equalities = fc.array(fc.tuple(name, value), { maxLength: 2 }).map((pairs): Json => Object.fromEntries(pairs));
const term = fc.oneof(
  name,
  fc.tuple(name, fc.constantFrom('asc', 'desc')).map(([key, way]): Json => Object.fromEntries([[key, way]])),
);
const params: fc.Arbitrary<Params> = fc.record(
  {
    filter: fc.oneof(expression, equalities),
    order: fc.array(term, { maxLength: 3 }),
    mask: fc.array(name, { minLength: 1, maxLength: 5 }),
    offset: fc.nat({ max: 6 }),
    limit: fc.nat({ max: 12 }),
    flat: fc.boolean(),
    countonly: fc.boolean(),
  },
  { requiredKeys: [] },
);
const shapes: fc.Arbitrary<CollectionShape<Json>> = fc.record(
  {
    fields: fc.array(name, { maxLength: 6 }),
    defaultFields: fc.array(name, { maxLength: 4 }),
    defaultOrder: fc.array(name, { maxLength: 2 }),
    tieBreak: fc.array(name, { maxLength: 2 }),
    isOrdered: fc.boolean(),
    isCountable: fc.boolean(),
  },
  { requiredKeys: ['defaultOrder', 'tieBreak'] },
);

// The model.

const isObject = (x: unknown): x is Json => Object.prototype.toString.call(x) === '[object Object]';

function look(from: unknown, steps: readonly string[]): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) return from;
  const own = isObject(from) ? Object.getOwnPropertyDescriptor(from, step) : undefined;
  return own === undefined ? undefined : look(own.value, rest);
}

function canonical(x: unknown): string {
  if (Array.isArray(x)) return `[${x.map(canonical).join()}]`;
  if (!isObject(x)) return JSON.stringify(x ?? null);
  const members = Object.entries(x).map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`);
  return `{${members.sort().join()}}`;
}

/** Texts as bytes of fixed width, which compare as their code points do. */
function compareTexts(x: string, y: string): number {
  const wide = (s: string) => [...s].map((letter) => letter.codePointAt(0)?.toString(16).padStart(6, '0')).join('');
  return wide(x) < wide(y) ? -1 : wide(x) > wide(y) ? 1 : 0;
}

function rank(x: unknown): number {
  const kind = ['boolean', 'number', 'string'].indexOf(typeof x);
  return x === null || x === undefined ? -1 : kind < 0 ? 3 : kind;
}

function compare(x: unknown, y: unknown): number {
  if (rank(x) !== rank(y)) return rank(x) - rank(y);
  if (typeof x === 'string') return compareTexts(x, y as string);
  return rank(x) < 0 || rank(x) > 2 ? 0 : Number(x) - Number(y);
}

function like(letters: readonly string[], pattern: string): boolean {
  if (pattern === '') return letters.length === 0;
  if (pattern.startsWith('%')) {
    return Array.from({ length: letters.length + 1 }, (_, at) => letters.slice(at)).some((rest) =>
      like(rest, pattern.slice(1)),
    );
  }
  const escaped = /^\\[%_\\]/.test(pattern);
  const [first = '', ...rest] = [...(escaped ? pattern.slice(1) : pattern)];
  if (letters.length === 0) return false;
  return (letters[0] === first || (first === '_' && !escaped)) && like(letters.slice(1), rest.join(''));
}

function holds(filter: unknown, of: Json): boolean {
  if (!Array.isArray(filter)) {
    return equalitiesIn(filter as Json).every(([key, x]) => canonical(look(of, key.split('.'))) === canonical(x));
  }
  const [operator, ...operands] = filter;
  if (operator === '&&') return operands.every((each) => holds(each, of));
  if (operator === '||') return operands.some((each) => holds(each, of));
  if (operator === '!') return !holds(operands[0], of);
  const [x, y] = operands.map((each, at) => {
    const isName = Array.isArray(each) && each[0] === 'property' && (at === 0 || each.length === 2);
    return isName ? look(of, each[1].split('.')) : each;
  });
  const isAlike = rank(x) === rank(y) && (rank(x) === 1 || rank(x) === 2);
  switch (operator) {
    case '==':
      return canonical(x) === canonical(y);
    case '!=':
      return canonical(x) !== canonical(y);
    case '<':
      return isAlike && compare(x, y) < 0;
    case '<=':
      return isAlike && !(compare(x, y) > 0);
    case '>':
      return isAlike && compare(x, y) > 0;
    case '>=':
      return isAlike && !(compare(x, y) < 0);
    case 'in':
      return Array.isArray(y) && y.map(canonical).includes(canonical(x));
    default:
      return typeof x === 'string' && typeof y === 'string' && like([...x], y);
  }
}

/** Puts every item behind the last one that it is not before. */
function sorted(items: readonly Json[], terms: readonly (string | Json)[]): Json[] {
  const keys = terms.map((each) => (typeof each === 'string' ? ([each, 'asc'] as const) : Object.entries(each)[0]));
  const result: Json[] = [];
  for (const each of items) {
    let at = result.length;
    const isBefore = (other: Json | undefined) => {
      for (const [key, way] of keys as [string, string][]) {
        const order = compare(look(each, key.split('.')), look(other, key.split('.')));
        if (order !== 0) return way === 'desc' ? order > 0 : order < 0;
      }
      return false;
    };
    while (at > 0 && isBefore(result[at - 1])) at -= 1;
    result.splice(at, 0, each);
  }
  return result;
}

const isUnder = (path: string, outer: string) => `${path}.`.startsWith(`${outer}.`);

/** Shows a property when its full name is at or under a name that was asked for, and at or under a known one. */
function masked(of: Json, asked: readonly string[], fields: readonly string[] | undefined, prefix = ''): Json {
  const shown: [string, unknown][] = [];
  for (const [key, x] of Object.entries(of)) {
    const path = prefix + key;
    const isAsked = asked.some((each) => isUnder(path, each));
    const isKnown = fields === undefined || fields.some((each) => isUnder(path, each));
    if (isAsked && isKnown) shown.push([key, x]);
    else if (isObject(x)) {
      const part = masked(x, asked, fields, `${path}.`);
      if (Object.keys(part).length > 0) shown.push([key, part]);
    }
  }
  return Object.fromEntries(shown);
}

function flat(of: Json): Json {
  const leaves = (x: unknown, steps: string[]): [string, unknown][] =>
    isObject(x) && Object.keys(x).length > 0
      ? Object.entries(x).flatMap(([key, inner]) => leaves(inner, [...steps, key]))
      : [[steps.join('.'), x]];
  return Object.keys(of).length > 0 ? Object.fromEntries(leaves(of, [])) : {};
}

/** An object within a filter stands for dotted names. */
function equalitiesIn(filter: Json, prefix = ''): [name: string, value: unknown][] {
  return Object.entries(filter).flatMap(([key, x]) =>
    typeof x === 'object' && x !== null && !Array.isArray(x)
      ? equalitiesIn(x as Json, `${prefix}${key}.`)
      : [[`${prefix}${key}`, x] as [string, unknown]],
  );
}

function model(items: readonly Json[], given: Params, shape: CollectionShape<Json>): unknown {
  const found = items.filter((each) => given.filter === undefined || holds(given.filter, each));
  if (given.countonly && shape.isCountable) return { count: found.length };
  const isAsked = given.order !== undefined && given.order.length > 0;
  const order = [...(isAsked ? (given.order ?? []) : shape.defaultOrder), ...shape.tieBreak];
  const inOrder = !isAsked && shape.isOrdered ? found : sorted(found, order);
  const { offset = 0, limit = 1000 } = given;
  const page = inOrder.filter((_, at) => at >= offset && at < offset + limit);
  const shown = page.map((each) => {
    if (given.mask !== undefined) return masked(each, given.mask, shape.fields);
    return shape.defaultFields === undefined ? each : masked(each, shape.defaultFields, undefined);
  });
  return given.flat ? shown.map(flat) : shown;
}

function textsOf({ mask, ...others }: Params): URLSearchParams {
  const texts = new URLSearchParams();
  for (const [key, x] of Object.entries(others)) texts.set(key, JSON.stringify(x));
  if (mask !== undefined) texts.set('mask', mask.join());
  return texts;
}

test('a list is answered as the model answers it', (t) => {
  fc.assert(
    fc.property(fc.array(item, { maxLength: 12 }), params, shapes, (items, given, shape) => {
      const before = JSON.stringify(items);
      const parsed = parseCollectionQuery(textsOf(given), shape);
      if (!parsed.ok) throw new Error(parsed.fault.message);
      // As JSON text, because that is what the client gets; it also shows own keys named __proto__.
      t.is(JSON.stringify(applyAtOnce(items, parsed.value, shape)), JSON.stringify(model(items, given, shape)));
      t.is(JSON.stringify(items), before);
    }),
    { numRuns: runs(200) },
  );
});

test('a filter passes what the model lets pass', (t) => {
  const shape: CollectionShape<Json> = { defaultOrder: [], tieBreak: [] };
  fc.assert(
    fc.property(fc.oneof(expression, equalities), fc.array(item, { maxLength: 5 }), (filter, items) => {
      const parsed = parseCollectionQuery([['filter', JSON.stringify(filter)]], shape);
      if (!parsed.ok) throw new Error(parsed.fault.message);
      const passed = items.map((each) => parsed.value.filter?.(each));
      t.deepEqual(
        passed,
        items.map((each) => holds(filter, each)),
      );
    }),
    { numRuns: runs(375) },
  );
});

test('a single item is answered as the model answers it', (t) => {
  const shape: CollectionShape<Json> = { fields: ['a'], defaultFields: ['b'], defaultOrder: [], tieBreak: [] };
  fc.assert(
    fc.property(item, params, (each, { mask, flat: isFlat }) => {
      const given = { ...(mask && { mask }), ...(isFlat !== undefined && { flat: isFlat }) };
      const parsed = parseItemQuery(textsOf(given), shape);
      if (!parsed.ok) throw new Error(parsed.fault.message);
      const shown = mask === undefined ? each : masked(each, mask, undefined);
      t.is(JSON.stringify(applyItem(each, parsed.value)), JSON.stringify(isFlat ? flat(shown) : shown));
    }),
    { numRuns: runs(125) },
  );
});
