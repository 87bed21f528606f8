/** What `npm pack` puts into the package. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import test from 'ava';

test('the npm package has the bundle and the types of the library, and neither maps of sources nor tests nor files of the build', (t) => {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const [packed] = JSON.parse(execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  const paths: string[] = packed.files.map(({ path }: { path: string }) => path);
  const wrong = paths.filter((path) =>
    /\.map$|\.tsb$|\.tsbuildinfo$|(^|\/)test\/|\.test\.|^dist\/(?!cli\/|lib\/|types\/|sim\/report\/html\/viewer\/)/.test(
      path,
    ),
  );
  t.deepEqual(wrong, []);
  for (const path of [
    'dist/cli/main.js',
    'dist/cli/worker.js',
    'dist/cli/LICENSES.txt',
    'dist/lib/index.js',
    'dist/lib/client.js',
    'dist/types/sim/index.d.ts',
    'dist/types/src/client/index.d.ts',
    'dist/sim/report/html/viewer/5-page.js',
    'LICENSE',
  ])
    t.true(paths.includes(path), path);
});

test('the typed client of the package runs in browsers: it imports nothing but the web socket of Node 20', (t) => {
  const imports = [
    ...readFileSync('dist/lib/client.js', 'utf8').matchAll(/(?:from|import|require) ?\(?["']([^"']+)["']/g),
  ];
  t.deepEqual(
    imports.map(([, name]) => name),
    ['ws'],
  );
});
