/** A worker of a sweep: a process that runs one scenario with one seed after the other, on command of its parent. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadCampaign } from '../campaign/draw.ts';
import type { PartSeeds } from '../campaign/parts.ts';
import { makeFolders } from '../data/make-folders.ts';
import { type Reached, SweepCoverage } from '../ledger/coverage.ts';
import { makeArtefact, unsealScenario } from '../scenario/artefact.ts';
import { type LoadedScenario, loadScenario, withSeed } from '../scenario/load-scenario.ts';
import { runScenario } from '../scenario/run/runner.ts';
import { virtualWorldOf } from '../scenario/run/virtual-world.ts';
import { refuseAmbient } from '../world/ambient-guard.ts';
import { groupKeyOf, outcomeOf, type SeedOutcome } from './outcome.ts';

export interface Task {
  /** Source of the scenario; without one and without `sealed` it is a run of the campaign. */
  readonly file?: string;
  /** A file that holds the scenario with its topology: see `sealScenario`. */
  readonly sealed?: string;
  readonly seed: number;
  /** Seeds of the parts of a run of the campaign that are not drawn with its own. */
  readonly parts?: PartSeeds;
  readonly version: string;
  readonly build: string;
  readonly source: string;
  /** Folder for artefacts of failures. */
  readonly folder: string;
  /** Failures of these groups have artefacts already. */
  readonly keptGroups?: readonly string[];
}

/** `error`: the run could not be carried out; that is no verdict. */
export type Result = { readonly task: Task } & (
  | { readonly outcome: SeedOutcome; readonly reached: Reached }
  | { readonly error: string }
);

const loaded = new Map<string, LoadedScenario>();

async function run(task: Task): Promise<{ readonly outcome: SeedOutcome; readonly reached: Reached }> {
  const scenario = scenarioOf(task);
  const { build, source, parts } = task;
  const { report, reached } = await runOnce(scenario, task.seed);
  const outcome = outcomeOf(report, { build, source, ...(parts !== undefined && { parts }) });
  if (outcome.verdict === 'fail' && task.keptGroups?.includes(groupKeyOf(outcome)) !== true) await keep(scenario, task);
  return { outcome, reached };
}

/** Each seed of a campaign draws its own scenario. */
function scenarioOf({ file, sealed, seed, parts }: Task): LoadedScenario {
  const source = sealed ?? file;
  if (source === undefined) return loadCampaign(seed, parts);
  const first = loaded.get(source) ?? (sealed === undefined ? loadScenario(source, seed) : unsealScenario(source));
  loaded.set(source, first);
  return withSeed(first, seed);
}

async function runOnce(loadedScenario: LoadedScenario, seed: number) {
  const world = virtualWorldOf(loadedScenario, { seed });
  const coverage = new SweepCoverage(world);
  const allow = refuseAmbient();
  const report = await runScenario(loadedScenario.scenario, world, { seed }).finally(allow);
  const checks = Object.fromEntries(report.oracles.map(({ name, checks }) => [name, checks]));
  return { report, reached: coverage.end(checks) };
}

/** Repeats the run for its journal: few runs fail, and a journal takes memory. */
async function keep(loadedScenario: LoadedScenario, { seed, version, build, folder }: Task): Promise<void> {
  const { scenario } = loadedScenario;
  const world = virtualWorldOf(loadedScenario, { seed, keepJournal: true });
  const report = await runScenario(scenario, world, { seed });
  const artefact = makeArtefact(loadedScenario, { report, journal: world.journal.lines, maker: { version, build } });
  makeFolders(folder);
  writeFileSync(join(folder, `${scenario.name}-${seed}.strowger.json`), JSON.stringify(artefact));
}

process.on('message', (task: Task) => {
  run(task).then(
    (done) => process.send?.({ task, ...done } satisfies Result),
    (error: unknown) => process.send?.({ task, error: String(error) } satisfies Result),
  );
});
process.on('disconnect', () => process.exit());
// A terminal sends SIGINT to all processes; the sweep decides when to stop.
process.on('SIGINT', () => {});
