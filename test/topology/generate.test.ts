/** Topologies of any size. */

import { parse } from 'yaml';
import { generatedTopology } from '../../sim/topology/generate.ts';
import { VirtualWorld } from '../../sim/world/virtual.ts';
import { ClusterMap } from '../../src/model/cluster/cluster-map.ts';
import { topologySchema } from '../../src/model/topology/schema.ts';
import { strowger } from '../cli/in-process.ts';
import { test } from '../kit/test.ts';

for (const [sites, nodes] of [
  [1, 2],
  [2, 3],
  [20, 10],
] as const)
  test(`a generated topology of ${sites} × ${nodes} nodes is valid and has so many`, (t) => {
    const map = new ClusterMap(topologySchema.parse(generatedTopology({ sites, nodes, users: 3 })));
    t.is(map.nodes.size, sites * nodes);
    t.is(map.sites.size, sites);
    t.deepEqual(
      [...map.domains.values()].map(({ sipusers }) => sipusers.length),
      [0, 3, 3],
    );
  });

test('a generated cluster starts, and all its phones register', async (t) => {
  const map = new ClusterMap(topologySchema.parse(generatedTopology({ sites: 4, nodes: 3, users: 4 })));
  const world = new VirtualWorld({ map, webApps: () => [], seed: 1, keepJournal: true });
  await world.start();
  t.true(world.isSettled);
  const registered = world.journal.lines.filter((line) => line.includes(' outside ') && line.includes('"status":200'));
  t.is(registered.length, 8);
  await world.stop();
});

test('strowger topology prints a valid topology of the size asked for', async (t) => {
  const { code, out } = await strowger(t, 'topology', '--sites', '2', '--nodes', '5', '--users', '1');
  t.is(code, 0);
  const map = new ClusterMap(topologySchema.parse(parse(out)));
  t.deepEqual([map.sites.size, map.nodes.size], [2, 10]);
});

test('strowger topology refuses sizes that it cannot make, and says the range', async (t) => {
  const { code, err } = await strowger(t, 'topology', '--sites', '61');
  t.is(code, 64);
  t.regex(err, /--sites: expected an integer from 1 to 60, got "61"/);
});
