/**
 * Looks for planted bugs with the default campaign, a part of them: `find.js PART OF SEEDS`, as a process of its own. Prints a
 * line of JSON for each.
 */
import { loadCampaign } from '../../sim/campaign/load.ts';
import type { LoadedScenario } from '../../sim/scenario/load.ts';
import type { RunReport } from '../../sim/scenario/report.ts';
import { runScenario } from '../../sim/scenario/runner.ts';
import { shrink } from '../../sim/shrink/shrinker.ts';
import { VirtualWorld } from '../../sim/world/virtual.ts';
import { plantedBugs } from './bugs.ts';
import { type PlantedBug, plant } from './plant.ts';

export interface Found {
  readonly bug: string;
  /** The first seed whose run fails with the bug and not without it. */
  readonly seed?: number;
  /** What said so. */
  readonly by?: string;
  readonly steps?: number;
  readonly shrunkTo?: number;
  readonly failure?: string;
}

/** How long one is shrunk. */
const shrinkMs = 60_000;

function worldOf(bug: PlantedBug | undefined, seed: number) {
  return ({ map, webApps, scenario: { faultPoints } }: LoadedScenario) =>
    new VirtualWorld({ map, webApps, seed, faultPoints, ...(bug && { replaceRoles: (scope) => plant(scope, bug) }) });
}

async function runWith(bug: PlantedBug | undefined, seed: number): Promise<RunReport> {
  const loaded = loadCampaign(seed);
  return runScenario(loaded.scenario, worldOf(bug, seed)(loaded), { seed });
}

const clean = new Map<number, boolean>();

/** Whether a run passes without any bug: what fails there anyway shows nothing. */
async function isClean(seed: number): Promise<boolean> {
  const known = clean.get(seed) ?? (await runWith(undefined, seed)).verdict !== 'fail';
  clean.set(seed, known);
  return known;
}

async function find(bug: PlantedBug, seeds: number): Promise<Found> {
  for (let seed = 1; seed <= seeds; seed += 1) {
    const { verdict, failures } = await runWith(bug, seed);
    if (verdict !== 'fail' || !(await isClean(seed))) continue;
    const [failure] = failures;
    const loaded = loadCampaign(seed);
    const untilMs = performance.now() + shrinkMs;
    const isEnough = () => performance.now() > untilMs;
    const shrunk = await shrink(loaded, { seed, isEnough, worldOf: worldOf(bug, seed) });
    const by = failure === undefined ? '' : `${failure.kind} ${failure.name}`;
    return {
      bug: bug.name,
      seed,
      by,
      steps: stepsIn(loaded.scenario.steps),
      shrunkTo: shrunk.steps,
      failure: shrunk.failure,
    };
  }
  return { bug: bug.name };
}

type Step = LoadedScenario['scenario']['steps'][number];

/** Steps, those in blocks too. */
function stepsIn(steps: readonly Step[]): number {
  const inner = (step: Step) => [
    ...(step.steps ?? []),
    ...(step.repeat?.steps ?? []),
    ...(step.parallel ?? []).flatMap((branch) => branch.steps),
  ];
  return steps.reduce((sum, step) => sum + 1 + stepsIn(inner(step)), 0);
}

const [part = 0, of = 1, seeds = 200] = process.argv.slice(2).map(Number);
for (const [index, bug] of plantedBugs.entries()) {
  if (index % of !== part) continue;
  process.stdout.write(`${JSON.stringify(await find(bug, seeds))}\n`);
}
process.exit();
