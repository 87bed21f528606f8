/**
 * Suites of test files: AVA starts a worker for each file in test/suites, which loads many test files. So the product is
 * imported, and its hot code compiled, once for all of them. A test file runs alone as well: `npx ava dist/test/x/y.test.js`.
 *
 * A suite has the folder of its name, and the folders that `lodgers` gives to it. The suites `sim-1` and `sim-2` share
 * the files of test/sim; `rest` has the files of all other folders.
 */
import { readdirSync } from 'node:fs';
import { basename, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = new URL('../', import.meta.url);

/** Folders that run in the suite of another one: a worker of their own costs more than their tests. */
const lodgers: Readonly<Record<string, string>> = {
  ...{ actors: 'front', cluster: 'front', machines: 'front', model: 'front', replication: 'front', roles: 'front' },
  ...{ scripts: 'front', services: 'front', sip: 'front', storage: 'front' },
};

/** Loads the test files of the suite with this URL: as one graph of modules, for AVA takes no tests once the first run. */
export async function loadSuite(url: string): Promise<void> {
  const suite = basename(fileURLToPath(url), '.js');
  const files = suitesOf(testFiles(), suiteNames()).get(suite) ?? [];
  const imports = files.map((file) => `import ${JSON.stringify(new URL(file, root).href)};`);
  await import(`data:text/javascript,${encodeURIComponent(imports.join(''))}`);
}

/** The test files of each suite; every file is in one. `files` are paths below test/. */
export function suitesOf(files: readonly string[], suites: readonly string[]): Map<string, string[]> {
  const shares = new Map<string, string[]>(suites.map((suite) => [suite, []]));
  const counts = new Map<string, number>();
  for (const file of files) {
    const [folder = ''] = file.split('/');
    const home = lodgers[folder] ?? folder;
    const sharing = suites.filter((suite) => suite.replace(/-\d+$/, '') === home);
    const count = counts.get(home) ?? 0;
    counts.set(home, count + 1);
    const share = shares.get(sharing[count % sharing.length] ?? 'rest');
    if (share === undefined) throw new Error(`${file}: its folder has no suite, and there is no suite "rest"`);
    share.push(file);
  }
  return shares;
}

function suiteNames(): string[] {
  return readdirSync(new URL('suites/', root))
    .filter((file) => file.endsWith('.js'))
    .map((file) => basename(file, '.js'));
}

function testFiles(): string[] {
  const found = readdirSync(root, { recursive: true, encoding: 'utf8' });
  return found
    .filter((file) => file.endsWith('.test.js'))
    .map((file) => file.split(sep).join('/'))
    .sort();
}
