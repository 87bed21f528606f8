/**
 * The coordinator of a sweep over many machines: queues its batches and follows their results. It may stop and return, because
 * the sweep is named by what it runs: tasks that are queued and results that are stored are not made again.
 */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ObjectStore } from '@nats-io/obj';
import { makeFolders } from '../../data/make-folders.ts';
import type { BatchDone, BatchTask, KeptArtefact, QueuedResult, QueuedTask } from './protocol.ts';
import { resultSchema, unpacked } from './protocol.ts';
import { type Queue, readObject } from './queue.ts';

/** Seeds of one scenario. */
export interface SeedBatch {
  readonly name: string;
  /** Digest of the scenario and its topology. */
  readonly source: string;
  /** The scenario as `sealScenario` writes it; absent: the campaign. */
  readonly sealed: string | undefined;
  readonly seeds: readonly number[];
}

export interface CoordinatorOptions {
  readonly queue: Queue;
  readonly build: string;
  readonly parts: readonly SeedBatch[];
  readonly batchSize: number;
  /** The time for each shrink in seconds; 0: no failure is shrunk. */
  readonly shrinkSeconds: number;
  /** Folder for artefacts and shrunk scenarios. */
  readonly out: string;
  readonly onBatch: (done: BatchDone) => void;
  /** An artefact was written to this file of `out`. */
  readonly onArtefact: (file: string) => void;
  readonly onText: (text: string) => void;
  readonly stopped: AbortSignal;
}

/** How many tasks are published at once. */
const window = 100;
/** After so long without a result, the coordinator says how many tasks wait. */
const silenceMs = 20_000;

export class Coordinator {
  /** Names the sweep, by what it runs. */
  readonly id: string;
  readonly #options: CoordinatorOptions;
  readonly #open = new Map<string, QueuedTask>();
  readonly #done = new Set<string>();
  /** Groups of failures whose first artefact is kept. */
  readonly #groups = new Set<string>();
  #stored: ReadonlySet<string> = new Set();
  #objects: ObjectStore | undefined;

  constructor(options: CoordinatorOptions) {
    this.#options = options;
    const { build, parts, batchSize } = options;
    const runs = parts.map(({ name, source, seeds }) => [name, source, seeds]);
    this.id = createHash('sha256')
      .update(JSON.stringify([build, runs, batchSize]))
      .digest('hex')
      .slice(0, 12);
  }

  /** Runs the sweep to its end, or until it is stopped. Returns whether it has ended. */
  async run(): Promise<boolean> {
    const { queue, build, stopped } = this.#options;
    const objects = await queue.objectsOf(this.id);
    this.#objects = objects;
    for (const task of this.#batches()) this.#open.set(task.id, task);
    const results = await (await queue.resultsOf(this.id)).consume();
    const stop = () => results.stop();
    stopped.addEventListener('abort', stop, { once: true });
    if (stopped.aborted) stop();
    let heardMs = performance.now();
    const silence = setInterval(() => {
      if (performance.now() - heardMs < silenceMs) return;
      heardMs = performance.now();
      this.#reportSilence();
    }, silenceMs / 4);
    try {
      await this.#seal(objects);
      this.#stored = await queue.resultIds(this.id);
      await this.#enqueue([...this.#open.values()]);
      for await (const { subject, data } of results) {
        heardMs = performance.now();
        await this.#take(subject.split('.').at(-1) ?? '', unpacked(data, resultSchema));
        if (this.#open.size === 0) break;
      }
    } finally {
      clearInterval(silence);
    }
    if (this.#open.size > 0) return false;
    await queue.remove(this.id, build);
    return true;
  }

  #batches(): BatchTask[] {
    const { build, parts, batchSize } = this.#options;
    return parts.flatMap(({ source, sealed, seeds }, part) =>
      Array.from({ length: Math.ceil(seeds.length / batchSize) }, (_, index): BatchTask => {
        const own = seeds.slice(index * batchSize, (index + 1) * batchSize);
        const id = `${part}-${index}`;
        const scenario = sealed === undefined ? {} : { scenario: `scenario-${source}` };
        return { kind: 'batch', sweep: this.id, id, build, source, ...scenario, seeds: own };
      }),
    );
  }

  /** A scenario that is there already may be read by a worker now. */
  async #seal(objects: ObjectStore): Promise<void> {
    for (const { source, sealed } of this.#options.parts) {
      const name = `scenario-${source}`;
      if (sealed !== undefined && (await objects.info(name)) === null)
        await objects.putBlob({ name }, Buffer.from(sealed));
    }
  }

  async #enqueue(tasks: readonly QueuedTask[]): Promise<void> {
    const { queue, stopped } = this.#options;
    const missing = tasks.filter(({ id }) => !this.#stored.has(id));
    for (let i = 0; i < missing.length && !stopped.aborted; i += window)
      await Promise.all(missing.slice(i, i + window).map((task) => queue.addTask(task)));
  }

  async #take(id: string, result: QueuedResult): Promise<void> {
    const { build, onBatch } = this.#options;
    if (this.#done.has(id) || result.build !== build) return;
    this.#done.add(id);
    this.#open.delete(id);
    if (result.kind === 'shrink') return this.#write(result.files, result.text);
    onBatch(result);
    for (const artefact of result.artefacts) await this.#keep(artefact);
  }

  /** Two workers may meet the first failure of a group at the same time: one artefact is kept. */
  async #keep({ object, file, group }: KeptArtefact): Promise<void> {
    const { build, out, shrinkSeconds: seconds, onText } = this.#options;
    if (this.#groups.has(group)) return;
    this.#groups.add(group);
    const bytes = this.#objects === undefined ? null : await readObject(this.#objects, object);
    if (bytes === null) return;
    makeFolders(out);
    writeFileSync(join(out, file), bytes);
    this.#options.onArtefact(file);
    onText(`a failure of a new kind: ${join(out, file)}`);
    if (seconds === 0) return;
    const id = `shrink-${object}`;
    const task: QueuedTask = { kind: 'shrink', sweep: this.id, id, build, artefact: object, seconds };
    this.#open.set(id, task);
    await this.#enqueue([task]);
  }

  #write(files: Readonly<Record<string, string>>, text: string): void {
    const { out, onText } = this.#options;
    makeFolders(out);
    for (const [name, content] of Object.entries(files)) writeFileSync(join(out, name), content);
    onText(text.trimEnd());
  }

  #reportSilence(): void {
    const { queue, build, onText } = this.#options;
    queue.waiting().then(
      (counts) =>
        onText(
          `no result for ${silenceMs / 1_000} s: ${counts.get(build) ?? 0} tasks wait for workers of build ${build}`,
        ),
      (error: unknown) =>
        onText(`no result for ${silenceMs / 1_000} s, and the server does not answer: ${String(error)}`),
    );
  }
}
