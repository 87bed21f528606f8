/** The oracle of logouts, alone and in a run with a bug that it must find. */

import { join } from 'node:path';
import { scenariosFolder } from '../../../sim/input/package-folder.ts';
import { logoutsHold } from '../../../sim/oracles/rules/access/logouts-hold.ts';
import { sessionsLimited } from '../../../sim/oracles/rules/access/sessions-limited.ts';
import { sessionsRevoked } from '../../../sim/oracles/rules/access/sessions-revoked.ts';
import { nothingGrows } from '../../../sim/oracles/rules/cluster/nothing-grows.ts';
import { loadScenario } from '../../../sim/scenario/load-scenario.ts';
import { runScenario } from '../../../sim/scenario/run/runner.ts';
import { VirtualWorld } from '../../../sim/world/virtual.ts';
import { test } from '../../kit/test.ts';
import { plantedBugs } from '../../planted/bugs.ts';
import { plant } from '../../planted/plant.ts';
import { gone, Trial } from './trial.ts';

const [hq, north] = ['hq/h1/ws-111', 'north/n1/ws-211'] as const;
const opened = () =>
  new Trial(logoutsHold).entity(hq, 'session', 'k', 'active').entity(north, 'session', 'k', 'active');
const closedAtNorth = () => opened().entity(north, 'session', 'k', 'closed').entity(north, 'session', 'k', undefined);

test('logouts-hold: a session that is closed everywhere passes, a session that continues somewhere fails', (t) => {
  t.is(closedAtNorth().entity(hq, 'session', 'k', 'closed').pass(30_000).verdict, 'pass');
  t.is(closedAtNorth().pass(30_000).verdict, 'fail');
  t.is(opened().pass(30_000).verdict, 'unknown');
});

test('logouts-hold: while a fault is active, and for 25 seconds after it, an instance may not know', (t) => {
  const torn = closedAtNorth();
  torn.isStable = false;
  t.is(torn.pass(300_000).verdict, 'unknown');
});

test('logouts-hold: the instance that closed a session never accepts it again', (t) => {
  const torn = closedAtNorth();
  torn.isStable = false;
  torn.see('instance.status', { instance: north, status: 'starting' }).entity(north, 'session', 'k', 'active');
  t.deepEqual(torn.failures, [`${north} accepts a session that it closed`]);
});

test('logouts-hold: for five seconds a logout may be on its way', (t) => {
  const late = opened().pass(60_000).entity(north, 'session', 'k', 'closed').entity(north, 'session', 'k', undefined);
  t.deepEqual(late.pass(2_000).failures, []);
  t.is(late.pass(5_000).verdict, 'fail');
});

test('logouts-hold: what is closed while a disk is full is not judged', (t) => {
  const full = new Trial(logoutsHold).see('fault.inflicted', { fault: 1, verb: 'fillStore', args: ['n1'] });
  full.entity(north, 'session', 'k', 'active').entity(north, 'session', 'k', 'closed');
  t.is(full.entity(hq, 'session', 'k', 'active').pass(30_000).verdict, 'unknown');
});

test('nothing-grows: closed sessions are remembered once each, and need no timers', async (t) => {
  const rested = () => new Trial(nothingGrows, { holds: { [hq]: { timers: 5 } } }).pass(10_000);
  const used = () => rested().entity(hq, 'session', 'k', 'active').entity(hq, 'session', 'k', 'closed');
  const holding = (trial: Trial, counts: Record<string, number>) => {
    trial.holds = { [hq]: { timers: 5, ...counts } };
    return trial.quiesce();
  };
  t.is((await holding(used(), { 'session-changes': 1 })).verdict, 'pass');
  t.is((await holding(used(), { 'session-changes': 2 })).verdict, 'fail');
  t.is((await holding(used().pass(86_400_000 + 330_000), { 'session-changes': 1 })).verdict, 'fail');
  t.is((await holding(used(), { 'session-changes': 1, timers: 25 })).verdict, 'fail');
});

const users = '/rest/v1/domain/domains/acme.root.test/users';

interface Asked {
  readonly client?: string;
  readonly sent?: object;
  readonly body?: object;
  readonly status?: number;
}

let ids = 0;

function ask(
  trial: Trial,
  method: string,
  target: string,
  { client = 'admin', sent, body, status = 200 }: Asked,
): Trial {
  ids += 1;
  const about = { id: ids, site: 'hq', method, target };
  trial.see('request.received', { ...about, client, sent: sent && JSON.stringify(sent) });
  return trial.see('request.answered', {
    ...about,
    status,
    tookMs: 1,
    body: JSON.stringify(body ?? {}),
    ageS: undefined,
  });
}

/** A request about a new user who has a session. */
function changed(trial: Trial, method: string, sent: object): Trial {
  const who = { login: 'guest', domain: 'acme.root.test', pwd: 'one' };
  ask(trial.pass(60_000), 'POST', users, { sent: who, body: { id: 'u' } });
  ask(trial, 'POST', '/rest/v1/iam/sessions', { sent: who, body: { session_token: 'guests' } }).pass(1_000);
  return ask(trial, method, `${users}/u`, { sent });
}

