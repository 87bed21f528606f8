/** The oracles of scripts: runs that break their rules, and planted bugs that they find in a scenario that ships. */

import { effectsOnce } from '../../../sim/oracles/rules/scripts/effects-once.ts';
import { menusCollect } from '../../../sim/oracles/rules/scripts/menus-collect.ts';
import { runsContinue } from '../../../sim/oracles/rules/scripts/runs-continue.ts';
import { runsEnd } from '../../../sim/oracles/rules/scripts/runs-end.ts';
import { scriptsLimited } from '../../../sim/oracles/rules/scripts/scripts-limited.ts';
import type { ReceivedEffect } from '../../../sim/outside/received-effect.ts';
import type { Scenario } from '../../../sim/scenario/language/scenario.ts';
import { loadScenario } from '../../../sim/scenario/load-scenario.ts';
import { runScenario } from '../../../sim/scenario/run/runner.ts';
import { VirtualWorld } from '../../../sim/world/virtual.ts';
import { ClusterMap } from '../../../src/model/cluster/cluster-map.ts';
import { defaultMap } from '../../kit/maps.ts';

import { test } from '../../kit/test.ts';
import { scriptBugs } from '../../planted/bugs/scripts.ts';
import { type PlantedBug, plant } from '../../planted/plant.ts';
import { Trial, type TrialOptions } from './trial.ts';

const [mware, next] = ['north/n1/mware-215', 'north/n2/mware-226'];
const machine = 'script-run';

test('runs-end: passes for a run that ends, at another instance too, and fails for one that goes on', (t) => {
  const trial = new Trial(runsEnd).entity(mware, machine, 'r1', 'running.waiting').pass(60_000);
  trial.entity(mware, machine, 'r1', undefined).entity(next, machine, 'r1', 'running.pausing').pass(60_000);
  t.is(trial.entity(next, machine, 'r1', 'over').pass(4_000_000).verdict, 'pass', trial.failures.join());
  const endless = new Trial(runsEnd).entity(mware, machine, 'r2', 'running.waiting').pass(3_600_000);
  t.is(endless.verdict, 'unknown');
  t.regex(endless.pass(60_000).failures.join(), /the run r2 goes on/);
  // Seed 42050 of the campaign: its mware crashed before it had stored it.
  const unstored = new Trial(runsEnd).pass(60_000).entity(mware, machine, 'r3', 'running.starting').pass(2_000);
  unstored.see('instance.status', { instance: mware, status: 'stopped' });
  t.deepEqual(unstored.pass(4_000_000).failures, []);
});

