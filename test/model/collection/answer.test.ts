import { applyItem } from '../../../src/model/collection/collection.ts';
import { compareValues } from '../../../src/model/collection/property.ts';
import { type CollectionQuery, parseCollectionQuery, parseItemQuery } from '../../../src/model/collection/query.ts';
import type { CollectionShape } from '../../../src/model/collection/shape.ts';
import { applyAtOnce } from '../../kit/at-once.ts';
import { test } from '../../kit/test.ts';

interface Rule {
  id: string;
  priority?: unknown;
  storageruleid?: string;
  archive?: { _links: { self: { href: string } } };
  roles?: string[];
  devices?: object[];
  opts?: { title?: string; comment?: string };
  ext?: { ct: number; lwt?: number };
}

const fields = ['id', 'priority', 'storageruleid', 'archive', 'roles', 'opts.title', 'ext.lwt', 'ext.ct'] as const;

const shape: CollectionShape<Rule> = {
  fields,
  defaultFields: ['id', 'opts.title', 'ext.ct'],
  aliases: { storageid: 'storageruleid', made: 'ext.ct' },
  defaultOrder: ['ext.ct'],
  tieBreak: ['id'],
  isCountable: true,
};

const bare: CollectionShape<Rule> = { defaultOrder: ['ext.ct'], tieBreak: ['id'] };

const rule: Rule = {
  id: 'r',
  priority: 5,
  storageruleid: 's',
  archive: { _links: { self: { href: '/x' } } },
  roles: ['a'],
  devices: [{ mac: 1 }],
  opts: { title: 't', comment: 'c' },
  ext: { ct: 1, lwt: 2 },
};

function queryOf(params: Record<string, string>, of: CollectionShape<Rule> = shape): CollectionQuery {
  const parsed = parseCollectionQuery(new URLSearchParams(params), of);
  if (!parsed.ok) throw new Error(parsed.fault.message);
  return parsed.value;
}

function answer(items: readonly Rule[], params: Record<string, string>, of: CollectionShape<Rule> = shape): unknown {
  return applyAtOnce(items, queryOf(params, of), of);
}

function item(params: Record<string, string>, of: object = rule): unknown {
  const parsed = parseItemQuery(new URLSearchParams(params), shape);
  if (!parsed.ok) throw new Error(parsed.fault.message);
  return applyItem(of, parsed.value);
}

const ids = (items: unknown): unknown => (items as Rule[]).map(({ id }) => id);

const masks: readonly [mask: string, shown: object][] = [
  ['id', { id: 'r' }],
  ['priority,id', { id: 'r', priority: 5 }],
  [' id , priority ,', { id: 'r', priority: 5 }],
  ['opts', { opts: { title: 't' } }],
  ['opts.title', { opts: { title: 't' } }],
  ['opts.comment', {}],
  ['opts.title.x', {}],
  ['ext.ct,ext', { ext: { ct: 1, lwt: 2 } }],
  ['ext,ext.ct', { ext: { ct: 1, lwt: 2 } }],
  ['archive._links', { archive: { _links: { self: { href: '/x' } } } }],
  ['archive._links.self.nothing', {}],
  ['roles', { roles: ['a'] }],
  ['roles.0', {}],
  ['devices', {}],
  ['storageid', { storageruleid: 's' }],
  ['storageruleid', { storageruleid: 's' }],
  ['made', { ext: { ct: 1 } }],
  ['id,nonsense,constructor,__proto__,__proto__.x', { id: 'r' }],
  ['nonsense', {}],
  [',', {}],
  ['', { id: 'r', opts: { title: 't' }, ext: { ct: 1 } }],
];

for (const [mask, shown] of masks) {
  test(`the list mask "${mask}" shows ${JSON.stringify(shown)}`, (t) => t.deepEqual(answer([rule], { mask }), [shown]));
}

test('a list without a mask shows its default fields, or all where it has none', (t) => {
  t.deepEqual(answer([rule], {}), [{ id: 'r', opts: { title: 't' }, ext: { ct: 1 } }]);
  t.deepEqual(answer([rule], {}, bare), [rule]);
  t.deepEqual(answer([rule], { mask: 'devices,opts.comment' }, bare), [
    { devices: [{ mac: 1 }], opts: { comment: 'c' } },
  ]);
});

test('a single item shows all of it, and its mask may name any field', (t) => {
  t.is(item({}), rule);
  t.is(item({ mask: '' }), rule);
  t.deepEqual(item({ mask: 'opts.comment,storageid,nonsense' }), { storageruleid: 's', opts: { comment: 'c' } });
  t.deepEqual(item({ mask: 'nonsense' }), {});
});

test('flat makes dotted keys of nested objects; arrays and empty objects stay', (t) => {
  t.deepEqual(item({ flat: '' }), {
    id: 'r',
    priority: 5,
    storageruleid: 's',
    'archive._links.self.href': '/x',
    roles: ['a'],
    devices: [{ mac: 1 }],
    'opts.title': 't',
    'opts.comment': 'c',
    'ext.ct': 1,
    'ext.lwt': 2,
  });
  t.deepEqual(item({ flat: '1' }, { a: {}, b: { c: {}, d: null }, e: [] }), { a: {}, 'b.c': {}, 'b.d': null, e: [] });
  t.deepEqual(answer([rule], { flat: 'true', mask: 'ext.ct,id' }), [{ id: 'r', 'ext.ct': 1 }]);
});

