/** Requests that ask one instance after the other. */

import { withDeadline } from '../../src/cluster/messaging/deadline.ts';
import type { RoleScope } from '../../src/cluster/role.ts';
import { done } from '../../src/model/fault.ts';
import { listItems } from '../../src/services/domain-data.ts';
import { mwareList } from '../../src/services/mware-requests.ts';
import { dropRegistrations, listStates } from '../../src/services/sip-users.ts';
import { defaultMap } from '../kit/maps.ts';
import { test } from '../kit/test.ts';

test('all asks of a request end when it has to be answered, or at deadlines of their own before it', async (t) => {
  let nowMs = 1_000;
  const deadlines: (number | undefined)[] = [];
  const ask = async (_to: string, _type: string, _body: unknown, options?: { deadlineMs?: number }) =>
    void deadlines.push(options?.deadlineMs);
  const clock = { now: () => nowMs };
  const scope = withDeadline({ map: defaultMap, clock, ask } as unknown as RoleScope);
  const lastMs = nowMs + defaultMap.topology.timings.requestDeadlineMs;
  const asks = (deadlineMs?: number) =>
    scope.ask('hq/h1', 'node.describe', {}, ...(deadlineMs === undefined ? [] : [{ deadlineMs }]));
  await asks();
  nowMs += 3_000;
  await asks();
  await asks(nowMs + 1_000);
  await asks(nowMs + 5_000);
  t.deepEqual(deadlines, [lastMs, lastMs, nowMs + 1_000, lastMs]);
});

const domain = 'acme.root.test';
const rest = { name: 'r1', at: 'hq/h1/mdc-118' };
const replies: Readonly<Record<string, object>> = {
  'mware.calls': { items: [], rest, missing: [] },
  'data.list': { items: [], rest },
  'directory.sipusers': { users: [{ id: 'ann', login: '1001' }], rest },
  'registrar.online': { logins: [], rest },
};

const slowRequests: Readonly<Record<string, (scope: RoleScope) => Promise<unknown>>> = {
  'a list of mware': (scope) => mwareList(scope, 'mware.calls', { domain, params: [] }),
  'a list of domain data': (scope) => listItems(scope, { kind: 'recordrule', domain }, { params: [], isAdmin: true }),
  'the states of SIP users': (scope) => listStates(scope, domain),
  'dropped registrations': (scope) => dropRegistrations(scope, domain, 'ann'),
};

for (const [name, request] of Object.entries(slowRequests)) {
  test(`${name}: one deadline, however slowly the pieces come`, async (t) => {
    const beganMs = 1_000;
    let nowMs = beganMs;
    const deadlines: (number | undefined)[] = [];
    const ask = async (_to: string, type: string, _body: unknown, options?: { deadlineMs?: number }) => {
      deadlines.push(options?.deadlineMs);
      nowMs += 1_000;
      return done(replies[type] ?? { items: [] });
    };
    const [instance] = defaultMap.instancesOf('ws');
    const view = { statusOf: () => 'active' };
    const clock = { now: () => nowMs };
    await request({ map: defaultMap, instance, view, clock, ask } as unknown as RoleScope);
    t.true(deadlines.length > 1);
    const lastMs = beganMs + defaultMap.topology.timings.requestDeadlineMs;
    for (const deadlineMs of deadlines) t.true(deadlineMs !== undefined && deadlineMs <= lastMs, `${deadlines}`);
  });
}
