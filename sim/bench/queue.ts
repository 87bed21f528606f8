/** Sweeps over a queue: two workers against one, and how many workers one coordinator can follow. They need a nats-server. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundled } from '../input/package-folder.ts';
import { sealScenario } from '../scenario/artefact.ts';
import { ownBuildInfo } from '../scenario/build-info.ts';
import { loadScenario } from '../scenario/load-scenario.ts';
import { Coordinator, type SeedBatch } from '../sweep/nats/coordinator.ts';
import { type BatchDone, taskSchema, unpacked } from '../sweep/nats/protocol.ts';
import { Queue } from '../sweep/nats/queue.ts';
import { atLeast, type BenchRow, timed } from './measure.ts';

/** Debian puts the server where only the administrator's PATH leads. */
const env = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` };
const [batches, batchSize, answeredBatches, leaseMs] = [20, 2, 1_000, 30_000];
/** Fewer threads of V8: its garbage collector and compiler use a part of the other worker's core. */
const workerEnv = { ...env, NODE_OPTIONS: '--v8-pool-size=0' };
/** A worker keeps about 1.4 cores busy (its coordinator included), so two workers cannot be twice as fast on two cores. */
const twoWorkersAim = availableParallelism() >= 4 ? 1.7 : 1.3;
const { build } = ownBuildInfo();

export async function queueRows(): Promise<BenchRow[]> {
  if (spawnSync('nats-server', ['--version'], { env }).status !== 0) {
    process.stderr.write('not measured: no nats-server on this machine (apt-get install nats-server)\n');
    return [];
  }
  const folder = mkdtempSync(join(tmpdir(), 'strowger-bench-'));
  const server = spawn('nats-server', ['-js', '-sd', folder, '-a', '127.0.0.1', '-p', '-1'], { env });
  const children: ChildProcess[] = [server];
  try {
    const [, port] = await printed(server, /client connections on 127\.0\.0\.1:(\d+)[\s\S]*Server is ready/);
    const url = `nats://127.0.0.1:${port}`;
    const queue = await Queue.open(url);
    const addWorker = async () => {
      const worker = spawn(process.execPath, [bundled('main'), 'worker', '--nats', url, '--jobs', '1'], {
        env: workerEnv,
      });
      children.push(worker);
      await printed(worker, /working/);
    };
    const sweepOf = (start: number) => sweep(queue, { folder, start });
    await addWorker();
    // The first sweep with a worker starts its process, and does not count.
    await sweepOf(1);
    let done: BatchDone[] = [];
    const oneMs = await timed(async () => {
      done = await sweepOf(1_001);
    });
    await addWorker();
    await sweepOf(2_001);
    const twoMs = await timed(() => sweepOf(3_001));
    for (const worker of children.splice(1)) await end(worker);
    const answeredMs = await timed(() => answered(queue, { folder, result: done[0] }));
    await queue.close();
    return rows({ oneMs, twoMs, answeredMs });
  } finally {
    for (const child of children) await end(child);
    rmSync(folder, { recursive: true, force: true });
  }
}

function rows({ oneMs, twoMs, answeredMs }: Record<'oneMs' | 'twoMs' | 'answeredMs', number>): BenchRow[] {
  const batchMs = oneMs / batches;
  const [followMs, seedMs] = [answeredMs / answeredBatches, batchMs / batchSize];
  const efficiency = ((oneMs / twoMs / 2) * 100).toFixed(0);
  return [
    atLeast(twoWorkersAim, {
      name: 'a sweep by two workers',
      floor: 'by one',
      ratio: oneMs / twoMs,
      detail: `efficiency ${efficiency} %, one worker ${seedMs.toFixed(0)} ms a seed`,
    }),
    atLeast(100, {
      name: 'workers that one coordinator follows',
      floor: `batches of ${batchSize} seeds`,
      ratio: batchMs / followMs,
      detail: `${followMs.toFixed(1)} ms a batch, its answer included, ${batchMs.toFixed(0)} ms in the worker`,
    }),
  ];
}

interface Bench {
  readonly folder: string;
  readonly start: number;
}

function sweep(queue: Queue, { folder, start }: Bench, count = batches): Promise<BatchDone[]> {
  const scenario = loadScenario('site-cut');
  const seeds = Array.from({ length: count * batchSize }, (_, i) => start + i);
  const part: SeedBatch = { name: 'site-cut', source: 'bench', sealed: sealScenario(scenario), seeds };
  return follow(queue, { part, folder });
}

async function follow(queue: Queue, { part, folder }: { part: SeedBatch; folder: string }): Promise<BatchDone[]> {
  const done: BatchDone[] = [];
  await new Coordinator({
    queue,
    build,
    parts: [part],
    batchSize,
    shrinkSeconds: 0,
    out: folder,
    stopped: new AbortController().signal,
    onBatch: (batch) => done.push(batch),
    onArtefact: () => {},
    onText: () => {},
  }).run();
  return done;
}

/** A sweep whose batches are answered at once, all with the same result: the work of the queue and of the coordinator alone. */
async function answered(queue: Queue, { folder, result }: { folder: string; result: BatchDone | undefined }) {
  if (result === undefined) throw new Error('the sweep had no result');
  const consumer = await queue.tasksFor(build, leaseMs);
  const tasks = await consumer.consume();
  const answering = (async () => {
    for await (const message of tasks) {
      await queue.addResult(unpacked(message.data, taskSchema), result);
      message.ack();
    }
  })();
  await sweep(queue, { folder, start: 10_001 }, answeredBatches);
  tasks.stop();
  await answering;
}

/** What the process prints, when it matches. Throws if it ends before. */
function printed(child: ChildProcess, pattern: RegExp): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    let text = '';
    const take = (more: Buffer) => {
      text += more.toString('utf8');
      const match = pattern.exec(text);
      if (match !== null) resolve(match);
    };
    child.stdout?.on('data', take);
    child.stderr?.on('data', take);
    child.once('close', () => reject(new Error(`a process ended at its start: ${text}`)));
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGTERM');
  await closed;
}
