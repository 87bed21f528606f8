/** The documents name files and folders that exist. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from '../kit/test.ts';

const root = new URL('../../../', import.meta.url);
const folders = ['src', 'sim', 'test', 'docs', 'scenarios'];
const pages = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  ...filesBelow('docs').filter((path) => path.endsWith('.md')),
];
/** `src/cluster/node.ts`, `sim/docs/examples`, or without the first folders: `cluster/node.ts`. */
const path = /`((?:src|sim|test)\/[\w./-]+|(?:[\w-]+\/)+[\w.-]+\.ts)`/g;
/** `src/roles/NAME/`: a folder that the reader makes. */
const isPattern = (name: string) => /\b[A-Z]{4}/.test(name);

function filesBelow(folder: string): string[] {
  const names = readdirSync(new URL(`${folder}/`, root), { recursive: true, encoding: 'utf8' });
  return names.map((name) => `${folder}/${name.replaceAll('\\', '/')}`);
}

const files = folders.flatMap(filesBelow);

/** The paths in a text that are not those of a file or folder. */
function missingIn(text: string): string[] {
  const named = [...text.matchAll(path)].map(([, name = '']) => name).filter((name) => !isPattern(name));
  return named.filter((name) =>
    folders.includes(name.split('/')[0] ?? '')
      ? !existsSync(new URL(name, root))
      : !files.some((file) => file.endsWith(`/${name}`)),
  );
}

test('a file or folder that a document names exists', (t) => {
  const missing = pages.flatMap((page) =>
    missingIn(readFileSync(new URL(page, root), 'utf8')).map((name) => `${page}: ${name}`),
  );
  t.deepEqual(missing, []);
});

test('a path that was renamed is found in a text', (t) => {
  const text =
    '`src/cluster/node.ts`, `cluster/node.ts`, `runtime/node.ts`, `docs/examples/a.ts`, `src/nodes/`, `src/roles/NAME/`';
  t.deepEqual(missingIn(text), ['runtime/node.ts', 'docs/examples/a.ts', 'src/nodes/']);
});
