/**
 * Runs trials in a copy of the product with mutants, in a process of its own: `run.js ROOT TRIALS SECONDS`, as
 * `run.js dist/mutants/dist 1,4,7 300`, until one fails. A trial is a seed of the campaign, the file of a scenario, or
 * `check`. The environment says which mutant is active; without one, the run prints the ids of the mutants that it executes.
 * The process ends without a result when it has used so many seconds of a processor: what else the machine does counts for
 * nothing.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type * as Draw from '../../sim/campaign/draw.ts';
import type * as CheckMachine from '../../sim/check/machine/check-machine.ts';
import type * as Machines from '../../sim/check/machines/all.ts';
import type * as Systems from '../../sim/check/systems/all.ts';
import type * as Load from '../../sim/scenario/load-scenario.ts';
import type * as Runner from '../../sim/scenario/run/runner.ts';
import type * as Virtual from '../../sim/scenario/run/virtual-world.ts';
import { activeMutant } from './instrumented.ts';

/** What a process prints: one line of JSON. */
export interface MutantRun {
  /** The first trial that fails. */
  readonly trial?: string;
  /** What found it: an oracle, a step, a crash. */
  readonly by?: string;
  readonly failure?: string;
  /** The trace hash of each run of the campaign and of a scenario, if no trial fails. */
  readonly traces?: Readonly<Record<string, string>>;
  /** Ids of the executed mutants, without an active one. */
  readonly executed?: readonly string[];
}

/** Where the modules are. */
const [, , root = ''] = process.argv;

async function load<T>(path: string): Promise<T> {
  return (await import(pathToFileURL(join(root, path)).href)) as T;
}

async function run(trials: readonly string[]): Promise<MutantRun> {
  const traces: Record<string, string> = {};
  for (const trial of trials) {
    const { trace, ...failed } = await (trial === 'check' ? checked() : simulated(trial));
    if (failed.by !== undefined) return { trial, ...failed };
    if (trace !== undefined) traces[trial] = trace;
  }
  return process.env[activeMutant] === undefined ? { traces, executed: executedMutants() } : { traces };
}

type Outcome = Pick<MutantRun, 'by' | 'failure'> & { readonly trace?: string };

async function simulated(trial: string): Promise<Outcome> {
  const { loadCampaign } = await load<typeof Draw>('sim/campaign/draw.js');
  const { loadScenario } = await load<typeof Load>('sim/scenario/load-scenario.js');
  const { runScenario } = await load<typeof Runner>('sim/scenario/run/runner.js');
  const { virtualWorldOf } = await load<typeof Virtual>('sim/scenario/run/virtual-world.js');
  const seed = trial.endsWith('.yaml') ? 1 : Number(trial);
  const loaded = trial.endsWith('.yaml') ? loadScenario(join(root, '..', trial), seed) : loadCampaign(seed);
  const { failures, traceHash = '' } = await runScenario(loaded.scenario, virtualWorldOf(loaded, { seed }), { seed });
  const [failed] = failures;
  if (failed === undefined) return { trace: traceHash };
  return { by: `${failed.kind} ${failed.name}`, failure: failed.text.slice(0, 300) };
}

/** `strowger check`, with as many lists of events as in the gate. */
async function checked(): Promise<Outcome> {
  const { checkMachine } = await load<typeof CheckMachine>('sim/check/machine/check-machine.js');
  const { machineChecks } = await load<typeof Machines>('sim/check/machines/all.js');
  const { exploredSystems } = await load<typeof Systems>('sim/check/systems/all.js');
  for (const machine of machineChecks) {
    const report = checkMachine(machine, { runs: 20, seed: 1 });
    if (report.verdict === 'fail') return { by: `check ${report.machine}` };
  }
  for (const system of exploredSystems) {
    const report = system.explore({});
    if (report.verdict === 'fail') return { by: `check ${report.system}` };
  }
  return {};
}

/** The instrumented code counts the mutants that it executes. */
function executedMutants(): string[] {
  const { mutantCoverage } = (globalThis as { __stryker__?: Counted }).__stryker__ ?? {};
  return Object.keys(mutantCoverage?.static ?? {});
}

interface Counted {
  readonly mutantCoverage?: { readonly static: Readonly<Record<string, number>> };
}

/** A thread of its own, because a mutant may never leave a loop. */
const watchdog = `
const { workerData } = require('node:worker_threads');
setInterval(() => {
  const { user, system } = process.cpuUsage();
  if (user + system > workerData * 1e6) process.kill(process.pid, 'SIGKILL');
}, 500);`;

/** Ends the process when all is written: a pipe takes 64 KiB at a time. */
function print(result: MutantRun): void {
  process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit());
}

const [, , , trials = '1', mostSeconds = 'Infinity'] = process.argv;
new Worker(watchdog, { eval: true, workerData: Number(mostSeconds) }).unref();
run(trials.split(',')).then(
  (found) => {
    print(found);
  },
  (error: unknown) => {
    const failure = String(error instanceof Error ? error.message : error).slice(0, 300);
    print({ by: 'a crash of the run', failure });
  },
);
