/** `strowger sweep FILE…`: runs scenarios with many seeds, in several processes, and groups the failures. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { campaignName } from '../../campaign/draw.ts';
import { CoverageLedger, coverageFile } from '../../ledger/coverage-ledger.ts';
import { ownBuildInfo } from '../../scenario/build-info.ts';
import { type LoadedScenario, loadScenario, scenarioFile } from '../../scenario/load-scenario.ts';
import { CampaignGuide, corpusFile } from '../../sweep/guide.ts';
import { groupsOf, merged, readRecord, type SeedOutcome, SweepRecord } from '../../sweep/outcome.ts';
import { runTasks } from '../../sweep/pool.ts';
import type { Result, Task } from '../../sweep/worker.ts';
import {
  exitCodes,
  integerArgument,
  isWrongUsage,
  outputFolderArgument,
  refuseFolders,
  reportFailure,
  stoppedBySignal,
  UsageError,
} from '../process.ts';
import { SweepProgress } from '../progress.ts';
import { bisectArgument, bisectSweep } from './bisect.ts';
import { sweepOnQueue } from './sweep-queue.ts';
import { reportSweep } from './sweep-report.ts';

const mostSeeds = 10_000_000;

interface SweepOptions {
  readonly seeds: { readonly from: number; readonly to: number };
  readonly jobs: number;
  readonly shard: { readonly index: number; readonly of: number };
  readonly out: string;
  readonly nats?: string;
  readonly batch: number;
  readonly shrink: number;
  readonly guided?: boolean;
  readonly bisect?: { readonly good: string; readonly bad: string };
  readonly json?: boolean;
}

export function sweepCommand(): Command {
  return new Command('sweep')
    .argument('[files...]', 'scenario files, or names of scenarios in the package; default: the campaign')
    .addOption(
      new Option('--seeds <n>', 'N for seeds 1 to N, or from..to')
        .argParser(seedsArgument)
        .default({ from: 1, to: 100 }, '100'),
    )
    .addOption(
      new Option('--jobs <number>', 'number of processes')
        .argParser(integerArgument('--jobs', 1, 256))
        .default(availableParallelism(), 'one for each processor'),
    )
    .addOption(
      new Option('--shard <i/n>', 'run only part i of n, for example 2/8')
        .argParser(shardArgument)
        .default({ index: 1, of: 1 }, 'all'),
    )
    .option(
      '--out <folder>',
      'folder for outcomes (sweep.jsonl) and artefacts of failed runs',
      outputFolderArgument('--out'),
      'sweep',
    )
    .option('--nats <url>', 'let workers on other machines run it: see `strowger worker`; a NATS server with JetStream')
    .option(
      '--batch <number>',
      'seeds that a worker takes at once, with --nats',
      integerArgument('--batch', 1, 1_000),
      10,
    )
    .option(
      '--shrink <seconds>',
      'with --nats: let a worker shrink the first failure of each kind, for so long; 0: do not',
      integerArgument('--shrink', 0, 86_400),
      0,
    )
    .option('--guided', 'campaign: half of the runs vary one that reached something new')
    .addOption(
      new Option(
        '--bisect <good..bad>',
        'with one seed (--seeds 7..7): find the first commit at which it fails in this way; builds commits in a worktree',
      ).argParser(bisectArgument),
    )
    .option('--json', 'print the report as JSON, and the rest on standard error')
    .action(sweep);
}

async function sweep(files: string[], options: SweepOptions): Promise<void> {
  refuseGuide(files, options);
  const outcomes = outcomesFile(options);
  outputFolderArgument('--out')(options.out);
  refuseFolders('--out', [outcomes, coverageFile(outcomes), corpusFile(outcomes)]);
  if (options.bisect !== undefined) return bisectSweep(files, { ...options, ...options.bisect });
  const { nats, guided } = options;
  const invalidFiles: string[] = [];
  const isCampaign = files.length === 0;
  const scenarios = isCampaign
    ? [{ name: campaignName, source: guided ? `${campaignName}, guided` : campaignName }]
    : scenariosIn(files, (file) => invalidFiles.push(file));
  const seeds = seedsOf(options);
  if (scenarios.length === 0) process.exitCode = exitCodes.fail;
  else if (nats === undefined) await sweepHere({ scenarios, invalidFiles, isCampaign, seeds, options });
  else process.exitCode = await sweepOnQueue({ ...options, url: nats, scenarios, seeds, invalidFiles });
}

function outcomesFile({ out, shard }: Pick<SweepOptions, 'out' | 'shard'>): string {
  return join(out, `sweep${shard.of === 1 ? '' : `-${shard.index}-of-${shard.of}`}.jsonl`);
}

interface Sweep {
  readonly scenarios: readonly Wanted[];
  readonly invalidFiles: readonly string[];
  readonly isCampaign: boolean;
  readonly seeds: readonly number[];
  readonly options: SweepOptions;
}

/** Runs what an earlier sweep of this build has left, in processes of this machine, and reports all. */
async function sweepHere({ scenarios, invalidFiles, isCampaign, seeds, options }: Sweep): Promise<void> {
  const { jobs, shard, out, json } = options;
  const { build, ...maker } = ownBuildInfo();
  const wanted = seeds.flatMap((seed) =>
    scenarios.map(({ name, ...of }) => ({ scenario: name, task: { ...of, seed, folder: out, build, ...maker } })),
  );
  const file = outcomesFile(options);
  const sources = new Map(wanted.map(({ scenario, task }) => [keyOf({ scenario, seed: task.seed }), task.source]));
  const { outcomes, before } = earlier(file, build, sources);
  const done = new Set(outcomes.map(keyOf));
  const tasks = wanted.flatMap(({ scenario, task }) => (done.has(keyOf({ scenario, seed: task.seed })) ? [] : [task]));
  if (done.size > 0) process.stderr.write(`${file} has ${done.size} of these runs already, ${tasks.length} to go\n`);
  const ledger = new CoverageLedger(coverageFile(file), build);
  const guide = options.guided ? new CampaignGuide(ledger, { file: corpusFile(file), build }) : undefined;
  const stopped = stoppedBySignal();
  const errors = await runAll(tasks, { jobs, stopped, ledger, guide, outcomes, record: new SweepRecord(file) });
  const all = merged(outcomes);
  const [group] = groupsOf(all);
  process.exitCode = reportSweep({
    outcomes: all,
    before,
    ledger,
    invalidFiles,
    out,
    errors,
    json,
    isCampaign,
    isPart: shard.of > 1 || all.length < wanted.length,
    artefact: group && `${group.scenario}-${group.seeds[0]}.strowger.json`,
  });
  if (!stopped.aborted) return;
  process.stderr.write(
    `stopped: ${all.length} of ${wanted.length} runs are in ${file}; the same command goes on there\n`,
  );
  process.exitCode = exitCodes.stopped;
}

