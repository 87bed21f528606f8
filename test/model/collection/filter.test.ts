import fc from 'fast-check';
import { z } from 'zod';
import { parseFilter } from '../../../src/model/collection/filter.ts';
import { parseOrder } from '../../../src/model/collection/order.ts';
import { type CollectionShape, type NameReader, nameReader } from '../../../src/model/collection/shape.ts';
import { parseLike } from '../../../src/model/collection/slices.ts';
import { limits } from '../../../src/model/limits.ts';
import { runs } from '../../kit/property.ts';
import { test } from '../../kit/test.ts';

const anyName: NameReader = { translate: (name) => name, problemOf: () => undefined };

function faultOf(filter: unknown): string | undefined {
  const parsed = parseFilter(JSON.stringify(filter), anyName);
  return parsed.ok ? undefined : parsed.fault.message;
}

function passes(filter: unknown, item: object): boolean {
  const parsed = parseFilter(JSON.stringify(filter), anyName);
  if (!parsed.ok) throw new Error(parsed.fault.message);
  return parsed.value(item) === true;
}

const p = ['property', 'p'];
const operators = '== != < <= > >= in like && || !';

const faults: readonly [filter: unknown, message: string][] = [
  [[], `filter[0]: expected an operator (${operators}), got nothing`],
  [['~', 1, 2], `filter[0]: expected an operator (${operators}), got "~"`],
  [['constructor', 1, 2], `filter[0]: expected an operator (${operators}), got "constructor"`],
  [[5], `filter[0]: expected an operator (${operators}), got 5`],
  [[['==']], `filter[0]: expected an operator (${operators}), got an array`],
  [p, `filter[0]: expected an operator (${operators}), got "property"`],
  [['==', p], 'filter: == takes 2 operands, got 1'],
  [['==', p, 1, 2], 'filter: == takes 2 operands, got 3'],
  [['!'], 'filter: ! takes 1 operand, got 0'],
  [['!', ['==', 1, 1], ['==', 1, 1]], 'filter: ! takes 1 operand, got 2'],
  [['&&', ['==', 1, 1]], 'filter: && takes 2 or more operands, got 1'],
  [['||'], 'filter: || takes 2 or more operands, got 0'],
  [['&&', ['==', 1, 1], true], 'filter[2]: expected [operator, operand…], got true'],
  [['&&', ['==', 1, 1], { a: 1 }], 'filter[2]: expected [operator, operand…], got an object'],
  [['&&', ['==', 1, 1], ['||', ['==', 1, 1], ['~']]], `filter[2][2][0]: expected an operator (${operators}), got "~"`],
  [['==', { a: 1 }, 1], 'filter[1]: expected ["property", name] or a literal, got an object'],
  [['==', 1, [1]], 'filter[2]: expected ["property", name] or a literal, got an array'],
  [['==', ['property'], 1], 'filter[1][1]: expected a property name, got nothing'],
  [['!', ['<', ['property', 5], 1]], 'filter[1][1][1]: expected a property name, got 5'],
  [['==', ['property', 'a', 'b'], 1], 'filter[1]: property takes 1 name, got 2'],
  [['in', p, 'a'], 'filter[2]: expected an array of literals or ["property", name], got "a"'],
  [['in', ['a'], ['a']], 'filter[1]: expected ["property", name] or a literal, got an array'],
  [['in', p, ['a', ['b']]], 'filter[2][1]: expected a literal, got an array'],
  [['in', p, ['property', 'a', 'b']], 'filter[2]: property takes 1 name, got 2'],
  [['like', p, 5], 'filter[2]: expected a pattern or ["property", name], got 5'],
  [['like', p, ['a']], 'filter[2]: expected a pattern or ["property", name], got an array'],
  [['like', p, 'a'.repeat(limits.likeChars + 1)], 'filter[2]: pattern longer than 256 characters'],
];

for (const [filter, message] of faults) {
  test(`${JSON.stringify(filter).slice(0, 60)} is refused`, (t) => t.is(faultOf(filter), message));
}

