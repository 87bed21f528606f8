/** The package as `npm pack` makes it: its files, and projects that have installed it. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { optimizingLate } from './kit/optimizing.ts';
import { scopedTest } from './kit/scoped.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

const test = scopedTest();
let folder = '';
let tarball = '';
let paths: readonly string[] = [];

test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'strowger-'));
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: root,
  });
  const [packed] = JSON.parse(stdout);
  tarball = join(folder, packed.filename);
  paths = packed.files.map(({ path }: { path: string }) => path);
});

test.after(() => rm(folder, { recursive: true, force: true }));

test('the npm package has the bundle and the types of the library, and neither maps of sources nor tests nor files of the build', (t) => {
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
    ...readFileSync(join(root, 'dist/lib/client.js'), 'utf8').matchAll(/(?:from|import|require) ?\(?["']([^"']+)["']/g),
  ];
  t.deepEqual(
    imports.map(([, name]) => name),
    ['ws'],
  );
});

/** A project that has installed the tarball and these packages. */
async function installed(packages: readonly string[]): Promise<string> {
  const scratch = await mkdtemp(join(folder, 'project-'));
  const modules = join(scratch, 'node_modules');
  await mkdir(join(modules, 'strowger'), { recursive: true });
  await run('tar', ['-xzf', tarball, '-C', join(modules, 'strowger'), '--strip-components', '1']);
  for (const name of packages) await symlink(join(root, 'node_modules', name), join(modules, name));
  await writeFile(join(scratch, 'package.json'), '{ "type": "module" }');
  return scratch;
}

/** Compiles a file of a project with all checks, those of the declarations of the package included. */
async function compile(scratch: string, file: string, more: readonly string[] = []): Promise<void> {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const options = [
    '--checkers',
    '1',
    '--module',
    'nodenext',
    '--target',
    'es2023',
    '--lib',
    'es2023,esnext.disposable',
    '--strict',
  ];
  const typeRoots = ['--typeRoots', join(root, 'node_modules', '@types'), '--types', 'node'];
  try {
    await run(process.execPath, [tsc, ...options, ...typeRoots, ...more, file], { cwd: scratch });
  } catch (error) {
    throw new Error((error as { stdout?: string }).stdout ?? String(error));
  }
}

/** A typed project with a check that does not fit its machine. */
const machineProject = `import { checkMachine, formatReport, type MachineReport } from 'strowger/testing';
import { emit, setup } from 'xstate';

const machine = setup({
  types: { events: {} as { type: 'paid'; cents: number } | { type: 'left' }, emitted: {} as { type: 'thank' } },
  actions: { thank: emit({ type: 'thank' }) },
}).createMachine({
  id: 'till',
  initial: 'open',
  states: { open: { on: { paid: { target: 'paid', actions: 'thank' }, left: {} } }, paid: { type: 'final' } },
});
const report: MachineReport = checkMachine({
  machine,
  events: { paid: ({ pick }) => ({ cents: pick.from([100, 5]) }), left: true },
  once: ['thank'],
  rules: { 'thanks are last': ({ last, count }) => last.isOver === (count('thank') === 1) },
});
console.log(formatReport(report));
checkMachine({
  machine,
  // @ts-expect-error an event says what its type says
  events: { paid: () => ({ cents: 'many' }), left: true },
});
// @ts-expect-error every event is there
checkMachine({ machine, events: { left: true } });
// @ts-expect-error orders are those of the machine
checkMachine({ machine, events: { paid: () => ({ cents: 1 }), left: true }, once: ['thanks'] });
`;

test('a project that has installed the package imports `strowger/testing`, with types', async (t) => {
  const scratch = await installed(['xstate', 'fast-check', 'pure-rand', 'yaml', 'zod']);
  await writeFile(join(scratch, 'till.ts'), machineProject);
  await compile(scratch, 'till.ts');
  const { stdout } = await run(process.execPath, [...optimizingLate, 'till.js'], { cwd: scratch });
  t.regex(stdout, /^pass {4}till +states 2\/2 +transitions 2\/2 +decided 2\/2 /);
});

/** A typed project with a cluster: the fixtures of AVA and Vitest, and calls that do not fit. */
const clusterProject = `import { type Snapshot, startCluster } from 'strowger';
import { type AvaTest, clusterFor } from 'strowger/ava';
import { ApiError } from 'strowger/client';
import { clusterFixture } from 'strowger/vitest';

const endings: (() => Promise<void>)[] = [];
const t: AvaTest = { title: 'a test', passed: true, teardown: (work) => void endings.push(work) };
const cluster = await clusterFor(t, { seed: 7 });
const cut = await cluster.faults.cut({ from: 'north' }, { name: 'lines' });
console.log(cut.isActive, (await cluster.fetch('hq', '/healthz')).status);
const snapshot: Snapshot = cluster.snapshot();
// @ts-expect-error a verb has its own parameters
await cluster.faults.skew({ from: 'north' }).catch((error: Error) => console.log(error.message));
// @ts-expect-error a behaviour has known fields
await cluster.numbers.set('acme.root.test', '1002', { refuse: 486 }).catch((error: Error) => console.log(error.message));
for (const end of endings) await end();
await clusterFixture({ seed: 7 })({ task: { name: 'a test' } }, async (other) => {
  await other.restore(snapshot);
  console.log(other.traceHash.length);
});
await using another = await startCluster();
console.log(another.sites.join());
const refused = another.client({ domain: 'acme.root.test', login: 'admin', pwd: 'wrong' });
console.log(await refused.catch((error: unknown) => error instanceof ApiError && error.kind));
`;

test('a project that has installed the package runs clusters in its tests, with types', async (t) => {
  const packages = (await readdir(join(root, 'node_modules'))).filter((name) => !name.startsWith('.'));
  const scratch = await installed(packages);
  await writeFile(join(scratch, 'cluster.ts'), clusterProject);
  // XState's own declarations do not compile with it, so this shows that the library's do without them.
  await compile(scratch, 'cluster.ts', ['--exactOptionalPropertyTypes']);
  const { stdout } = await run(process.execPath, [...optimizingLate, 'cluster.js'], { cwd: scratch });
  t.regex(stdout, /^true 200\n.*skew.*\n.*refuse.*\n64\nhq,north,south\nrefused\n$/s);
});
