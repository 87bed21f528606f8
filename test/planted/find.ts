/**
 * Looks for planted bugs with the default campaign, a part of them: `find.js PART OF SEEDS [NAME…]`, as a process of its own. Prints a
 * line of JSON for each.
 */
import { loadCampaign } from '../../sim/campaign/draw.ts';
import { type LoadedScenario, readScenario } from '../../sim/scenario/load-scenario.ts';
import type { RunReport } from '../../sim/scenario/report.ts';
import { runScenario } from '../../sim/scenario/run/runner.ts';
import { virtualWorldOf } from '../../sim/scenario/run/virtual-world.ts';
import { type Shrunk, shrink } from '../../sim/shrink/shrinker.ts';
import { readTopology } from '../../sim/topology/load-topology.ts';
import { plantedBugs } from './bugs.ts';
import { canary } from './canary.ts';
import { loadLong } from './long.ts';
import { type PlantedBug, plant } from './plant.ts';

export interface Found {
  readonly bug: string;
  /** The first seed whose run fails with the bug and not without it. */
  readonly seed?: number;
  /** What said so. */
  readonly by?: string;
  /** What that took, in seconds of a processor of this machine: to be read as an order of magnitude. */
  readonly seconds?: number;
  readonly steps?: number;
  readonly shrunkTo?: number;
  readonly failure?: string;
  /** Whether the shrunk scenario passes without the bug. */
  readonly passesWithout?: boolean;
}

/** Bugs that are looked for in long runs as well. */
const longBugs = plantedBugs.filter(({ name }) => ['lost-bye', 'undead-call', 'double-cdr'].includes(name));
/** How long one is shrunk, in seconds of a processor. */
const shrinkSeconds = 60;
/** Seeds that a bug has which shows in one run of a hundred. */
const canarySeeds = 1_000;

type Load = (seed: number) => LoadedScenario;

function worldOf(bug: PlantedBug | undefined, seed: number) {
  return (loaded: LoadedScenario) =>
    virtualWorldOf(loaded, { seed, ...(bug && { replaceRoles: (scope) => plant(scope, bug) }) });
}

async function runWith(bug: PlantedBug | undefined, load: Load, seed: number): Promise<RunReport> {
  const loaded = load(seed);
  return runScenario(loaded.scenario, worldOf(bug, seed)(loaded), { seed });
}

async function find(bug: PlantedBug, seeds: number, load: Load = loadCampaign): Promise<Found> {
  const start = process.cpuUsage();
  for (let seed = 1; seed <= seeds; seed += 1) {
    const { verdict, failures } = await runWith(bug, load, seed);
    // What fails without the bug as well shows nothing.
    if (verdict !== 'fail' || (await runWith(undefined, load, seed)).verdict === 'fail') continue;
    const seconds = Math.ceil(secondsSince(start));
    const [failure] = failures;
    const loaded = load(seed);
    const shrinkStart = process.cpuUsage();
    const isEnough = () => secondsSince(shrinkStart) > shrinkSeconds;
    const shrunk = await shrink(loaded, { seed, isEnough, worldOf: worldOf(bug, seed) });
    const by = failure === undefined ? '' : `${failure.kind} ${failure.name}`;
    const [steps, shrunkTo] = [stepsIn(loaded.scenario.steps), shrunk.steps];
    const passesWithout = (await runShrunk(loaded, shrunk, seed)).verdict !== 'fail';
    return { bug: bug.name, seed, by, seconds, steps, shrunkTo, failure: shrunk.failure, passesWithout };
  }
  return { bug: bug.name };
}

/** The shrunk scenario without the bug. */
function runShrunk(loaded: LoadedScenario, { scenario, topology }: Shrunk, seed: number): Promise<RunReport> {
  const topologySource = { file: 'shrunk', text: topology };
  const platform = { ...loaded, map: readTopology(topologySource), topologySource };
  const shrunk = readScenario({ file: 'shrunk', text: scenario }, () => platform);
  return runScenario(shrunk.scenario, worldOf(undefined, seed)(shrunk), { seed });
}

/** Of a processor, so that it does not matter what else the machine does. */
function secondsSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000_000;
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

function print(found: Found): void {
  process.stdout.write(`${JSON.stringify(found)}\n`);
}

const [part = 0, of = 1, seeds = 200, ...named] = process.argv.slice(2);
const wanted = (name: string) => named.length === 0 || named.includes(name);
const jobs: [name: string, work: () => Promise<Found>][] = [
  [canary.name, () => find(canary, canarySeeds)],
  ...longBugs.map((bug): [string, () => Promise<Found>] => [
    `long ${bug.name}`,
    async () => ({ ...(await find(bug, Number(seeds), loadLong)), bug: `long ${bug.name}` }),
  ]),
  ...plantedBugs.map((bug): [string, () => Promise<Found>] => [bug.name, () => find(bug, Number(seeds))]),
];
for (const [index, [, work]] of jobs.filter(([name]) => wanted(name)).entries()) {
  if (index % Number(of) === Number(part)) print(await work());
}
process.exit();
