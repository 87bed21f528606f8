/** Whether the names in a fault are names of the cluster. */
import type { ClusterMap } from '../../src/model/cluster-map.ts';
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
  if (fault.mend !== undefined && fault.mend !== '*' && !names.has(fault.mend)) {
    faults.push({ path: [...path, 'mend'], message: `no fault before this step is named "${fault.mend}"` });
  }
  return faults;
}
