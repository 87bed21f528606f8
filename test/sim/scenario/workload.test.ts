/** The workload of a scenario: what goes on beside its steps, and the account of it. */

import type { WorkloadReport } from '../../../sim/scenario/report.ts';
import { test } from '../../kit/test.ts';
import { play } from './kit.ts';

const accountOf = (workload: readonly WorkloadReport[]) => new Map(workload.map((account) => [account.name, account]));

test('calls, requests, logins and changes go on at their rates, and each has an account', async (t) => {
  const { workload, verdict, unproved } = await play(`always: []
workload:
  calls: { rate: 2/s, holding: 3s }
  requests: { rate: 4, as: clerk, mix: { /rest/v1/uc/calls: 3, '/rest/v1/uc/sipusers?limit=2': 1, /rest/v1/uc/conferences: 0 } }
  logins: { rate: 1, domain: acme.root.test, login: user, pwd: user, stay: 1s }
  changes: [{ rate: 2, as: clerk, entity: user }, { rate: 1, as: clerk, entity: recordrule, mix: { create: 1 } }]
steps:
  - wait: 30s
  - request: { through: north, as: clerk, path: /rest/v1/uc/calls }
    expect: { status: 200 }
`);
  t.deepEqual([verdict, unproved], ['pass', []]);
  const accounts = accountOf(workload);
  const near = (name: string, wanted: number) => {
    const { started = 0, acknowledged = 0 } = accounts.get(name) ?? {};
    t.true(started > wanted * 0.6 && started < wanted * 1.5, `${name}: ${started} of ${wanted}`);
    t.true(acknowledged > started * 0.6, `${name}: ${acknowledged} of ${started} acknowledged`);
  };
  near('calls', 60);
  near('GET /rest/v1/uc/calls', 90);
  near('GET /rest/v1/uc/sipusers?limit=2', 30);
  near('logins', 30);
  near('create recordrule', 30);
  near('create user', 24);
  near('patch user', 24);
  t.true((accounts.get('delete user')?.acknowledged ?? 0) > 2);
  t.false(accounts.has('GET /rest/v1/uc/conferences'));
});

test('a step replaces the parts that it names, or ends all', async (t) => {
  const { world, reported, workload } = await play(`always: []
workload:
  calls: { rate: 5, holding: 1s }
  requests: { rate: 5, as: clerk, path: /rest/v1/uc/calls }
steps:
  - wait: 10s
  - workload: { calls: none }
  - wait: 10s
  - note: no call is left
    request: { through: north, as: clerk, path: /rest/v1/uc/calls }
    expect: { count: 0, within: 20s }
  - workload: none
  - wait: 60s
`);
  const account = accountOf(workload).get('GET /rest/v1/uc/calls');
  t.true((account?.started ?? 0) > 60 && (account?.started ?? 0) < 240, `${account?.started}`);
  t.is(reported.at(-1)?.failures.length, 0);
  t.is(world.outside.calls, 0);
});

test('of an entity there are never more than was said', async (t) => {
  const { workload, failures } = await play(`always: []
workload:
  changes: { rate: 10, as: clerk, entity: chatcampaign, mix: { create: 1 }, most: 5 }
steps:
  - wait: 20s
  - workload: none
  - request: { through: hq, as: clerk, path: /rest/v1/uc/chatcampaigns?countonly, save: { n: count } }
  - request: { through: hq, as: clerk, path: /rest/v1/uc/chatcampaigns }
    expect: { status: 200 }
`);
  t.deepEqual(failures, []);
  const accounts = accountOf(workload);
  const left =
    (accounts.get('create chatcampaign')?.acknowledged ?? 0) - (accounts.get('delete chatcampaign')?.acknowledged ?? 0);
  // Some may be under way while it is looked how many there are.
  t.true(left >= 3 && left <= 8, `${left}`);
});

test('a workload does not shift the chance of the world: what it draws is its own', async (t) => {
  const text = (workload: string) => `always: []\n${workload}steps: [{ wait: 5s }]\n`;
  const [without, idle] = [
    await play(text('')),
    await play(text('workload: { requests: { rate: 0, path: /healthz } }\n')),
  ];
  t.is(without?.traceHash, idle?.traceHash);
});

