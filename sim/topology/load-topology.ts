/** Topologies from files: by path, or by the name of one that ships. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import { ClusterMap } from '../../src/model/cluster/cluster-map.ts';
import { jsonFault } from '../../src/model/json.ts';
import { staticTypes } from '../../src/model/shapes/file-shapes.ts';
import { expectedText } from '../../src/model/shapes/nearest.ts';
import { type Topology, topologySchema } from '../../src/model/topology/schema.ts';
import type { MetadataFiles } from '../../src/services/web-apps/user-interface.ts';
import { type WebApp, type WebApps, webAppsSchema } from '../../src/services/web-apps/web-apps.ts';
import { readOwnYaml } from '../input/file-kind.ts';
import { scenariosFolder } from '../input/package-folder.ts';
import { readYaml } from '../input/yaml.ts';
import { checkWhole } from './checks.ts';

/** Web applications from metadata files: those of the solution first, else the common ones. (look-up order documented) */
export function loadWebApps(folder: string): WebApps {
  const loaded = new Map<string, readonly WebApp[]>();
  const load = (solution: string): readonly WebApp[] => {
    const file = join(folder, solution, 'webapps.json');
    if (!existsSync(file)) return solution === 'common' ? [] : load('common');
    // JSON is YAML, and this parser reports lines and columns.
    const apps = readYaml(file, readText(file), { schema: webAppsSchema });
    return apps.toSorted((a, b) => a.order - b.order);
  };
  return (solution) => {
    const apps = loaded.get(solution) ?? load(solution);
    loaded.set(solution, apps);
    return apps;
  };
}

/**
 * Files of the metadata folder: `<solution>/webservices.json`, `<solution>/entities/nav.json`,
 * `<solution>/entities/<CLASS>/tab.json` and `form.json`, and below `static/` the pages and icons of web applications.
 * Throws if a file is not JSON, cannot be read, or has a name without a path.
 */
export function loadMetadata(folder: string): MetadataFiles {
  const solutions = foldersIn(folder).filter((solution) => existsSync(join(folder, solution, 'entities')));
  const texts = solutions.flatMap((solution) => loadSolution(folder, `${solution}/entities`));
  const services = foldersIn(folder).flatMap((solution): Loaded => {
    const path = `${solution}/webservices.json`;
    return existsSync(join(folder, path)) ? [[path, readJson(join(folder, path))]] : [];
  });
  return { ...Object.fromEntries([...texts, ...services]), ...loadStaticFiles(folder) };
}

/** Pages and icons of web applications. Throws as `loadMetadata` does. */
export function loadStaticFiles(folder: string): MetadataFiles {
  return Object.fromEntries(loadStatic(folder, 'static'));
}

type Loaded = [path: string, text: string][];

function loadSolution(root: string, path: string): Loaded {
  return namesIn(join(root, path)).flatMap((name) => {
    const below = `${path}/${name}`;
    if (name === 'nav.json') return [[below, readJson(join(root, below))]];
    if (isFolder(join(root, below))) return loadClass(root, below);
    throw new Error(`${join(root, below)}: expected nav.json, or a folder of a class`);
  });
}

function loadClass(root: string, path: string): Loaded {
  return namesIn(join(root, path)).map((name) => {
    const file = join(root, path, name);
    if (name === 'tab.json' || name === 'form.json') return [`${path}/${name}`, readJson(file)];
    throw new Error(`${file}: expected tab.json or form.json`);
  });
}

function loadStatic(root: string, path: string): Loaded {
  if (!existsSync(join(root, path))) return [];
  return namesIn(join(root, path)).flatMap((name) => {
    const below = `${path}/${name}`;
    const file = join(root, below);
    if (isFolder(file)) return loadStatic(root, below);
    if (staticTypes.has(extname(name))) return [[below, readText(file)]];
    throw new Error(`${file}: expected a text file with one of ${[...staticTypes.keys()].join(', ')}`);
  });
}

/** The text of a JSON file. A byte order mark, which is not JSON, is removed. */
function readJson(file: string): string {
  const text = readText(file).replace(/^\uFEFF/, '');
  const problem = jsonFault(text);
  if (problem === undefined) return text;
  throw new Error(`${file}: expected JSON: ${problem}`);
}

function foldersIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return namesIn(folder).filter((name) => isFolder(join(folder, name)));
}

/** A broken link is not a folder; reading it reports the error. */
function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Files of editors and file managers are skipped. */
function namesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => !name.startsWith('.') && !name.endsWith('~'))
    .toSorted();
}

/** A file and its text. */
export interface SourceFile {
  readonly file: string;
  readonly text: string;
}

export interface LoadedTopology {
  readonly map: ClusterMap;
  readonly webApps: WebApps;
  /** Absent: only those made from the declarations. */
  readonly metadataFiles?: MetadataFiles | undefined;
  readonly topologySource: SourceFile;
}

const shippedMetadata = join(scenariosFolder, 'metadata');

/** The file of a topology that ships (`default`), or the path itself. */
export function topologyFile(nameOrPath: string): string {
  return /^[a-z0-9-]+$/.test(nameOrPath) ? join(scenariosFolder, 'topologies', `${nameOrPath}.yaml`) : nameOrPath;
}

