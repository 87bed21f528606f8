/** A cluster of nodes that are all peers of each other, for what needs a map and little else. */
import { ClusterMap } from '../../../src/model/cluster/cluster-map.ts';
import { topologySchema } from '../../../src/model/topology/schema.ts';

/** Every node has a gateway, so that all are peers; `siteOf` puts them into sites, by default all into one. */
export function meshOf(names: readonly string[], siteOf: (name: string) => string = () => 'site'): ClusterMap {
  const sites = [...new Set(names.map(siteOf))].map((site, s) => ({
    name: site,
    type: s === 0 ? 'master' : 'communication',
    domains: ['root.test'],
    nodes: names.flatMap((name, n) =>
      siteOf(name) === site ? [{ name, ip: `10.0.0.${n + 1}`, instances: [{ role: 'rpco', srvidx: n + 1 }] }] : [],
    ),
  }));
  return new ClusterMap(topologySchema.parse({ name: 'mesh', sites, domains: [{ name: 'root.test' }] }));
}