/** Values of `p`, and what each operator says of them with `right`. `undefined` is no property. */
const comparisons: readonly [left: unknown, operator: string, right: unknown, holds: boolean][] = [
  ['a', '==', 'a', true],
  ['a', '==', 'A', false],
  [1, '==', '1', false],
  [1, '==', true, false],
  [0, '==', false, false],
  ['', '==', null, false],
  [null, '==', null, true],
  [undefined, '==', null, true],
  [undefined, '==', false, false],
  [undefined, '!=', null, false],
  [undefined, '!=', 'a', true],
  [1, '!=', '1', true],
  [1, '<', 2, true],
  [2, '<', 2, false],
  [2, '<=', 2, true],
  [10, '>', 9, true],
  ['10', '>', '9', false],
  ['10', '>', 9, false],
  ['10', '<=', 9, false],
  ['b', '>=', 'a', true],
  ['B', '<', 'a', true],
  ['\uffff', '<', '\u{1f600}', true],
  ['a', '<', 'aa', true],
  [undefined, '<', 1, false],
  [undefined, '>=', 1, false],
  [null, '<=', null, false],
  [true, '>', false, false],
  [[1], '<', 2, false],
  ['a', 'in', ['b', 'a'], true],
  ['a', 'in', [], false],
  [1, 'in', ['1', true], false],
  [undefined, 'in', [null], true],
  ['abc', 'like', 'a%', true],
  ['abc', 'like', 'A%', false],
  ['abc', 'like', 'b', false],
  [5, 'like', '5', false],
  [undefined, 'like', '%', false],
  ['', 'like', '%', true],
];

for (const [left, operator, right, holds] of comparisons) {
  const title = `${JSON.stringify(left)} ${operator} ${JSON.stringify(right)} is ${holds}`;
  test(title, (t) => t.is(passes([operator, p, right], left === undefined ? {} : { p: left }), holds));
}

test('an operand may be a property on either side, or a literal on both', (t) => {
  const item = {
    a: 'x',
    list: ['y', ['x'], 'x'],
    pattern: '_',
    same: [1, { k: [2], l: 3 }],
    too: [1, { l: 3, k: [2] }],
  };
  t.true(passes(['==', ['property', 'same'], ['property', 'too']], item));
  t.false(passes(['==', ['property', 'same'], ['property', 'list']], item));
  t.true(passes(['in', ['property', 'a'], ['property', 'list']], item));
  t.false(passes(['in', ['property', 'a'], ['property', 'a']], item), 'not an array');
  t.true(passes(['like', ['property', 'a'], ['property', 'pattern']], item));
  t.false(passes(['like', ['property', 'a'], ['property', 'list']], item), 'not a pattern');
  t.false(
    passes(['like', 'a', ['property', 'long']], { long: '%'.repeat(limits.likeChars + 1) }),
    'too long a pattern',
  );
  t.true(passes(['==', 'x', ['property', 'a']], item));
  t.true(passes(['<', 1, 2], item));
});

test('equal composites have the same members, and one that is undefined counts as absent', (t) => {
  const equal = (a: unknown, b: unknown) => passes(['==', ['property', 'a'], ['property', 'b']], { a, b });
  t.true(equal({ x: 1, y: undefined }, { x: 1 }));
  t.true(equal({ x: 1 }, { x: 1, y: undefined }));
  t.false(equal({ x: null }, {}));
  t.false(equal({ x: 1 }, { y: 1 }));
  t.false(equal({ x: undefined, y: 1 }, { x: 1, y: undefined }));
  t.false(equal({ x: null }, { x: undefined, y: 1 }));
  t.false(equal([], {}));
  t.false(equal([[]], [null]));
  t.false(equal([1], [1, 2]));
  t.true(equal([undefined], [null]));
});

test('an object of equalities wants all of them, and compares composites as a whole', (t) => {
  const item = { name: 'a', opts: { title: 'b', roles: ['x', 'y'] } };
  t.true(passes({}, item));
  t.true(passes({ name: 'a', 'opts.title': 'b' }, item));
  t.false(passes({ name: 'a', 'opts.title': 'c' }, item));
  t.true(passes({ opts: { title: 'b' } }, item), 'an object means the dotted names');
  t.false(passes({ opts: { title: 'c' } }, item));
  t.true(passes({ opts: {} }, item));
  t.true(passes({ opts: { roles: ['x', 'y'], title: 'b' } }, item));
  t.true(passes({ 'opts.roles': ['x', 'y'] }, item));
  t.false(passes({ 'opts.roles': ['y', 'x'] }, item));
  t.true(passes({ missing: null }, item));
});

test('the public example of a filter works', (t) => {
  const parsed = parseFilter('["==",["property","status"],"online"]', anyName);
  t.deepEqual(
    [{ status: 'online' }, { status: 'offline' }, {}].map((item) => parsed.ok && parsed.value(item)),
    [true, false, false],
  );
});

