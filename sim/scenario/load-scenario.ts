/** Loads scenarios from files, with the topology that each of them names, patches or draws from its seed. */
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { z } from 'zod';
import { ClusterMap } from '../../src/model/cluster/cluster-map.ts';
import { expectedText, knownText } from '../../src/model/shapes/nearest.ts';
import { topologySchema } from '../../src/model/topology/schema.ts';
import { readOwnYaml } from '../input/file-kind.ts';
import { scenariosFolder } from '../input/package-folder.ts';
import { type InputError, readValue } from '../input/read-value.ts';
import { readYaml } from '../input/yaml.ts';
import { SeededRandom } from '../ports/random.ts';
import { checkWhole } from '../topology/checks.ts';
import { drawTopology } from '../topology/draw.ts';
import {
  type LoadedTopology,
  loadTopology,
  noTopology,
  readText,
  type SourceFile,
  shippedTopologies,
  topologyFile,
} from '../topology/load-topology.ts';
import { type Data, namedPath, patched, placeInPatch } from '../topology/patch.ts';
import { checkScenario } from './checks/scenario-checks.ts';
import { type Scenario, type ScenarioTopology, scenarioSchema } from './language/scenario.ts';

const anything = z.unknown();

export interface LoadedScenario extends LoadedTopology {
  readonly source: SourceFile;
  readonly scenario: Scenario;
}

/** Finds the topology that a scenario asks for, or returns the faults of that request. */
export type TopologyFinder = (wanted: ScenarioTopology, seed: number) => LoadedTopology | readonly InputError[];

/**
 * Loads and checks a scenario: a file, or one that ships by its name. `seed` overrides the scenario's own. Throws a `YamlError` with every fault of the
 * scenario and its topology.
 */
export function loadScenario(nameOrPath: string, seed?: number): LoadedScenario {
  const file = scenarioFile(nameOrPath);
  return readScenario({ file, text: readText(file) }, findFrom(dirname(file)), seed);
}

/** The file of a scenario that ships (`site-cut`), or the path itself. Throws if no such scenario ships. */
export function scenarioFile(nameOrPath: string): string {
  if (!/^[a-z0-9-]+$/.test(nameOrPath) || existsSync(nameOrPath)) return nameOrPath;
  const names = shippedScenarios();
  if (names.includes(nameOrPath)) return join(scenariosFolder, `${nameOrPath}.yaml`);
  throw new Error(expectedText('a file, or a scenario that ships', nameOrPath, names));
}

/** Names of the scenarios that ship. */
export function shippedScenarios(): string[] {
  const files = readdirSync(scenariosFolder).filter((file) => file.endsWith('.yaml'));
  return files.map((file) => file.replace(/\.yaml$/, '')).toSorted();
}

/** The same scenario with another seed. A drawn topology is drawn again. */
export function withSeed(loaded: LoadedScenario, seed: number): LoadedScenario {
  const { topology } = loaded.scenario;
  const isDrawn = typeof topology === 'object' && 'draw' in topology;
  return isDrawn ? readScenario(loaded.source, findFrom(dirname(loaded.source.file)), seed) : loaded;
}

/** Parses a scenario and finds its topology. Throws a `YamlError` with every fault of both. */
export function readScenario(source: SourceFile, find: TopologyFinder, seed?: number): LoadedScenario {
  let topology: LoadedTopology | undefined;
  const checks = (value: Scenario) => {
    const found = find(value.topology, seed ?? value.seed);
    if (!('topologySource' in found)) return found;
    topology = found;
    return checkScenario(value, found.map);
  };
  const scenario = readOwnYaml({ kind: 'scenario', ...source }, { schema: scenarioSchema, checks });
  if (topology === undefined) throw new Error('the checks of a scenario load its topology');
  return { ...topology, source, scenario };
}

/** The topology that is wanted by name, path, patch or draw. `folder`: of relative paths. Throws if it is invalid. */
export function findTopology(wanted: ScenarioTopology, seed: number, folder: string): LoadedTopology {
  const found = findFrom(folder, 'the working directory')(wanted, seed);
  if ('topologySource' in found) return found;
  throw new TypeError(found.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
}

/** `base`: the folder in messages. */
function findFrom(folder: string, base = 'this file'): TopologyFinder {
  return (wanted, seed) => {
    if (typeof wanted === 'object' && 'draw' in wanted) return drawn(wanted.draw, seed, loadTopology('default'));
    const [name, path] = typeof wanted === 'string' ? [wanted, ['topology']] : [wanted.from, ['topology', 'from']];
    const shipped = topologyFile(name);
    const file = shipped === name ? resolve(folder, name) : shipped;
    if (!existsSync(file)) return [{ path, message: missingText(name, file, base) }];
    return typeof wanted === 'string' ? loadTopology(file) : changedTopology(loadTopology(file), wanted.set);
  };
}

function missingText(name: string, file: string, base: string): string {
  if (topologyFile(name) !== name) return noTopology(name, base);
  const wanted = `a path relative to ${base}, or a topology that ships ${knownText(name, shippedTopologies())}`;
  return `no such file: ${file}; expected ${wanted}`;
}

/** The topology is drawn; its metadata are those of the default topology. */
function drawn(
  knobs: Parameters<typeof drawTopology>[0],
  seed: number,
  { webApps, metadataFiles }: LoadedTopology,
): LoadedTopology {
  const value = drawTopology(knobs, new SeededRandom(seed).fork('the topology').stream('ids'));
  return {
    map: new ClusterMap(topologySchema.parse(value)),
    webApps,
    metadataFiles,
    topologySource: { file: 'drawn', text: stringify(value) },
  };
}

/** A topology with a patch applied. Its faults point at the patch lines that cause them; `at`: the place of the patch. */
export function changedTopology(
  { topologySource, ...more }: LoadedTopology,
  set: Data,
  at: InputError['path'] = ['topology', 'set'],
): LoadedTopology | InputError[] {
  const base = readYaml(topologySource.file, topologySource.text, { schema: anything });
  const { value, faults } = patched(base, set);
  const within = ({ path, message }: InputError): InputError => {
    const place = placeInPatch(value, set, path);
    const where = place.isExact ? '' : `in the patched topology, ${namedPath(value, path)}: `;
    return { path: [...at, ...place.path], message: `${where}${message}${choices(value, path)}` };
  };
  if (faults.length > 0) return faults.map(({ path, message }) => ({ path: [...at, ...path], message }));
  const read = readValue(topologySchema, value);
  const problems = read.isValid ? checkWhole(read.value) : read.faults;
  if (!read.isValid || problems.length > 0) return problems.map(within);
  const text = stringify(value);
  return { ...more, map: new ClusterMap(read.value), topologySource: { file: topologySource.file, text } };
}

/** The existing srvidx numbers, for a message about one that the patch may have removed. */
function choices(value: unknown, path: InputError['path']): string {
  const read = topologySchema.safeParse(value);
  if (path.at(-1) !== 'esg' || !read.success) return '';
  const instances = read.data.sites.flatMap(({ nodes }) => nodes.flatMap((node) => node.instances));
  const edges = instances.flatMap(({ role, srvidx }) => (role === 'esg' ? [srvidx] : []));
  return ` (${edges.join(', ') || 'none'})`;
}
