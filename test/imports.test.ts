/**
 * The directions of imports. A folder may import the folders and packages in its row, and itself; circles between files are
 * the linter's (`noImportCycles`). A folder that is missing here, or an import that its row lacks, fails with both names. So does
 * a folder that has too many files to be looked through.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from './kit/test.ts';

interface Row {
  /** Folders whose files it may import. */
  readonly folders: string;
  /** Packages, Node's own by `node:*`. */
  readonly packages?: string;
}

const pureNode = 'node:buffer node:crypto node:zlib node:util node:stream node:path node:url node:events';

const core = 'src/model src/ports src/machines src/actors';
const cluster = `${core} src/cluster`;
const services = `${cluster} src/replication src/storage src/scripts src/roles`;
const parts = 'sim/ports sim/faults sim/outside sim/observation';
const worlds = `${parts} sim/oracles`;

const rows: Readonly<Record<string, Row>> = {
  'src/model': { folders: '', packages: `zod re2js acorn fflate ${pureNode}` },
  'src/ports': { folders: 'src/model' },
  'src/machines': { folders: 'src/model', packages: 'xstate' },
  'src/actors': { folders: 'src/model src/ports src/machines', packages: 'xstate' },
  'src/sip': { folders: core, packages: pureNode },
  'src/cluster': { folders: core, packages: `xstate zod ${pureNode}` },
  'src/replication': { folders: cluster, packages: 'xstate' },
  'src/storage': { folders: 'src/model src/ports', packages: pureNode },
  'src/scripts': { folders: `${cluster} src/storage`, packages: pureNode },
  'src/roles': { folders: `${cluster} src/sip src/replication src/storage src/scripts`, packages: pureNode },
  'src/services': { folders: services, packages: `zod busboy mime-types ${pureNode}` },
  'src/http': {
    folders: `${services} src/services`,
    packages: `hono zod busboy mime-types ${pureNode} node:http node:tls`,
  },
  'src/client': { folders: '', packages: 'ws' },
  'src/adapters': {
    folders: 'src/model src/ports src/http',
    packages: 'ws level pino hono @hono/node-server quickjs-emscripten-core @jitl/quickjs-wasmfile-release-sync node:*',
  },
  src: { folders: `${services} src/services src/http`, packages: 'tsyringe reflect-metadata' },
  'sim/ports': { folders: core, packages: 'pure-rand node:*' },
  'sim/input': { folders: core, packages: 'zod yaml node:path node:url' },
  'sim/faults': { folders: cluster, packages: 'zod node:async_hooks' },
  'sim/outside': { folders: `${cluster} src/sip sim/faults`, packages: 'xstate zod node:*' },
  'sim/topology': { folders: `${services} src/services sim/input sim/ports`, packages: 'zod node:*' },
  'sim/histories': { folders: '' },
  'sim/observation': { folders: `${core} sim/faults sim/outside` },
  'sim/oracles': {
    folders: `${services} src/services src/http src/client ${parts} sim/data sim/histories sim/world`,
    packages: 'zod node:*',
  },
  'sim/world': {
    folders: `${services} src/services src/http src/adapters src ${parts} sim/tracing`,
    packages: 'xstate tsyringe ws hono node:*',
  },
  'sim/check': {
    folders: `${services} src/sip sim/input sim/outside`,
    packages: 'xstate fast-check yaml zod node:*',
  },
  'sim/docs': {
    folders: `${services} src/services src/http ${worlds} sim/input sim/world sim/check sim/scenario sim/topology sim/processes sim/control sim/embed`,
    packages: 'commander xstate zod fflate node:*',
  },
  'sim/scenario': {
    folders: `${services} src/services src/http ${worlds} sim/world sim/input sim/topology sim/check`,
    packages: 'xstate yaml zod node:*',
  },
  'sim/scripts': {
    folders: `${core} src/adapters sim/input sim/outside sim/topology sim/world`,
    packages: 'yaml zod node:*',
  },
  'sim/campaign': { folders: `${cluster} ${worlds} sim/scenario sim/topology`, packages: 'yaml node:*' },
  'sim/report': { folders: `${cluster} src/http ${worlds} sim/input sim/world sim/scenario`, packages: 'hono node:*' },
  'sim/ledger': {
    folders: `${services} src/services src/http ${worlds} sim/check sim/world`,
    packages: 'xstate zod node:*',
  },
  'sim/sweep': {
    folders: `${core} sim/data sim/ledger sim/campaign sim/report sim/scenario sim/world sim/input`,
    packages: 'zod @nats-io/jetstream @nats-io/obj @nats-io/transport-node node:*',
  },
  'sim/shrink': {
    folders: `${core} sim/input sim/faults sim/observation sim/oracles sim/outside sim/ports sim/scenario sim/sweep sim/topology sim/world`,
    packages: 'yaml node:*',
  },
  'sim/record': {
    folders: `${core} src/adapters src/http sim/docs sim/scenario`,
    packages: 'ws yaml node:*',
  },
  'sim/tracing': {
    folders: `${core} sim/observation`,
    packages:
      '@opentelemetry/api @opentelemetry/core @opentelemetry/sdk-trace-base @opentelemetry/exporter-trace-otlp-http @opentelemetry/resources node:*',
  },
  'sim/metrics': {
    folders: `${core} sim/embed sim/faults sim/observation sim/oracles sim/world`,
    packages: 'prom-client pino node:*',
  },
  'sim/control': {
    folders: `${cluster} src/http sim/embed sim/metrics sim/faults sim/observation sim/outside sim/scenario sim/topology sim/world sim/input`,
    packages: 'hono zod node:*',
  },
  'sim/processes': {
    folders: `${cluster} src/adapters src/http ${worlds} sim/world sim/control sim/embed sim/metrics sim/scenario sim/topology sim/input sim/data`,
    packages: 'hono xstate yaml node:*',
  },
  'sim/data': { folders: `${services} src/adapters sim/input sim/ports`, packages: 'level zod fflate node:*' },
  'sim/bench': {
    folders: `${services} src/sip src/services src/http src/adapters ${worlds} sim/tracing sim/world sim/scenario sim/sweep sim/campaign sim/topology sim/input`,
    packages: 'xstate ws hono @hono/node-server @opentelemetry/core node:*',
  },
  'sim/cli': {
    folders: `src ${services} src/services src/http src/adapters ${worlds} sim/bench sim/campaign sim/check sim/control sim/ledger sim/data sim/docs sim/embed sim/input sim/metrics sim/processes sim/record sim/report sim/scenario sim/scripts sim/shrink sim/sweep sim/topology sim/tracing sim/world`,
    packages: 'commander yaml zod reflect-metadata node:*',
  },
  'sim/embed': {
    folders: `${cluster} src/adapters src/client src/http ${worlds} sim/data sim/tracing sim/world sim/input sim/scenario sim/topology`,
    packages: 'zod node:*',
  },
  sim: { folders: 'sim/check sim/embed' },
};

