/** `strowger sweep --nats URL`: lets the workers of a queue run a sweep, and follows it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CoverageLedger, coverageFile } from '../../ledger/coverage-ledger.ts';
import { sealScenario } from '../../scenario/artefact.ts';
import { ownBuildInfo } from '../../scenario/build-info.ts';
import { loadScenario } from '../../scenario/load-scenario.ts';
import type { BatchDone } from '../../sweep/nats/protocol.ts';
import { readRecord, SweepRecord } from '../../sweep/outcome.ts';
import { exitCodes, stoppedBySignal } from '../process.ts';
import { SweepProgress } from '../progress.ts';
import { reportSweep } from './sweep-report.ts';

export interface QueueSweep {
  readonly url: string;
  readonly scenarios: readonly { readonly file?: string; readonly name: string; readonly source: string }[];
  readonly seeds: readonly number[];
  readonly shard: { readonly of: number };
  /** Files that are invalid. */
  readonly invalidFiles: readonly string[];
  readonly batch: number;
  readonly shrink: number;
  readonly out: string;
  readonly json?: boolean;
}

/** Returns the exit code. */
export async function sweepOnQueue(sweep: QueueSweep): Promise<number> {
  const { url, scenarios, seeds, invalidFiles, batch, shrink, out } = sweep;
  const { Coordinator } = await import('../../sweep/nats/coordinator.ts');
  const { Queue } = await import('../../sweep/nats/queue.ts');
  const { build } = ownBuildInfo();
  const stopped = stoppedBySignal();
  const queue = await Queue.open(url);
  const file = join(out, 'sweep.jsonl');
  const collected = new Collected(file, { build, total: scenarios.length * seeds.length });
  const parts = scenarios.map(({ file, name, source }) => {
    const sealed = file === undefined ? undefined : sealScenario(loadScenario(file));
    return { name, source, sealed, seeds };
  });
  const isDone = await new Coordinator({
    queue,
    build,
    parts,
    batchSize: batch,
    shrinkSeconds: shrink,
    out,
    stopped,
    onBatch: (done) => collected.add(done),
    onArtefact: (file) => collected.artefacts.push(file),
    onText: (text) => process.stderr.write(`${text}\n`),
  }).run();
  await queue.close();
  collected.end();
  const { outcomes, errors, ledger } = collected;
  ledger.save(coverageFile(file));
  const code = reportSweep({
    outcomes,
    errors,
    ledger,
    invalidFiles,
    out,
    json: sweep.json,
    isCampaign: scenarios.some(({ file }) => file === undefined),
    isPart: sweep.shard.of > 1 || !isDone,
    artefact: collected.artefacts[0],
  });
  if (isDone) return code;
  process.stderr.write(`stopped: workers go on, and the same command follows them again\n`);
  return exitCodes.stopped;
}

/** The outcomes of a sweep: each once in the file, whatever an earlier coordinator has written there. */
class Collected {
  readonly ledger: CoverageLedger;
  readonly outcomes: BatchDone['outcomes'] = [];
  /** Files of the artefacts: the first of each group of failures. */
  readonly artefacts: string[] = [];
  errors = 0;
  readonly #record: SweepRecord;
  readonly #progress: SweepProgress;
  readonly #written: Set<string>;

  constructor(file: string, { build, total }: { readonly build: string; readonly total: number }) {
    const earlier = existsSync(file) ? readRecord(file).filter((outcome) => outcome.build === build) : [];
    this.#written = new Set(earlier.map(keyOf));
    this.#record = new SweepRecord(file);
    this.ledger = new CoverageLedger(undefined, build);
    this.#progress = new SweepProgress(total);
  }

  add({ outcomes, errors, coverage }: BatchDone): void {
    for (const error of errors) process.stderr.write(`strowger: ${error}\n`);
    this.errors += errors.length;
    this.ledger.merge(coverage);
    for (const outcome of outcomes) {
      this.outcomes.push(outcome);
      if (!this.#written.has(keyOf(outcome))) this.#record.add(outcome);
      this.#progress.step(outcome.verdict === 'fail');
    }
  }

  end(): void {
    this.#progress.end();
  }
}

function keyOf({ scenario, seed, source }: BatchDone['outcomes'][number]): string {
  return JSON.stringify([scenario, seed, source]);
}
