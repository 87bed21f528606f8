/** How fast virtual time runs: the default cluster with nothing to do but watch itself. */
import { loadTopology } from '../topology/load.ts';
import { VirtualWorld } from '../world/virtual.ts';
import { median, timed } from './measure.ts';
import { atLeast, type Row } from './table.ts';

const virtualSeconds = 300;

export async function virtualRows(): Promise<Row[]> {
  const world = new VirtualWorld({ ...loadTopology('default'), seed: 1 });
  await world.start();
  await world.wait(virtualSeconds * 1_000);
  const speeds: number[] = [];
  const before = world.journal.count;
  for (let round = 0; round < 5; round += 1) {
    speeds.push((virtualSeconds * 1_000) / (await timed(() => world.wait(virtualSeconds * 1_000))));
  }
  const frames = (world.journal.count - before) / (5 * virtualSeconds);
  await world.stop();
  return [
    atLeast(1_000, {
      name: 'idle virtual cluster',
      floor: 'real time',
      ratio: median(speeds),
      detail: `${world.map.nodes.size} nodes, ${frames.toFixed(0)} frames a virtual second`,
    }),
  ];
}
