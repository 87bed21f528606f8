/** Steps in time: when they begin, how often, one after the other and side by side. */

import type { DependencyContainer } from 'tsyringe';
import { runScenario } from '../../../sim/scenario/run/runner.ts';
import { VirtualWorld } from '../../../sim/world/virtual.ts';
import type { Role, RoleScope } from '../../../src/cluster/role.ts';
import { test } from '../../kit/test.ts';
import { type PlantedBug, plant } from '../../planted/plant.ts';
import { play, scenarioOf, timesOf } from './kit.ts';

const calls = 'request: { through: north, as: clerk, path: /rest/v1/uc/calls }';
const dial = 'dial: { from: acme.root.test/1001, to: "1002" }';

test('a step is repeated so often, so long from beginning to beginning', async (t) => {
  const { reported } = await play('always: []\nsteps:\n  - { every: 2s, times: 3, wait: 500ms }\n  - wait: 1s\n');
  t.deepEqual(timesOf(reported), [
    '1(1) wait 500 ms at 0.5 s',
    '1(2) wait 500 ms at 2.5 s',
    '1(3) wait 500 ms at 4.5 s',
    '2 wait 1000 ms at 5.5 s',
  ]);
});

test('a round that takes longer than its time delays the next, and none is left out', async (t) => {
  const { reported } = await play('always: []\nsteps:\n  - { every: 1s, times: 3, wait: 1.5s }\n');
  const [first = 0, ...later] = reported.map(({ atMs }) => atMs);
  t.is(Math.floor(first), 1_500, 'the first step begins less than a millisecond after the cluster is ready');
  t.deepEqual(
    later.map((atMs) => atMs - first),
    [1_500, 3_000],
  );
});

test('a repetition goes on until a time, or until something is seen', async (t) => {
  const { reported } = await play(
    `always: []\nsteps:\n  - { every: 1s, until: 2.5s, wait: 100ms }\n  - ${dial}\n  - { every: 500ms, until: { event: dlg_start }, wait: 1ms }\n`,
  );
  t.is(reported.filter(({ number }) => number === 1).length, 3);
  const last = reported.at(-1)?.atMs ?? 0;
  const dialled = reported.find(({ number }) => number === 2)?.atMs ?? 0;
  // 1002 answers two seconds after it began to ring.
  t.true(last > dialled + 1_500 && last < dialled + 2_600, `${dialled} ${last}`);
});

test('branches go on side by side, each in its own time, and a block is over when all of them are', async (t) => {
  const { reported } = await play(`always: []
steps:
  - parallel:
      - steps: [{ wait: 3s }, { wait: 1s }]
      - steps: [{ wait: 1s }, { at: 2.5s, wait: 10ms }]
  - wait: 1s
`);
  t.deepEqual(timesOf(reported), [
    '1.2.1 wait 1000 ms at 1 s',
    '1.2.2 wait 10 ms at 2.5 s',
    '1.1.1 wait 3000 ms at 3 s',
    '1.1.2 wait 1000 ms at 4 s',
    '2 wait 1000 ms at 5 s',
  ]);
});

test('a repetition without an end goes on as long as the other branches, and what comes after it is done then', async (t) => {
  const { reported } = await play(`always: []
steps:
  - parallel:
      - steps: [{ every: 1s, wait: 1ms }, { note: cleaned up, wait: 1ms }]
      - steps: [{ wait: 3.5s }]
`);
  t.deepEqual(
    reported.map(({ path, round }) => `${path} ${round ?? ''}`),
    ['1.1.1 1', '1.1.1 2', '1.1.1 3', '1.1.1 4', '1.2.1 ', '1.1.2 '],
  );
  t.true((reported.at(-1)?.atMs ?? 0) < 3_600);
});

test('a block is repeated, and what it has saved is there for what comes later', async (t) => {
  const { reported, verdict } = await play(`always: []
steps:
  - repeat:
      times: 2
      steps:
        - { ${calls.replace(' }', '?countonly, save: { n: count } }')} }
        - wait: 1s
  - note: as many as before
    request: { through: south, as: clerk, path: /rest/v1/uc/calls?countonly }
    expect: { body: { count: $n } }
`);
  t.is(verdict, 'pass');
  t.deepEqual(
    reported.map(({ path = '-', round = 0 }) => `${path} ${round}`),
    ['1.1 1', '1.2 1', '1.1 2', '1.2 2', '- 0'],
  );
});

test('a step begins when something is seen, in the midst of what another branch does', async (t) => {
  const { reported, verdict } = await play(`always: []
steps:
  - parallel:
      - steps:
          - ${dial}
          - wait: 10s
      - steps:
          - when: { message: sip, method: INVITE, at: acme.root.test/1002 }
            fault: { silence: acme.root.test/1002 }
          - ${calls.replace('request:', 'request:')}
            expect: { status: 200 }
`);
  t.is(verdict, 'pass', JSON.stringify(reported));
  const [silenced] = reported.filter(({ path }) => path === '1.2.1');
  t.true((silenced?.atMs ?? 0) < 1_000);
  t.true(silenced?.isExpectation);
});

const matchers = [
  'event: callevents.dlg_start',
  'message: directory.route',
  'message: sip, method: BYE, at: sip.telecom.test',
  'message: sip, method: INVITE, status: 200, at: acme.root.test/1001',
  'state: talking',
  'answer: /rest/v1/uc/calls, status: 200, at: hq',
  'status: starting, at: esg',
  'settled: true',
  'log: instance.crashed',
];