const files = [...filesIn('src'), ...filesIn('sim')];

test('every import goes in a direction that its folder allows', (t) => {
  const wrong = files.flatMap((file) => importsOf(file).flatMap((target) => problemOf(file, target) ?? []));
  t.deepEqual(wrong, []);
});

test('the check sees imports of folders and of packages, and refuses what a row lacks', (t) => {
  t.true(importsOf('src/http/front.ts').includes('hono/router/trie-router'));
  t.regex(problemOf('src/model/uuid.ts', 'sim/ports/virtual-clock.ts') ?? '', /src\/model may not import sim\/ports/);
  t.regex(problemOf('src/roles/sr/sr.ts', 'xstate') ?? '', /src\/roles may not import the package xstate/);
  t.is(problemOf('src/http/front.ts', 'src/services/mware-requests.ts'), undefined);
});

/** A folder that is ordered by file name (docs/adr/0005-layout-and-import-rules.md). */
const orderedFolders = ['sim/report/html/viewer'];

test('a folder has at most 15 files', (t) => {
  const counts = new Map<string, number>();
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  const large = [...counts].filter(([folder, count]) => count > 15 && !orderedFolders.includes(folder));
  t.deepEqual(large, []);
  t.true(files.length > 500);
});

/**
 * Types that the client, which imports nothing of the platform, or the kit of checks declares for itself: the same idea, from
 * the side of their users.
 */
const declaredTwice = ['EventClass', 'ItemQuery', 'Outcome', 'PlatformEvent', 'ScenarioStep', 'StreamItem'];

test('two exported types have different names', (t) => {
  const places = new Map<string, string[]>();
  for (const file of files.filter((name) => !name.startsWith('src/client/api/')))
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(exportedType))
      places.set(name, [...(places.get(name) ?? []), file]);
  const shared = [...places].filter(([name, of]) => of.length > 1 && !declaredTwice.includes(name));
  t.deepEqual(shared, []);
  t.true(places.size > 1_000);
});

const exportedType = /^export (?:declare )?(?:abstract )?(?:interface|type|class) (\w+)/gm;

function problemOf(file: string, target: string): string | undefined {
  const from = folderOf(file);
  const row = rows[from];
  if (row === undefined) return `${file}: the folder ${from} has no row in test/imports.test.ts`;
  if (!target.startsWith('src/') && !target.startsWith('sim/')) {
    const packages = (row.packages ?? '').split(' ');
    const isAllowed = packages.includes(nameOf(target)) || (target.startsWith('node:') && packages.includes('node:*'));
    return isAllowed ? undefined : `${file}: ${from} may not import the package ${target}`;
  }
  const to = folderOf(target);
  return from === to || row.folders.split(' ').includes(to)
    ? undefined
    : `${file}: ${from} may not import ${to} (${target})`;
}

/** The longest folder that has a row: `src/roles` for `src/roles/b2b/call.ts`. */
function folderOf(file: string): string {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if (folder in rows || !folder.includes('/')) return folder;
  }
}

function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  return [
    ...text.matchAll(/^(?:import|export)\b[^;']*?from '([^']+)';$|^import '([^']+)';$|\bimport\('([^']+)'\)/gm),
  ].map((found) => {
    const target = found[1] ?? found[2] ?? found[3] ?? '';
    return target.startsWith('.') ? normalize(join(dirname(file), target)) : target;
  });
}

/** `hono` for `hono/trie-router`; `node:fs` for `node:fs/promises`. */
function nameOf(target: string): string {
  const [scope = '', name = ''] = target.split('/');
  return scope.startsWith('@') ? `${scope}/${name}` : scope;
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name))
    .sort();
}
