/** What must hold over a whole run: rules, what comes true, what is seen, what is promised; and when nothing is proved. */

import { loadTopology } from '../../../sim/topology/load-topology.ts';
import { test } from '../../kit/test.ts';
import { play } from './kit.ts';

const list = 'request: { through: north, as: clerk, path: /rest/v1/uc/calls }';
const asked = `  - ${list}\n    expect: { status: 200 }\n`;
const dial = '  - dial: { from: acme.root.test/1001, to: "1002" }\n';

test('what must come true is asked for beside the steps, and after them until its time is over', async (t) => {
  const text = `always: []
eventually:
  - name: a call is listed
    within: 20s
    ${list}
    expect: { count: 1 }
  - { name: it is published, within: 20s, seen: { event: dlg_start } }
steps:
${dial}`;
  const { verdict, eventually, durationMs } = await play(text);
  t.is(verdict, 'pass');
  t.true(eventually.every(({ atMs = 0 }) => atMs > 0 && atMs < 5_000));
  t.true(durationMs >= 2_000);
});

test('what never comes true fails when its time is over, with what was missing last', async (t) => {
  const { verdict, failures } = await play(`always: []
eventually:
  - { name: two calls, within: 5s, ${list}, expect: { count: 2 } }
  - { name: none ends, within: 3s, seen: { event: dlg_stop } }
steps:
${asked}`);
  t.is(verdict, 'fail');
  t.deepEqual(
    failures.map(({ kind, name, text, step }) => [kind, name, text.replace(/, got.*/, ''), step]),
    [['eventually', 'none ends', 'not seen within 3 s', 2]],
    'the first one ends the run',
  );
});

test('a run in which something was never seen proves nothing, and says what', async (t) => {
  const text = `always: []
sometimes:
  - { name: a call begins, seen: { event: dlg_start } }
  - { name: a call is transferred, seen: { message: sip, method: REFER } }
steps:
${asked}${dial}  - wait: 5s
`;
  const { verdict, sometimes, unproved } = await play(text);
  t.is(verdict, 'unknown');
  t.deepEqual(unproved, ['sometimes "a call is transferred" was never seen']);
  t.deepEqual(
    sometimes.map(({ name, count, atMs }) => [name, count, atMs !== undefined]),
    [
      ['a call begins', 1, true],
      ['a call is transferred', 0, false],
    ],
  );
});

for (const [what, text, reason] of [
  ['nothing was expected', `steps:\n  - ${list}\n`, 'the scenario has no expectation, so the run proves nothing'],
  [
    'nothing was asked',
    'steps:\n  - look: acme.root.test/1001\n    expect: { body: { isRegistered: true } }\n',
    'no step asked anything of the cluster',
  ],
  ['a named oracle had nothing to say', `always: [one-home]\nsteps:\n${asked}`, 'oracle one-home was never exercised'],
  [
    'no request of a workload succeeded',
    `workload: { requests: { rate: 5, as: clerk, path: /rest/v1/uc/calls/nothing } }\nsteps:\n${asked}  - wait: 3s\n`,
    /^no requests of the workload succeeded \(\d+ started\)$/,
  ],
  [
    'no fault occurred that the promise covers',
    `promise: { detect: 3s }\nsteps:\n${asked}`,
    'no fault occurred that the promise covers',
  ],
] as const) {
  test(`it is unknown where ${what}`, async (t) => {
    const { verdict, unproved } = await play(text);
    t.is(verdict, 'unknown');
    t.is(unproved.length, 1);
    if (typeof reason === 'string') t.is(unproved[0], reason);
    else t.regex(unproved[0] ?? '', reason);
  });
}

test('oracles watch each run, and are asked once it is quiescent', async (t) => {
  const { oracles, verdict } = await play(
    `always: [requests-answered, calls-agree]\nsteps:\n${asked}${dial}  - wait: 5s\n`,
  );
  t.is(verdict, 'pass');
  t.deepEqual(
    oracles.map(({ name, verdict: each, checks }) => [name, each, checks > 0]),
    [
      ['requests-answered', 'pass', true],
      ['calls-agree', 'pass', true],
    ],
  );
});

