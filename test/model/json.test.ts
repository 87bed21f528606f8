/** JSON from outside: its depth and its values are counted before anything is parsed. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isDeeper, parseJson } from '../../src/model/json.ts';
import { holds } from '../kit/property.ts';
import { test } from '../kit/test.ts';

const nested = (depth: number, open: string, inside: string, close: string) =>
  open.repeat(depth) + inside + close.repeat(depth);

const texts: readonly [text: string, depth: number][] = [
  ['1', 0],
  ['"[[[["', 0],
  ['{"[":"{"}', 1],
  [String.raw`["\"[", "\\", []]`, 2],
  [nested(64, '[', '', ']'), 64],
  [nested(64, '{"a":', '1', '}'), 64],
  ['[[],[],[[]]]', 3],
];

for (const [text, depth] of texts) {
  test(`${text.slice(0, 40)} is ${depth} deep`, (t) => {
    t.false(isDeeper(text, depth));
    t.true(depth === 0 || isDeeper(text, depth - 1));
    t.deepEqual(parseJson(text, depth), { ok: true, value: JSON.parse(text) });
  });
}

test('JSON that nests too deep is refused with the bound, before it is parsed', (t) => {
  for (const text of [nested(65, '[', '', ']'), nested(500_000, '[', '', ']'), '['.repeat(500_000)]) {
    const read = parseJson(text, 64);
    t.false(read.ok);
    t.regex(read.ok ? '' : read.fault.message, /at most 64 deep/);
  }
});

test('a text that is not JSON is refused with the reason', (t) => {
  for (const text of ['', '[', '{"a":}', 'nothing', '"\\']) t.like(parseJson(text, 8), { ok: false });
});

test('the depth of a value is that of its text', async (t) => {
  const depthOf = (value: unknown): number =>
    typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
  await holds(
    t,
    fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
      const depth = depthOf(value);
      const text = JSON.stringify(value);
      assert.equal(isDeeper(text, depth), false);
      if (depth > 0) assert.equal(isDeeper(text, depth - 1), true);
    }),
  );
});

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

test('the values of a text are all members of members, and an empty array or object counts twice', async (t) => {
  const valuesIn = (value: unknown): number => {
    if (!isContainer(value)) return 1;
    const members = Object.values(value);
    return members.length === 0 ? 2 : members.reduce((sum, member) => sum + valuesIn(member), 1);
  };
  await holds(
    t,
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(3), (value, blanks) => {
      const text = JSON.stringify(value, undefined, blanks);
      const values = valuesIn(value);
      assert.deepEqual(parseJson(text, 64, values), { ok: true, value: JSON.parse(text) });
      if (values > 1) assert.equal(parseJson(text, 64, values - 1).ok, false);
    }),
  );
});

test('a text with too many values is refused with the bound, and not searched for what is malformed in it', (t) => {
  const manyOf = (member: string) => `[${`${member},`.repeat(300_000)}`;
  for (const text of [
    manyOf('1'),
    `${manyOf('1')}1]`,
    `${manyOf('{}')}x`,
    `${manyOf('{"a":1}')}{}]`,
    manyOf('"\\n"'),
  ]) {
    t.like(parseJson(text, 64, 20_000), { ok: false, fault: { message: 'expected at most 20000 values' } });
  }
  const commas = `"${',[{'.repeat(300_000)}"`;
  t.deepEqual(parseJson(commas, 64, 20_000), { ok: true, value: JSON.parse(commas) });
});
