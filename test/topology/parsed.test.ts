import { readFileSync } from 'node:fs';
import { digestOf, loadTopology, parsedTopologies, topologyFile } from '../../sim/topology/load-topology.ts';
import { ClusterMap } from '../../src/model/cluster/cluster-map.ts';
import type { Topology } from '../../src/model/topology/schema.ts';
import { test } from '../kit/test.ts';

for (const name of ['default', 'pair', 'single']) {
  test(`what a bundle holds of the topology ${name} is what its file says`, (t) => {
    const text = readFileSync(topologyFile(name), 'utf8');
    const parsed = parsedTopologies()[digestOf(text)] as string;
    t.deepEqual(new ClusterMap(JSON.parse(parsed) as Topology), loadTopology(name).map);
    t.is(parsedTopologies()[digestOf(`${text} `)], undefined, 'a changed file is parsed again');
  });
}