const promise = `always: []
promise:
  of: lines
  detect: 5s
  failOver: 6s
  recover: 10s
  ${list}
  agree: { path: '/rest/v1/uc/sipusers?mask=id', as: clerk }
steps:
${asked}  - fault: { cut: { from: north }, name: lines }
  - wait: 15s
  - fault: { mend: lines }
`;

test('what is promised is measured from the fault, and from its mend', async (t) => {
  const { verdict, promises, failures } = await play(promise);
  t.is(verdict, 'pass', JSON.stringify(failures));
  const measured = new Map(promises.map(({ name, measuredMs }) => [name, measuredMs ?? Number.NaN]));
  // Three pings missed.
  t.true((measured.get('detect') ?? 0) > 1_000 && (measured.get('detect') ?? 0) < 5_000);
  t.true((measured.get('failOver') ?? 0) > 0 && (measured.get('failOver') ?? 0) < 6_000);
  t.true((measured.get('recover') ?? 0) > 0 && (measured.get('recover') ?? 0) < 10_000);
  t.true(promises.every(({ fault, promisedMs }) => fault === 'lines' && promisedMs > 0));
});

test('a promise that is not kept fails the run, with what was measured', async (t) => {
  const { verdict, failures } = await play(promise.replace('detect: 5s', 'detect: 500ms'));
  t.is(verdict, 'fail');
  t.is(failures[0]?.kind, 'promise');
  t.is(failures[0]?.name, 'detect');
  t.regex(failures[0]?.text ?? '', /^promised within 500 ms of "lines", got \d+(\.\d+)? ms$/);
});

test('a promise that nothing keeps is broken when its time is over', async (t) => {
  const never = promise.replace('  - fault: { mend: lines }\n', '').replace('recover: 10s', 'recover: 20s');
  const { verdict, failures, durationMs } = await play(never);
  t.is(verdict, 'fail');
  t.deepEqual(
    failures.map(({ name, text }) => [name, text]),
    [['recover', 'promised within 20000 ms of "lines", got nothing']],
  );
  t.true(durationMs > 20_000 && durationMs < 22_000);
});

test('what is seen and measured while a world stops is no part of the run', async (t) => {
  const { verdict, promises, sometimes } =
    await play(`sometimes: [{ name: a peer is lost, seen: { machine: peer, state: lost } }]
promise: { detect: 5s, recover: 30s, of: slow }
steps:
  - fault: { delay: { from: north, by: 20ms }, name: slow }
  - wait: 2s
  - request: { through: north, as: clerk, path: /rest/v1/uc/calls }
    expect: { status: 404 }
`);
  t.is(verdict, 'fail');
  t.is(sometimes[0]?.count, 0);
  t.deepEqual(
    promises.map((each) => [each.name, each.measuredMs, each.verdict]),
    [
      ['detect', undefined, 'open'],
      ['recover', undefined, 'open'],
    ],
  );
});

test('a state is seen when it is entered, also after the last step: a peer that stays lost is lost once', async (t) => {
  const { sometimes, promises } =
    await play(`sometimes: [{ name: a peer is lost, seen: { machine: peer, state: lost } }]
promise: { detect: 6s, of: silence }
steps:
  - fault: { pause: s1, name: silence }
  - wait: 2s
`);
  t.is(promises[0]?.verdict, 'kept');
  t.true((promises[0]?.measuredMs ?? 0) > 2_000, 'after the last step');
  const { length: peers } = loadTopology('default').map.peersOf('s1');
  const { count = 0 } = sometimes[0] ?? {};
  t.true(count > 0 && count <= peers, `${count} of ${peers}`);
  const longer = await play(`sometimes: [{ name: a peer is lost, seen: { machine: peer, state: lost } }]
steps:
  - fault: { pause: s1 }
  - wait: 30s
`);
  t.is(longer.sometimes[0]?.count, peers, 'once at each that pings it');
});
