/** What an instance has of one kind belongs to what it has of another; what scripts leave is found. */
import { participantsConnected } from '../../../sim/oracles/rules/legs/participants-connected.ts';
import { globalsStay } from '../../../sim/oracles/rules/scripts/globals-stay.ts';
import { ivrLegsOwned } from '../../../sim/oracles/rules/scripts/ivr-legs-owned.ts';
import type { RoleName } from '../../../src/model/cluster/roles.ts';
import { defaultMap } from '../../kit/maps.ts';
import { test } from '../../kit/test.ts';
import { Trial } from './trial.ts';

const addressOf = (role: RoleName, index = 0) => defaultMap.instancesOf(role)[index]?.address ?? '';
const [conf, ivr, front] = [addressOf('conf'), addressOf('ivr'), addressOf('ws')];

type Step = (trial: Trial) => unknown;

const wait: Step = (trial) => trial.pass(5_000);
const entity =
  (owner: string, machine: string, key: string, state?: string): Step =>
  (trial) =>
    trial.entity(owner, machine, key, state);
const restart =
  (instance: string): Step =>
  (trial) =>
    trial.see('instance.status', { instance, status: 'starting' });
const pause: Step = (trial) =>
  trial.see('fault.inflicted', { fault: 1, verb: 'pauseNode', args: [conf.split('/')[1] ?? ''] }).pass(3_000);

const joined = [entity(conf, 'leg', 'l1', 'answered'), entity(conf, 'participant', 'p1', 'active')];

for (const [what, verdict, steps] of [
  ['a participant with a leg', 'pass', [...joined, wait]],
  ['a participant whose leg has ended', 'fail', [...joined, entity(conf, 'leg', 'l1'), wait]],
  [
    'a participant that leaves with its leg',
    'pass',
    [...joined, entity(conf, 'leg', 'l1'), entity(conf, 'participant', 'p1'), wait],
  ],
  ['a participant that never had a leg', 'fail', [entity(conf, 'participant', 'p1', 'calling'), wait]],
  ['an instance that restarts', 'pass', [...joined, entity(conf, 'leg', 'l1'), restart(conf), wait]],
  ['an instance that is paused', 'pass', [...joined, entity(conf, 'leg', 'l1'), pause]],
  ['another role', 'unknown', [entity(ivr, 'participant', 'p1', 'active'), wait]],
] as const) {
  test(`participants-connected: ${what}: ${verdict}`, (t) => {
    const trial = new Trial(participantsConnected);
    for (const step of steps) step(trial);
    t.is(trial.verdict, verdict, trial.failures.join());
  });
}

const called = [
  entity(ivr, 'script-call', 'l1', 'talking'),
  entity(ivr, 'leg', 'l1', 'answered'),
  entity(ivr, 'leg', 'l2', 'calling'),
];
const callerGone = [entity(ivr, 'leg', 'l1'), entity(ivr, 'script-call', 'l1')];

for (const [what, verdict, steps] of [
  ['a call and the leg that its script has called', 'unknown', [...called, wait]],
  ['the leg that a script has called, without its call', 'fail', [...called, ...callerGone, wait]],
  [
    'a leg that is ended with the call',
    'pass',
    [...called, ...callerGone, entity(ivr, 'leg', 'l2', 'cancelling'), wait],
  ],
  ['an instance that restarts', 'unknown', [...called, ...callerGone, restart(ivr), wait]],
] as const) {
  test(`ivr-legs-owned: ${what}: ${verdict}`, (t) => {
    const trial = new Trial(ivrLegsOwned);
    for (const step of steps) step(trial);
    t.is(trial.verdict, verdict, trial.failures.join());
  });
}

const [first, second] = [addressOf('mware'), addressOf('mware', 1)];

/** A run of a script at an instance, which finds `before`. */
function run(from: string, before: unknown, domain = 'acme.root.test'): Step {
  return (trial) => {
    const body = { id: 'r', domain, code: 'c', params: [], requester: {} };
    const re = trial.pass(1_000).send({ type: 'script.run', kind: 'ask', from: front, to: from, body });
    const answer = { status: 'finished', variables: { before, left: 1 } };
    trial.pass(100).send({ type: 'script.run', kind: 'reply', re, from, to: front, body: answer });
  };
}

const fill: Step = (trial) =>
  trial.see('fault.inflicted', { fault: 1, verb: 'fillStore', args: [first.split('/')[1] ?? ''] });

for (const [what, verdict, steps] of [
  ['the next run finds the variable', 'pass', [run(first, null), run(first, 1)]],
  ['after a failover a run finds the variable', 'pass', [run(first, null), run(second, 1)]],
  ['after a failover a run finds none', 'fail', [run(first, null), run(second, null)]],
  ['a run of another group finds none', 'unknown', [run(first, null), run(addressOf('mware', 2), null)]],
  ['a run of another domain finds none', 'unknown', [run(first, null), run(first, null, 'globex.root.test')]],
  ['a run finds none after a disk was full', 'unknown', [fill, run(first, null), run(second, null)]],
] as const) {
  test(`globals-stay: ${what}: ${verdict}`, (t) => {
    const trial = new Trial(globalsStay);
    for (const step of steps) step(trial);
    t.is(trial.verdict, verdict, trial.failures.join());
  });
}
