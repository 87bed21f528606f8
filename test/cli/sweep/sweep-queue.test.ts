/** `strowger sweep --nats` and `strowger worker`: nothing is lost or counted twice, whatever is killed. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { exitCodes } from '../../../sim/cli/process.ts';
import { sealScenario } from '../../../sim/scenario/artefact.ts';
import { ownBuildInfo } from '../../../sim/scenario/build-info.ts';
import { loadScenario } from '../../../sim/scenario/load-scenario.ts';
import { BatchRunner } from '../../../sim/sweep/nats/batch-runner.ts';
import { Coordinator } from '../../../sim/sweep/nats/coordinator.ts';
import { type QueuedTask, taskSchema, unpacked } from '../../../sim/sweep/nats/protocol.ts';
import { Queue, readObject } from '../../../sim/sweep/nats/queue.ts';
import type { SeedOutcome } from '../../../sim/sweep/outcome.ts';
import { startNats } from '../../kit/nats.ts';
import { test } from '../../kit/test.ts';
import { makeFolder } from '../../topology/edits.ts';
import { smallYaml } from '../../topology/small.ts';
import { poll, Running } from '../command.ts';
import { strowger } from '../in-process.ts';

const head = 'why: For what the tests expect of sweeps over many machines.\ntopology: ./small.yaml\nsteps:\n';
const passing = `name: passing\n${head}  - request: { through: east, path: /healthz }\n    expect: { status: 200 }\n`;
const failing = `name: failing\n${head}  - request: { through: east, path: /healthz }\n    expect: { status: 418 }\n`;

function prepare(t: ExecutionContext) {
  const folder = makeFolder(t);
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  file('small.yaml', smallYaml);
  return { out: join(folder, 'out'), passing: file('passing.yaml', passing), failing: file('failing.yaml', failing) };
}

function worker(t: ExecutionContext, url: string): Running {
  return new Running(t, ['worker', '--nats', url, '--jobs', '1', '--lease', '3']);
}

function outcomesIn(out: string): SeedOutcome[] {
  const file = join(out, 'sweep.jsonl');
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

function coverageIn(out: string) {
  return JSON.parse(readFileSync(join(out, 'sweep-coverage.json'), 'utf8'));
}

test('a sweep outlives killed workers and its own coordinator, and each seed counts once', async (t) => {
  const url = await startNats(t);
  if (url === undefined) return;
  const { out, passing: file } = prepare(t);
  const args = ['sweep', '--json', file, '--seeds', '12', '--batch', '1', '--nats', url, '--out', out];
  const first = new Running(t, args);
  const victim = worker(t, url);
  await poll('the first outcomes', async () => (outcomesIn(out).length >= 2 ? true : undefined));
  t.is(await victim.end('SIGKILL'), 'SIGKILL');
  t.is(await first.end('SIGINT'), 130, first.err);
  t.regex(first.err, /stopped: workers go on, and the same command follows them again/);
  t.true(outcomesIn(out).length < 12);

  worker(t, url);
  const second = new Running(t, args);
  t.is(await second.ended, 0, second.err);
  t.like(JSON.parse(second.out), {
    verdict: 'pass',
    scenarios: [{ scenario: 'passing', pass: 12, fail: 0, unknown: 0 }],
  });
  const seeds = outcomesIn(out).map(({ seed }) => seed);
  t.deepEqual(
    seeds.toSorted((a, b) => a - b),
    Array.from({ length: 12 }, (_, i) => i + 1),
  );
  const local = `${out}-local`;
  t.is((await strowger(t, 'sweep', file, '--seeds', '12', '--jobs', '1', '--out', local)).code, 0);
  t.deepEqual(coverageIn(out), coverageIn(local), 'coverage is merged over all seeds, each once');
  t.is(coverageIn(out).runs, 12);
});

test('a long campaign that misses a bar is unknown, as in a sweep of one machine', async (t) => {
  const url = await startNats(t);
  if (url === undefined) return;
  const { out } = prepare(t);
  const queue = await Queue.open(url);
  const sweep = new Running(t, ['sweep', '--seeds', '200', '--batch', '200', '--nats', url, '--out', out]);
  const { build } = ownBuildInfo();
  const consumer = await queue.tasksFor(build, 30_000);
  const task = await consumer.next({ expires: 30_000 });
  if (task === null) return t.fail('expected a task');
  const batch = unpacked(task.data, taskSchema);
  if (batch.kind !== 'batch') return t.fail('expected a batch');
  const { seeds, source } = batch;
  const outcomes = seeds.map((seed) => ({
    scenario: 'campaign',
    seed,
    build,
    source,
    verdict: 'pass' as const,
    virtualMs: 1,
  }));
  const coverage = { runs: seeds.length, reached: { faults: { cut: seeds.length } } };
  await queue.addResult(batch, { kind: 'batch', build, outcomes, errors: [], coverage, artefacts: [] });
  t.is(await sweep.ended, exitCodes.unknown, sweep.err);
  t.regex(sweep.out, /^reached by 200 runs:$/m);
  t.regex(sweep.out, /^not reached: operations of the interface: 0 % in 200 runs, expected 95 %$/m);
  await queue.close();
});

test('the first artefact of a group of failures is kept, and a worker shrinks it', async (t) => {
  const url = await startNats(t);
  if (url === undefined) return;
  const { out, failing: file } = prepare(t);
  worker(t, url);
  const swept = new Running(t, [
    'sweep',
    file,
    '--seeds',
    '4',
    '--batch',
    '2',
    '--shrink',
    '20',
    '--nats',
    url,
    '--out',
    out,
  ]);
  t.is(await swept.ended, 1, swept.err);
  const kept = readdirSync(out).toSorted();
  t.is(kept.filter((name) => name.endsWith('.strowger.json')).length, 1);
  t.true(kept.includes('failing-shrunk.yaml'), kept.join(' '));
  const [, artefact = ''] = /replay (\S+) --report/.exec(swept.out) ?? [];
  t.is((await strowger(t, 'replay', artefact)).code, 0);
  t.regex(swept.out, /seeds \(4\): 1, 2, 3, 4|seeds \(4\)/);
});

test('a worker of another build says so, and takes no task', async (t) => {
  const url = await startNats(t);
  if (url === undefined) return;
  const queue = await Queue.open(url);
  const task = {
    kind: 'batch' as const,
    sweep: 's',
    id: '0-0',
    build: 'other',
    source: 'x',
    seeds: [1],
  } satisfies QueuedTask;
  t.true(await queue.addTask(task));
  t.false(await queue.addTask(task), 'a task is queued once');
  const running = new Running(t, ['worker', '--nats', url, '--jobs', '1', '--idle', '1']);
  t.is(await running.ended, 0, running.err);
  t.regex(running.out, /the queue has 1 tasks of build other; this worker is build [0-9a-f]{16} and does not run them/);
  t.deepEqual([...(await queue.waiting())], [['other', 1]]);
  await queue.close();
});

test('a server that is not there is reported in one line, without credentials', async (t) => {
  const { code, err } = await strowger(t, 'worker', '--nats', 'nats://me:secret@127.0.0.1:1');
  t.is(code, 1);
  t.regex(err, /^strowger: --nats nats:\/\/…@127\.0\.0\.1:1: expected a NATS server there: /);
});

test('a coordinator that returns leaves the scenario that workers read', async (t) => {
  const url = await startNats(t);
  if (url === undefined) return;
  const { out, passing: file } = prepare(t);
  const queue = await Queue.open(url);
  const parts = [{ name: 'passing', source: 'x', sealed: sealScenario(loadScenario(file)), seeds: [1] }];
  const stored = async () => {
    const coordinator = new Coordinator({
      ...{ queue, build: 'b', parts, batchSize: 1, shrinkSeconds: 0, out, stopped: AbortSignal.abort() },
      ...{ onBatch: () => {}, onArtefact: () => {}, onText: () => {} },
    });
    t.false(await coordinator.run(), 'stopped before it ended');
    return (await (await queue.objectsOf(coordinator.id)).info('scenario-x'))?.nuid;
  };
  const first = await stored();
  t.is(typeof first, 'string');
  t.is(await stored(), first);
  await queue.close();
});

test('an object that never arrives is read again, and at last is an error', async (t) => {
  const bytes = Buffer.from('whole');
  let reads = 0;
  const getBlob = (nth: number) => () => {
    reads += 1;
    return reads === nth ? Promise.resolve(bytes) : new Promise<never>(() => {});
  };
  t.is(await readObject({ getBlob: getBlob(2) }, 'scenario', { waitMs: 1 }), bytes);
  reads = 0;
  await t.throwsAsync(readObject({ getBlob: getBlob(9) }, 'scenario', { waitMs: 1 }), {
    message: 'the object "scenario" was not read in 0.003 s',
  });
});

test('an artefact is named again when its worker ended before its result was stored', async (t) => {
  const url = await startNats(t);
  if (url === undefined) return;
  const { failing: file } = prepare(t);
  const queue = await Queue.open(url);
  const objects = await queue.objectsOf('lost');
  await objects.putBlob({ name: 'scenario-lost' }, Buffer.from(sealScenario(loadScenario(file))));
  const { build } = ownBuildInfo();
  const task = {
    kind: 'batch',
    sweep: 'lost',
    id: '0',
    build,
    source: 'lost',
    scenario: 'scenario-lost',
    seeds: [1, 2],
  };
  const run = async () => {
    const runner = new BatchRunner(queue);
    try {
      const result = await runner.run(taskSchema.parse(task));
      return result?.kind === 'batch' ? result.artefacts : undefined;
    } finally {
      runner.stop();
    }
  };
  const lost = await run();
  t.deepEqual(
    lost?.map((artefact) => artefact.file),
    ['failing-1.strowger.json'],
  );
  t.deepEqual(await run(), lost, 'the next worker of the batch names the artefact of the one before');
  await queue.close();
});