test('runs-end: fails for a run whose component, or whose store, takes more than five seconds, while nothing is broken', (t) => {
  const began = () => new Trial(runsEnd).pass(60_000);
  for (const state of ['running.starting', 'running.executing', 'running.saving', 'running.recording', 'ending']) {
    t.regex(
      began().entity(mware, machine, 'r1', state).pass(8_000).failures.join(),
      /the run .*r1 is in .* for \d+ ms/,
    );
    const quick = began().entity(mware, machine, 'r1', state).pass(3_000).entity(mware, machine, 'r1', 'over');
    t.is(quick.pass(8_000).verdict, 'pass');
  }
  t.deepEqual(began().entity(mware, machine, 'r1', 'running.acting').pass(20_000).failures, []);
  const stops = began().entity(mware, machine, 'r1', 'running.executing').pass(3_000);
  stops.see('instance.status', { instance: 'north/n1/sdc-218', status: 'stopped' });
  t.deepEqual(stops.pass(20_000).failures, []);
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

const limited = new ClusterMap({
  ...defaultMap.topology,
  domains: defaultMap.topology.domains.map((domain) => ({
    ...domain,
    items: { integrationchannel: [{ token_local: domain.name }] },
    opts: { ...domain.opts, script_duration_sec: 30, script_limit_site_count: 2 },
  })),
});
const refused = 'scripts of acme.root.test run at site north: its limit is 2';

/** A client asks for a script of a domain. */
function asked(trial: Trial, id: number, domain = 'acme.root.test'): Trial {
  const request = { site: 'north', method: 'POST', target: '/exec', client: domain, sent: '{}' } as const;
  return trial.see('request.received', { id, ...request });
}

function answered(trial: Trial, id: number, status: number, body = ''): Trial {
  const request = { site: 'north', method: 'POST', target: '/exec', tookMs: 1, ageS: undefined } as const;
  return trial.see('request.answered', { id, ...request, status, body });
}

test('scripts-limited: a refusal needs as many scripts of the domain as its limit', (t) => {
  const trial = () => new Trial(scriptsLimited, { map: limited });
  const two = asked(asked(asked(trial(), 1), 2).pass(1_000), 3);
  t.is(answered(two, 3, 503, refused).verdict, 'pass');
  const ofOthers = asked(asked(asked(trial(), 1), 2, 'globex.root.test').pass(1_000), 3);
  t.regex(answered(ofOthers, 3, 503, refused).failures.join(), /limit of 2, and at most 1 of it ran/);
  const over = asked(answered(asked(asked(trial(), 1), 2), 2, 200).pass(1_000), 3);
  t.is(answered(over, 3, 503, refused).verdict, 'fail');
  const goesOn = asked(answered(asked(asked(trial(), 1), 2), 2, 504).pass(20_000), 3);
  t.is(answered(goesOn, 3, 503, refused).verdict, 'pass');
  const late = asked(answered(asked(asked(trial(), 1), 2), 2, 504).pass(60_000), 3);
  t.is(answered(late, 3, 503, refused).verdict, 'fail');
});

test('scripts-limited: what is delayed is not judged, nor what is refused for another reason', (t) => {
  const trial = () => new Trial(scriptsLimited, { map: limited });
  t.is(answered(asked(trial(), 1), 1, 503, 'no mware of acme.root.test is in reach').verdict, 'unknown');
  const slow = trial().see('fault.inflicted', { fault: 1, verb: 'slowStore', args: [] });
  t.is(answered(asked(slow, 1), 1, 503, refused).verdict, 'unknown');
  slow.see('fault.mended', { fault: 1, verb: 'slowStore', args: [], isRefused: false }).pass(60_000);
  t.is(answered(asked(slow, 2), 2, 503, refused).verdict, 'fail');
  const paused = trial().see('fault.inflicted', { fault: 1, verb: 'pauseNode', args: ['n1'] });
  paused.see('fault.inflicted', { fault: 2, verb: 'resumeNode', args: ['n1'] }).pass(10_000);
  t.is(answered(asked(paused, 1), 1, 503, refused).verdict, 'unknown');
});

test('scripts-limited: no more run at once than the limit at each site', (t) => {
  const sites = [...limited.sites.keys()].filter((site) => limited.serving('mware', site, 'acme.root.test').length > 0);
  const together = (count: number) => {
    const trial = new Trial(scriptsLimited, { map: limited });
    for (let id = 1; id <= count; id += 1) asked(trial, id);
    trial.pass(10_000);
    for (let id = 1; id <= count; id += 1) answered(trial, id, 200);
    return trial;
  };
  t.is(together(2 * sites.length).verdict, 'pass');
  t.regex(together(2 * sites.length + 1).failures.join(), /scripts of acme.root.test ran at once; its limit is 2/);
});

const about = { domain: 'acme.root.test', run: 'r1', component: 'send' } as const;
const effect = { ...about, receiver: 'http', key: 'r1/2', sentMs: 0 } as const;

/** A run that performs an effect, and a receiver that gets it. */
function received(more: Partial<ReceivedEffect> = {}, options: TrialOptions = {}): Trial {
  const trial = new Trial(effectsOnce, options).entity(mware, machine, 'r1', 'running.acting');
  return trial.see('effect.received', { ...effect, content: 'a', ...more });
}

function moved(trial: Trial, before: string, state: string): Trial {
  return trial.see('entity.state', { owner: mware, machine, key: 'r1', before, state });
}

test('effects-once: passes for attempts before the outcome is stored, and for late arrivals', (t) => {
  const trial = received({ content: 'a' }).pass(1_000);
  trial.see('effect.received', { ...effect, sentMs: 1_000, content: 'a' });
  moved(trial, 'running.recording', 'running.pausing').pass(1_000);
  trial.see('effect.received', { ...effect, sentMs: 500, content: 'a' });
  t.is(trial.verdict, 'pass', trial.failures.join());
});

test('effects-once: fails for another content, and for an attempt after the outcome was stored', (t) => {
  const other = received().see('effect.received', { ...effect, content: 'b' });
  t.regex(other.failures.join(), /under the key r1\/2 with two contents: a and b/);
  for (const [before, state] of [
    ['running.recording', 'running.pausing'],
    ['ending', 'over'],
  ] as const) {
    const again = moved(received(), before, state)
      .pass(1_000)
      .see('effect.received', { ...effect, sentMs: 1_000 });
    t.regex(again.failures.join(), /again, after the run had stored its outcome/);
  }
});

test('effects-once: fails for a second attempt after a failover at an effect that is not repeatable', (t) => {
  for (const isRepeatable of [true, false]) {
    const trial = received({ isRepeatable }).pass(5_000).entity(next, machine, 'r1', 'running.acting');
    trial.see('effect.received', { ...effect, isRepeatable, sentMs: 5_000 });
    t.is(trial.verdict, isRepeatable ? 'pass' : 'fail');
  }
});

test('effects-once: fails for two effects of one run, or of two, under one webhook id', (t) => {
  const content = JSON.stringify({ webhookid: 'msg_1' });
  const again = () => received({ content }).see('effect.received', { ...effect, content });
  t.is(again().verdict, 'pass', again().failures.join());
  for (const other of [{ key: 'r1/3' }, { run: 'r2' }]) {
    const trial = again().see('effect.received', { ...effect, ...other, content });
    t.regex(trial.failures.join(), /the webhook id msg_1 is that of two effects, by run and key: r1 r1\/2, and/);
  }
});

test('effects-once: fails where a receiver knows more keys of a component than the journal has steps', async (t) => {
  const journal = (status: string, steps: number) => ({
    answer: () => ({ status, steps: Array.from({ length: steps }, () => ({ component: 'send' })) }),
  });
  for (const [status, steps, verdict] of [
    ['finished', 2, 'pass'],
    ['failed', 1, 'pass'],
    ['finished', 1, 'fail'],
  ] as const) {
    const trial = received({}, journal(status, steps)).see('effect.received', { ...effect, key: 'r1/3' });
    await trial.quiesce();
    t.is(trial.verdict, verdict, trial.failures.join());
  }
});

const ivr = defaultMap.instancesOf('ivr')[0]?.address ?? '';

/** A party dials digits, some of them in a repeated request, and a script sends what its menus have collected. */
function collected(menus: readonly string[]): Trial {
  const trial = new Trial(menusCollect);
  for (const [cseq, dtmf] of [
    [1, '1'],
    [1, '1'],
    [2, '2'],
    [3, '3'],
  ] as const) {
    trial.send({ type: 'sip', to: ivr, body: { kind: 'request', method: 'INFO', callid: 'c1', cseq, dtmf } });
  }
  const content = JSON.stringify({ method: 'POST', url: 'https://hook.test/', body: JSON.stringify({ menus }) });
  return trial.see('effect.received', { ...effect, content });
}

test('menus-collect: passes for digits in the order in which they were dialled, fails for one that counts twice', (t) => {
  for (const menus of [
    ['12', '3'],
    ['1', '3'],
    ['', '123'],
  ])
    t.is(collected(menus).verdict, 'pass');
  t.is(collected(['', '']).verdict, 'unknown');
  for (const menus of [['1', '1'], ['12', '2'], ['4']])
    t.regex(collected(menus).failures.join(), /which was dialled in no call/);
});

const always = ['runs-end', 'runs-continue', 'effects-once'];

function run(name: string, stepsOf: (steps: Scenario['steps']) => Scenario['steps'], bug: PlantedBug | undefined) {
  const { scenario, map, webApps } = loadScenario(name);
  const world = new VirtualWorld({ map, webApps, seed: 1, ...(bug && { replaceRoles: (scope) => plant(scope, bug) }) });
  return runScenario({ ...scenario, steps: stepsOf(scenario.steps), always }, world, { seed: 1 });
}

/** The scenario until the crash of the first mware, then a minute. */
function crashed(bug: PlantedBug | undefined) {
  const wait = { wait: 60_000 } as Scenario['steps'][number];
  const isCrash = ({ fault }: Scenario['steps'][number]) => fault !== undefined;
  return run('mware-fails-in-a-script', (steps) => [...steps.slice(0, steps.findIndex(isCrash) + 1), wait], bug);
}

/** A crash while a webhook is open; without the steps that expect one delivery. */
function crashedInAnEffect(bug: PlantedBug | undefined) {
  return run('webhooks-duplicated', (steps) => steps.filter(({ look }) => look === undefined), bug);
}

/** The scenario that finds each, and the oracle that says so. */
const found: Readonly<Record<string, [scenario: typeof crashed, oracle: string]>> = {
  'run-not-stored': [crashed, 'runs-continue'],
  'runs-forgotten': [crashed, 'runs-continue'],
  'effect-not-recorded': [crashed, 'effects-once'],
  'key-of-attempt': [crashedInAnEffect, 'effects-once'],
};

for (const scenario of [crashed, crashedInAnEffect])
  test(`runs of scripts without a bug pass: ${scenario.name}`, async (t) => {
    const { verdict, failures } = await scenario(undefined);
    t.is(verdict, 'pass', JSON.stringify(failures));
  });

for (const bug of scriptBugs)
  test(`runs of scripts with the bug ${bug.name} fail`, async (t) => {
    const [scenario = crashed, oracle] = found[bug.name] ?? [];
    const { failures } = await scenario(bug);
    t.true(
      failures.some(({ name }) => name === oracle),
      JSON.stringify(failures),
    );
  });
