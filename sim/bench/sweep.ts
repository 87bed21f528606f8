/** Seeds a minute: runs of the campaign, one after the other, against the same clusters left alone for the same virtual time. */
import { loadCampaign } from '../campaign/load.ts';
import type { LoadedScenario } from '../scenario/load.ts';
import { runScenario } from '../scenario/runner.ts';
import { VirtualWorld } from '../world/virtual.ts';
import { timed } from './measure.ts';
import { atMost, type Row } from './table.ts';

const seeds = Array.from({ length: 12 }, (_, n) => n + 1);
/** What faults, a workload, and all oracles may cost over a cluster that only watches itself. (chosen) */
const most = 5;

export async function sweepRows(): Promise<Row[]> {
  let [busyMs, idleMs, virtualMs] = [0, 0, 0];
  // The first run compiles what the others run, and does not count.
  await run(loadCampaign(0), 0);
  for (const seed of seeds) {
    const loaded = loadCampaign(seed);
    let lastedMs = 0;
    busyMs += await timed(async () => {
      lastedMs = await run(loaded, seed);
    });
    idleMs += await timed(() => idle(loaded, { seed, forMs: lastedMs }));
    virtualMs += lastedMs;
  }
  const aMinute = (seeds.length / busyMs) * 60_000;
  const detail = `${aMinute.toFixed(0)} seeds a minute in one process, of ${(virtualMs / seeds.length / 1_000).toFixed(0)} virtual seconds each`;
  return [atMost(most, { name: 'runs of the campaign', floor: 'the same, idle', ratio: busyMs / idleMs, detail })];
}

/** How long it lasted, in virtual milliseconds. */
async function run({ map, webApps, scenario }: LoadedScenario, seed: number): Promise<number> {
  const world = new VirtualWorld({ map, webApps, seed, faultPoints: scenario.faultPoints });
  const startMs = world.now();
  await runScenario(scenario, world, { seed });
  return world.now() - startMs;
}

async function idle({ map, webApps }: LoadedScenario, { seed, forMs }: { seed: number; forMs: number }): Promise<void> {
  const world = new VirtualWorld({ map, webApps, seed });
  const startMs = world.now();
  await world.start();
  await world.wait(startMs + forMs - world.now());
  await world.stop();
}
