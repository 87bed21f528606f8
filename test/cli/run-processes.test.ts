/** `strowger run --mode processes`: scenarios against a cluster with a process for each node, under real faults. */

import { refusalsIn } from '../../sim/processes/refusals.ts';
import { leastMs } from '../../sim/scenario/least-time.ts';
import { loadScenario, shippedScenarios } from '../../sim/scenario/load-scenario.ts';
import { isLong } from '../kit/property.ts';
import { test } from '../kit/test.ts';
import { edited, writeFile } from '../topology/edits.ts';
import { smallYaml } from '../topology/small.ts';
import { Running } from './command.ts';
import { strowger } from './in-process.ts';

/** An hour of virtual time is an hour here. */
const longestMs = 600_000;

/** The scenarios that ship. */
const shipped = once(() => new Map(shippedScenarios().map((name) => [name, loadScenario(name)])));
const able = () =>
  [...shipped()].flatMap(([name, { scenario }]) => (leastMs(scenario.steps) < longestMs ? [name] : []));

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

test('the least time of a scenario is that of its waits, intervals and rounds, and of the longest branch', (t) => {
  const wait = { wait: 2_000 };
  t.is(leastMs([wait, wait, { at: 3_000, fault: {} }]), 4_000);
  t.is(leastMs([{ at: 3_000, wait: 1_000 }, { repeat: { times: 3, steps: [wait] } }]), 10_000);
  t.is(
    leastMs([{ parallel: [{ steps: [wait] }, { steps: [{ every: 500, times: 11, request: {} as never }] }] }]),
    5_000,
  );
  t.is(leastMs([wait, { steps: [wait, wait] }]), 6_000);
});

test('all scenarios in the package but the one that waits for an hour take less than ten minutes in real time', (t) => {
  t.deepEqual(
    shippedScenarios().filter((name) => !able().includes(name)),
    ['master-away'],
  );
});

test('every scenario in the package can run in a cluster of processes', (t) => {
  for (const [name, { map, scenario }] of shipped()) t.deepEqual(refusalsIn(map, scenario.steps), [], name);
});

// Seven processes in real time need a machine of their own.
for (const name of isLong ? able() : []) {
  test(`${name} passes in a cluster of processes`, async (t) => {
    t.timeout(15 * 60_000);
    const running = new Running(t, ['run', name, '--mode', 'processes']);
    t.is(await running.ended, 0, `${running.out}${running.err}`);
    t.regex(running.out, /^pass: .* oracles exercised/m);
  });
}

/** A busy machine must not look like nodes that do not respond. */
const patientYaml = edited(smallYaml, [
  ['pingIntervalMs: 1000', 'pingIntervalMs: 500\n  pingPatienceMs: 500\n  pingMisses: 8\n  requestDeadlineMs: 20000'],
  [
    '- { role: rpco, srvidx: 22 }',
    '- { role: rpco, srvidx: 22 }\n          - { role: mware, srvidx: 24, group: 24, order: 1 }',
  ],
  [
    '  - name: acme.root.test\n',
    '  - name: acme.root.test\n    opts: { iam_external_svcscript_code: external-login }\n',
  ],
]);

/** One cluster for all faults that are real: its start is what costs. */
const faulty = (topology: string) => `name: faulty
why: A node is killed, its disk is lost, it is cut off and frozen, its disk is full, and what its scripts ask of others is refused.
topology: ${topology}
seed: 1
sessions:
  operator: { through: east, domain: root.test, login: admin, pwd: admin }
  clerk: { through: east, domain: acme.root.test, login: admin, pwd: admin }
  author: { through: west, domain: acme.root.test, login: admin, pwd: admin }
always: [no-bugs, asks-end, requests-answered, effects-once]
steps:
  # The disk of the node with the domain data is full: a change is refused until there is room.
  - fault: { fillStore: { at: e1 }, name: room }
  - request: &change { through: east, as: clerk, method: POST, path: /rest/v1/uc/recordrules, body: { tonumber: '1002' } }
    expect: { status: 503 }
  - fault: { mend: room }
  - request: *change
    expect: { status: 200, within: 20s }

  # A script in a process asks another system, which is in the runner with its stubs, faults and deliveries.
  - stub: { url: 'https://auth.test/', answer: { status: 200 } }
  - request:
      through: west
      as: author
      method: POST
      path: /rest/v1/domain/svcscripts
      body:
        code: external-login
        components:
          - { name: start, type: start, next: ask }
          - { name: ask, type: http, method: POST, url: "'https://auth.test/verify'", timeout: 20, next: done, failed: away }
          - { name: done, type: assign, set: { success: 'false', message: "'answer ' + result.status" } }
          - { name: away, type: assign, set: { success: 'false', message: "'refused'" } }
    expect: { status: 200 }
  - request: &login { through: west, method: POST, path: /rest/v1/iam/external, body: { domain: acme.root.test, step: 1, login: user } }
    expect: { status: 200, within: 20s, body: { message: answer 200 } }
  - fault: { refuseHttp: { url: 'https://auth.test/' } }
  - request: *login
    expect: { status: 200, body: { message: refused } }
  - look: deliveries
    expect: { items: [{ where: { outcome: open }, count: 0 }, { every: { url: 'https://auth.test/verify' } }] }

  # A node is killed and started again, cut off, and frozen with SIGSTOP.
  - fault: { crash: w2 }
  - request: &edges { through: east, as: operator, path: /rest/v1/master/logicalroles/esg/bannedaddrs }
    expect: &gone { status: 200, within: 60s, items: [{ where: { srvidx: 31 }, every: { online: false }, count: 1 }] }
  - fault: { wipe: w2 }
  - fault: { restart: w2 }
  - request: *edges
    expect: &back { status: 200, within: 60s, items: [{ every: { online: true }, count: 2 }] }
  - fault: { cut: { from: west }, name: lines }
  - request: *edges
    expect: *gone
  - fault: { mend: lines }
  - request: *edges
    expect: *back
  - fault: { pause: w2 }
  - request: *edges
    expect: *gone
  - fault: { resume: w2 }
  - request: *edges
    expect: *back
`;

test('faults of processes, links, disks and other systems are real, as fronts and oracles see them', async (t) => {
  const file = writeFile(t, 'faulty.yaml', faulty(writeFile(t, 'small.yaml', patientYaml)));
  const running = new Running(t, ['run', file, '--mode', 'processes', '--json']);
  const code = await running.ended;
  t.is(code, 0, `${running.out}${running.err}`);
  const report = JSON.parse(running.out) as {
    mode: string;
    oracles: { name: string; verdict: string; checks: number }[];
  };
  t.is(report.mode, 'processes');
  t.deepEqual(report.oracles.map(({ name, verdict }) => [name, verdict]).toSorted(), [
    ['asks-end', 'pass'],
    ['effects-once', 'pass'],
    ['no-bugs', 'pass'],
    ['requests-answered', 'pass'],
  ]);
});

test('a scenario with faults of messages is not run, with the reasons in words', async (t) => {
  const topology = writeFile(t, 'small.yaml', patientYaml);
  const lossy = faulty(topology).replace('{ crash: w2 }', '{ lose: { from: west, probability: 0.5 } }');
  const { code, out } = await strowger(t, 'run', writeFile(t, 'lossy.yaml', lossy), '--mode', 'processes');
  t.is(code, 2);
  t.regex(out, /^unknown \(lose: not for a cluster of processes: it needs whole messages, and a proxy passes bytes\)/m);
});
