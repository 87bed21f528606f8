/** How the sessions of documents are read: which blocks are run, and what they must print. */
import { test } from '../kit/test.ts';
import { blocksOf, expectationsOf, missingIn, scriptOf } from './sessions.ts';

const document = `Text.

\`\`\`sh install
npm ci
\`\`\`

\`\`\`yaml a.yaml
name: a
\`\`\`

\`\`\`sh
echo one
\`\`\`
\`\`\`text
one
\`\`\`

\`\`\`sh fails
false
\`\`\`
`;

test('blocks for the shell become a script, files are written, installations are left out', (t) => {
  const script = scriptOf(blocksOf(document));
  t.regex(script, /cat >a\.yaml <<'FILE'\nname: a\nFILE/);
  t.regex(script, /\necho one\n\} >out\.11 2>&1/);
  t.regex(script, /if \( false \) >out\.18/);
  t.notRegex(script, /npm ci/);
});

test('a block of text is the expected output of the block before it', (t) => {
  t.deepEqual(expectationsOf(blocksOf(document)), [{ line: 11, expected: ['one'] }]);
});

test('expected lines are found in their order, with … for any text', (t) => {
  const output = 'first 17 ms\nother\nsecond\n';
  t.is(missingIn(output, ['first … ms', 'second']), undefined);
  t.is(missingIn(output, ['second', 'first … ms']), 'first … ms');
  t.is(missingIn(output, ['third']), 'third');
});
