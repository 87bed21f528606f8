/** Whether the names in a fault are names of the cluster. */
import type { ClusterMap } from '../../src/model/cluster-map.ts';
import { edgesOf } from '../faults/faults.ts';
import { isOutside, namesOutside } from '../outside/population.ts';
import type { PathFault } from '../yaml.ts';
import type { ScenarioFault } from './fault-schema.ts';

/** What a fault names that the cluster does not have. `names`: of the faults that stand by then. */
export function checkFault(
  fault: ScenarioFault,
  { map, names, path }: { map: ClusterMap; names: ReadonlySet<string>; path: PathFault['path'] },
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
  faults.push(...checkOutside(fault, map).map((each) => ({ ...each, path: [...path, ...each.path] })));
  if (fault.mend !== undefined && fault.mend !== '*' && !names.has(fault.mend)) {
    faults.push({ path: [...path, 'mend'], message: `no fault before this step is named "${fault.mend}"` });
  }
  return faults;
}

function checkOutside({ cutOutside, ...fault }: ScenarioFault, map: ClusterMap): PathFault[] {
  const faults: PathFault[] = [];
  for (const verb of ['silence', 'revive'] as const) {
    const name = fault[verb];
    if (name === undefined || isOutside(map, name)) continue;
    faults.push({
      path: [verb],
      message: `expected a phone or a provider (${shortened(namesOutside(map))}), got "${name}"`,
    });
  }
  const edges = edgesOf(map);
  const place = cutOutside?.from ?? '*';
  if (place !== '*' && !edges.some(({ name, site }) => name === place || site === place)) {
    const known = [...new Set(edges.map(({ site }) => site)), ...edges.map(({ name }) => name)];
    const message = `expected a site with edges, an edge instance or * (${known.join(', ')}), got "${place}"`;
    faults.push({ path: ['cutOutside', 'from'], message });
  }
  return faults;
}

/** There may be thousands. */
function shortened(names: readonly string[]): string {
  if (names.length <= mostNames) return names.join(', ') || 'none';
  return `${names.slice(0, mostNames).join(', ')} and ${names.length - mostNames} more`;
}

const mostNames = 12;