test('failures have their reasons, the commonest first, and requests without an answer when the load ends are open', async (t) => {
  const { workload } = await play(`always: all
workload:
  calls: { rate: 3/s, holding: 5s }
  requests:
    - { rate: 4, through: [north], path: /rest/v1/uc/calls }
    - { rate: 4, as: clerk, through: [north, south], path: /rest/v1/uc/calls }
steps:
  - { wait: 10s, note: as it should be }
  - fault: { cut: { from: north }, name: lines }
  - fault: { crash: s1 }
  - fault: { crash: s2 }
  - wait: 20s
  - fault: { restart: s1 }
  - fault: { restart: s2 }
  - fault: { mend: lines }
  - when: { settled: true }
`);
  for (const { name, started, acknowledged, failed, open, reasons } of workload) {
    t.is(started, acknowledged + failed + open, name);
    t.is(
      failed,
      reasons.reduce((sum, { count }) => sum + count, 0),
      name,
    );
    const counts = reasons.map(({ count }) => count);
    t.deepEqual(
      counts,
      counts.toSorted((a, b) => b - a),
      name,
    );
  }
  const [calls, anonymous, clerks] = workload;
  t.deepEqual(anonymous?.reasons, [{ why: '401', count: anonymous?.started ?? 0 }]);
  t.deepEqual(clerks?.reasons, [{ why: 'no answer', count: clerks?.failed ?? 0 }]);
  t.true((clerks?.failed ?? 0) > 0 && (clerks?.acknowledged ?? 0) > 0, JSON.stringify(clerks));
  t.true((calls?.open ?? 0) > 0 && (calls?.failed ?? 0) > 0, JSON.stringify(calls));
  t.false(
    calls?.reasons.some(({ why }) => why === '487'),
    'who hangs up because the load is over has not failed',
  );
});

test('logins close the oldest session before a user has too many: no login is banned, and a session of the scenario stays', async (t) => {
  const { workload, verdict, failures } = await play(`always: []
workload:
  logins: { rate: 5/s, domain: acme.root.test, login: admin, pwd: admin, stay: 10s }
steps:
  - wait: 60s
  - request: { through: north, as: clerk, path: /rest/v1/iam/sessions/current }
    expect: { status: 200 }
`);
  t.deepEqual([verdict, failures], ['pass', []]);
  const [{ started = 0, acknowledged = 0, failed = 0, open = 0 } = {}] = workload;
  t.true(started > 200);
  t.deepEqual([acknowledged + open, failed], [started, 0]);
});

test('subscribers follow events over web sockets, and continue with their cursor at any front', async (t) => {
  const { workload, verdict, failures, oracles } = await play(`always: [subscribers-hear]
workload:
  calls: { rate: 1, holding: 2s }
  subscribers: { count: 3, as: [clerk], rate: 0.5 }
steps:
  - wait: 10s
  - fault: { crash: { role: ws, site: north } }
  - wait: 20s
  - workload: none
  - wait: 30s
`);
  t.deepEqual([verdict, failures], ['pass', []]);
  const { started = 0, acknowledged = 0 } = accountOf(workload).get('subscriptions') ?? {};
  t.true(acknowledged > 10 && started >= 3, `${acknowledged} of ${started}`);
  t.true((oracles[0]?.checks ?? 0) > 100, `${oracles[0]?.checks} events`);
});

test('clients whose session no front knows any more log in again', async (t) => {
  const { workload } = await play(`always: []
workload:
  requests: { rate: 5, as: clerk, path: /rest/v1/uc/calls }
steps:
  - wait: 2s
  - fault: { crash: { role: ws } }
  - wait: 20s
`);
  const { started = 0, acknowledged = 0, reasons = [] } = accountOf(workload).get('GET /rest/v1/uc/calls') ?? {};
  t.true(acknowledged > started * 0.7, JSON.stringify(reasons));
});