test('one can wait for events, messages, states, answers, lines of the log, and for all to be settled', async (t) => {
  const { verdict, reported } = await play(`always: []
steps:
  - parallel:
      - steps:
          - dial: { from: acme.root.test/1001, to: '4900' }
          - wait: 3s
          - fault: { crash: esg-122 }
          - wait: 3s
          - request: { through: hq, as: clerk, path: /rest/v1/uc/calls?countonly }
          - hangUp: acme.root.test/1001
${matchers.map((matcher) => `      - steps: [{ when: { ${matcher}, within: 20s } }]`).join('\n')}
`);
  t.is(verdict, 'pass', JSON.stringify(reported));
  t.is(reported.filter(({ isExpectation }) => isExpectation).length, matchers.length);
});

test('what is not seen in its time fails the step, and ends what goes on beside it', async (t) => {
  const { reported, verdict, failures, durationMs } = await play(`always: []
steps:
  - parallel:
      - steps: [{ wait: 100s }]
      - steps: [{ note: a call begins, when: { event: dlg_start, within: 2s } }]
  - ${calls}
`);
  t.is(verdict, 'fail');
  t.deepEqual(
    reported.map(({ what, failures: unmet }) => [what, unmet]),
    [['a call begins', ['not seen within 2 s']]],
  );
  const [{ atMs = 0, ...failure } = {}] = failures;
  t.deepEqual(failure, { kind: 'step', name: 'a call begins', text: 'not seen within 2 s', step: 1 });
  t.is(Math.floor(atMs), 2_000);
  t.is(durationMs, atMs);
});

test('a scenario with all of it leaves the same trace each time', async (t) => {
  const text = `always: []
workload: { calls: { rate: 2 }, requests: { rate: 2, as: clerk, path: /rest/v1/uc/calls } }
steps:
  - parallel:
      - steps: [{ every: 500ms, times: 4, fault: { delay: { from: north, by: 30ms }, name: slow } }]
      - steps: [{ when: { event: dlg_start } }, { ${calls} }]
`;
  const [first, second, other] = [await play(text), await play(text), await play(text, { seed: 2 })];
  t.is(first?.traceHash, second?.traceHash);
  t.deepEqual(first?.reported, second?.reported);
  t.not(first?.traceHash, other?.traceHash);
});

/** A b2b at n1 takes ten minutes to drain. */
const slowDrain = (process: DependencyContainer) => {
  const slow = ({ clock, instance }: RoleScope): Partial<Role> =>
    instance.node === 'n1' ? { drain: () => new Promise((resolve) => clock.setTimer(610_000, resolve)) } : {};
  const bug: PlantedBug = { name: 'slow', does: 'it hardly ends.', role: 'b2b', life: (_, scope) => slow(scope) };
  return plant(process, bug);
};

test('a node that does not come to the end of its drain fails the step that waits for it', async (t) => {
  const { scenario, map, webApps } = scenarioOf('always: []\nsteps:\n  - fault: { drain: n1 }\n');
  const world = new VirtualWorld({ map, webApps, seed: 1, replaceRoles: slowDrain });
  const report = await runScenario(scenario, world, { seed: 1 });
  t.deepEqual(
    report.failures.map(({ name, text }) => [name, text]),
    [['drain n1', 'not done within 600 s']],
  );
});

// Seed 30042 of the campaign.
test('a step that waits for a drain goes on when the node crashes', async (t) => {
  const { scenario, map, webApps } = scenarioOf(
    'always: []\nsteps:\n  - parallel:\n      - steps: [{ fault: { drain: n1 } }]\n      - steps: [{ wait: 2s }, { fault: { crash: n1 } }]\n',
  );
  const world = new VirtualWorld({ map, webApps, seed: 1, replaceRoles: slowDrain });
  const report = await runScenario(scenario, world, { seed: 1 });
  t.deepEqual(report.failures, []);
});

// Seed 50771 of the campaign: the disk of the node was slow, and it crashed before it had started.
test('a step that waits for a restart goes on when the node crashes', async (t) => {
  const { scenario, map, webApps } = scenarioOf(
    [
      'always: []\nsteps:\n  - fault: { crash: n1 }\n  - fault: { slowStore: { at: n1, by: 60s } }\n  - parallel:\n',
      '      - steps: [{ fault: { restart: n1 } }]\n      - steps: [{ wait: 2s }, { fault: { crash: n1 } }]\n',
    ].join(''),
  );
  const report = await runScenario(scenario, new VirtualWorld({ map, webApps, seed: 1 }), { seed: 1 });
  t.deepEqual(report.failures, []);
  t.true(report.durationMs < 60_000, `${report.durationMs} ms`);
});

test('a run that is stopped has not failed, whatever was under way', async (t) => {
  const { scenario, map, webApps } = scenarioOf(
    `always: []\nsteps:\n  - wait: 1s\n  - { ${calls}, expect: { status: 404, within: 5s } }\n`,
  );
  const stopping = new AbortController();
  const { verdict, failures, unproved } = await runScenario(scenario, new VirtualWorld({ map, webApps, seed: 1 }), {
    seed: 1,
    stopped: stopping.signal,
    onReady: (stage) => void stage.clock.setTimer(3_000, () => stopping.abort()),
  });
  t.deepEqual([verdict, failures], ['unknown', []]);
  t.is(unproved[0], 'the run was stopped in step 2');
});
