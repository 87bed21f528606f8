/** Scenarios from files, with the topology that each names. */
import { dirname, resolve } from 'node:path';
import type { ClusterMap } from '../../src/model/cluster-map.ts';
import { type LoadedTopology, loadTopology, readText, topologyFile } from '../topology/load.ts';
import { type PathFault, readYaml } from '../yaml.ts';
import { type Scenario, type ScenarioFault, scenarioSchema } from './schema.ts';
import { referencesIn } from './values.ts';

export interface LoadedScenario extends LoadedTopology {
  readonly file: string;
  readonly scenario: Scenario;
}

/** Loads and checks a scenario. Throws a `YamlError` with every fault that it, or its topology, has. */
export function loadScenario(file: string): LoadedScenario {
  let topology: LoadedTopology | undefined;
  const scenario = readYaml(file, readText(file), {
    schema: scenarioSchema,
    checks: (value) => {
      const named = topologyFile(value.topology);
      topology = loadTopology(named === value.topology ? resolve(dirname(file), named) : named);
      return checkNames(value, topology.map);
    },
  });
  if (topology === undefined) throw new Error('the checks of a scenario load its topology');
  return { file, scenario, ...topology };
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
  scenario.steps.forEach(({ request, fault, expect }, i) => {
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
  });
  return faults;
}

function checkFault(
  fault: ScenarioFault,
  { map, names, path }: { map: ClusterMap; names: Set<string>; path: PathFault['path'] },
): PathFault[] {
  const faults: PathFault[] = [];
  const instances = new Set([...map.instances.values()].map((instance) => instance.name));
  for (const verb of ['crash', 'restart', 'pause', 'resume'] as const) {
    const name = fault[verb];
    const isForInstances = verb === 'crash' || verb === 'restart';
    if (name === undefined || map.nodes.has(name) || (isForInstances && instances.has(name))) continue;
    const what = `a node (${[...map.nodes.keys()].join(', ')})${isForInstances ? ' or a role instance' : ''}`;
    faults.push({ path: [...path, verb], message: `expected ${what}, got "${name}"` });
  }
  for (const verb of ['cut', 'hold', 'delay', 'lose', 'duplicate'] as const) {
    for (const end of ['from', 'to'] as const) {
      const place = fault[verb]?.[end];
      if (place === undefined || place === '*' || map.sites.has(place) || map.nodes.has(place)) continue;
      faults.push({ path: [...path, verb, end], message: `expected a site, a node or *, got "${place}"` });
    }
  }
  if (fault.mend !== undefined && fault.mend !== '*' && !names.has(fault.mend)) {
    faults.push({ path: [...path, 'mend'], message: `no fault before this step is named "${fault.mend}"` });
  }
  if (fault.name !== undefined) names.add(fault.name);
  return faults;
}
