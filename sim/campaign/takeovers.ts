/**
 * Changes of the guard: at one moment of a run, in some sites, the first member of each group that has another one dies, so that
 * the next one serves while there are calls, and goes on to do so when all is well again. Faults that strike anywhere bring that about
 * in one run of ten, for few roles are in groups, and few groups have a stand-by.
 */
import type { ClusterMap, InstanceEntry } from '../../src/model/cluster-map.ts';
import { roles } from '../../src/model/roles.ts';
import type { Chance } from './chance.ts';

type Data = Record<string, unknown>;

/** In so many runs. */
const share = 1 / 2;

/** Who is to die, as faults; none in the other runs. */
export function drawTakeovers(map: ClusterMap, chance: Chance): Data[] {
  if (!chance.is(share)) return [];
  const firsts = firstsOf(map);
  const sites = chance.subset([...new Set(firsts.map(({ site }) => site))]);
  return firsts.filter(({ site }) => sites.includes(site)).map(({ name }) => ({ crash: name }));
}

/** The first of each group of at least two. */
function firstsOf(map: ClusterMap): InstanceEntry[] {
  return [...map.instances.values()].filter((instance) => {
    if (roles[instance.role].redundancy !== 'active-passive') return false;
    const group = map.groupOf(instance);
    return group.length > 1 && group[0] === instance;
  });
}
