/** Border rules of the domain data hold at the edges of every site, as soon as they are made. */

import { SeededRandom } from '../../../sim/ports/random.ts';
import { SimulatedStores } from '../../../sim/ports/store.ts';
import type { RoleScope } from '../../../src/cluster/role.ts';
import type { Envelope } from '../../../src/model/cluster/envelope.ts';
import { done, type Outcome } from '../../../src/model/fault.ts';
import { borderRuleSchema, type TopologyBorderRule } from '../../../src/model/numbers/border-rules.ts';
import type { SipRequest } from '../../../src/model/sip/message.ts';
import { namedUuid } from '../../../src/model/uuid.ts';
import { createMdc } from '../../../src/roles/directory/mdc.ts';
import { createSdc } from '../../../src/roles/directory/sdc.ts';
import { EdgeCluster, mapWith } from '../../kit/calls/edges.ts';
import { test } from '../../kit/test.ts';

const rules = [borderRuleSchema.parse({ priority: 9, action: 'deny', remoteipmask: '10.100.9.0/24' })];
const place = { kind: 'borderrule', domain: 'root.test' };
let knocks = 0;

async function start(borderrules: readonly TopologyBorderRule[] = rules): Promise<EdgeCluster> {
  let made: SimulatedStores | undefined;
  const storesWith = ({ clock }: RoleScope) => {
    made ??= new SimulatedStores({ clock, random: new SeededRandom(1).stream('faults'), latencyMs: 0 });
    return made;
  };
  return EdgeCluster.start({
    map: mapWith({ borderrules: [...borderrules] }),
    roles: {
      mdc: (scope) => createMdc(scope, storesWith(scope).shared('sites/hq', scope.instance.node)),
      sdc: (scope) => createSdc(scope, storesWith(scope).of(scope.instance.node)),
    },
  });
}

async function change(
  cluster: EdgeCluster,
  type: 'data.create' | 'data.patch' | 'data.delete',
  body: Record<string, unknown>,
): Promise<string> {
  const asked = cluster.probed.scope('b2b-114').ask('hq/h3/mdc-133', type, { ...place, ...body } as never);
  const { value } = await cluster.probed.comes(asked);
  if (!value.ok) throw new Error(value.fault.message);
  await cluster.pass(50);
  return (value.value as { item?: { id: string } }).item?.id ?? '';
}

/** The result of a request from an address at a gate: its status, `in`, or `nothing`. */
async function knock(
  cluster: EdgeCluster,
  ip: string,
  gate: string,
  more: Partial<SipRequest> = {},
): Promise<number | string> {
  knocks += 1;
  const callid = `call-${knocks}`;
  const caller = cluster.endpoint(`${ip}:${5_000 + knocks}`);
  const instance = cluster.probed.map.instanceNamed(gate)!;
  caller.ask(cluster.probed.map.endpointOf(instance), 'INVITE', { callid, ...more });
  await cluster.pass();
  const isIn = cluster.requestsInside.some((request) => request.callid === callid);
  return caller.responses[0]?.status ?? (isIn ? 'in' : 'nothing');
}

const gates = ['sg-123', 'sg-213', 'sg-313'];

test('a rule that is made, or removed, holds at the gates of every site at once', async (t) => {
  const cluster = await start();
  for (const gate of gates) t.is(await knock(cluster, '10.100.1.1', gate), 'in', gate);
  const id = await change(cluster, 'data.create', {
    id: namedUuid(`rule ${knocks}`),
    given: { action: 'deny', remoteipmask: '10.100.1.0/24', priority: 1 },
  });
  for (const gate of gates) t.is(await knock(cluster, '10.100.1.1', gate), 403, gate);
  await change(cluster, 'data.create', {
    id: namedUuid(`rule ${knocks}`),
    given: { action: 'drop', remoteipmask: '10.100.1.1', priority: 0, site: 'north' },
  });
  t.deepEqual(await Promise.all(gates.map((gate) => knock(cluster, '10.100.1.1', gate))), [403, 'nothing', 403]);
  await change(cluster, 'data.delete', { id });
  t.deepEqual(await Promise.all(gates.map((gate) => knock(cluster, '10.100.1.1', gate))), ['in', 'nothing', 'in']);
});

