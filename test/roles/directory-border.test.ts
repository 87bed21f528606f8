/** Border rules of the domain data hold at the edges of every site, as soon as they are made. */
import test from 'ava';
import { SeededRandom } from '../../sim/random.ts';
import { SimulatedStores } from '../../sim/store.ts';
import type { SipRequest } from '../../src/model/sip/message.ts';
import { borderRuleSchema } from '../../src/model/topology/schema.ts';
import { namedUuid } from '../../src/model/uuid.ts';
import { createMdc } from '../../src/roles/directory/mdc.ts';
import { createSdc } from '../../src/roles/directory/sdc.ts';
import type { RoleScope } from '../../src/runtime/role.ts';
import { EdgeCluster, mapWith } from '../kit/edges.ts';

const rules = [borderRuleSchema.parse({ priority: 9, action: 'deny', remoteipmask: '10.100.9.0/24' })];
const place = { kind: 'borderrule', domain: 'root.test' };
let knocks = 0;

async function start(): Promise<EdgeCluster> {
  let made: SimulatedStores | undefined;
  const storesWith = ({ clock }: RoleScope) => {
    made ??= new SimulatedStores({ clock, random: new SeededRandom(1).stream('faults'), latencyMs: 0 });
    return made;
  };
  return EdgeCluster.start({
    map: mapWith({ borderrules: rules }),
    roles: {
      mdc: (scope) => createMdc(scope, storesWith(scope).shared('sites/hq', scope.instance.node)),
      sdc: (scope) => createSdc(scope, storesWith(scope).of(scope.instance.node)),
    },
  });
}

async function change(
  cluster: EdgeCluster,
  type: 'data.create' | 'data.delete',
  body: Record<string, unknown>,
): Promise<string> {
  const asked = cluster.probed.scope('b2b-114').ask('hq/h3/mdc-133', type, { ...place, ...body } as never);
  const { value } = await cluster.probed.comes(asked);
  if (!value.ok) throw new Error(value.fault.message);
  await cluster.pass(50);
  return (value.value as { item?: { id: string } }).item?.id ?? '';
}

/** What comes of a request from an address at a gate: its status, `in`, or `nothing`. */
async function knock(
  cluster: EdgeCluster,
  ip: string,
  gate: string,
  more: Partial<SipRequest> = {},
): Promise<number | string> {
  knocks += 1;
  const callid = `call-${knocks}`;
  const stranger = cluster.stranger(`${ip}:${5_000 + knocks}`);
  const instance = cluster.probed.map.instanceNamed(gate)!;
  stranger.ask(cluster.probed.map.endpointOf(instance), 'INVITE', { callid, ...more });
  await cluster.pass();
  const isIn = cluster.requestsInside.some((request) => request.callid === callid);
  return stranger.responses[0]?.status ?? (isIn ? 'in' : 'nothing');
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

test('a site that was cut off hears of the rules when it is back; until then it keeps those that it has', async (t) => {
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
