/**
 * Runs seeds of the campaign in a copy of the product with mutants, in a process of its own: `run.js ROOT SEEDS SECONDS`, as
 * `run.js dist/mutants/dist 1,4,7 300`, until one fails. The environment says which mutant is active; without one, the run prints the ids
 * of the mutants that it executes. The process ends without a result when it has used so many seconds of a processor: what
 * else the machine does counts for nothing.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type * as Draw from '../../sim/campaign/draw.ts';
import type * as Runner from '../../sim/scenario/run/runner.ts';
import type * as Virtual from '../../sim/world/virtual.ts';
import { activeMutant } from './instrumented.ts';

/** What a process prints: one line of JSON. */
export interface MutantRun {
  /** The first seed that fails. */
  readonly seed?: number;
  /** What found it: an oracle, a step, a crash. */
  readonly by?: string;
  readonly failure?: string;
  /** The trace hash of each seed, if none fails. */
  readonly traces?: Readonly<Record<number, string>>;
  /** Ids of the executed mutants, without an active one. */
  readonly executed?: readonly string[];
}

/** Where the modules are. */
const [, , root = ''] = process.argv;

async function load<T>(path: string): Promise<T> {
  return (await import(pathToFileURL(join(root, path)).href)) as T;
}

async function run(seeds: readonly number[]): Promise<MutantRun> {
  const { loadCampaign } = await load<typeof Draw>('sim/campaign/draw.js');
  const { runScenario } = await load<typeof Runner>('sim/scenario/run/runner.js');
  const { VirtualWorld } = await load<typeof Virtual>('sim/world/virtual.js');
  const traces: Record<number, string> = {};
  for (const seed of seeds) {
    const { scenario, map, webApps, metadataFiles } = loadCampaign(seed);
    const world = new VirtualWorld({ map, webApps, metadataFiles, seed, faultPoints: scenario.faultPoints });
    const { failures, traceHash = '' } = await runScenario(scenario, world, { seed });
    const [failed] = failures;
    if (failed !== undefined) return { seed, by: `${failed.kind} ${failed.name}`, failure: failed.text.slice(0, 300) };
    traces[seed] = traceHash;
  }
  return process.env[activeMutant] === undefined ? { traces, executed: executedMutants() } : { traces };
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

const [, , , seeds = '1', mostSeconds = 'Infinity'] = process.argv;
new Worker(watchdog, { eval: true, workerData: Number(mostSeconds) }).unref();
run(seeds.split(',').map(Number)).then(
  (found) => {
    print(found);
  },
  (error: unknown) => {
    const failure = String(error instanceof Error ? error.message : error).slice(0, 300);
    print({ by: 'a crash of the run', failure });
  },
);
