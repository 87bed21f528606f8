/** Planted bugs are bugs of running clusters: each can be composed, and the cluster with it starts and puts calls through. */

import { loadTopology } from '../../sim/topology/load-topology.ts';
import { VirtualWorld } from '../../sim/world/virtual.ts';
import { test } from '../kit/test.ts';
import { plantedBugs } from './bugs.ts';
import { plant } from './plant.ts';

/** Two sites, each a node with all roles. */
const topology = loadTopology('pair');

test('there are at least twenty, each with a name of its own', (t) => {
  const names = new Set(plantedBugs.map(({ name }) => name));
  t.is(names.size, plantedBugs.length);
  t.true(names.size >= 20);
});

for (const bug of plantedBugs) {
  test(`a cluster with the bug ${bug.name} starts and puts calls through`, async (t) => {
    const world = new VirtualWorld({ ...topology, seed: 1, replaceRoles: (scope) => plant(scope, bug) });
    await world.start();
    const traffic = world.outside.traffic({ rate: 2, holdingMs: 500 });
    traffic.start();
    await world.wait(4_000);
    traffic.stop();
    t.true(traffic.counts.answered > 0, JSON.stringify(traffic.counts));
    await world.stop();
  });
}
