/** A source begins with a comment that says what it is, and every other docstring is at what it describes. */
import { readdirSync, readFileSync } from 'node:fs';
import { test } from '../kit/test.ts';
import { detachedDocstrings } from './source-text.ts';

const root = new URL('../../../', import.meta.url);

function sourcesBelow(folder: string): string[] {
  const names = readdirSync(new URL(`${folder}/`, root), { recursive: true, encoding: 'utf8' });
  return names.map((name) => `${folder}/${name.replaceAll('\\', '/')}`).filter((path) => path.endsWith('.ts'));
}

/** `npm run docs` writes these. */
const generated = 'src/client/api/';

/** A comment of one sentence at least, on the first line or below `#!`. */
const header = /^(?:#![^\n]*\n)?\/\*\*[\s*]+[^\s*][^\n]*\w/;

test('each file of src and sim begins with what it is', (t) => {
  const sources = ['src', 'sim'].flatMap(sourcesBelow).filter((path) => !path.startsWith(generated));
  t.true(sources.length > 500, `${sources.length} files`);
  t.deepEqual(
    sources.filter((path) => !header.test(readFileSync(new URL(path, root), 'utf8'))),
    [],
  );
});

test('a file that begins with an import, or an empty comment, has no header', (t) => {
  t.regex('/** A gap in a stream. */\n', header);
  t.regex('#!/usr/bin/env node\n/**\n * The command line.\n */\n', header);
  t.notRegex("import { z } from 'zod';\n\n/** A gap. */\n", header);
  t.notRegex('/** */\n', header);
});

test('each docstring is directly above what it describes', (t) => {
  const sources = ['src', 'sim', 'test'].flatMap(sourcesBelow);
  const detached = sources.flatMap((path) =>
    detachedDocstrings(readFileSync(new URL(path, root), 'utf8')).map((line) => `${path}:${line}`),
  );
  t.deepEqual(detached, []);
});

test('a docstring before an empty line, a comment, an import or the end of a block is detached', (t) => {
  const head = '#!/usr/bin/env node\n/** The file. */\n\n';
  const doc = '/** A gap. */\n';
  for (const next of ['\n', '/** Another. */\nconst a = 1;\n', '// Why.\n', "import { z } from 'zod';\n", '}\n', '']) {
    t.deepEqual(detachedDocstrings(`${head}${doc}${next}`), [4], JSON.stringify(next));
  }
  for (const next of ['const a = 1;\n', 'export class Gap {\n', '@injectable()\n', '[key: string]: number;\n']) {
    t.deepEqual(detachedDocstrings(`${head}${doc}${next}`), [], JSON.stringify(next));
  }
  t.deepEqual(detachedDocstrings('const a = 1;\n\n/**\n * One.\n */\n\nconst b = 2;\n'), [3]);
});
