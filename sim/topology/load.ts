/** Topologies from files: by path, or by the name of one that ships. */
import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ClusterMap } from '../../src/model/cluster-map.ts';
import { checkTopology } from '../../src/model/topology/checks.ts';
import { topologySchema } from '../../src/model/topology/schema.ts';
import type { MetadataFiles } from '../../src/services/metadata.ts';
import type { WebApps } from '../../src/services/web-apps.ts';
import { readYaml } from '../yaml.ts';
import { loadMetadata, loadStaticFiles } from './metadata.ts';
import { loadWebApps } from './web-apps.ts';

/** A file as it was read. */
export interface Source {
  readonly file: string;
  readonly text: string;
}

export interface LoadedTopology {
  readonly map: ClusterMap;
  readonly webApps: WebApps;
  /** Absent: none but those made of the declarations. */
  readonly metadataFiles?: MetadataFiles | undefined;
  readonly topologySource: Source;
}

/** The folder of what ships beside the code: scenarios, topologies, metadata. */
export const scenariosFolder = join(packageFolder(), 'scenarios');
const shippedMetadata = join(scenariosFolder, 'metadata');

/** The file of a topology that ships (`default`), or the path itself. */
export function topologyFile(nameOrPath: string): string {
  return /^[a-z0-9-]+$/.test(nameOrPath) ? join(scenariosFolder, 'topologies', `${nameOrPath}.yaml`) : nameOrPath;
}

/**
 * Loads and checks a topology, and the user-interface metadata: of the folder that is given, or that it names, or those
 * that ship. Throws an error that names the file, with every fault that it has.
 */
export function loadTopology(
  nameOrPath: string,
  options: { readonly metadata?: string | undefined } = {},
): LoadedTopology {
  const file = topologyFile(nameOrPath);
  const source = { file, text: readText(file) };
  const map = readTopology(source);
  const { metadata } = map.topology;
  const own = metadata === undefined ? shippedMetadata : resolve(dirname(file), metadata);
  const folder = options.metadata ?? own;
  const webApps = loadWebApps(folder);
  // Icons and pages that ship are there beside those of a folder of one's own.
  const metadataFiles = {
    ...loadStaticFiles(shippedMetadata),
    ...loadMetadata(folder),
  };
  // Read now, so that what is wrong in a file shows at the start.
  for (const solution of solutionsOf(map)) webApps(solution);
  return { map, webApps, metadataFiles, topologySource: source };
}

/** The map of a topology that was read. Throws a `YamlError` with every fault that it has. */
export function readTopology({ file, text }: Source): ClusterMap {
  return new ClusterMap(readYaml(file, text, { schema: topologySchema, checks: checkTopology }));
}

function solutionsOf(map: ClusterMap): string[] {
  return ['master', ...[...map.domains.values()].map(({ solution }) => solution)];
}

/** Of a file that is read whole. */
const mostBytes = 256 * 1024 * 1024;

/** The text of a file; where it can't be read, an error in one line. */
export function readText(file: string): string {
  let text: string;
  let size = 0;
  try {
    ({ size } = statSync(file));
    text = size > mostBytes ? '' : readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`${file}: ${(error as NodeJS.ErrnoException).code === 'ENOENT' ? 'no such file' : String(error)}`);
  }
  if (size > mostBytes) throw new Error(`${file}: expected a file of at most ${mostBytes} bytes, got ${size}`);
  return text;
}

/** The folder of package.json, from the sources and from what was built of them. */
function packageFolder(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const isBuilt = /[\\/]dist[\\/]sim[\\/]topology$/.test(here);
  return resolve(here, isBuilt ? '../../..' : '../..');
}