interface RunSinks {
  readonly jobs: number;
  readonly stopped: AbortSignal;
  readonly ledger: CoverageLedger;
  readonly guide: CampaignGuide | undefined;
  /** Each new outcome is added to both. */
  readonly outcomes: SeedOutcome[];
  readonly record: SweepRecord;
}

/** Runs the tasks, and keeps what they reach. Resolves with how many ended without an outcome. */
async function runAll(
  tasks: readonly Task[],
  { jobs, stopped, ledger, guide, outcomes, record }: RunSinks,
): Promise<number> {
  const progress = new SweepProgress(tasks.length);
  let errors = 0;
  const onResult = (result: Result) => {
    if ('outcome' in result) {
      outcomes.push(result.outcome);
      record.add(result.outcome);
      if (guide === undefined) ledger.add(result.reached);
      else guide.add(result.outcome, result.reached);
      progress.step(result.outcome.verdict === 'fail');
    } else {
      errors += 1;
      process.stderr.write(
        `strowger: ${result.task.file ?? campaignName}, seed ${result.task.seed}: ${result.error}\n`,
      );
    }
  };
  await runTasks(guidedBy(guide, tasks), { jobs: Math.min(jobs, Math.max(1, tasks.length)), onResult, stopped });
  progress.end();
  ledger.save();
  return errors;
}

function keyOf({ scenario, seed }: Pick<SeedOutcome, 'scenario' | 'seed'>): string {
  return `${scenario} ${seed}`;
}

