/** Scenarios in the control interface: the shipped ones and the ones that clients upload, each run in a virtual world of its own. */
import { z } from 'zod';
import { FaultError, fault } from '../../src/model/fault.ts';
import { YamlError } from '../input/yaml-error.ts';
import {
  type LoadedScenario,
  loadScenario,
  readScenario,
  shippedScenarios,
  withSeed,
} from '../scenario/load-scenario.ts';
import { runScenario } from '../scenario/run/runner.ts';
import { virtualWorldOf } from '../scenario/run/virtual-world.ts';
import { type ControlRoute, orRefuse, route } from './route.ts';
import { shippedTopology } from './world-routes.ts';

/** Limits: uploaded scenarios, and runs at the same time. */
const uploadsMax = 1_000;
const runsMax = 4;
const nameForm = /^[a-z0-9-]{1,64}$/;

const name = z.string().describe('The name of the scenario');
const uploadSchema = z.strictObject({ text: z.string().describe('The scenario, in YAML, as in a file') });
const listedSchema = z.object({
  name,
  isShipped: z.boolean().describe('Whether it ships with the package; the others were uploaded'),
});
const uploadedSchema = z.object({ name, steps: z.int().describe('The number of its steps') });
const runSchema = z.strictObject({
  seed: z.int().min(0).optional().describe('Its seed; default: that of the scenario'),
});
const failureSchema = z.looseObject({
  kind: z.enum(['step', 'oracle', 'eventually', 'promise']).describe('What has failed'),
  name: z.string().describe('The oracle, the goal or the promise; for a step its description'),
  step: z.int().describe('The number of the step that was running'),
  atMs: z.number().describe('When, in milliseconds since the cluster was ready'),
  text: z.string().describe('What was expected, and what was there'),
});
const reportSchema = z.looseObject({
  name,
  seed: z.int().describe('The seed of the run'),
  verdict: z.enum(['pass', 'fail', 'unknown']).describe('unknown: nothing failed, but something was not exercised'),
  traceHash: z.string().optional().describe('SHA-256 of every event of the run'),
  durationMs: z.number().describe('How long it took, in virtual time'),
  steps: z.array(z.looseObject({})).describe('The steps, each with its number, text, time and failures'),
  failures: z.array(failureSchema).describe('Everything that failed'),
  oracles: z.array(z.looseObject({})).describe('The verdict of each oracle'),
  unproved: z.array(z.string()).describe('What was not exercised'),
});

export function scenarioRoutes(): readonly ControlRoute[] {
  const shelf = new ScenarioShelf();
  return [
    route({
      method: 'GET',
      path: '/scenarios',
      isCommon: true,
      does: 'Lists the scenarios that ship, and the uploaded ones.',
      gives: z.array(listedSchema),
      answer: () => shelf.list(),
    }),
    route({
      method: 'PUT',
      path: '/scenarios/:scenario',
      isCommon: true,
      does: 'Uploads a scenario, in place of an uploaded one of this name. 400 with every fault of its text, by line and column.',
      body: uploadSchema,
      gives: uploadedSchema,
      answer: ({ params: { scenario = '' }, body: { text } }) => shelf.put(scenario, text),
    }),
    route({
      method: 'DELETE',
      path: '/scenarios/:scenario',
      isCommon: true,
      does: 'Removes an uploaded scenario.',
      answer: ({ params: { scenario = '' } }) => shelf.delete(scenario),
    }),
    route({
      method: 'POST',
      path: '/scenarios/:scenario/run',
      isCommon: true,
      does: 'Runs a scenario in a virtual world of its own, and answers with the report when it has ended.',
      body: runSchema,
      gives: reportSchema,
      answer: ({ params: { scenario = '' }, body: { seed } }) => shelf.run(scenario, seed),
    }),
  ];
}

class ScenarioShelf {
  readonly #texts = new Map<string, string>();
  #running = 0;

  list(): z.infer<typeof listedSchema>[] {
    const shipped = shippedScenarios().map((each) => ({ name: each, isShipped: true }));
    return [...shipped, ...[...this.#texts.keys()].map((each) => ({ name: each, isShipped: false }))];
  }

  put(scenario: string, text: string): z.infer<typeof uploadedSchema> {
    if (!nameForm.test(scenario))
      throw new FaultError(
        fault('invalid', 'scenario: expected 1 to 64 lower-case letters, digits and "-" as its name'),
      );
    if (shippedScenarios().includes(scenario))
      throw new FaultError(fault('conflict', `a scenario named "${scenario}" ships: upload yours under another name`));
    if (!this.#texts.has(scenario) && this.#texts.size >= uploadsMax)
      throw new FaultError(fault('conflict', `there are ${uploadsMax} scenarios, which is the limit: delete some`));
    const { steps } = read(scenario, text).scenario;
    this.#texts.set(scenario, text);
    return { name: scenario, steps: steps.length };
  }

  delete(scenario: string): void {
    if (!this.#texts.delete(scenario)) throw this.#unknown(scenario);
  }

  async run(scenario: string, wanted: number | undefined): Promise<unknown> {
    const loaded = this.#load(scenario, wanted);
    if (this.#running >= runsMax)
      throw new FaultError(fault('conflict', `${runsMax} scenarios run, which is the limit: wait for one to end`));
    this.#running += 1;
    try {
      const seed = wanted ?? loaded.scenario.seed;
      const world = virtualWorldOf(loaded, { seed });
      return await orRefuse(() => runScenario(loaded.scenario, world, { seed }));
    } finally {
      this.#running -= 1;
    }
  }

  #load(scenario: string, seed: number | undefined): LoadedScenario {
    const text = this.#texts.get(scenario);
    if (text !== undefined) return read(scenario, text, seed);
    if (!shippedScenarios().includes(scenario)) throw this.#unknown(scenario);
    const loaded = loadScenario(scenario, seed);
    return seed === undefined ? loaded : withSeed(loaded, seed);
  }

  #unknown(scenario: string): FaultError {
    const known = [...this.#texts.keys()].join(', ') || 'none is uploaded';
    return new FaultError(fault('not_found', `no scenario named "${scenario}"; uploaded: ${known}`));
  }
}

/** Throws an `invalid` fault with every fault of the text. Its topology must be one that ships. */
function read(scenario: string, text: string, seed?: number): LoadedScenario {
  try {
    return readScenario({ file: `${scenario}.yaml`, text }, shippedTopology, seed);
  } catch (error) {
    if (error instanceof YamlError) throw new FaultError(fault('invalid', error.message.replaceAll('\n', '; ')));
    throw error;
  }
}
