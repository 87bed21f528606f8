import fc from 'fast-check';
import { parseCollectionQuery, parseItemQuery } from '../../../src/model/collection/query.ts';
import type { CollectionShape } from '../../../src/model/collection/shape.ts';
import { sized } from '../../kit/property.ts';
import { test } from '../../kit/test.ts';
import { anyCharacter } from '../../kit/text.ts';

interface Row {
  id: string;
  name: string;
  opts: { title: string };
}

const shape: CollectionShape<Row> = { defaultOrder: ['name'], tieBreak: ['id'], isCountable: true };

function messageOf(params: URLSearchParams): string | undefined {
  const parsed = parseCollectionQuery(params, shape);
  return parsed.ok ? undefined : parsed.fault.message;
}

const faults: readonly [field: string, text: string, message: string][] = [
  ['limit', 'ten', 'limit: expected an integer from 0 to 10000, got "ten"'],
  ['limit', '', 'limit: expected an integer from 0 to 10000, got ""'],
  ['limit', '-1', 'limit: expected an integer from 0 to 10000, got "-1"'],
  ['limit', '10001', 'limit: expected an integer from 0 to 10000, got "10001"'],
  ['limit', '1.0', 'limit: expected an integer from 0 to 10000, got "1.0"'],
  ['limit', '1e3', 'limit: expected an integer from 0 to 10000, got "1e3"'],
  ['limit', ' 1', 'limit: expected an integer from 0 to 10000, got " 1"'],
  ['limit', '0x10', 'limit: expected an integer from 0 to 10000, got "0x10"'],
  ['limit', '9'.repeat(400), `limit: expected an integer from 0 to 10000, got "${'9'.repeat(59)}…`],
  ['offset', 'x', 'offset: expected an integer from 0 to 9007199254740991, got "x"'],
  ['offset', '9007199254740992', 'offset: expected an integer from 0 to 9007199254740991, got "9007199254740992"'],
  ['flat', 'yes', 'flat: expected true, false, 1 or 0, got "yes"'],
  ['flat', 'TRUE', 'flat: expected true, false, 1 or 0, got "TRUE"'],
  ['countonly', '2', 'countonly: expected true, false, 1 or 0, got "2"'],
  ['order', '[', 'order: expected a JSON array of names, got "["'],
  ['order', '-name', 'order: expected a JSON array of names, got "-name"'],
  ['order', 'name desc', 'order: expected a JSON array of names, got "name desc"'],
  ['order', 'a,,b', 'order: expected a JSON array of names, got "a,,b"'],
  ['order', ' 5', 'order: expected a JSON array of names, got 5'],
  ['order', '[5]', 'order[0]: expected a name or {name: "asc" or "desc"} with one name, got 5'],
  ['order', '["a",[]]', 'order[1]: expected a name or {name: "asc" or "desc"} with one name, got an array'],
  ['order', '[{}]', 'order[0]: expected a name or {name: "asc" or "desc"} with one name, got an object'],
  ['order', '{}', 'order: expected a name or {name: "asc" or "desc"} with one name, got an object'],
  [
    'order',
    '[{"a":"asc","b":"asc"}]',
    'order[0]: expected a name or {name: "asc" or "desc"} with one name, got an object',
  ],
  ['order', '[{"a":"up"}]', 'order[0]["a"]: expected "asc" or "desc", got "up"'],
  ['order', '{"a":1}', 'order["a"]: expected "asc" or "desc", got 1'],
  ['order', JSON.stringify(Array(17).fill('a')), 'order: more than 16 names'],
  ['filter', '', 'filter: expected a JSON object or array, got ""'],
  ['filter', '{oops', 'filter: expected a JSON object or array, got "{oops"'],
  ['filter', '5', 'filter: expected a JSON object or array, got 5'],
  ['filter', 'null', 'filter: expected a JSON object or array, got null'],
];

for (const [field, text, message] of faults) {
  test(`${field}=${text.slice(0, 40)} is refused`, (t) => {
    const parsed = parseCollectionQuery(new URLSearchParams({ [field]: text }), shape);
    t.deepEqual(parsed, { ok: false, fault: { field, message } });
  });
}

test('no parameters are the defaults', (t) => {
  const parsed = parseCollectionQuery(new URLSearchParams(), shape);
  const value = {
    filter: undefined,
    mask: undefined,
    offset: 0,
    limit: 1000,
    order: undefined,
    flat: false,
    countonly: false,
  };
  t.deepEqual(parsed, { ok: true, value });
});