/** The session of a new user is used so long after a request about the user. */
function usedAfter(method: string, sent: object, { ms = 6_000, status = 200 } = {}): Trial {
  const trial = changed(new Trial(sessionsRevoked), method, sent).pass(ms);
  return ask(trial, 'GET', '/rest/v1/iam/sessions/current', { client: 'guests', status });
}

test('sessions-revoked: fails for a session of a user who was removed, or has another password', (t) => {
  t.regex(usedAfter('DELETE', {}).failures.join(), /hq accepts a session .* of guest@acme.root.test, who was removed/);
  t.regex(usedAfter('PATCH', { pwd: 'two' }).failures.join(), /whose password was changed/);
  t.is(usedAfter('DELETE', {}, { status: 401 }).verdict, 'pass');
  t.is(usedAfter('DELETE', {}, { ms: 3_000 }).verdict, 'unknown');
  t.is(usedAfter('PATCH', { name: 'Guest' }).verdict, 'unknown');
  t.is(usedAfter('PATCH', { pwd: 'one' }).verdict, 'unknown');
});

test('sessions-revoked: in a quiescent cluster no front accepts it, whatever was broken', async (t) => {
  const quiet = async (method: string, answer: unknown) => {
    const trial = changed(new Trial(sessionsRevoked, { answer: () => answer }), method, {});
    trial.see('fault.inflicted', { fault: 1, verb: 'cut', args: [] }).pass(30_000);
    return (await trial.quiesce()).verdict;
  };
  t.is(await quiet('DELETE', {}), 'fail');
  t.is(await quiet('DELETE', gone), 'pass');
  t.is(await quiet('PATCH', {}), 'unknown');
});

const current = '/rest/v1/iam/sessions/current';

/** A new user opens eleven sessions, and uses all but the last but one again before the eleventh; `see`: before that one. */
function overLimit(see: (trial: Trial) => Trial = (trial) => trial): Trial {
  const who = { login: 'guest', domain: 'acme.root.test', pwd: 'one' };
  const trial = ask(new Trial(sessionsLimited).pass(60_000), 'POST', users, { body: { id: 'u', login: 'guest' } });
  const open = (n: number) =>
    ask(trial, 'POST', '/rest/v1/iam/sessions', { client: '', sent: who, body: { session_token: `s${n}` } });
  for (let n = 1; n <= 10; n += 1) open(n);
  trial.pass(3_000);
  for (let n = 1; n <= 9; n += 1) ask(trial, 'GET', current, { client: `s${n}` });
  see(trial.pass(3_000));
  return open(11).pass(1_000);
}

function used(trial: Trial, statuses: Readonly<Record<string, number>>): Trial {
  for (const [client, status] of Object.entries(statuses)) ask(trial, 'GET', current, { client, status });
  return trial;
}

test('sessions-limited: an eleventh login ends the session that was idle longest', (t) => {
  t.is(used(overLimit(), { s1: 200, s10: 401, s11: 200 }).verdict, 'pass');
  for (const statuses of [{ s1: 401, s10: 200 } as const, { s10: 200, s1: 401 } as const])
    t.regex(
      used(overLimit(), statuses).failures.join(),
      /ended a session, and kept one that was idle for 3000 ms longer/,
    );
  t.is(used(overLimit(), { s1: 401, s2: 200 }).verdict, 'pass');
  const all = Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`s${n + 1}`, 200]));
  t.regex(used(overLimit(), all).failures.join(), /11 sessions of guest@acme.root.test are accepted/);
});

test('sessions-limited: a use of the idle one, a change of the user and a restart of the front change which one ends', (t) => {
  const later = (trial: Trial) => ask(trial, 'GET', '/rest/v1/uc/selectors', { client: 's10' });
  const changes = (trial: Trial) => ask(trial, 'PATCH', `${users}/u`, { sent: { pwd: 'two' } });
  const restarts = (trial: Trial) => trial.see('instance.status', { instance: hq, status: 'starting' });
  for (const see of [later, changes, restarts])
    t.not(used(overLimit(see), { s1: 401, s10: 200 }).verdict, 'fail', see.name);
});

test('logouts-hold finds logouts that are in memory only, and nothing where they are stored', async (t) => {
  const bug = plantedBugs.find(({ name }) => name === 'logout-in-memory-only');
  const { scenario, map, webApps } = loadScenario(join(scenariosFolder, 'logout-across-a-cut.yaml'));
  const run = async (replaceRoles?: VirtualWorldRoles) => {
    const world = new VirtualWorld({ map, webApps, seed: 1, ...(replaceRoles && { replaceRoles }) });
    // Steps that fail would end the run before the oracle looks.
    const { oracles } = await runScenario({ ...scenario, atFailure: 'goOn' }, world, { seed: 1 });
    return oracles.find(({ name }) => name === 'logouts-hold')?.verdict;
  };
  t.is(await run(), 'pass');
  t.is(await run((scope) => bug && plant(scope, bug)), 'fail');
});

type VirtualWorldRoles = NonNullable<ConstructorParameters<typeof VirtualWorld>[0]['replaceRoles']>;
