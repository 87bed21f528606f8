/** A source begins with a comment that says what it is. */
import { readdirSync, readFileSync } from 'node:fs';
import { test } from '../kit/test.ts';

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
