/** What it costs to look on: a busy cluster under all oracles, against the same without any, in virtual time. */
import { Watch } from '../oracles/watch.ts';
import { loadTopology } from '../topology/load.ts';
import { VirtualWorld } from '../world/virtual.ts';
import { compare } from './measure.ts';
import { atMost, type Row } from './table.ts';

const [callsPerSecond, virtualSeconds] = [10, 60];

export async function oracleRows(): Promise<Row[]> {
  let checks = 0;
  const run = async (isWatched: boolean) => {
    const world = new VirtualWorld({ ...loadTopology('default'), seed: 1 });
    const watch = isWatched ? new Watch(world) : undefined;
    await world.start();
    world.outside.traffic({ rate: callsPerSecond, holdingMs: 10_000 }).start();
    await world.wait(virtualSeconds * 1_000);
    watch?.stop();
    checks = watch?.verdicts().reduce((sum, verdict) => sum + verdict.checks, 0) ?? checks;
    await world.stop();
  };
  const { ratio, aMs } = await compare(
    () => run(true),
    () => run(false),
    5,
  );
  const speed = (virtualSeconds * 1_000) / aMs;
  const detail = `${callsPerSecond} calls/s at ${speed.toFixed(0)} times real time, ${checks} checks a virtual minute`;
  return [atMost(1.5, { name: 'a cluster under oracles', floor: 'the same without', ratio, detail })];
}