test('only own properties of objects are read', (t) => {
  const item = { name: 'abc', roles: ['x'], ...JSON.parse('{"inner":{"__proto__":{"admin":true}}}') };
  for (const name of [
    '__proto__',
    'constructor',
    'toString',
    'name.length',
    'roles.length',
    'roles.0',
    'a.b',
    '',
    '.',
  ]) {
    t.true(passes({ [name]: null }, item), name);
  }
  t.true(passes(['==', ['property', 'inner.__proto__.admin'], true], item), 'an own one of that name is data');
  t.false(passes(JSON.parse('{"__proto__":1}'), item), 'and so is one in a filter');
});

test('names are translated', (t) => {
  const readName = { ...anyName, translate: (name: string) => (name === 'storageid' ? 'storageruleid' : name) };
  for (const text of ['{"storageid":1}', '["==",["property","storageid"],1]', '["in",1,["property","storageid"]]']) {
    const parsed = parseFilter(text, readName);
    t.is(parsed.ok && parsed.value({ storageruleid: text.includes('in') ? [1] : 1 }), true, text);
  }
});

test('a name that no item can have is refused where it stands, with the names that there are', (t) => {
  const item = z.object({
    id: z.string(),
    opts: z.object({ title: z.string() }).optional(),
    labels: z.record(z.string(), z.string()),
    roles: z.array(z.object({ name: z.string() })),
    either: z.union([z.object({ a: z.int() }), z.object({ b: z.int() })]),
  });
  const shape = {
    item,
    aliases: { title: 'opts.title' },
    defaultOrder: [],
    tieBreak: [],
  } as unknown as CollectionShape<object>;
  const read = (filter: unknown) => parseFilter(JSON.stringify(filter), nameReader(shape));
  const known = ['id', 'title', 'opts', 'opts.title', 'labels', 'labels.any.thing', 'roles', 'either.a', 'either.b'];
  for (const name of known) t.true(read(['==', ['property', name], 1]).ok && read({ [name]: 1 }).ok, name);
  for (const name of [
    'nam',
    'id.x',
    'opts.titel',
    'roles.name',
    'roles.0',
    'either.c',
    '',
    '__proto__',
    'constructor',
  ]) {
    const expected = `no field ${JSON.stringify(name)} here; expected one of id, opts, labels, roles, either, or a dotted name in one of them`;
    t.like(read(['==', ['property', name], 1]), { ok: false, fault: { message: `filter[1][1]: ${expected}` } });
    t.like(read({ [name]: 1 }), { ok: false, fault: { message: `filter[${JSON.stringify(name)}]: ${expected}` } });
  }
  t.like(read({ opts: { titel: 1 } }), { ok: false, fault: { field: 'filter' } });
  const order = parseOrder('["opts.title",{"nam":"asc"}]', nameReader(shape));
  t.true(!order.ok && order.fault.message.startsWith('order[1]: no field "nam" here'));
});

test('a filter of depth 16 works, a deeper one is refused where it is too deep', (t) => {
  const nots = (count: number) => {
    let filter: unknown[] = ['==', p, 1];
    for (let at = 0; at < count; at++) filter = ['!', filter];
    return filter;
  };
  t.true(passes(nots(14), { p: 1 }));
  t.is(faultOf(nots(15)), `filter${'[1]'.repeat(16)}: nested deeper than 16`);
  t.is(faultOf(nots(1000)), 'filter: nested deeper than 64');
  let literal: unknown = 1;
  for (let at = 0; at < 14; at++) literal = [literal];
  t.true(passes({ p: literal }, { p: literal }));
  t.is(faultOf({ p: [literal] }), `filter["p"]${'[0]'.repeat(15)}: nested deeper than 16`);
  t.is(faultOf(['!', ['in', p, [literal]]]), 'filter[1][2][0]: expected a literal, got an array');
});

test('a text of a million brackets is a fault and not an overflow', (t) => {
  for (const [open, close] of [
    ['[', ']'],
    ['["!",', ']'],
    ['{"a":', '}'],
  ] as const) {
    for (const text of [open.repeat(1e6), `${open.repeat(1e5)}1${close.repeat(1e5)}`]) {
      t.false(parseFilter(text, anyName).ok);
    }
  }
});

