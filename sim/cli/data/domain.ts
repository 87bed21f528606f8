/** `strowger export` and `strowger import`: the data of a domain as a JSON document, from and to a folder of `serve --data`. */
import { join } from 'node:path';
import { Command } from 'commander';
import { LevelStores } from '../../../src/adapters/level-store.ts';
import { systemClock } from '../../../src/adapters/system-clock.ts';
import { systemRandom } from '../../../src/adapters/system-random.ts';
import type { ClusterMap } from '../../../src/model/cluster/cluster-map.ts';
import { documentOf, domainDocumentSchema, rowsOf } from '../../../src/model/entities/document.ts';
import { parseJson } from '../../../src/model/json.ts';
import { limits } from '../../../src/model/limits.ts';
import { Pace } from '../../../src/ports/pace.ts';
import { fillWithFixtures, importChanges } from '../../../src/roles/directory/initial-data.ts';
import { Contents } from '../../../src/storage/contents.ts';
import { Database } from '../../../src/storage/database.ts';
import { contentsNameOf, storeNameOf } from '../../../src/storage/keys.ts';
import { takeFolder } from '../../data/check.ts';
import { storesOf } from '../../data/stores.ts';
import { refuseOtherKind } from '../../input/file-kind.ts';
import { faultText, readValue } from '../../input/read-value.ts';
import { loadTopology, readText } from '../../topology/load-topology.ts';
import { folderArgument, outputFolderArgument, UsageError } from '../process.ts';

interface DomainOptions {
  readonly topology: string;
  readonly data: string;
}

const notes = '\nThe cluster must not be running on that folder.';

export function exportCommand(): Command {
  return withFolder(new Command('export'), ['folder of `serve --data`', folderArgument('--data')])
    .argument('<domain>', 'name of the domain')
    .action(exportDomain);
}

export function importCommand(): Command {
  return withFolder(new Command('import'), [
    'folder of `serve --data`; a missing one is made',
    outputFolderArgument('--data'),
  ])
    .argument('<file>', 'output of `strowger export`; a user may get a new password in "pwd"')
    .action(importDomain);
}

function withFolder(command: Command, [does, read]: readonly [string, (folder: string) => string]): Command {
  return command
    .requiredOption('--data <folder>', does, read)
    .option('--topology <file>', 'topology file, or the name of a topology in the package', 'default')
    .addHelpText('after', notes);
}

async function exportDomain(domain: string, options: DomainOptions): Promise<void> {
  await withDatabase(domain, { ...options, command: 'export' }, async (database) => {
    process.stdout.write(`${JSON.stringify(documentOf(domain, database.rows()), null, 2)}\n`);
  });
}

async function importDomain(file: string, options: DomainOptions): Promise<void> {
  const read = readValue(domainDocumentSchema, parsed(file));
  if (!read.isValid) {
    throw new Error(read.faults.map((each) => `${file}: ${faultText(each)}`).join('\n'));
  }
  const { domain } = read.value;
  const rows = rowsOf(read.value, systemClock.now());
  if ('problem' in rows) throw new Error(`${file}: ${rows.problem}`);
  await withDatabase(domain, { ...options, command: 'import' }, async (database) => {
    const made = importChanges(database, domain, { read: rows.rows, salts: systemRandom.stream('ids') });
    if ('problem' in made) throw new Error(`${file}: ${made.problem}`);
    await database.commit(made.changes);
    const gone = made.changes.length - rows.rows.length;
    process.stdout.write(`${domain}: ${rows.rows.length} items, ${gone} of before are gone\n`);
  });
}

function parsed(file: string): unknown {
  const text = readText(file);
  refuseOtherKind(file, text, ['domain']);
  const read = parseJson(text, limits.jsonDepth);
  if (!read.ok) throw new Error(`${file}: ${read.fault.message}`);
  return read.value;
}

/** Opens the database of a domain for as long as `work` takes. */
async function withDatabase(
  domain: string,
  { topology, data, command }: DomainOptions & { readonly command: 'export' | 'import' },
  work: (database: Database) => Promise<void>,
): Promise<void> {
  const { map } = loadTopology(topology);
  if (!map.domains.has(domain)) {
    throw new UsageError(`no domain named "${domain}"; expected one of ${[...map.domains.keys()].join(', ')}`);
  }
  const name = storeNameOf(masterOf(map, domain));
  const { nodes, name: site } = map.masterSite;
  if (command === 'export') expectStore(data, { site, name, domain });
  const use = { folder: data, map, nodes: nodes.map((node) => node.name), only: name };
  const locks = await takeFolder({ ...use, command });
  const stores = new LevelStores(join(data, site));
  const store = await stores.open(name);
  const files = await stores.open(contentsNameOf(name));
  try {
    const pace = new Pace(systemClock);
    const contents = await Contents.open(files, systemClock, pace);
    const database = await Database.open(store, pace);
    await fillWithFixtures(database, {
      map,
      domains: masterOf(map, domain).domains,
      contents,
      clock: systemClock,
      random: systemRandom,
      pace,
    });
    await work(database);
  } finally {
    await files.close();
    await store.close();
    await locks.release();
  }
}

/** Nothing is exported from a folder without data: the document would be the domain as the topology begins it. */
function expectStore(
  folder: string,
  { site, name, domain }: Readonly<Record<'site' | 'name' | 'domain', string>>,
): void {
  if (storesOf(folder, site).some((store) => store.name === name)) return;
  throw new Error(
    `data folder ${folder} has no data of ${domain} (${join(site, name)}): expected a folder of \`serve --data\``,
  );
}

function masterOf(map: ClusterMap, domain: string) {
  const [master] = map.serving('mdc', map.masterSite.name, domain);
  if (master === undefined) throw new Error(`the topology has no mdc for ${domain}`);
  return master;
}
