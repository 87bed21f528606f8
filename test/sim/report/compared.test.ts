/** What was expected beside what came: which lines are marked, and what is left out of a long text. */

import { comparedOf } from '../../../sim/report/html/compared.ts';
import { expectSchema } from '../../../sim/scenario/language/request-schema.ts';
import type { Mismatch } from '../../../sim/scenario/report.ts';
import { unmet } from '../../../sim/scenario/run/expectations.ts';
import { test } from '../../kit/test.ts';

/** The lines of both sides, with a `!` in front of the ones that differ. */
function marked(expectation: object, answer: { status?: number; body: unknown; headers?: Headers }) {
  const found = unmet(expectSchema.parse(expectation), { status: 200, ...answer });
  const places = (of: 'at' | 'wantedAt') => found.flatMap((each) => each[of] ?? each.at ?? []);
  const mismatch: Mismatch = {
    ...(found[0]?.compared ?? { expected: undefined, actual: undefined }),
    expectedAt: places('wantedAt'),
    actualAt: places('at'),
  };
  const { expected, actual } = comparedOf(mismatch);
  const text = (lines: typeof expected) => lines.map(([line, isMarked]) => `${isMarked === 1 ? '!' : ''}${line}`);
  return { expected: text(expected), actual: text(actual) };
}

test('the field that differs is marked on both sides, and what is short stands in a line', (t) => {
  const body = {
    name: 'a',
    legs: [
      { side: 'a', n: 1 },
      { side: 'b', n: 2 },
    ],
  };
  t.deepEqual(marked({ status: 200, body: { legs: [{ side: 'a' }, { side: 'a' }] } }, { body }), {
    expected: [
      '{',
      '  "status": 200,',
      '  "body": {',
      '    "legs": [',
      '      {"side":"a"},',
      '      {',
      '!        "side": "a"',
      '      }',
      '    ]',
      '  }',
      '}',
    ],
    actual: [
      '{',
      '  "status": 200,',
      '  "body": {',
      '    "name": "a",',
      '    "legs": [',
      '      {"side":"a","n":1},',
      '      {',
      '!        "side": "b",',
      '        "n": 2',
      '      }',
      '    ]',
      '  }',
      '}',
    ],
  });
});

test('a status, a header, a missing field and a missing body are marked', (t) => {
  const lines = (expectation: object, answer: { status?: number; body: unknown; headers?: Headers }) =>
    marked(expectation, answer).actual.filter((line) => line.startsWith('!'));
  t.deepEqual(lines({ status: 200 }, { status: 503, body: { error_code: 1503 } }), ['!  "status": 503,']);
  const headers = new Headers({ age: '5' });
  t.deepEqual(lines({ headers: { age: '3' } }, { body: {}, headers }), ['!    "age": "5"']);
  t.deepEqual(lines({ body: { a: { b: 1 } } }, { body: { a: {} } }), ['!      "b": is missing']);
  t.deepEqual(lines({ body: { a: 1 } }, { body: undefined }), ['!  "body": none']);
});

test('an item that differs is marked where it is in the list, a count at the list', (t) => {
  const body = [
    { site: 'hq', online: true },
    { site: 'north', online: false },
  ];
  const item = marked({ items: [{ where: { site: 'north' }, every: { online: true } }] }, { body });
  t.deepEqual(
    item.actual.filter((line) => line.startsWith('!')),
    ['!      "online": false'],
  );
  t.deepEqual(
    item.expected.filter((line) => line.startsWith('!')),
    ['!        "online": true'],
  );
  const count = marked({ count: 3 }, { body });
  t.true(
    count.expected.includes('!{"count":3}') || count.expected.includes('!  "count": 3'),
    count.expected.join('\n'),
  );
  t.true(
    count.actual.some((line) => line.startsWith('!  "body": [')),
    count.actual.join('\n'),
  );
});

test('of a long body only lines near a difference are kept, with the number of the others', (t) => {
  const body = Array.from({ length: 2_000 }, (_, n) => ({ n, text: 'x'.repeat(80), online: n !== 1_500 }));
  const { actual } = marked({ items: [{ where: {}, every: { online: true } }] }, { body });
  t.true(actual.length < 450, String(actual.length));
  t.true(actual.includes('!      "online": false'));
  const left = actual.filter((line) => line.startsWith('…'));
  t.is(left.length, 2);
  for (const line of left) t.regex(line, /^… \d+ more lines$/);
});

test('a body of any size and shape is shown, whatever its field names are', (t) => {
  const body = { 'a.b': { '[0]': [1, [2, { '': null }]] }, __proto__x: [] };
  const { actual } = marked({ body: { 'a.b': { '[0]': [1, [3, {}]] } } }, { body });
  t.deepEqual(JSON.parse(actual.map((line) => line.replace(/^!/, '')).join('\n')), { status: 200, body });
});