/** Names of the topologies that ship. */
export function shippedTopologies(): string[] {
  const files = namesIn(join(scenariosFolder, 'topologies')).filter((file) => file.endsWith('.yaml'));
  return files.map((file) => file.replace(/\.yaml$/, ''));
}

/** The message for the name of a topology that does not ship. `relativeTo`: of a path, which may have been meant. */
export function noTopology(name: string, relativeTo?: string): string {
  const path = `a path${relativeTo === undefined ? '' : ` relative to ${relativeTo}`} (./${name}.yaml)`;
  return expectedText(`${path}, or a topology that ships`, name, shippedTopologies());
}

/**
 * Loads and checks a topology and the user-interface metadata: of the given folder, of the folder that it names, or
 * the shipped ones. Throws an error that names the file, with all its faults.
 */
export function loadTopology(
  nameOrPath: string,
  options: { readonly metadata?: string | undefined } = {},
): LoadedTopology {
  const file = topologyFile(nameOrPath);
  if (file !== nameOrPath && !existsSync(file)) throw new Error(noTopology(nameOrPath));
  const source = { file, text: readText(file) };
  const map = mapOf(source);
  const { metadata } = map.topology;
  const own = metadata === undefined ? shippedMetadata : resolve(dirname(file), metadata);
  const folder = options.metadata ?? own;
  const { webApps, metadataFiles } = folder === shippedMetadata ? shipped() : loadFolder(folder);
  // Read now, so that faults in files show at the start.
  for (const solution of solutionsOf(map)) webApps(solution);
  return { map, webApps, metadataFiles, topologySource: source };
}

/** Icons and pages that ship are added to those of a custom folder. */
function loadFolder(folder: string): Pick<LoadedTopology, 'webApps' | 'metadataFiles'> {
  if (!isFolder(folder)) throw new Error(`${folder}: expected a folder of user-interface metadata`);
  const metadataFiles = { ...loadStaticFiles(shippedMetadata), ...loadMetadata(folder) };
  return { webApps: loadWebApps(folder), metadataFiles };
}

let shippedFolder: ReturnType<typeof loadFolder> | undefined;

/** The metadata that ship: read once, because most worlds have them. */
function shipped(): ReturnType<typeof loadFolder> {
  shippedFolder ??= loadFolder(shippedMetadata);
  return shippedFolder;
}

/** Maps of the files that were read last, the newest at the end. */
const lastRead = new Map<string, { readonly text: string; readonly map: ClusterMap }>();
const mostRead = 8;

/** The map of a topology. Many worlds in turn have the same few: one is parsed again only when its text has changed. */
function mapOf(source: SourceFile): ClusterMap {
  const { file, text } = source;
  const known = lastRead.get(file);
  const map = known?.text === text ? known.map : readTopology(source);
  lastRead.delete(file);
  lastRead.set(file, { text, map });
  for (const oldest of [...lastRead.keys()].slice(0, -mostRead)) lastRead.delete(oldest);
  return map;
}

/** The map of a topology. Throws a `YamlError` with all its faults. */
export function readTopology(source: SourceFile): ClusterMap {
  const parsed = parsedAtBuild[digestOf(source.text)];
  return new ClusterMap(parsed === undefined ? parse(source) : (JSON.parse(parsed) as Topology));
}

function parse(source: SourceFile): Topology {
  return readOwnYaml({ kind: 'topology', ...source }, { schema: topologySchema, checks: checkWhole });
}

/**
 * In a bundle: the shipped topologies as `parsedTopologies` made them. Parsing YAML would be a tenth of the start of a
 * process.
 */
const parsedAtBuild = (globalThis as { strowgerTopologies?: Record<string, string> }).strowgerTopologies ?? {};

/** The shipped topologies as JSON, by the digests of their texts: a file that was changed since is parsed again. */
export function parsedTopologies(): Record<string, string> {
  const folder = join(scenariosFolder, 'topologies');
  const sources = namesIn(folder).map((name) => ({ file: name, text: readText(join(folder, name)) }));
  return Object.fromEntries(sources.map((source) => [digestOf(source.text), JSON.stringify(parse(source))]));
}

/** The key of a text in `parsedTopologies`. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function solutionsOf(map: ClusterMap): string[] {
  return ['master', ...[...map.domains.values()].map(({ solution }) => solution)];
}

/** Limit of a file that is read whole. */
const mostBytes = 256 * 1024 * 1024;

const unreadable: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EISDIR: 'expected a file, got a folder',
  ENOENT: 'no such file',
  ENOTDIR: 'no such file: a part of its path is a file',
};

/** The text of a file, or a one-line error. */
export function readText(file: string): string {
  let text: string;
  let size = 0;
  try {
    ({ size } = statSync(file));
    text = size > mostBytes ? '' : readFileSync(file, 'utf8');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new Error(`${file}: ${unreadable[code] ?? String(error)}`, { cause: error });
  }
  if (size > mostBytes) throw new Error(`${file}: expected a file of at most ${mostBytes} bytes, got ${size}`);
  return text;
}
