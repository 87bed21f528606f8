/** Scenarios for tests: read from text as from a file, over the default topology, and run in virtual time. */
import { join } from 'node:path';
import { scenariosFolder } from '../../../sim/input/package-folder.ts';
import { YamlError } from '../../../sim/input/yaml-error.ts';
import { type LoadedScenario, readScenario, type TopologyFinder } from '../../../sim/scenario/load-scenario.ts';
import type { RunReport, StepReport } from '../../../sim/scenario/report.ts';
import { runScenario } from '../../../sim/scenario/run/runner.ts';
import { virtualWorldOf } from '../../../sim/scenario/run/virtual-world.ts';
import { loadTopology } from '../../../sim/topology/load-topology.ts';
import type { VirtualWorld } from '../../../sim/world/virtual.ts';
import { isLong } from '../../kit/property.ts';

const standard = loadTopology('default');
const findStandard: TopologyFinder = () => standard;

const head = `name: tested
why: What the tests of scenarios are about, as its author would write it.
sessions:
  clerk: { through: north, domain: acme.root.test, login: admin, pwd: admin }
  operator: { through: hq, domain: root.test, login: admin, pwd: admin }
`;

/** A scenario of these lines after the usual head. */
export function scenarioOf(text: string): LoadedScenario {
  return readScenario({ file: join(scenariosFolder, 'tested.yaml'), text: head + text }, findStandard);
}

/** The faults of a scenario of these lines, without their places. */
export function faultsOf(text: string): string[] {
  try {
    scenarioOf(text);
    return [];
  } catch (error) {
    if (error instanceof YamlError) return error.faults.map(({ message }) => message);
    throw error;
  }
}

/** Ends a search after so many runs: what a test asks for is found by then. A long run searches to the end. */
export function afterRuns(runs: number): () => boolean {
  let left = runs;
  return () => {
    left -= 1;
    return !isLong && left < 0;
  };
}

export interface Played extends RunReport {
  readonly world: VirtualWorld;
  readonly reported: readonly StepReport[];
}

export async function play(text: string, { seed = 1, loaded = scenarioOf(text) } = {}): Promise<Played> {
  const world = virtualWorldOf(loaded, { seed });
  const reported: StepReport[] = [];
  const report = await runScenario(loaded.scenario, world, { seed, onStep: (step) => reported.push(step) });
  return { ...report, world, reported };
}

/** Of each step: its place, its round, and the second at which it was over. */
export function timesOf(steps: readonly StepReport[]): string[] {
  return steps.map(({ number, path, round, atMs, what }) => {
    const place = `${path ?? number}${round === undefined ? '' : `(${round})`}`;
    return `${place} ${what} at ${Math.round(atMs / 100) / 10} s`;
  });
}
