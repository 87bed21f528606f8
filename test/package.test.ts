import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

test('the packed tarball runs by npx in an empty folder', async (t) => {
  const scratch = await mkdtemp(join(tmpdir(), 'strowger-'));
  t.teardown(() => rm(scratch, { recursive: true, force: true }));
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', scratch], { cwd: root });
  const [tarball = ''] = await readdir(scratch);
  const npx = (...args: string[]) =>
    run('npx', ['--yes', '--prefer-offline', '--package', `./${tarball}`, 'strowger', ...args], { cwd: scratch });
  t.regex((await npx('--help')).stdout, /serve .*Serve the management interface/);
  t.regex((await npx('validate', 'default')).stdout, /a valid topology: 3 sites/);
});

/** A project that uses the package: typed, with a check that does not fit its machine. */
const project = `import { checkMachine, formatReport, type MachineReport } from 'strowger/testing';
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

test('a project has `strowger/testing` by the package, with types that fit', async (t) => {
  const scratch = await mkdtemp(join(tmpdir(), 'strowger-'));
  t.teardown(() => rm(scratch, { recursive: true, force: true }));
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', scratch], { cwd: root });
  const [tarball = ''] = await readdir(scratch);
  const modules = join(scratch, 'node_modules');
  await mkdir(join(modules, 'strowger'), { recursive: true });
  await run('tar', ['-xzf', tarball, '-C', join(modules, 'strowger'), '--strip-components', '1'], { cwd: scratch });
  for (const name of ['xstate', 'fast-check', 'pure-rand', 'yaml', 'zod']) {
    await symlink(join(root, 'node_modules', name), join(modules, name));
  }
  await writeFile(join(scratch, 'package.json'), '{ "type": "module" }');
  await writeFile(join(scratch, 'till.ts'), project);
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const options = ['--module', 'nodenext', '--target', 'es2023', '--strict'];
  const typeRoots = ['--typeRoots', join(root, 'node_modules', '@types'), '--types', 'node'];
  await run(process.execPath, [tsc, ...options, ...typeRoots, 'till.ts'], { cwd: scratch });
  const { stdout } = await run(process.execPath, ['till.js'], { cwd: scratch });
  t.regex(stdout, /^pass {4}till +states 2\/2 +transitions 2\/2 +decided 2\/2 /);
});
