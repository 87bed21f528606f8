/** Growth: what larger clusters cost for each node, in virtual time, against a small one. */
import { ClusterMap } from '../../src/model/cluster/cluster-map.ts';
import { topologySchema } from '../../src/model/topology/schema.ts';
import { generatedTopology } from '../topology/generate.ts';
import { VirtualWorld } from '../world/virtual.ts';
import { atMost, type BenchRow, cpuOf, heapBytes } from './measure.ts';

const smallest = { sites: 3, nodes: 4 };
const larger = [
  { sites: 10, nodes: 10 },
  { sites: 20, nodes: 10 },
] as const;
const users = 10;
const idleSeconds = 5;
/** Largest cost of a node against that of the smallest cluster. (chosen) */
const most = 1.5;

interface Cost {
  readonly nodes: number;
  readonly startMs: number;
  readonly bytes: number;
  /** CPU of a virtual second without calls. */
  readonly idleMs: number;
}

export async function growthRows(): Promise<BenchRow[]> {
  // The first start compiles what the others run, and does not count.
  await costOf(smallest);
  const small = await costOf(smallest);
  const rows: BenchRow[] = [];
  for (const size of larger) rows.push(...rowsOf(`${size.sites}×${size.nodes} nodes`, await costOf(size), small));
  return rows;
}

function rowsOf(name: string, large: Cost, small: Cost): BenchRow[] {
  const row = (what: string, read: (cost: Cost) => number, detail: string) => {
    const ratio = read(large) / large.nodes / (read(small) / small.nodes);
    return atMost(most, { name: `${what}, ${name}`, floor: `a node of ${small.nodes}`, ratio, detail });
  };
  return [
    row('start of a node', ({ startMs }) => startMs, `${(large.startMs / 1_000).toFixed(1)} s of CPU in all`),
    row('memory of a node', ({ bytes }) => bytes, `${(large.bytes / 1_024 / 1_024).toFixed(0)} MB in all`),
    row('idle node', ({ idleMs }) => idleMs, `${large.idleMs.toFixed(0)} ms of CPU a virtual second in all`),
  ];
}

async function costOf(size: { readonly sites: number; readonly nodes: number }): Promise<Cost> {
  const map = new ClusterMap(topologySchema.parse(generatedTopology({ ...size, users })));
  const before = heapBytes();
  const world = new VirtualWorld({ map, webApps: () => [], seed: 1 });
  const startMs = await cpuOf(() => world.start());
  const bytes = heapBytes() - before;
  const idleMs = (await cpuOf(() => world.wait(idleSeconds * 1_000))) / idleSeconds;
  await world.stop();
  return { nodes: map.nodes.size, startMs, bytes, idleMs };
}
