/** A worker of a sweep: a process that runs one scenario with one seed after the other, as its parent tells it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeArtefact } from '../scenario/artefact.ts';
import { type LoadedScenario, loadScenario, withSeed } from '../scenario/load.ts';
import { runScenario } from '../scenario/runner.ts';
import { VirtualWorld } from '../world/virtual.ts';
import { type Outcome, outcomeOf } from './outcome.ts';

export interface Task {
  readonly file: string;
  readonly seed: number;
  readonly version: string;
  readonly build: string;
  /** Where artefacts of failures go. */
  readonly folder: string;
}

/** `error`: the run could not be carried out, which is not a verdict. */
export type Result = { readonly task: Task } & ({ readonly outcome: Outcome } | { readonly error: string });

const loaded = new Map<string, LoadedScenario>();

async function run(task: Task): Promise<Outcome> {
  const first = loaded.get(task.file) ?? loadScenario(task.file, task.seed);
  loaded.set(task.file, first);
  const scenario = withSeed(first, task.seed);
  const outcome = outcomeOf(await runOnce(scenario, task.seed), task.build);
  if (outcome.verdict === 'fail') await keep(scenario, task);
  return outcome;
}

async function runOnce({ scenario, map, webApps }: LoadedScenario, seed: number) {
  const { faultPoints } = scenario;
  return runScenario(scenario, new VirtualWorld({ map, webApps, seed, faultPoints }), { seed });
}

/** Runs it again, for its journal: few runs fail, and a journal takes room. */
async function keep(loadedScenario: LoadedScenario, { seed, version, build, folder }: Task): Promise<void> {
  const { scenario, map, webApps } = loadedScenario;
  const { faultPoints } = scenario;
  const world = new VirtualWorld({ map, webApps, seed, faultPoints, keepJournal: true });
  const report = await runScenario(scenario, world, { seed });
  const artefact = makeArtefact(loadedScenario, { report, journal: world.journal.lines, maker: { version, build } });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${scenario.name}-${seed}.strowger.json`), JSON.stringify(artefact));
}

process.on('message', (task: Task) => {
  run(task).then(
    (outcome) => process.send?.({ task, outcome } satisfies Result),
    (error: unknown) => process.send?.({ task, error: String(error) } satisfies Result),
  );
});
process.on('disconnect', () => process.exit());
