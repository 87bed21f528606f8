/** Running a scenario: what holds, how what does not is reported, and how time passes over it. */

import type { ExecutionContext } from 'ava';
import { type Scenario, scenarioSchema } from '../../../sim/scenario/language/scenario.ts';
import { runScenario, type StepReport } from '../../../sim/scenario/run/runner.ts';
import { VirtualWorld, virtualStartMs } from '../../../sim/world/virtual.ts';
import { test } from '../../kit/test.ts';
import { smallMap } from '../../topology/small.ts';
import { play } from './kit.ts';

type Steps = Record<string, unknown>[];

const nodes = '/rest/v1/master/nodes';
const bans = '/rest/v1/master/logicalroles/esg/bannedaddrs';
const operator = { through: 'east', domain: 'root.test', login: 'admin', pwd: 'admin' };

function scenarioOf(steps: Steps, sessions: Record<string, unknown> = { operator }): Scenario {
  const why = 'What the tests of the runner are about.';
  return scenarioSchema.parse({ name: 'tested', why, sessions, steps });
}

function makeWorld(seed = 1): VirtualWorld {
  return new VirtualWorld({ map: smallMap(), webApps: () => [], seed });
}

async function run(steps: Steps, { world = makeWorld(), seed = 1 } = {}) {
  const reported: StepReport[] = [];
  const report = await runScenario(scenarioOf(steps), world, { seed, onStep: (step) => reported.push(step) });
  return { ...report, reported, world };
}

const ask = (path: string, expect?: Record<string, unknown>, request: Record<string, unknown> = {}) => ({
  request: { through: 'east', as: 'operator', path, ...request },
  ...(expect && { expect }),
});

test('a scenario whose expectations hold passes, and reports every step', async (t) => {
  const { reported, world, ...report } = await run([
    { wait: '1.5s' },
    ask(nodes, { status: 200, items: [{ where: { name: 'w1' }, every: { status: 'active' }, count: 1 }] }),
    { note: 'in words', fault: { cut: { from: 'west', to: 'e1' } } },
    { fault: { delay: { from: 'west', by: '20ms' } } },
    { fault: { crash: 'esg-13' } },
    ask('/healthz', { within: '2s', status: 200, body: { status: 'ready' } }),
  ]);
  const times = report.steps.map(({ atMs }) => atMs);
  t.deepEqual(
    report.steps.map(({ atMs: _atMs, beganMs: _beganMs, ...step }) => step),
    [
      { number: 1, what: 'wait 1500 ms', isExpectation: false, failures: [] },
      { number: 2, what: `GET ${nodes} through east`, isExpectation: true, failures: [] },
      { number: 3, what: 'in words', isExpectation: false, failures: [] },
      { number: 4, what: 'delay west by 20 ms', isExpectation: false, failures: [] },
      { number: 5, what: 'crash esg-13', isExpectation: false, failures: [] },
      { number: 6, what: 'GET /healthz through east within 2000 ms', isExpectation: true, failures: [] },
    ],
  );
  t.deepEqual([report.name, report.mode, report.seed, report.verdict], ['tested', 'virtual', 1, 'pass']);
  t.is(report.traceHash, world.journal.hash());
  t.deepEqual(reported, report.steps);
  t.true((times[0] ?? 0) >= 1_500 && (times[0] ?? 0) < 1_600);
  t.is(report.steps[0]?.beganMs, (times[0] ?? 0) - 1_500);
  t.deepEqual(
    times,
    [...times].sort((one, other) => one - other),
  );
});

test('a scenario that expects nothing proves nothing', async (t) => {
  const { verdict, steps } = await run([ask(nodes), { wait: '1s' }, { fault: { crash: 'w2' } }]);
  t.is(verdict, 'unknown');
  t.is(steps.length, 3);
});

