/**
 * Bundles the command line with its dependencies into `dist/cli`: loading some files instead of two thousand halves the start of
 * a process. Why esbuild: docs/adr/0037-bundled-command-line.md.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

const folder = 'dist/cli';
rmSync(folder, { recursive: true, force: true });
const { metafile } = await build({
  // The command line, and the files that it starts as processes of their own.
  entryPoints: {
    main: 'dist/sim/cli/main.js',
    worker: 'dist/sim/sweep/worker.js',
    'http-servers': 'dist/sim/bench/http-servers.js',
  },
  outdir: folder,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // They find native code or WebAssembly beside their own files, or are recognized by them (sim/world/ambient-guard.ts).
  external: ['level', '@jitl/*', 'xstate'],
  // For dependencies that are CommonJS.
  banner: { js: "import { createRequire as requireOf } from 'node:module';\nconst require = requireOf(import.meta.url);" },
  sourcemap: true,
  metafile: true,
  legalComments: 'none',
  logLevel: 'warning',
});

/** The licences of what is in the bundle. */
const inputs = Object.keys(metafile.inputs);
const packages = new Set(inputs.flatMap((path) => path.match(/^node_modules\/(?:@[^/]+\/)?[^/]+/g) ?? []));
const licences = [...packages].sort().map((path) => {
  const { name, version, license } = JSON.parse(readFileSync(`${path}/package.json`, 'utf8'));
  const file = readdirSync(path).find((each) => /^licen[sc]e/i.test(each));
  const text = file === undefined ? '' : `\n\n${readFileSync(`${path}/${file}`, 'utf8').trim()}`;
  return `${name} ${version}: ${license}${text}\n`;
});
writeFileSync(`${folder}/LICENSES.txt`, licences.join(`\n${'-'.repeat(80)}\n\n`));