/** A guided run is made of what the runs before it have reached. */
function* guidedBy(guide: CampaignGuide | undefined, tasks: readonly Task[]): Generator<Task> {
  for (const task of tasks) yield guide === undefined ? task : { ...task, parts: guide.partsOf(task.seed) };
}

function refuseGuide(files: readonly string[], { guided, nats }: SweepOptions): void {
  if (guided && files.length > 0) throw new UsageError('--guided: expected no scenarios: it guides the campaign');
  if (guided && nats !== undefined)
    throw new UsageError('--guided: expected no --nats: workers do not share what they reach');
}

/** The wanted runs that an earlier sweep of this build has finished, and, in `before`, the runs of other builds. */
function earlier(file: string, ofBuild: string, wanted: ReadonlyMap<string, string>) {
  const all = existsSync(file) ? readRecord(file) : [];
  const sourceOf = (outcome: SeedOutcome) => wanted.get(keyOf(outcome));
  const before = all.filter(({ build: its }) => its !== ofBuild);
  const edited = all.filter((outcome) => (sourceOf(outcome) ?? outcome.source) !== outcome.source).length;
  if (before.length > 0)
    process.stderr.write(`${file} has ${before.length} runs of other builds, which do not count\n`);
  if (edited > 0)
    process.stderr.write(`${file} has ${edited} runs of what has been edited since, which do not count\n`);
  const outcomes = all.filter((outcome) => outcome.build === ofBuild && sourceOf(outcome) === outcome.source);
  return { outcomes, before };
}

interface Wanted {
  readonly file?: string;
  readonly name: string;
  /** Digest of the scenario and its topology. */
  readonly source: string;
}

/** `onInvalid` is called for an invalid file, after its faults were printed. */
function scenariosIn(files: readonly string[], onInvalid: (file: string) => void): Wanted[] {
  const byName = new Map<string, string>();
  return files.flatMap((file) => {
    const loaded = loadOrReport(file);
    if (loaded === undefined) {
      onInvalid(file);
      return [];
    }
    const { name } = loaded.scenario;
    const other = byName.get(name);
    if (other !== undefined)
      throw new UsageError(`${file}: has the same name as ${other}, "${name}"; expected a different name in each file`);
    byName.set(name, file);
    return [{ file: resolve(scenarioFile(file)), name, source: digestOf(loaded) }];
  });
}

function loadOrReport(file: string): LoadedScenario | undefined {
  try {
    return loadScenario(file);
  } catch (error) {
    if (isWrongUsage(error)) throw error;
    reportFailure(error, { debug: false });
    return undefined;
  }
}

function digestOf({ source, topologySource }: LoadedScenario): string {
  return createHash('sha256')
    .update(JSON.stringify([source.text, topologySource.text]))
    .digest('hex')
    .slice(0, 16);
}

function seedsOf({ seeds: { from, to }, shard }: SweepOptions): number[] {
  const all = Array.from({ length: to - from + 1 }, (_, i) => from + i);
  return all.filter((seed) => seed % shard.of === shard.index % shard.of);
}

/** `100`, or `20..40`. */
function seedsArgument(text: string): SweepOptions['seeds'] {
  const [, first, last] = /^(\d{1,8})(?:\.\.(\d{1,8}))?$/.exec(text) ?? [];
  const seeds = last === undefined ? { from: 1, to: Number(first) } : { from: Number(first), to: Number(last) };
  if (seeds.from <= seeds.to && seeds.to - seeds.from < mostSeeds) return seeds;
  throw new UsageError(
    `--seeds: expected a number from 1 to ${mostSeeds}, or from..to with from <= to, such as 1..100, got "${text}"`,
  );
}

function shardArgument(text: string): SweepOptions['shard'] {
  const [, index, of] = /^(\d{1,6})\/(\d{1,6})$/.exec(text) ?? [];
  const shard = { index: Number(index), of: Number(of) };
  if (shard.index >= 1 && shard.index <= shard.of) return shard;
  throw new UsageError(`--shard: expected i/n with 1 <= i <= n, such as 2/8, got "${text}"`);
}
