/** Oracles in runs: with a bug that breaks a rule, the result of the run, and of the scenario when it is shrunk. */

import { parse } from 'yaml';
import { oracles as allOracles } from '../../../sim/oracles/all.ts';
import { leavesIn } from '../../../sim/scenario/language/steps.ts';
import type { LoadedScenario } from '../../../sim/scenario/load-scenario.ts';
import { runScenario } from '../../../sim/scenario/run/runner.ts';
import { virtualWorldOf } from '../../../sim/scenario/run/virtual-world.ts';
import { shrink } from '../../../sim/shrink/shrinker.ts';
import { VirtualWorld } from '../../../sim/world/virtual.ts';
import { test } from '../../kit/test.ts';
import { plantedBugs } from '../../planted/bugs.ts';
import { plant } from '../../planted/plant.ts';
import { afterRuns, scenarioOf } from './kit.ts';

const bug = plantedBugs.find(({ name }) => name === 'fan-out-drops-one');
const broken = 'fan-out-once';

function spoiltWorld(loaded: LoadedScenario, { seed }: { readonly seed: number }): VirtualWorld {
  return virtualWorldOf(loaded, { seed, replaceRoles: (scope) => bug && plant(scope, bug) });
}

const run = (text: string) => {
  const loaded = scenarioOf(text);
  return runScenario(loaded.scenario, spoiltWorld(loaded, { seed: 1 }), { seed: 1 });
};
const asked = '{ rate: 1, as: operator, path: /rest/v1/master/logicalroles/esg/bannedaddrs }';
const looks = `workload: { requests: ${asked} }\n`;

test('an oracle that fails ends the run in the step that is under way, with what is wrong', async (t) => {
  const { verdict, steps, failures, oracles, durationMs } = await run(
    `${looks}steps: [{ wait: 1ms }, { wait: 500s }]\n`,
  );
  t.is(verdict, 'fail');
  const [failure] = failures;
  t.deepEqual([failure?.kind, failure?.name, failure?.step], ['oracle', broken, 2]);
  t.deepEqual(steps.at(-1), {
    number: 2,
    what: `oracle ${broken}`,
    atMs: failure?.atMs ?? 0,
    isExpectation: true,
    failures: [failure?.text ?? ''],
    is: 'oracle',
  });
  t.true(durationMs < 30_000, `${durationMs}`);
  const oracle = oracles.find(({ name }) => name === broken);
  t.is(oracle?.verdict, 'fail');
  t.is(oracle?.failures[0]?.atMs, failure?.atMs);
});

test('where it is to go on, others can wait for it, and the run fails all the same', async (t) => {
  const { verdict, steps, failures } = await run(`atFailure: goOn
${looks}steps:
  - when: { oracle: ${broken}, within: 30s }
    note: it is broken
  - wait: 1s
`);
  t.is(verdict, 'fail');
  t.true(failures.every(({ kind }) => kind === 'oracle'));
  t.deepEqual(
    steps.filter(({ what }) => !what.startsWith('oracle')).map(({ what, failures: unmet }) => [what, unmet.length]),
    [
      ['it is broken', 0],
      ['wait 1000 ms', 0],
    ],
  );
});

test('what is not watched does not fail', async (t) => {
  const { failures } = await run(`always: [requests-answered]\n${looks}steps: [{ wait: 10s }]\n`);
  t.deepEqual(failures, []);
});

test('a drill that is named is played when the cluster is quiescent, and mends what it breaks', async (t) => {
  const { scenario, map, webApps } = scenarioOf('always: [callstores-replaced]\nsteps: [{ wait: 1s }]\n');
  const world = new VirtualWorld({ map, webApps, seed: 1 });
  const verbs: string[] = [];
  world.observe<'fault.inflicted'>(({ verb }) => verbs.push(verb), { kinds: ['fault.inflicted'] });
  let isWhole = false;
  const { verdict, failures } = await runScenario(scenario, world, {
    seed: 1,
    onEnd: () => {
      isWhole = world.isSettled;
    },
  });
  t.deepEqual([verdict, failures], ['pass', []]);
  t.deepEqual(new Set(verbs), new Set(['delay', 'crashInstance']));
  t.true(isWhole);
});

test('as many drills are drawn as the scenario says', async (t) => {
  const { scenario, map, webApps } = scenarioOf('drills: 1\nsteps: [{ wait: 1s }]\n');
  const { oracles } = await runScenario(scenario, new VirtualWorld({ map, webApps, seed: 1 }), { seed: 1 });
  const drills = new Set(allOracles.filter(({ plays }) => plays === 'drill').map(({ name }) => name));
  const played = oracles.filter(({ name, checks }) => drills.has(name) && checks > 0);
  t.is(oracles.filter(({ name }) => drills.has(name)).length, drills.size);
  t.true(played.length <= 1);
});

test('what breaks a rule is shrunk until the same rule is broken by next to nothing', async (t) => {
  const loaded =
    scenarioOf(`workload: { calls: { rate: 1 }, requests: [${asked}, { rate: 2, as: clerk, path: /rest/v1/uc/calls }] }
steps:
  - { every: 2s, times: 3, fault: { delay: { from: north, by: 20ms }, name: slow } }
  - parallel:
      - steps: [{ wait: 5s }, { fault: { mend: slow } }]
      - steps: [{ dial: { from: acme.root.test/1001, to: '1003' } }, { wait: 5s }, { hangUp: acme.root.test/1001 }]
  - wait: 30s
`);
  const { scenario, steps } = await shrink(loaded, { seed: 1, worldOf: spoiltWorld, isEnough: afterRuns(24) });
  const data = parse(scenario);
  t.true(steps <= 2, scenario);
  t.is(leavesIn(data.steps).length, steps);
  t.is(data.workload, undefined, 'the questions at the end of a run are requests enough');
  const again = await run('always: [fan-out-once]\nsteps: [{ wait: 1ms }]\n');
  t.deepEqual(
    again.failures.map(({ name }) => name),
    [broken],
  );
  t.deepEqual(data.always, [broken]);
});

test('a run ends when its observers have seen what happened until its last step, where they see it later', async (t) => {
  class LateWorld extends VirtualWorld {
    observedMs(): number {
      return this.now() - 900;
    }
  }
  const loaded = scenarioOf('steps: [{ fault: { cut: { from: north } } }, { wait: 10ms }]\n');
  const { map, webApps } = loaded;
  const { durationMs } = await runScenario(loaded.scenario, new LateWorld({ map, webApps, seed: 1 }), { seed: 1 });
  t.is(Math.floor(durationMs), 1_010);
});