test('deep values are compared without recursion', (t) => {
  const deep = (leaf: unknown) => {
    let value = leaf;
    for (let at = 0; at < 200_000; at++) value = at % 2 ? [value] : { value };
    return value;
  };
  const filter = ['==', ['property', 'a'], ['property', 'b']];
  t.true(passes(filter, { a: deep(1), b: deep(1) }));
  t.false(passes(filter, { a: deep(1), b: deep(2) }));
});

test('a filter of 256 nodes works, one more is refused at the node that is too many', (t) => {
  const members = (count: number) => Array.from({ length: count }, (_, index) => index);
  t.true(passes(['in', p, members(253)], { p: 252 }));
  t.is(faultOf(['in', p, members(254)]), 'filter[2][253]: more than 256 nodes');
  const pairs = (count: number) => Object.fromEntries(members(count).map((index) => [`p${index}`, null]));
  t.true(passes(pairs(255), {}));
  t.is(faultOf(pairs(256)), 'filter["p255"]: more than 256 nodes');
  const expressions = (count: number) => ['&&', ...members(count).map(() => ['==', p, 1])];
  t.true(passes(expressions(85), { p: 1 }));
  t.is(faultOf(expressions(86)), 'filter[86]: more than 256 nodes');
});

const likes: readonly [text: string, pattern: string, holds: boolean][] = [
  ['', '', true],
  ['a', '', false],
  ['', '_', false],
  ['', '%%', true],
  ['abc', '%', true],
  ['abc', '___', true],
  ['abc', '__', false],
  ['abc', '%b%', true],
  ['abc', '%c', true],
  ['abc', '%b', false],
  ['abcbc', 'a%bc', true],
  ['abc', 'a%c%', true],
  ['abc', '_%_%_', true],
  ['ab', '_%_%_', false],
  ['a\nb', 'a%b', true],
  ['a.c', 'a.c', true],
  ['abc', 'a.c', false],
  ['(a+)+', '(a+)+', true],
  ['\u{1f600}', '_', true],
  ['\u{1f600}', '__', false],
  ['x\u{1f600}y', 'x%\u{1f600}y', true],
  ['\u{1f600}x', '%\ude00x', false],
  ['100%', '100\\%', true],
  ['100x', '100\\%', false],
  ['a_b', 'a\\_b', true],
  ['axb', 'a\\_b', false],
  ['a\\b', 'a\\b', true],
  ['a\\b', 'a\\\\b', true],
  ['a\\\\', 'a\\\\%', true],
  ['a\\', 'a\\', true],
];

for (const [text, pattern, holds] of likes) {
  test(`${JSON.stringify(text)} is ${holds ? '' : 'not '}like ${JSON.stringify(pattern)}`, (t) => {
    t.is(parseLike(pattern)?.matches(text), holds);
  });
}

test('a pattern of 256 characters is accepted, however they are written', (t) => {
  for (const letter of ['a', '%', '\\%', '\u{1f600}', '\\\\']) {
    t.is(parseLike(letter.repeat(limits.likeChars))?.length, limits.likeChars, letter);
    t.is(parseLike(letter.repeat(limits.likeChars + 1)), undefined, letter);
  }
});

test('patterns that ruin backtracking matchers finish', (t) => {
  const text = 'a'.repeat(100_000);
  t.false(parseLike('%a'.repeat(120).concat('b'))?.matches(text));
  t.false(parseLike(`%${'a'.repeat(254)}b`)?.matches(text));
  t.false(parseLike('%_%_a%'.repeat(40).concat('b%a'))?.matches(text));
  t.false(parseLike(`${'%_a'.repeat(80)}_c%`)?.matches(`${text}b`));
  t.true(parseLike(`${'%a'.repeat(120)}b`)?.matches(`${text}b`));
});

test('like says what a regular expression says', (t) => {
  const letter = fc.constantFrom('a', 'b', '%', '_', '\\', '.', '\n', '\u{1f600}', '\u{1f601}');
  const texts = fc.array(letter, { maxLength: 8 }).map((letters) => letters.join(''));
  fc.assert(
    fc.property(texts, texts, (text, pattern) => {
      const source = [...pattern.matchAll(/\\[%_\\]|./gsu)].map(([part]) => {
        if (part === '%') return '.*';
        if (part === '_') return '.';
        const plain = part.length === 2 && part.startsWith('\\') ? part.slice(1) : part;
        return plain.replace(/[\\^$.*+?()[\]{}|]/u, '\\$&');
      });
      t.is(parseLike(pattern)?.matches(text), new RegExp(`^${source.join('')}$`, 'su').test(text));
    }),
    { numRuns: runs(375) },
  );
});
