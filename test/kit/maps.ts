/** Maps for tests: the one that ships, and small ones. */
import { loadTopology } from '../../sim/topology/load-topology.ts';
import { ClusterMap } from '../../src/model/cluster/cluster-map.ts';
import { topologySchema } from '../../src/model/topology/schema.ts';

/** Three sites: hq with h1 to h3, north with n1 and n2, south with s1 and s2. h3 alone is no gateway. */
export const { map: defaultMap, webApps } = loadTopology('default');

/** The same without the files that are there from the start. */
export const mapWithoutFiles = new ClusterMap({
  ...defaultMap.topology,
  domains: defaultMap.topology.domains.map((domain) => ({ ...domain, parkingfiles: [] })),
});

/** A master site of so many nodes `a1`, `a2` …, each with a gateway and a member of one mware group, in that order. */
export function oneSite(nodes: number): ClusterMap {
  return new ClusterMap(
    topologySchema.parse({
      name: 'one-site',
      sites: [
        {
          name: 'alone',
          type: 'master_communication',
          domains: ['root.test'],
          nodes: Array.from({ length: nodes }, (_, index) => ({
            name: `a${index + 1}`,
            ip: `10.0.0.${index + 1}`,
            instances: [
              { role: 'rpco', srvidx: 10 * (index + 1), order: index + 1 },
              { role: 'mware', srvidx: 10 * (index + 1) + 1, group: 1, order: index + 1 },
            ],
          })),
        },
      ],
      domains: [{ name: 'root.test' }],
    }),
  );
}
