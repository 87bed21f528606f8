/** The suites: no test file is left out, and none has hooks that reach the tests of another file. */
import { readdirSync, readFileSync } from 'node:fs';
import { sep } from 'node:path';
import { suitesOf } from './suites.ts';
import { test } from './test.ts';

const sources = new URL('../../../test/', import.meta.url);

test('suites of a folder share its files, and the rest has the files of folders without a suite', (t) => {
  const files = ['front/a', 'front/b', 'front/c', 'browser/a', 'docs/a', 'top'];
  t.deepEqual(Object.fromEntries(suitesOf(files, ['front-1', 'front-2', 'browser', 'rest'])), {
    'front-1': ['front/a', 'front/c'],
    'front-2': ['front/b'],
    browser: ['browser/a'],
    rest: ['docs/a', 'top'],
  });
});

test('a folder that lodges with another one runs in its suite, or in the rest where that has none', (t) => {
  const files = ['machines/a', 'front/a', 'sip/a'];
  t.deepEqual(Object.fromEntries(suitesOf(files, ['rest', 'front-1', 'front-2'])), {
    'front-1': ['machines/a', 'sip/a'],
    'front-2': ['front/a'],
    rest: [],
  });
  t.deepEqual(suitesOf(files, ['rest']).get('rest'), files);
});

test('tests are declared by test/kit/test.ts, and no file declares hooks or `only` of AVA, which would hold for a whole suite', (t) => {
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const matching = (pattern: RegExp) =>
    files
      .filter((file) => pattern.test(readFileSync(new URL(file, sources), 'utf8')))
      .map((file) => file.replaceAll(sep, '/'));
  t.deepEqual(matching(/^import (?!type\b)\w+\b.* from 'ava'/m).sort(), ['kit/test.ts']);
  const declaring = matching(/^ *test\.(before|after|only)/m);
  const scoped = matching(/^const test = scopedTest\(\);$/m);
  t.deepEqual(
    declaring.filter((file) => !scoped.includes(file)),
    [],
    'expected scopedTest of test/kit/scoped.ts',
  );
  t.true(files.length > 100);
});