const differing: readonly [what: string, expect: Record<string, unknown>, failures: readonly (string | RegExp)[]][] = [
  ['another status', { status: 404 }, ['status: expected 404, got 200']],
  [
    'its headers, whatever their case',
    { headers: { 'Content-Type': 'text/plain', 'x-missing-sites': 'north', Location: null } },
    [
      /^header content-type: expected "text\/plain", got "application\/json/,
      'header x-missing-sites: expected "north", got none',
    ],
  ],
  [
    'a part of the body',
    { body: [{ name: 'e1', site: 'west' }] },
    [/^body: expected 1 items, got \[\{"name":"e1",.*… \(\d+ characters\)$/],
  ],
  ['an object', { body: { name: 'e1' } }, [/^body\.name: expected "e1", got nothing$/]],
  [
    'how many items',
    { items: [{ where: { site: 'west', type: 'supervisor' }, every: {}, count: 3 }] },
    ['items where {"site":"west","type":"supervisor"}: expected 3, got 2'],
  ],
  ['how long the list is', { count: 12 }, [/^body: expected a list of 12 items, got 13: /]],
  [
    'any item at all',
    { items: [{ where: { site: 'north' }, every: {} }] },
    ['items where {"site":"north"}: expected at least one, got none'],
  ],
  [
    'each item that is picked',
    { items: [{ where: { type: 'supervisor', site: 'west' }, every: { status: 'standby', roles: ['ws'] } }] },
    [
      'items where {"type":"supervisor","site":"west"}[0].status: expected "standby", got "active"',
      'items where {"type":"supervisor","site":"west"}[0].roles: expected 1 items, got []',
      'items where {"type":"supervisor","site":"west"}[1].status: expected "standby", got "active"',
      'items where {"type":"supervisor","site":"west"}[1].roles: expected 1 items, got []',
    ],
  ],
  [
    'several things at once',
    { status: 500, items: [{ every: {}, count: 0 }] },
    ['status: expected 500, got 200', 'items where {}: expected 0, got 13'],
  ],
];
for (const [what, expect, failures] of differing) {
  test(`an answer that differs in ${what} fails the step, and says in what`, async (t) => {
    const { verdict, steps } = await run([ask(nodes, expect)]);
    t.is(verdict, 'fail');
    t.is(steps[0]?.failures.length, failures.length, steps[0]?.failures.join('\n'));
    failures.forEach((failure, i) => {
      if (typeof failure === 'string') t.is(steps[0]?.failures[i], failure);
      else t.regex(steps[0]?.failures[i] ?? '', failure);
    });
  });
}

test('an answer that is no list has no items, and one without a body nothing to compare', async (t) => {
  const { steps } = await run([ask('/healthz', { items: [{ every: {} }] })]);
  t.deepEqual(steps[0]?.failures, ['body: expected a list, got {"status":"ready","instance":"east/e1/ws-11"}']);
  const gone = await run([ask(`${nodes}/w2`, { status: 204, body: { a: { b: [1] } } }, { method: 'DELETE' })]);
  t.deepEqual(gone.steps[0]?.failures, ['body: expected an object, got nothing']);
});

test('a value of an answer is saved and used in what comes later', async (t) => {
  const { verdict, steps } = await run([
    ask(nodes, { status: 200 }, { save: { node: '0.name', since: '0.upTimeSec' } }),
    ask('/rest/v1/master/nodes/$node', { status: 200, body: { name: '$node', upTimeSec: '$since' } }),
    ask(nodes, { status: 200 }, { save: { none: '99.name' } }),
  ]);
  t.is(verdict, 'fail');
  t.deepEqual(
    steps.map(({ failures }) => failures),
    [[], [], ['save none: nothing at 99.name']],
  );
});

test('nothing is done after a step that failed', async (t) => {
  const { steps, reported, verdict } = await run([ask(nodes, { status: 404 }), ask(nodes, { status: 200 })]);
  t.is(verdict, 'fail');
  t.is(steps.length, 1);
  t.is(reported.length, 1);
});

test('a virtual run begins at the date and time that its scenario says', async (t) => {
  const { world, steps } = await play(`starts: 2026-01-04T23:59:00+01:00
steps:
  - request: { through: hq, as: operator, path: '/rest/v1/iam/sessions/current' }
    expect: { status: 200 }
`);
  const fromMs = Date.parse('2026-01-04T22:59:00Z');
  t.true(steps[0]?.failures.length === 0 && world.now() > fromMs && world.now() < fromMs + 60_000, `${world.now()}`);
});

test('what is expected within a time is asked for until it holds', async (t) => {
  const isUp = (seconds: number) => [{ where: { name: 'e1', upTimeSec: seconds }, every: {}, count: 1 }];
  const { steps, verdict, world } = await run([
    ask(nodes, { items: isUp(0) }),
    ask(nodes, { within: '10s', items: isUp(7) }),
  ]);
  t.is(verdict, 'pass', JSON.stringify(steps.at(-1)));
  const tookMs = (steps[1]?.atMs ?? 0) - (steps[0]?.atMs ?? 0);
  t.true(tookMs > 6_000 && tookMs < 7_500, `${tookMs} virtual ms`);
  t.true(world.now() > virtualStartMs + tookMs);
});

test('what does not hold in its time fails, with what was last missing', async (t) => {
  const { steps, verdict } = await run([ask(nodes, { within: '3s', status: 201 })]);
  t.is(verdict, 'fail');
  t.deepEqual(steps[0]?.failures, ['status: expected 201, got 200']);
  t.true((steps[0]?.atMs ?? 0) > 2_700 && (steps[0]?.atMs ?? 0) <= 3_100, `${steps[0]?.atMs}`);
});

test('without a time to wait there is one try', async (t) => {
  const { steps } = await run([ask(nodes, { status: 201 })]);
  t.true((steps[0]?.atMs ?? 0) < 100);
});

test('a step waits for its moment, and one that is late begins at once', async (t) => {
  const { steps } = await run([
    { at: '2s', fault: { pause: 'w2' } },
    { at: '3s', wait: '1s' },
    { at: '1s', fault: { resume: 'w2' } },
  ]);
  t.deepEqual(
    steps.map(({ atMs }) => atMs),
    [2_000, 4_000, 4_000],
  );
});

test('a front that does not answer fails the step that asks it', async (t) => {
  const { steps, verdict } = await run([
    { fault: { crash: 'w1' } },
    ask(nodes, { status: 200, within: '1s' }, { through: 'west' }),
  ]);
  t.is(verdict, 'fail');
  t.deepEqual(steps[1]?.failures, ['the front of site west is away: connection refused']);
});

test('a front that is away fails a step that expects an answer, and none that expects nothing', async (t) => {
  const away = ask(nodes, undefined, { through: 'west' });
  const silent = await run([{ fault: { crash: 'w1' } }, away, ask(nodes, { status: 200 }, { through: 'east' })]);
  t.is(silent.steps[1]?.failures.length, 0);
  const { steps, verdict } = await run([{ fault: { crash: 'w1' } }, ask(nodes, { status: 200 }, { through: 'west' })]);
  t.is(verdict, 'fail');
  t.is(steps[1]?.failures.length, 1);
});

test('a node that crashed can be started again, and is there again', async (t) => {
  const supervisor = (status: string) => ({
    within: '10s',
    items: [{ where: { name: 'w2' }, every: { status }, count: 1 }],
  });
  const { verdict } = await run([
    { fault: { crash: 'w2' } },
    ask(nodes, supervisor('unreachable')),
    { fault: { restart: 'w2' } },
    ask(nodes, supervisor('active')),
    { fault: { pause: 'w2' } },
    ask(nodes, supervisor('unreachable')),
    { fault: { resume: 'w2' } },
    ask(nodes, supervisor('active')),
  ]);
  t.is(verdict, 'pass');
});

test('a role instance that crashed can be started again before its time', async (t) => {
  const instance = (status: string) => ({ items: [{ where: { name: 'esg-31' }, every: { status }, count: 1 }] });
  const { verdict, steps } = await run([
    { fault: { crash: 'esg-31' } },
    ask(nodes, instance('stopped')),
    { fault: { restart: 'esg-31' } },
    ask(nodes, instance('active')),
  ]);
  t.is(verdict, 'pass', JSON.stringify(steps.at(-1)));
});

for (const [verb, more] of [
  ['cut', {}],
  ['hold', {}],
  ['lose', { probability: 1 }],
  ['delay', { by: '10s' }],
] as const) {
  test(`a site behind a ${verb} is gone, and comes back when that is mended by name, or with all others`, async (t) => {
    const west = (online: boolean) => ({
      within: '10s',
      items: [{ where: { site: 'west' }, every: { online }, count: 1 }],
    });
    const strike = { fault: { [verb]: { from: 'west', ...more }, name: 'lines' } };
    const { verdict, steps } = await run([
      ask(bans, west(true)),
      strike,
      ask(bans, west(false)),
      { fault: { mend: 'lines' } },
      ask(bans, west(true)),
      strike,
      ask(bans, west(false)),
      { fault: { mend: '*' } },
      ask(bans, west(true)),
    ]);
    t.is(verdict, 'pass', JSON.stringify(steps.at(-1)));
  });
}

test('every frame twice breaks nothing', async (t) => {
  const post = ask(bans, { status: 200 }, { method: 'POST', body: { ip: '10.66.0.1', expires: 600 } });
  const banned = { items: [{ every: { online: true, banned: [{ ip: '10.66.0.1' }] }, count: 2 }] };
  const { verdict, steps } = await run([
    { fault: { duplicate: { from: '*', probability: 1 } } },
    post,
    ask(bans, banned),
    { wait: '10s' },
    ask(bans, banned, { through: 'west' }),
  ]);
  t.is(verdict, 'pass', JSON.stringify(steps.at(-1)));
});

test('sessions are opened before the first step, each with its own rights', async (t) => {
  const scenario = scenarioOf(
    [
      ask(nodes, { status: 200 }),
      ask(nodes, { status: 403 }, { as: 'guest' }),
      { request: { through: 'east', path: nodes }, expect: { status: 401 } },
    ],
    { operator, guest: { through: 'west', domain: 'acme.root.test', login: 'user', pwd: 'user' } },
  );
  const { verdict, steps } = await runScenario(scenario, makeWorld(), { seed: 1 });
  t.is(verdict, 'pass', JSON.stringify(steps.at(-1)));
});

test('a login that is refused fails the run with the answer, before its first step, and the world is stopped', async (t) => {
  const world = makeWorld();
  const sessions = { operator: { ...operator, pwd: 'wrong' }, other: operator };
  const { verdict, failures, steps } = await runScenario(scenarioOf([{ wait: '1s' }], sessions), world, { seed: 1 });
  t.is(verdict, 'fail');
  t.deepEqual(
    failures.map(({ kind, name, step }) => [kind, name, step]),
    [['step', 'session operator', 0]],
  );
  t.regex(failures[0]?.text ?? '', /^the login of admin at root.test through east was refused: 401 \{/);
  t.deepEqual(
    steps.map(({ what }) => what),
    ['session operator'],
  );
  assertIdle(t, world);
});

test('a login without an answer fails the run', async (t) => {
  const world = makeWorld();
  const { failures } = await runScenario(
    scenarioOf([{ wait: '1s' }], { operator: { ...operator, through: 'nowhere' } }),
    world,
    { seed: 1 },
  );
  t.deepEqual(
    failures.map(({ text }) => text),
    ['no answer to the login of admin at root.test through nowhere'],
  );
  assertIdle(t, world);
});

test('a world that does not settle ends the run, and is stopped', async (t) => {
  const world = makeWorld();
  world.faults.cut({ from: 'west' });
  await t.throwsAsync(runScenario(scenarioOf([{ wait: '1s' }]), world, { seed: 1 }), { message: /did not settle/ });
  assertIdle(t, world);
});

test('the world is stopped when a run is over: nothing is left to happen in it', async (t) => {
  const { world } = await run([
    { fault: { delay: { from: '*', by: '1h' } } },
    { fault: { pause: 'w1' } },
    { fault: { crash: 'w2' } },
    { wait: '1s' },
  ]);
  assertIdle(t, world);
  t.is(world.cluster.openAsks, 0);
  t.is(world.urls().size, 0);
});

test('the same seed leaves the same trace, another seed another', async (t) => {
  const steps = [{ fault: { lose: { from: '*', probability: 0.2 } } }, { wait: '5s' }, ask(nodes)];
  const hashes = await Promise.all([1, 1, 2].map((seed) => run(steps, { world: makeWorld(seed), seed })));
  t.is(hashes[0]?.traceHash, hashes[1]?.traceHash);
  t.not(hashes[0]?.traceHash, hashes[2]?.traceHash);
});

/** Once the last frames have arrived nowhere, nothing is left to happen. */
function assertIdle(t: ExecutionContext, world: VirtualWorld): void {
  world.clock.advanceTo(world.now() + 100);
  t.is(world.clock.pending, 0);
}
