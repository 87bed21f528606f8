/** The oracles of scripts: runs that break their rules, and planted bugs that they find in a scenario that ships. */
import test from 'ava';
import { runsContinue } from '../../../sim/oracles/rules/scripts/runs-continue.ts';
import { runsEnd } from '../../../sim/oracles/rules/scripts/runs-end.ts';
import { loadScenario } from '../../../sim/scenario/load.ts';
import { runScenario } from '../../../sim/scenario/run/runner.ts';
import { VirtualWorld } from '../../../sim/world/virtual.ts';
import { scriptBugs } from '../../planted/bugs/scripts.ts';
import { type PlantedBug, plant } from '../../planted/plant.ts';
import { Trial } from './trial.ts';

const [mware, next] = ['north/n1/mware-215', 'north/n2/mware-226'];
const machine = 'script-run';

test('runs-end: passes for a run that ends, at another instance too, and fails for one that goes on', (t) => {
  const trial = new Trial(runsEnd).entity(mware, machine, 'r1', 'running.executing').pass(60_000);
  trial.entity(mware, machine, 'r1', undefined).entity(next, machine, 'r1', 'running.pausing').pass(60_000);
  t.is(trial.entity(next, machine, 'r1', 'over').pass(4_000_000).verdict, 'pass', trial.failures.join());
  const endless = new Trial(runsEnd).entity(mware, machine, 'r2', 'running.waiting').pass(3_600_000);
  t.is(endless.verdict, 'unknown');
  t.regex(endless.pass(60_000).failures.join(), /the run r2 goes on/);
});

test('runs-continue: passes for a run that another mware continues, and fails for one that is lost', (t) => {
  const lost = () => new Trial(runsContinue).entity(mware, machine, 'r1', 'running.acting').pass(1_000);
  const stopped = { instance: mware, status: 'stopped' } as const;
  const continued = lost().see('instance.status', stopped).pass(8_000).entity(next, machine, 'r1', 'running.acting');
  t.is(continued.pass(60_000).verdict, 'pass', continued.failures.join());
  t.regex(lost().see('instance.status', stopped).pass(60_000).failures.join(), /the run r1 of north.* was lost/);
  t.regex(lost().entity(mware, machine, 'r1', undefined).pass(60_000).failures.join(), /was lost/);
});

test('runs-continue: says nothing about a run whose start is not stored, one that ends, and one of a call', (t) => {
  const stopped = { instance: mware, status: 'stopped' } as const;
  for (const state of ['running.starting', 'ending']) {
    const trial = new Trial(runsContinue).entity(mware, machine, 'r1', state).see('instance.status', stopped);
    t.is(trial.pass(60_000).verdict, 'unknown');
  }
  const ofCall = new Trial(runsContinue).entity('north/n1/ivr-216', machine, 'r1', 'running.acting');
  t.is(ofCall.entity('north/n1/ivr-216', machine, 'r1', undefined).pass(60_000).verdict, 'unknown');
});

/** The scenario until the crash of the first mware, then a minute. */
async function crashed(bug: PlantedBug | undefined) {
  const { scenario, map, webApps } = loadScenario('mware-fails-in-a-script');
  const crash = scenario.steps.findIndex(({ fault }) => fault !== undefined);
  const wait = { wait: 60_000 } as (typeof scenario.steps)[number];
  const steps = [...scenario.steps.slice(0, crash + 1), wait];
  const world = new VirtualWorld({ map, webApps, seed: 1, ...(bug && { replaceRoles: (scope) => plant(scope, bug) }) });
  return runScenario({ ...scenario, steps, always: ['runs-end', 'runs-continue'] }, world, { seed: 1 });
}

for (const bug of [undefined, ...scriptBugs])
  test.serial(
    `runs of scripts ${bug === undefined ? 'without a bug pass' : `with the bug ${bug.name} fail`}`,
    async (t) => {
      const { verdict, failures } = await crashed(bug);
      if (bug === undefined) return t.is(verdict, 'pass', JSON.stringify(failures));
      return t.true(
        failures.some(({ name }) => name === 'runs-continue'),
        JSON.stringify(failures),
      );
    },
  );
