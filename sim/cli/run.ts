/** `strowger run FILE…`: runs scenarios, in virtual time or live. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { pinoLog } from '../../src/adapters/pino-log.ts';
import type { Log } from '../../src/ports/log.ts';
import { makeFolders } from '../data/make-folders.ts';
import { storesIn } from '../data/stores.ts';
import { ProcessWorld } from '../processes/process-world.ts';
import { refusalsIn } from '../processes/refusals.ts';
import { htmlReport } from '../report/html/page.ts';
import type { ReportData } from '../report/html/page-data.ts';
import { Recorder } from '../report/html/recorder.ts';
import { reportJson, runsJunit } from '../report/junit.ts';
import { reportText, StepLines } from '../report/run-text.ts';
import { makeArtefact } from '../scenario/artefact.ts';
import { ownBuildInfo } from '../scenario/build-info.ts';
import { leavesIn } from '../scenario/language/steps.ts';
import { leastMs } from '../scenario/least-time.ts';
import { type LoadedScenario, loadScenario, withSeed } from '../scenario/load-scenario.ts';
import { type RunReport, runScenario } from '../scenario/run/runner.ts';
import { virtualWorldOf } from '../scenario/run/virtual-world.ts';
import type { WorldTracing } from '../tracing/world-tracing.ts';
import { LiveWorld } from '../world/live.ts';
import type { World } from '../world/world.ts';
import { invalidFilePage, invalidFileReport, notRunReport } from './inputs.ts';
import {
  exitCodes,
  integerArgument,
  outputArgument,
  outputFolderArgument,
  stoppedBySignal,
  UsageError,
} from './process.ts';
import { RunProgress } from './progress.ts';
import { otlpOption } from './serve/options.ts';
import { lastSpansMs, tracesFor } from './serve/traces.ts';

const seedsAtOnce = 100_000;

interface RunOptions {
  readonly mode: World['mode'];
  readonly seed?: number;
  readonly seeds?: readonly number[];
  readonly json?: boolean;
  readonly artefacts?: string;
  readonly junit?: string;
  readonly report?: string;
  readonly otlp?: string;
}

export function runCommand(): Command {
  return new Command('run')
    .argument('<files...>', 'scenario files, or names of scenarios in the package, such as site-cut')
    .addOption(
      new Option(
        '--mode <mode>',
        'virtual: simulated time and network; live: real time and sockets; processes: the same with a process for each node, and real faults',
      )
        .choices(['virtual', 'live', 'processes'])
        .default('virtual'),
    )
    .option(
      '--seed <number>',
      "seed of the random numbers; default: the scenario's",
      integerArgument('--seed', 0, 2 ** 31),
    )
    .addOption(
      new Option('--seeds <range>', 'one run for each seed: N for 1 to N, or from..to; 5..1 runs downwards')
        .argParser(seedRange)
        .conflicts('seed'),
    )
    .option(
      '--artefacts <folder>',
      'write an artefact of each failed virtual run into this folder, for `replay` and `shrink`',
      outputFolderArgument('--artefacts'),
    )
    .option('--json', 'print one JSON report on each line')
    .option('--junit <file>', 'write JUnit XML of all runs to this file', outputArgument('--junit'))
    .option(
      '--report <file>',
      'write an HTML page of the run, which opens from disk; of several runs: the last of those with the worst verdict',
      outputArgument('--report'),
    )
    .addOption(otlpOption())
    .action(run);
}

async function run(files: string[], options: RunOptions): Promise<void> {
  if (options.artefacts !== undefined && options.mode !== 'virtual')
    throw new UsageError('--artefacts: expected --mode virtual; a run in real time cannot be replayed');
  const reports: RunReport[] = [];
  const page = new PageKeeper(options.report);
  const loaded = files.flatMap((file) => {
    const seed = options.seeds?.[0] ?? options.seed;
    try {
      return [loadScenario(file, seed)];
    } catch (error) {
      const report = invalidFileReport(file, error, { mode: options.mode, seed: seed ?? 1 });
      if (options.json === true) process.stdout.write(reportJson(report));
      reports.push(report);
      page.keep(report.verdict, invalidFilePage(report, makerText()));
      return [];
    }
  });
  const stopped = stoppedBySignal();
  for (const each of loaded) {
    for (const seed of options.seeds ?? [options.seed ?? each.scenario.seed]) {
      if (stopped.aborted) break;
      reports.push(await runOne(withSeed(each, seed), seed, { ...options, page, stopped }));
    }
  }
  if (options.junit !== undefined) writeFileSync(options.junit, runsJunit(reports));
  await page.write();
  const has = (verdict: RunReport['verdict']) => reports.some((report) => report.verdict === verdict);
  process.exitCode = has('fail') ? exitCodes.fail : has('unknown') ? exitCodes.unknown : exitCodes.pass;
  if (stopped.aborted) process.exitCode = exitCodes.stopped;
}

async function runOne(
  loaded: LoadedScenario,
  seed: number,
  {
    mode,
    json = false,
    artefacts,
    otlp,
    page,
    stopped,
  }: RunOptions & { readonly page: PageKeeper; stopped: AbortSignal },
): Promise<RunReport> {
  const { scenario } = loaded;
  const unfit = mode === 'processes' ? refusalsIn(loaded.map, scenario.steps) : [];
  if (unfit.length > 0) return unfitRun(loaded, { seed, json, unfit });
  const traces = mode === 'processes' ? undefined : await tracesFor(otlp, { seed });
  const world = makeWorld(loaded, { mode, seed, keepJournal: artefacts !== undefined, tracing: traces?.tracing, otlp });
  const finish = page.begin(loaded, world);
  const progress = new RunProgress(world, leavesIn(scenario.steps).length);
  const lines = new StepLines();
  const print = (text: string) => {
    if (!json) progress.print(text);
  };
  const realMinutes = mode === 'virtual' ? 0 : Math.floor(leastMs(scenario.steps) / 60_000);
  print(`${scenario.name}, ${mode}, seed ${seed}${realMinutes === 0 ? '' : `, at least ${realMinutes} min`}\n`);
  const report = await runScenario(scenario, world, {
    seed,
    stopped,
    onStep: (step) => {
      finish.step();
      progress.step(step);
      print(lines.add(step));
    },
    onReady: (stage) => {
      progress.begin(stage);
      finish.ready(world.now() - stage.atMs);
    },
    onEnd: () => finish.over(),
  }).finally(() => progress.end());
  await traces?.end(lastSpansMs.run);
  finish.done(report);
  print(`${lines.rest()}${reportText(report)}`);
  const isRepeatable = mode === 'virtual' && !stopped.aborted;
  if (isRepeatable && report.verdict === 'fail') {
    if (artefacts !== undefined)
      print(`kept: npx strowger replay ${keepArtefact(loaded, { report, world, artefacts })}\n`);
    else print(`to replay or shrink it: npx strowger run ${loaded.source.file} --seed ${seed} --artefacts FOLDER\n`);
  }
  if (json) process.stdout.write(reportJson(report));
  return report;
}

/** A scenario with faults that a cluster of processes does not have is not run. */
function unfitRun(
  { scenario }: LoadedScenario,
  { seed, json, unfit }: { seed: number; json: boolean; unfit: readonly string[] },
): RunReport {
  const report = notRunReport(scenario.name, { mode: 'processes', seed, unproved: unfit });
  process.stdout.write(json ? reportJson(report) : `${scenario.name}, processes, seed ${seed}\n${reportText(report)}`);
  return report;
}