test('a key named __proto__ is data to mask and flat', (t) => {
  const odd = JSON.parse('{"__proto__":{"a":1},"b":{"__proto__":{"c":2}}}');
  t.is(JSON.stringify(item({ mask: '__proto__,b' }, odd)), JSON.stringify(odd));
  t.is(JSON.stringify(item({ flat: '' }, odd)), '{"__proto__.a":1,"b.__proto__.c":2}');
  t.is(JSON.stringify(item({ flat: '' }, JSON.parse('{"__proto__":1}'))), '{"__proto__":1}');
});

const mixed: readonly unknown[] = [
  undefined,
  null,
  false,
  true,
  Number.NaN,
  -Infinity,
  -1,
  0,
  10,
  Infinity,
  '',
  '10',
  '9',
  'B',
  'a',
  'é',
  '\uffff',
  '\u{1f600}',
  [],
  {},
];

test('values of any types have one order', (t) => {
  for (const [a, left] of mixed.entries()) {
    for (const [b, right] of mixed.entries()) {
      const isTie = a === b || Math.max(a, b) < 2 || Math.min(a, b) >= mixed.length - 2;
      t.is(Math.sign(compareValues(left, right)), isTie ? 0 : Math.sign(a - b), `${a} ${b}`);
    }
  }
});

test('ties are broken by the tie-break, ascending also under a descending order', (t) => {
  const items = [3, 1, 2].flatMap((n) => [
    { id: `b${n}`, priority: n },
    { id: `a${n}`, priority: n },
  ]);
  t.deepEqual(ids(answer(items, { order: 'priority' })), ['a1', 'b1', 'a2', 'b2', 'a3', 'b3']);
  t.deepEqual(ids(answer(items, { order: '{"priority":"desc"}' })), ['a3', 'b3', 'a2', 'b2', 'a1', 'b1']);
});

test('without an order the default order holds, and the tie-break within it', (t) => {
  const items = [
    { id: 'c', ext: { ct: 2 } },
    { id: 'b', ext: { ct: 1 } },
    { id: 'a', ext: { ct: 2 } },
  ];
  t.deepEqual(ids(answer(items, {})), ['b', 'a', 'c']);
  t.deepEqual(ids(answer(items, { order: '[]' })), ['b', 'a', 'c']);
  t.deepEqual(ids(answer(items, { order: 'made' })), ['b', 'a', 'c'], 'by an alias');
});

test('items that come in order are sorted only when an order is asked for', (t) => {
  const ordered = { ...shape, isOrdered: true };
  const items = [{ id: 'b' }, { id: 'a' }];
  t.deepEqual(ids(answer(items, {}, ordered)), ['b', 'a']);
  t.deepEqual(ids(answer(items, { order: 'id' }, ordered)), ['a', 'b']);
});

test('items equal in everything keep the order they came in', (t) => {
  const items = Array.from({ length: 50 }, (_, at) => ({ id: 'same', priority: at % 2, ext: { ct: at } }));
  const page = answer(items, { order: 'priority', mask: 'ext.ct', flat: '' }) as { 'ext.ct': number }[];
  const cts = page.map((shown) => shown['ext.ct']);
  t.deepEqual(cts, [
    ...Array.from({ length: 25 }, (_, at) => at * 2),
    ...Array.from({ length: 25 }, (_, at) => at * 2 + 1),
  ]);
});

test('a page is a part of what passes the filter, and beyond the end it is empty', (t) => {
  const items = Array.from({ length: 9 }, (_, at) => ({ id: `${at}`, priority: at }));
  const filter = '["<",["property","priority"],6]';
  t.deepEqual(ids(answer(items, { filter, offset: '2', limit: '3' })), ['2', '3', '4']);
  t.deepEqual(ids(answer(items, { filter, offset: '4', limit: '3' })), ['4', '5']);
  t.deepEqual(answer(items, { filter, offset: '6' }), []);
  t.deepEqual(answer(items, { filter, offset: `${Number.MAX_SAFE_INTEGER}` }), []);
  t.deepEqual(answer(items, { filter, limit: '0' }), []);
});

test('a page has 1000 items when no limit is given', (t) => {
  const items = Array.from({ length: 1200 }, (_, at) => ({ id: `${at}` }));
  t.is((answer(items, {}) as unknown[]).length, 1000);
});

test('a count is taken after the filter and before paging', (t) => {
  const items = Array.from({ length: 9 }, (_, at) => ({ id: `${at}`, priority: at }));
  const filter = '{"priority":3}';
  t.deepEqual(answer(items, { countonly: '', limit: '2', offset: '50' }), { count: 9 });
  t.deepEqual(answer(items, { countonly: '', filter }), { count: 1 });
  t.deepEqual(ids(answer(items, { countonly: 'false', filter })), ['3']);
});

test('a query is usable again, and the items are not changed', (t) => {
  const items: Rule[] = Object.freeze([{ id: 'b' }, { id: 'a' }].map((each) => Object.freeze(each))) as Rule[];
  const query = queryOf({ filter: '["like",["property","id"],"_"]', mask: 'id', order: 'id', flat: '' });
  const first = applyAtOnce(items, query, shape);
  t.deepEqual(first, [{ id: 'a' }, { id: 'b' }]);
  t.deepEqual(applyAtOnce(items, query, shape), first);
  t.deepEqual(ids(items), ['b', 'a']);
});
