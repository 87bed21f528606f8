/** Runs the tasks of the queue on this machine: batches of seeds in a process of its own, and shrinks. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ObjectStore } from '@nats-io/obj';
import { bundled } from '../../input/package-folder.ts';
import { CoverageLedger } from '../../ledger/coverage-ledger.ts';
import { type BuildInfo, ownBuildInfo } from '../../scenario/build-info.ts';
import { groupKeyOf, type SeedOutcome } from '../outcome.ts';
import { TaskProcess } from '../pool.ts';
import type { Result, Task } from '../worker.ts';
import type { BatchDone, BatchTask, KeptArtefact, QueuedResult, QueuedTask, ShrinkTask } from './protocol.ts';
import { type Queue, readObject } from './queue.ts';

export class BatchRunner {
  readonly #queue: Queue;
  readonly #maker: BuildInfo = ownBuildInfo();
  readonly #process = new TaskProcess();
  readonly #folder = mkdtempSync(join(tmpdir(), 'strowger-worker-'));
  #endShrink = () => {};
  #isOver = false;

  constructor(queue: Queue) {
    this.#queue = queue;
  }

  /** The result of a task; `undefined` if `stop` was called before it. */
  async run(task: QueuedTask): Promise<QueuedResult | undefined> {
    const objects = await this.#queue.objectsOf(task.sweep);
    return task.kind === 'batch' ? this.#runBatch(task, objects) : this.#shrink(task, objects);
  }

  /** Ends at once; an open task has no result. */
  stop(): void {
    this.#isOver = true;
    this.#process.stop();
    this.#endShrink();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #runBatch(batch: BatchTask, objects: ObjectStore): Promise<BatchDone | undefined> {
    const ledger = new CoverageLedger(undefined, batch.build);
    const outcomes: SeedOutcome[] = [];
    const errors: string[] = [];
    const artefacts: KeptArtefact[] = [];
    const base = await this.#taskOf(batch, objects);
    const kept = await keptArtefacts(objects);
    for (const seed of batch.seeds) {
      const result = await this.#process.run({ ...base, seed, keptGroups: [...kept.keys()] });
      if (result === undefined || this.#isOver) return undefined;
      if ('error' in result) {
        errors.push(`${batch.scenario ?? 'campaign'}, seed ${seed}: ${result.error}`);
        continue;
      }
      outcomes.push(result.outcome);
      ledger.add(result.reached);
      const artefact = await this.#keep(result, objects, kept);
      if (artefact !== undefined && !artefacts.includes(artefact)) artefacts.push(artefact);
    }
    return { kind: 'batch', build: batch.build, outcomes, errors, coverage: ledger.counts, artefacts };
  }

  async #taskOf({ build, source, scenario }: BatchTask, objects: ObjectStore): Promise<Omit<Task, 'seed'>> {
    const { version } = this.#maker;
    const base = { version, build, source, folder: this.#folder };
    return scenario === undefined ? base : { ...base, sealed: await this.#download(scenario, objects) };
  }

  /**
   * The artefact of a failure: the first one of its group is stored. One that is there already is named again, for the
   * worker that stored it may have ended before its result was stored.
   */
  async #keep(
    { outcome }: Extract<Result, { outcome: SeedOutcome }>,
    objects: ObjectStore,
    kept: Map<string, KeptArtefact>,
  ): Promise<KeptArtefact | undefined> {
    if (outcome.verdict !== 'fail') return undefined;
    const group = groupKeyOf(outcome);
    const known = kept.get(group);
    if (known !== undefined) return known;
    const file = `${outcome.scenario}-${outcome.seed}.strowger.json`;
    const object = `artefact-${createHash('sha256').update(group).digest('hex').slice(0, 16)}-${outcome.seed}`;
    await objects.putBlob(
      { name: object, description: group, metadata: { file } },
      readFileSync(join(this.#folder, file)),
    );
    const artefact = { object, file, group };
    kept.set(group, artefact);
    return artefact;
  }

  async #shrink({ id, build, artefact, seconds }: ShrinkTask, objects: ObjectStore): Promise<QueuedResult | undefined> {
    const file = await this.#download(artefact, objects);
    const out = join(this.#folder, id);
    const args = [bundled('main'), 'shrink', file, '--out', out, '--seconds', String(seconds)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#endShrink = () => void child.kill('SIGKILL');
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (more: string) => {
        text += more;
      });
    }
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    if (this.#isOver) return undefined;
    const names = code === 0 ? readdirSync(out) : [];
    const files = Object.fromEntries(names.map((name) => [name, readFileSync(join(out, name), 'utf8')]));
    return { kind: 'shrink', build, text, files };
  }

  async #download(object: string, objects: ObjectStore): Promise<string> {
    const bytes = await readObject(objects, object);
    if (bytes === null) throw new Error(`the sweep has no object "${object}": it has ended`);
    const file = join(this.#folder, `${object}.json`);
    writeFileSync(file, bytes);
    return file;
  }
}

/** The artefacts that the workers of a sweep have stored, by the groups of their failures. */
async function keptArtefacts(objects: ObjectStore): Promise<Map<string, KeptArtefact>> {
  const artefacts = (await objects.list()).flatMap(({ name: object, description: group = '', metadata }) => {
    const file = metadata?.['file'];
    return file === undefined ? [] : [{ object, file, group }];
  });
  return new Map(artefacts.map((artefact) => [artefact.group, artefact]));
}
