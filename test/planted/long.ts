/** A long run: three hundred steps, of which few have to do with what fails in the end. */
import { stringify } from 'yaml';
import { Chance } from '../../sim/campaign/chance.ts';
import { SeededRandom } from '../../sim/ports/random.ts';
import { type LoadedScenario, readScenario } from '../../sim/scenario/load-scenario.ts';
import { loadTopology } from '../../sim/topology/load-topology.ts';

export const longSteps = 300;

type Data = Record<string, unknown>;

const numbers = ['1001', '1002', '1003', '1004', '7001', '7002', '5501', '5502'];
const sites = ['hq', 'north', 'south'];
const paths = [
  '/rest/v1/uc/calls',
  '/rest/v1/uc/conferences',
  '/rest/v1/uc/sipuser_states',
  '/rest/v1/journal/calls?limit=5',
];

/** Calls, lists, short faults that end again, and time that passes, as the seed draws them. */
export function loadLong(seed: number): LoadedScenario {
  const chance = new Chance(new SeededRandom(seed).fork('a long run').stream('faults'));
  const steps: Data[] = [];
  while (steps.length < longSteps) steps.push(...drawn(chance, steps.length).slice(0, longSteps - steps.length));
  const text = stringify({
    name: 'long',
    why: 'Three hundred steps, of which few have to do with what fails in the end: reading does not find them.',
    topology: 'default',
    seed,
    sessions: { clerk: { through: 'north', domain: 'acme.root.test', login: 'admin', pwd: 'admin' } },
    always: 'all',
    steps,
  });
  return readScenario({ file: `long, seed ${seed}`, text }, () => loadTopology('default'));
}

function drawn(chance: Chance, n: number): Data[] {
  const wait = { wait: `${chance.integer(100, 1_500)}ms` };
  const through = chance.one(sites);
  if (chance.is(1 / 3)) return [wait, { request: { through, as: 'clerk', path: chance.one(paths) } }];
  if (chance.is(1 / 2)) {
    const body = {
      from: chance.one(numbers.slice(0, 4)),
      to: chance.one(numbers),
      response_mode: chance.integer(0, 2),
    };
    return [{ request: { through, as: 'clerk', method: 'POST', path: '/rest/v1/uc/calls', body } }, wait];
  }
  if (chance.is(1 / 2)) return [wait, { hangUp: `acme.root.test/${chance.one(numbers.slice(0, 4))}` }];
  const name = `fault-${n}`;
  const [from, to] = [chance.one(sites), chance.one(['h1', 'n1', 's2'])];
  const fault = chance.one<Data>([
    { lose: { from, probability: 0.05 } },
    { delay: { from, to, by: '200ms' } },
    { cut: { from: to }, name },
    { flap: { from: to, every: '300ms' } },
  ]);
  return [{ fault: { ...fault, name } }, wait, { fault: { mend: name } }];
}