/** The file of the artefact. */
function keepArtefact(
  loaded: LoadedScenario,
  { report, world, artefacts }: { report: RunReport; world: World; artefacts: string },
): string {
  const maker = ownBuildInfo();
  const file = join(artefacts, `${report.name}-${report.seed}.strowger.json`);
  makeFolders(artefacts);
  writeFileSync(file, JSON.stringify(makeArtefact(loaded, { report, journal: world.journal.lines, maker })));
  return file;
}

/** The notifications of a run to the keeper of its page. */
interface Keeping {
  /** When the cluster was ready, by the clock of the world. */
  ready(atMs: number): void;
  /** A step has ended. */
  step(): void;
  /** The run has ended, and the world stops. */
  over(): void;
  done(report: RunReport): void;
}

/** Keeps the page of the run with the worst verdict, if the user wants one. */
export class PageKeeper {
  readonly #file: string | undefined;
  #worst = -1;
  #make: (() => Promise<string>) | undefined;

  constructor(file: string | undefined) {
    this.#file = file;
  }

  get isWanted(): boolean {
    return this.#file !== undefined;
  }

  /** Must be called before the world starts. */
  begin(loaded: LoadedScenario, world: World): Keeping {
    if (!this.isWanted) return { ready: () => {}, step: () => {}, over: () => {}, done: () => {} };
    const recorder = new Recorder(world);
    let readyMs = world.now();
    return {
      ready: (atMs) => {
        readyMs = atMs;
      },
      step: () => recorder.step(),
      over: () => recorder.end(),
      done: (report) => {
        this.keep(report.verdict, recorder.finish(loaded, { report, readyMs, maker: makerText() }));
      },
    };
  }

