/** What is wrong with a text that is not JSON, and where. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { jsonFault } from '../../src/model/json.ts';
import { holds } from '../kit/property.ts';
import { test } from '../kit/test.ts';
import { anyCharacter } from '../kit/text.ts';

const rows: readonly [text: string, fault: string][] = [
  ['', 'line 1, column 1: expected a value, got the end'],
  ['hello', 'line 1, column 1: expected a value, got "h"'],
  ['nul', 'line 1, column 1: expected a value, got "n"'],
  ['NaN', 'line 1, column 1: expected a value, got "N"'],
  ["{'a':1}", 'line 1, column 2: expected a name in double quotes or "}", got "\'"'],
  ['{"a":1,}', 'line 1, column 8: expected a name in double quotes, got "}"'],
  ['{"a" 1}', 'line 1, column 6: expected ":", got "1"'],
  ['{"a":1 "b":2}', 'line 1, column 8: expected "," or "}", got "\\""'],
  ['{"domain":', 'line 1, column 11: expected a value, got the end'],
  ['[1,2', 'line 1, column 5: expected "," or "]", got the end'],
  ['[1,]', 'line 1, column 4: expected a value, got "]"'],
  ['[', 'line 1, column 2: expected a value or "]", got the end'],
  ['{}{}', 'line 1, column 3: expected nothing more, got "{"'],
  ['{} // why', 'line 1, column 4: expected nothing more, got "/"'],
  ['01', 'line 1, column 2: expected nothing more, got "1"'],
  ['-', 'line 1, column 2: expected a digit, got the end'],
  ['1.', 'line 1, column 2: expected nothing more, got "."'],
  ['[\n  1,\n  x]', 'line 3, column 3: expected a value, got "x"'],
  ['"open', 'line 1, column 6: expected a closing quote, got the end'],
  ['"a\u0001"', 'line 1, column 3: expected no control character in a string, got "\\u0001"'],
  [String.raw`"\x"`, String.raw`line 1, column 2: expected an escape such as \n or \u00e9, got "\\"`],
  ['\u{1f600}', 'line 1, column 1: expected a value, got "\u{1f600}"'],
  ['{"domain":"root.test"\0}', 'line 1, column 22: expected "," or "}", got "\\u0000"'],
];

for (const [text, fault] of rows) {
  test(`${JSON.stringify(text)}: ${fault}`, (t) => {
    t.is(jsonFault(text), fault);
  });
}

/** Texts that are JSON, or nearly. */
const nearly = fc
  .tuple(
    fc.json({ stringUnit: anyCharacter }),
    fc.nat(),
    fc.nat(3),
    fc.constantFrom('', ',', '}', ']', '"', '\\', ':', '-', '1', ' ', '\n', '[', '{', '.', 'e', 'null', '\u2028'),
  )
  .map(([text, place, cut, inserted]) => {
    const at = place % (text.length + 1);
    return text.slice(0, at) + inserted + text.slice(at + cut);
  });

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test('a text has a fault where JSON.parse refuses it, and only there', async (t) => {
  await holds(
    t,
    fc.property(fc.oneof(nearly, fc.string()), (text) => {
      assert.equal(jsonFault(text) === undefined, isJson(text));
    }),
  );
});

test('a text of a megabyte has its fault found, however it is made', (t) => {
  const million = 1_000_000;
  t.is(
    jsonFault(`"${String.raw`\n`.repeat(million / 2)}`),
    `line 1, column ${million + 2}: expected a closing quote, got the end`,
  );
  t.is(jsonFault('['.repeat(million)), `line 1, column ${million + 1}: expected a value or "]", got the end`);
  t.is(jsonFault('1'.repeat(million)), undefined);
});
