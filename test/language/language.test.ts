/** Documents, help texts, comments and messages are in the terms of the field: none of the words in `.config/words.json`. */
import { test } from '../kit/test.ts';
import { areas, hitsIn, readWords } from './hits.ts';
import { readParts } from './source-text.ts';

const words = readWords();

for (const area of areas) {
  test(`${area}: at most ${words.most[area]} banned words (npm run words lists them)`, async (t) => {
    const hits = await hitsIn(area, words);
    const most = words.most[area];
    t.true(hits.length <= most, `${hits.length} banned words, expected at most ${most}:\n${hits.join('\n')}`);
  });
}

test('comments and sentences of a source are read, code and patterns are not', (t) => {
  const source = [
    'const item = /an item "text"/; // a comment',
    '/* two',
    '   lines */',
    "const name = 'item', text = 'an item is there';",
    ['const half = a / b, other = `to $', '{name} and on`;'].join(''),
  ].join('\n');
  t.deepEqual(
    readParts(source).map(({ line, text }) => `${line} ${text}`),
    ['1 // a comment', '2 /* two\n   lines */', "4 'an item is there'", '5 `to … and on`'],
  );
});