test('a query boolean is true, false, 1, 0, or a bare name', (t) => {
  const texts = ['flat', 'flat=', 'flat=true', 'flat=1', 'flat=false', 'flat=0', ''];
  const values = texts.map((text) => parseCollectionQuery(new URLSearchParams(text), shape));
  t.deepEqual(
    values.map((parsed) => parsed.ok && parsed.value.flat),
    [true, true, true, true, false, false, false],
  );
});

test('the bounds of limit and offset are taken', (t) => {
  const parsed = parseCollectionQuery(new URLSearchParams('limit=10000&offset=9007199254740991'), shape);
  t.true(parsed.ok && parsed.value.limit === 10_000 && parsed.value.offset === Number.MAX_SAFE_INTEGER);
  const none = parseCollectionQuery(new URLSearchParams('limit=0&offset=007'), shape);
  t.true(none.ok && none.value.limit === 0 && none.value.offset === 7);
});

test('every parameter of ours given twice is a fault, even with the same value', (t) => {
  for (const name of ['filter', 'mask', 'offset', 'limit', 'order', 'flat', 'countonly']) {
    t.is(messageOf(new URLSearchParams(`${name}=1&${name}=1`)), `${name}: given twice`);
  }
});

test('other parameters are ignored, also when given twice', (t) => {
  t.is(messageOf(new URLSearchParams('site=hq&site=north&constructor=1&__proto__=2&toString')), undefined);
});

test('of several faults the first in the documented order is reported', (t) => {
  t.is(messageOf(new URLSearchParams('countonly=x&limit=x&offset=y')), messageOf(new URLSearchParams('offset=y')));
});

test('a list that is not countable ignores countonly', (t) => {
  const uncountable: CollectionShape<Row> = { defaultOrder: [], tieBreak: ['id'] };
  for (const text of ['countonly=true', 'countonly=x', 'countonly&countonly']) {
    const parsed = parseCollectionQuery(new URLSearchParams(text), uncountable);
    t.true(parsed.ok && !parsed.value.countonly);
  }
});

test('an empty mask or order counts as not given', (t) => {
  t.deepEqual(
    parseCollectionQuery(new URLSearchParams('mask=&order='), shape),
    parseCollectionQuery(new URLSearchParams(), shape),
  );
  t.deepEqual(parseItemQuery(new URLSearchParams('mask='), shape), {
    ok: true,
    value: { mask: undefined, flat: false },
  });
});

test('order is taken in every form that can mean only one thing', (t) => {
  const ascending = { path: ['ext', 'ct'], isDescending: false };
  const descending = { path: ['ext', 'ct'], isDescending: true };
  const id = { path: ['id'], isDescending: false };
  for (const [text, order] of [
    ['["ext.ct"]', [ascending]],
    ['[{"ext.ct":"asc"}]', [ascending]],
    ['[{"ext.ct":"desc"},"id"]', [descending, id]],
    ['{"ext.ct":"desc"}', [descending]],
    ['"ext.ct"', [ascending]],
    ['ext.ct', [ascending]],
    ['ext.ct,id', [ascending, id]],
    ['[]', undefined],
  ] as const) {
    const parsed = parseCollectionQuery([['order', text]], shape);
    t.deepEqual(parsed.ok && parsed.value.order, order, text);
  }
});

test('a single item takes mask and flat, and no other parameter', (t) => {
  const parsed = parseItemQuery(new URLSearchParams('mask=id&flat&limit=x&filter=x&order=[&countonly=x'), shape);
  t.true(parsed.ok && parsed.value.flat);
  t.deepEqual(parsed.ok && Object.keys(parsed.value), ['mask', 'flat']);
  const faulty = parseItemQuery(new URLSearchParams('flat=2'), shape);
  t.is(faulty.ok ? undefined : faulty.fault.message, 'flat: expected true, false, 1 or 0, got "2"');
  const repeated = parseItemQuery(new URLSearchParams('mask=a&mask=b'), shape);
  t.is(repeated.ok ? undefined : repeated.fault.message, 'mask: given twice');
});

test('no text of any parameter is thrown at, and a fault names its parameter', (t) => {
  const name = fc.constantFrom('filter', 'mask', 'offset', 'limit', 'order', 'flat', 'countonly', 'other');
  const text = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.json(),
    fc.constantFrom('[[', '{"__proto__":{}}', '[null]'),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(name, text)), (params) => {
      const parsed = parseCollectionQuery(params, shape);
      if (!parsed.ok) t.true(parsed.fault.message.startsWith(parsed.fault.field));
    }),
    { numRuns: sized(250, 1000) },
  );
  t.pass();
});