  /** Keeps a page, unless a run with a worse verdict has one. */
  keep(verdict: RunReport['verdict'], data: ReportData): void {
    const badness = ['pass', 'unknown', 'fail'].indexOf(verdict);
    if (badness < this.#worst) return;
    this.#worst = badness;
    this.#make = () => htmlReport(data);
  }

  async write(): Promise<void> {
    if (this.#file !== undefined && this.#make !== undefined) writeFileSync(this.#file, await this.#make());
  }
}

export function makerText(): string {
  const { version, build } = ownBuildInfo();
  return `${version} (build ${build})`;
}

interface WantedRun {
  readonly mode: World['mode'];
  readonly seed: number;
  readonly keepJournal?: boolean;
  readonly tracing?: WorldTracing | undefined;
  /** The collector to which the processes of nodes send their traces. */
  readonly otlp?: string | undefined;
}

export function makeWorld(
  loaded: LoadedScenario,
  { mode, seed, keepJournal = false, tracing, otlp }: WantedRun,
): World {
  const { map, webApps, metadataFiles } = loaded;
  if (mode === 'virtual') return virtualWorldOf(loaded, { seed, keepJournal, tracing });
  const log = pinoLog({ level: 'silent' });
  if (mode === 'processes') return makeProcesses(loaded, { seed, log, otlp });
  return new LiveWorld({
    map,
    webApps,
    metadataFiles,
    seed,
    log,
    tracing,
    host: '127.0.0.1',
    port: 0,
    stores: storesIn(undefined, log),
  });
}

/** Its data are in a temporary folder, so that a process that is started again finds them. */
function makeProcesses(
  loaded: LoadedScenario,
  { seed, log, otlp }: { seed: number; log: Log; otlp: string | undefined },
): World {
  const secret = randomBytes(32).toString('hex');
  const cluster = {
    port: 0,
    args: ['--log', 'silent', ...(otlp === undefined ? [] : ['--otlp', otlp])],
    env: { STROWGER_SECRET: secret },
    onLine: () => {},
  };
  return new ProcessWorld({ ...cluster, loaded, seed, log, data: 'temporary' });
}

/** `100`, `1..100`, or `100..1` for the same seeds the other way round. */
function seedRange(text: string): number[] {
  const [, from, to] = /^(?:(\d{1,9})\.\.)?(\d{1,9})$/.exec(text) ?? [];
  if (to === undefined) throw new UsageError(`--seeds: expected a number or from..to, got "${text}"`);
  if (from === undefined && Number(to) === 0)
    throw new UsageError(`--seeds: expected a number from 1, or from..to such as 0..0, got "${text}"`);
  if (from === undefined) return seedRange(`1..${text}`);
  const step = Number(from) <= Number(to) ? 1 : -1;
  const count = Math.abs(Number(to) - Number(from)) + 1;
  if (count > seedsAtOnce) throw new UsageError(`--seeds: expected at most ${seedsAtOnce} seeds, got ${count}`);
  return Array.from({ length: count }, (_, i) => Number(from) + i * step);
}
