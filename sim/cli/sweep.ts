/** `strowger sweep FILE…`: runs scenarios over many seeds, in several processes, and groups what fails. */
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { campaignName } from '../campaign/load.ts';
import { loadScenario } from '../scenario/load.ts';
import { type Outcome, verdictOfAll } from '../sweep/outcome.ts';
import { workOff } from '../sweep/pool.ts';
import { merged, readRecord, SweepRecord } from '../sweep/record.ts';
import { sweepText } from '../sweep/text.ts';
import type { Result, Task } from '../sweep/worker.ts';
import { exitCodes, integerArgument, UsageError } from './failure.ts';
import { build, version } from './version.ts';

interface SweepOptions {
  readonly seeds: number;
  readonly jobs: number;
  readonly shard: { readonly index: number; readonly of: number };
  readonly out: string;
}

export function sweepCommand(): Command {
  return new Command('sweep')
    .description(
      'Run scenarios, or the campaign that seeds draw, in virtual time over many seeds; go on where an earlier sweep stopped.',
    )
    .argument('[files...]', 'scenario files; without any: the campaign')
    .option('--seeds <number>', 'seeds 1 to N', integerArgument('--seeds', 1, 10_000_000), 100)
    .option('--jobs <number>', 'processes', integerArgument('--jobs', 1, 256), availableParallelism())
    .option('--shard <i/n>', 'run only the i-th of n parts', shardArgument, { index: 1, of: 1 })
    .option('--out <folder>', 'where outcomes (sweep.jsonl) and artefacts of failures go', 'sweep')
    .action(sweep);
}

async function sweep(files: string[], { seeds, jobs, shard, out }: SweepOptions): Promise<void> {
  const maker = { version: version(), build: build() };
  const scenarios: { file?: string; name: string }[] =
    files.length === 0
      ? [{ name: campaignName }]
      : files.map((file) => ({ file: resolve(file), name: loadScenario(file).scenario.name }));
  const file = join(out, `sweep${shard.of === 1 ? '' : `-${shard.index}-of-${shard.of}`}.jsonl`);
  const outcomes: Outcome[] = (existsSync(file) ? readRecord(file) : []).filter((each) => each.build === maker.build);
  const done = new Set(outcomes.map(({ scenario, seed }) => `${scenario} ${seed}`));
  const tasks: Task[] = [];
  for (let seed = shard.index; seed <= seeds; seed += shard.of) {
    for (const { name, ...of } of scenarios) {
      if (!done.has(`${name} ${seed}`)) tasks.push({ ...of, seed, folder: out, ...maker });
    }
  }
  const record = new SweepRecord(file);
  const progress = new Progress(tasks.length);
  let errors = 0;
  await workOff(tasks.values(), Math.min(jobs, Math.max(1, tasks.length)), (result: Result) => {
    if ('outcome' in result) {
      outcomes.push(result.outcome);
      record.add(result.outcome);
      progress.step(result.outcome.verdict === 'fail');
    } else {
      errors += 1;
      process.stderr.write(
        `strowger: ${result.task.file ?? campaignName}, seed ${result.task.seed}: ${result.error}\n`,
      );
    }
  });
  progress.end();
  const all = merged(outcomes.filter(({ scenario }) => scenarios.some(({ name }) => name === scenario)));
  process.stdout.write(sweepText(all));
  const verdict = verdictOfAll(all);
  if (verdict === 'fail')
    process.stdout.write(`\nartefacts: strowger replay ${join(out, '<scenario>-<seed>.strowger.json')}\n`);
  process.exitCode = errors > 0 ? exitCodes.fail : exitCodes[verdict];
}

/** On a terminal one line that changes; elsewhere a line now and then. */
class Progress {
  readonly #total: number;
  readonly #startMs = performance.now();
  #toldMs = performance.now();
  #count = 0;
  #failed = 0;

  constructor(total: number) {
    this.#total = total;
  }

  step(isFailure: boolean): void {
    this.#count += 1;
    if (isFailure) this.#failed += 1;
    const nowMs = performance.now();
    if (nowMs - this.#toldMs < (process.stderr.isTTY ? 200 : 10_000)) return;
    this.#toldMs = nowMs;
    this.#tell();
  }

  end(): void {
    if (this.#count === 0) return;
    this.#tell();
    if (process.stderr.isTTY) process.stderr.write('\n');
  }

  #tell(): void {
    const perSecond = (this.#count / (performance.now() - this.#startMs)) * 1_000;
    const leftSeconds = Math.ceil((this.#total - this.#count) / perSecond);
    const text = `${this.#count} of ${this.#total} runs, ${this.#failed} failed, ${(perSecond * 60).toFixed(0)} a minute, ${leftSeconds} s left`;
    process.stderr.write(process.stderr.isTTY ? `\r${text}   ` : `${text}\n`);
  }
}

function shardArgument(text: string): SweepOptions['shard'] {
  const [, index, of] = /^(\d{1,6})\/(\d{1,6})$/.exec(text) ?? [];
  const shard = { index: Number(index), of: Number(of) };
  if (shard.index >= 1 && shard.index <= shard.of) return shard;
  throw new UsageError(`--shard: expected i/n with 1 <= i <= n, such as 2/8, got "${text}"`);
}
