/** Topologies that a seed draws: always sound, always the same for a seed. */

import fc from 'fast-check';
import { SeededRandom } from '../../sim/ports/random.ts';
import { drawTopology, knobBounds, type NumberRange } from '../../sim/topology/draw.ts';
import { ClusterMap } from '../../src/model/cluster/cluster-map.ts';
import { roleNames, roles } from '../../src/model/cluster/roles.ts';
import { checkTopology } from '../../src/model/topology/checks.ts';
import { topologySchema } from '../../src/model/topology/schema.ts';
import { sized } from '../kit/property.ts';
import { test } from '../kit/test.ts';

const range = (least: number, most: number) =>
  fc.tuple(fc.integer({ min: least, max: most }), fc.integer({ min: least, max: most })).map(([a, b]): NumberRange => {
    return [Math.min(a, b), Math.max(a, b)];
  });
const knobs = fc.record({
  sites: range(1, knobBounds.sites),
  nodes: range(1, knobBounds.nodes),
  domains: range(1, knobBounds.domains),
  phones: range(0, 12),
  providers: range(0, knobBounds.providers),
});
const streamOf = (seed: number) => new SeededRandom(seed).stream('ids');

test('whatever is drawn is a valid topology with every role at every site where it may be', (t) => {
  fc.assert(
    fc.property(knobs, fc.nat(), (wanted, seed) => {
      const drawn = topologySchema.parse(drawTopology(wanted, streamOf(seed)));
      t.deepEqual(checkTopology(drawn), []);
      const map = new ClusterMap(drawn);
      for (const site of map.sites.values()) {
        const here = new Set(site.nodes.flatMap(({ instances }) => instances.map(({ role }) => role)));
        const may = roleNames.filter(
          (role) => ({ any: true, master: site.isMaster, working: !site.isMaster })[roles[role].sites],
        );
        t.deepEqual([...here].sort(), may.sort(), site.name);
        t.true(site.nodes.length >= wanted.nodes[0] && site.nodes.length <= wanted.nodes[1]);
      }
      t.true(map.sites.size >= wanted.sites[0] && map.sites.size <= wanted.sites[1]);
    }),
    { numRuns: sized(80, 8_000), seed: 1 },
  );
});

test('a seed draws the same topology each time, and others draw others', (t) => {
  const wanted = { sites: [2, 4], nodes: [1, 3], domains: [1, 2], phones: [2, 8], providers: [0, 1] } as const;
  const drawn = [1, 1, 2, 3, 4].map((seed) => JSON.stringify(drawTopology(wanted, streamOf(seed))));
  t.is(drawn[0], drawn[1]);
  t.is(new Set(drawn).size, 4);
});
