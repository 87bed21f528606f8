import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
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
  t.regex((await npx('--help')).stdout, /serve .*Serve the interface/);
  t.regex((await npx('validate', 'default')).stdout, /a sound topology: 3 sites/);
});
