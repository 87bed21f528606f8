/** `strowger run FILE…`: runs scenarios, in virtual time or live. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { pinoLog } from '../../src/adapters/pino-log.ts';
import { makeArtefact } from '../scenario/artefact.ts';
import { type LoadedScenario, loadScenario } from '../scenario/load.ts';
import { type RunReport, runScenario, type StepReport } from '../scenario/runner.ts';
import { LiveWorld } from '../world/live.ts';
import { VirtualWorld } from '../world/virtual.ts';
import type { World } from '../world/world.ts';
import { exitCodes, integerArgument, UsageError } from './failure.ts';
import { storesIn } from './serve.ts';
import { build, version } from './version.ts';

const seedsAtOnce = 100_000;

interface RunOptions {
  readonly mode: World['mode'];
  readonly seed?: number;
  readonly seeds?: readonly number[];
  readonly json?: boolean;
  readonly artefacts?: string;
}

export function runCommand(): Command {
  return new Command('run')
    .description('Run scenarios: requests, faults and what must hold.')
    .argument('<files...>', 'scenario files')
    .addOption(
      new Option('--mode <mode>', 'virtual time, or real sockets').choices(['virtual', 'live']).default('virtual'),
    )
    .option('--seed <number>', "seed of chance; default: the scenario's", integerArgument('--seed', 0, 2 ** 31))
    .option('--seeds <range>', 'one run a seed, from..to, both included', seedRange)
    .option('--artefacts <folder>', 'keep each virtual run that fails there, for `replay`')
    .option('--json', 'print one JSON report a line')
    .action(run);
}

async function run(files: string[], options: RunOptions): Promise<void> {
  const loaded = files.map(loadScenario);
  const reports: RunReport[] = [];
  for (const each of loaded) {
    for (const seed of options.seeds ?? [options.seed ?? each.scenario.seed]) {
      reports.push(await runOne(each, seed, options));
    }
  }
  const has = (verdict: RunReport['verdict']) => reports.some((report) => report.verdict === verdict);
  process.exitCode = has('fail') ? exitCodes.fail : has('unknown') ? exitCodes.unknown : exitCodes.pass;
}

async function runOne(
  loaded: LoadedScenario,
  seed: number,
  { mode, json = false, artefacts }: RunOptions,
): Promise<RunReport> {
  const { scenario } = loaded;
  const world = makeWorld(loaded, { mode, seed, keepJournal: artefacts !== undefined });
  const print = (text: string) => {
    if (!json) process.stdout.write(text);
  };
  print(`${scenario.name}, ${mode}, seed ${seed}\n`);
  const report = await runScenario(scenario, world, { seed, onStep: (step) => print(stepText(step)) });
  print(reportText(report));
  if (artefacts !== undefined && mode === 'virtual' && report.verdict === 'fail') {
    const maker = { version: version(), build: build() };
    const file = join(artefacts, `${scenario.name}-${seed}.strowger.json`);
    mkdirSync(artefacts, { recursive: true });
    writeFileSync(file, JSON.stringify(makeArtefact(loaded, { report, journal: world.journal.lines, maker })));
    print(`kept: strowger replay ${file}\n`);
  }
  if (json) process.stdout.write(`${JSON.stringify(report)}\n`);
  return report;
}

export function makeWorld(
  { map, webApps }: LoadedScenario,
  { mode, seed, keepJournal = false }: { mode: World['mode']; seed: number; keepJournal?: boolean },
): World {
  if (mode === 'virtual') return new VirtualWorld({ map, webApps, seed, keepJournal });
  const log = pinoLog({ level: 'silent' });
  return new LiveWorld({ map, webApps, seed, log, host: '127.0.0.1', port: 0, storesOf: storesIn(undefined) });
}

/** `1..100`, or `100..1` for the same seeds the other way round. */
function seedRange(text: string): number[] {
  const [, from, to] = /^(\d{1,9})\.\.(\d{1,9})$/.exec(text) ?? [];
  if (from === undefined || to === undefined) throw new UsageError(`--seeds: expected from..to, got "${text}"`);
  const step = Number(from) <= Number(to) ? 1 : -1;
  const count = Math.abs(Number(to) - Number(from)) + 1;
  if (count > seedsAtOnce) throw new UsageError(`--seeds: expected at most ${seedsAtOnce} seeds, got ${count}`);
  return Array.from({ length: count }, (_, i) => Number(from) + i * step);
}

export function stepText({ atMs, what, failures, isExpectation }: StepReport): string {
  const mark = failures.length > 0 ? 'FAIL' : isExpectation ? 'ok  ' : '    ';
  const time = `${(atMs / 1_000).toFixed(3)} s`.padStart(11);
  return `${time}  ${mark} ${what}\n${failures.map((failure) => `${' '.repeat(18)}${failure}\n`).join('')}`;
}

export function reportText({ verdict, steps, traceHash }: RunReport): string {
  const expectations = steps.filter((step) => step.isExpectation).length;
  const why = verdict === 'unknown' ? ' (nothing was expected, so nothing was proved)' : '';
  const trace = traceHash === undefined ? '' : `, trace ${traceHash}`;
  return `${verdict}${why}: ${steps.length} steps, ${expectations} expectations${trace}\n`;
}
