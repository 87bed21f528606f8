/** Benchmarks of worlds: the speed of virtual time, the cost of oracles and of sweeps, and the start of `strowger serve`. */
import { spawn } from 'node:child_process';
import { loadCampaign } from '../campaign/draw.ts';
import { bundled } from '../input/package-folder.ts';
import { OracleRunner } from '../oracles/oracle-runner.ts';
import type { LoadedScenario } from '../scenario/load-scenario.ts';
import { runScenario } from '../scenario/run/runner.ts';
import { virtualWorldOf } from '../scenario/run/virtual-world.ts';
import { loadTopology } from '../topology/load-topology.ts';
import { VirtualWorld } from '../world/virtual.ts';
import { atLeast, atMost, type BenchRow, compare, median, timed } from './measure.ts';

const idleSeconds = 300;

/** Speed of virtual time: the idle default cluster. */
export async function virtualRows(): Promise<BenchRow[]> {
  const world = new VirtualWorld({ ...loadTopology('default'), seed: 1 });
  await world.start();
  await world.wait(idleSeconds * 1_000);
  const speeds: number[] = [];
  const before = world.journal.count;
  for (let round = 0; round < 5; round += 1) {
    speeds.push((idleSeconds * 1_000) / (await timed(() => world.wait(idleSeconds * 1_000))));
  }
  const frames = (world.journal.count - before) / (5 * idleSeconds);
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

const [callsPerSecond, virtualSeconds] = [10, 60];

/** Cost of observation: a busy cluster with all oracles, against the same without any, in virtual time. */
export async function oracleRows(): Promise<BenchRow[]> {
  let checks = 0;
  const run = async (isWatched: boolean) => {
    const world = new VirtualWorld({ ...loadTopology('default'), seed: 1 });
    const watch = isWatched ? new OracleRunner(world) : undefined;
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

const seeds = Array.from({ length: 12 }, (_, n) => n + 1);
/** Largest ratio of faults, a workload and all oracles over an idle cluster. (chosen) */
const most = 5;

/** Seeds a minute: runs of the campaign in sequence, against the same idle clusters for the same virtual time. */
export async function sweepRows(): Promise<BenchRow[]> {
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
async function run(loaded: LoadedScenario, seed: number): Promise<number> {
  const world = virtualWorldOf(loaded, { seed });
  const startMs = world.now();
  await runScenario(loaded.scenario, world, { seed });
  return world.now() - startMs;
}

async function idle({ map, webApps }: LoadedScenario, { seed, forMs }: { seed: number; forMs: number }): Promise<void> {
  const world = new VirtualWorld({ map, webApps, seed });
  const startMs = world.now();
  await world.start();
  await world.wait(startMs + forMs - world.now());
  await world.stop();
}

const bareServer = "require('node:http').createServer().listen(0, '127.0.0.1', () => console.log('ready'))";

/** From the start of `strowger serve` to its ready line, against a bare `node:http` server from start to listening. */
export async function startRows(): Promise<BenchRow[]> {
  const serve = [bundled('main'), 'serve', '--port', '0', '--quiet'];
  // The first start on a machine compiles what later ones find compiled. Only a process that ends by itself keeps it.
  await untilReady(serve, 'SIGTERM');
  const { aMs, bMs } = await compare(
    () => untilReady(serve),
    () => untilReady(['-e', bareServer]),
    5,
  );
  const detail = `${aMs.toFixed(0)} against ${bMs.toFixed(0)} ms`;
  return [
    atMost(0.7, { name: 'ready', floor: 'one second', ratio: aMs / 1_000, detail: `${detail} for a bare server` }),
  ];
}

function untilReady(args: readonly string[], signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    child.once('exit', () => reject(new Error('it ended before it was ready')));
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (!text.includes('ready')) return;
      child.removeAllListeners('exit');
      child.once('exit', () => resolve());
      child.kill(signal);
    });
  });
}
