/** Scenarios from files, with the topology that each names. */
import { dirname, resolve } from 'node:path';
import type { ClusterMap } from '../../src/model/cluster-map.ts';
import { isOutside } from '../outside/population.ts';
import { type LoadedTopology, loadTopology, readText, type Source, topologyFile } from '../topology/load.ts';
import { type PathFault, readYaml } from '../yaml.ts';
import { checkFault } from './fault-checks.ts';
import { type Scenario, scenarioSchema } from './schema.ts';
import { referencesIn } from './values.ts';

export interface LoadedScenario extends LoadedTopology {
  readonly source: Source;
  readonly scenario: Scenario;
}

/** Loads and checks a scenario. Throws a `YamlError` with every fault that it, or its topology, has. */
export function loadScenario(file: string): LoadedScenario {
  return readScenario({ file, text: readText(file) }, (name) => {
    const named = topologyFile(name);
    return loadTopology(named === name ? resolve(dirname(file), named) : named);
  });
}

/** A scenario that was read, with the topology that it names. Throws a `YamlError` with every fault of both. */
export function readScenario(source: Source, topologyOf: (name: string) => LoadedTopology): LoadedScenario {
  let topology: LoadedTopology | undefined;
  const scenario = readYaml(source.file, source.text, {
    schema: scenarioSchema,
    checks: (value) => {
      topology = topologyOf(value.topology);
      return checkNames(value, topology.map);
    },
  });
  if (topology === undefined) throw new Error('the checks of a scenario load its topology');
  return { source, scenario, ...topology };
}

/** Names in a scenario that its topology, or the scenario itself, does not know. */
function checkNames(scenario: Scenario, map: ClusterMap): PathFault[] {
  const faults: PathFault[] = [];
  const sites = [...map.sites.keys()];
  const needSite = (name: string, path: PathFault['path']) => {
    if (!map.sites.has(name)) faults.push({ path, message: `expected a site (${sites.join(', ')}), got "${name}"` });
  };
  for (const [name, { through }] of Object.entries(scenario.sessions)) needSite(through, ['sessions', name, 'through']);
  const names = new Set<string>();
  const saved = new Set<string>();
  scenario.steps.forEach(({ request, fault, look, dial, hangUp, expect }, i) => {
    for (const [name, path] of [
      [look, ['look']],
      [dial?.from, ['dial', 'from']],
      [hangUp, ['hangUp']],
    ] as const) {
      if (name === undefined || isOutside(map, name)) continue;
      faults.push({ path: ['steps', i, ...path], message: `expected a phone or a provider, got "${name}"` });
    }
    for (const [part, where] of [
      [request, 'request'],
      [expect, 'expect'],
    ] as const) {
      for (const name of referencesIn(part).filter((each) => !saved.has(each))) {
        const message = `expected a name that an earlier step saves (${[...saved].join(', ') || 'none'}), got "${name}"`;
        faults.push({ path: ['steps', i, where], message });
      }
    }
    for (const name of Object.keys(request?.save ?? {})) saved.add(name);
    if (request !== undefined) {
      needSite(request.through, ['steps', i, 'request', 'through']);
      if (request.as !== undefined && !Object.hasOwn(scenario.sessions, request.as)) {
        const known = Object.keys(scenario.sessions).join(', ') || 'none';
        const message = `expected the name of a session (${known}), got "${request.as}"`;
        faults.push({ path: ['steps', i, 'request', 'as'], message });
      }
    }
    if (fault !== undefined) faults.push(...checkFault(fault, { map, names, path: ['steps', i, 'fault'] }));
    if (fault?.name !== undefined) names.add(fault.name);
  });
  return faults;
}