test('the rules of the topology hold from the start, and are changed like others', async (t) => {
  const cluster = await start();
  for (const gate of gates) t.is(await knock(cluster, '10.100.9.1', gate), 403, gate);
  await change(cluster, 'data.create', {
    id: namedUuid(`rule ${knocks}`),
    given: { action: 'allow', remoteipmask: '10.100.9.1', priority: 1 },
  });
  for (const gate of gates) t.is(await knock(cluster, '10.100.9.1', gate), 'in', gate);
});

test('a rule that is not enabled does nothing', async (t) => {
  const cluster = await start();
  await change(cluster, 'data.create', {
    id: namedUuid(`rule ${knocks}`),
    given: { action: 'deny', priority: 0, enabled: 0 },
  });
  for (const gate of gates) t.is(await knock(cluster, '10.100.1.1', gate), 'in', gate);
});

test('a site that was cut off gets the new rules when it is back, and applies its old ones until then', async (t) => {
  const cluster = await start();
  cluster.probed.faults.cut({ from: 'north' });
  await cluster.pass(5_000);
  await change(cluster, 'data.create', {
    id: namedUuid(`rule ${knocks}`),
    given: { action: 'deny', remoteipmask: '10.100.1.1', priority: 0 },
  });
  t.is(await knock(cluster, '10.100.1.1', 'sg-213'), 'in');
  t.is(await knock(cluster, '10.100.9.1', 'sg-213'), 403);
  cluster.probed.faults.mend();
  await cluster.pass(5_000);
  t.is(await knock(cluster, '10.100.1.1', 'sg-213'), 403);
});

test('a rule of the topology that does not compile keeps no gate from its start: it fails closed for its domain, and is logged', async (t) => {
  const broken = { priority: 1, action: 'deny', domain: 'acme.root.test', useragent: '/^(?=x)/' };
  const cluster = await start([borderRuleSchema.parse(broken)]);
  const from = (domain: string) => ({ from: { uri: `sip:1@${domain}`, tag: 'f' } });
  for (const gate of gates) {
    t.is(await knock(cluster, '10.100.1.1', gate, from('acme.root.test')), 403, gate);
    t.is(await knock(cluster, '10.100.1.1', gate, from('globex.root.test')), 'in', gate);
  }
  const asked = cluster.probed
    .scope('b2b-114')
    .ask('hq/h3/mdc-133', 'data.list', { ...place, params: [], isAdmin: true });
  const { value } = await cluster.probed.comes(asked);
  const [item] = value.ok ? value.value.items : [];
  const logged = cluster.probed.journal.lines.filter((line) => line.includes('border.rule_problem'));
  t.true(logged.some((line) => line.includes('sg-213') && line.includes('useragent')));
  t.regex(String(item?.['problem']), /^useragent: expected a regular expression without look-ahead/);
  await change(cluster, 'data.patch', { id: item?.['id'], patch: { useragent: '/^x/' } });
  for (const gate of gates) t.is(await knock(cluster, '10.100.1.1', gate, from('acme.root.test')), 'in', gate);
});

test('a rule that exceeds the step limit of all rules is refused, and the other rules still apply', async (t) => {
  const cluster = await start();
  const make = (n: number) =>
    change(cluster, 'data.create', {
      id: namedUuid(`large ${n}`),
      given: { action: 'deny', priority: n, username: `/^${n}(a|b){80}$/` },
    });
  await t.throwsAsync(
    (async () => {
      for (let n = 0; n < 8; n += 1) await make(n);
    })(),
    { message: /^expected regular expressions of at most 4000 steps in all enabled border rules, got \d+$/ },
  );
  for (const gate of gates) t.is(await knock(cluster, '10.100.9.1', gate), 403, gate);
  t.false(cluster.probed.journal.lines.some((line) => line.includes('border.rule_problem')));
});

test('rules that arrive late do not replace later ones', async (t) => {
  let asked = 0;
  const answer = ({ type }: Envelope, { clock }: RoleScope) => {
    if (type !== 'directory.borderrules') return done({});
    asked += 1;
    if (asked > 1) return done({ rules });
    return new Promise<Outcome<unknown>>((resolve) => void clock.setTimer(500, () => resolve(done({ rules: [] }))));
  };
  const cluster = await EdgeCluster.start({ map: mapWith({ borderrules: [...rules] }), answer });
  await cluster.pass(1_000);
  asked = 0;
  for (let change = 0; change < 2; change += 1)
    cluster.probed.scope('sdc-218').tell('north/n1/sg-213', 'directory.changed', {});
  await cluster.pass(1_000);
  t.is(await knock(cluster, '10.100.9.1', 'sg-213'), 403);
});
