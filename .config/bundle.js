/**
 * Bundles what the package runs with its dependencies: the command line into `dist/cli`, and the library into `dist/lib`, in parts that both
 * share. Loading some files instead of two thousand halves the start of a process. Copies the declarations of the library into `dist/types`.
 * Why esbuild: docs/adr/0037-bundled-command-line.md.
 */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { limitGroups } from '../dist/sim/docs/limits-document.js';
import { ownBuildInfo } from '../dist/sim/scenario/build-info.js';
import { parsedTopologies } from '../dist/sim/topology/load-topology.js';

for (const folder of ['cli', 'lib', 'types']) rmSync(`dist/${folder}`, { recursive: true, force: true });

const common = { bundle: true, format: 'esm', target: 'node20.19', sourcemap: true, legalComments: 'none', logLevel: 'warning' };

// The typed client is one file of its own: it runs in browsers too, and its errors are of one class for all that import it.
await build({
  ...common,
  entryPoints: { client: 'dist/src/client/index.js' },
  outdir: 'dist/lib',
  platform: 'neutral',
  // Imported only where there is no global WebSocket.
  external: ['ws'],
});

const { metafile } = await build({
  ...common,
  entryPoints: {
    // The command line, and the files that it starts as processes of their own.
    'cli/main': 'dist/sim/cli/main.js',
    'cli/worker': 'dist/sim/sweep/worker.js',
    'cli/http-servers': 'dist/sim/bench/http-servers.js',
    // The library: `exports` of package.json.
    'lib/index': 'dist/sim/index.js',
    'lib/ava': 'dist/sim/embed/ava.js',
    'lib/vitest': 'dist/sim/embed/vitest.js',
    'lib/testing': 'dist/sim/testing.js',
  },
  outdir: 'dist',
  // All parts are in one folder, from which they find the files that they start.
  chunkNames: 'cli/[name]-[hash]',
  splitting: true,
  platform: 'node',
  // They find native code or WebAssembly beside their own files, or are recognized by them (sim/world/ambient-guard.ts).
  external: ['level', '@jitl/*', 'xstate'],
  // For dependencies that are CommonJS.
  banner: { js: "import { createRequire as requireOf } from 'node:module';\nconst require = requireOf(import.meta.url);" },
  // The package has no compiled files to identify its build by (sim/scenario/build-info.ts).
  define: {
    'globalThis.strowgerBuild': JSON.stringify(ownBuildInfo().build),
    'globalThis.strowgerLimits': JSON.stringify(limitGroups()),
    'globalThis.strowgerTopologies': JSON.stringify(parsedTopologies()),
  },
  plugins: [{ name: 'strowger', setup }],
  metafile: true,
});

function setup({ onLoad, onResolve }) {
  onResolve({ filter: /[/]src[/]client[/]client\.js$/ }, () => ({ path: '../lib/client.js', external: true }));
  // A namespace lets esbuild leave out what is not used of zod: its messages in forty languages.
  onLoad({ filter: /[/]dist[/](src|sim)[/].*\.js$/ }, ({ path }) => ({
    contents: readFileSync(path, 'utf8').replace("import { z } from 'zod'", "import * as z from 'zod'"),
  }));
}

/** The declarations that those of the library need. */
const declarations = new Set();
for (const entry of ['sim/index', 'sim/embed/ava', 'sim/embed/vitest', 'sim/testing', 'src/client/index']) collect(`${entry}.d.ts`);
for (const path of declarations) {
  mkdirSync(dirname(`dist/types/${path}`), { recursive: true });
  copyFileSync(`dist/${path}`, `dist/types/${path}`);
}

function collect(path) {
  if (declarations.has(path)) return;
  declarations.add(path);
  const text = readFileSync(`dist/${path}`, 'utf8');
  for (const [, to] of text.matchAll(/(?:from|import) ?\(?['"](\.[^'"]+)\.[jt]s['"]/g)) collect(join(dirname(path), `${to}.d.ts`));
}

/** The licences of what is in the bundle. */
const inputs = Object.keys(metafile.inputs);
const packages = new Set(inputs.flatMap((path) => path.match(/^node_modules\/(?:@[^/]+\/)?[^/]+/g) ?? []));
const licences = [...packages].sort().map((path) => {
  const { name, version, license } = JSON.parse(readFileSync(`${path}/package.json`, 'utf8'));
  const file = readdirSync(path).find((each) => /^licen[sc]e/i.test(each));
  const text = file === undefined ? '' : `\n\n${readFileSync(`${path}/${file}`, 'utf8').trim()}`;
  return `${name} ${version}: ${license}${text}\n`;
});
writeFileSync('dist/cli/LICENSES.txt', licences.join(`\n${'-'.repeat(80)}\n\n`));
