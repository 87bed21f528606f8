/** Calls when parts of the cluster are lost, stop, or start anew. */

import type { RoleScope } from '../../../src/cluster/role.ts';
import { createB2b } from '../../../src/roles/b2b/b2b.ts';
import { acme, CallWorld } from '../../kit/calls/call-world.ts';
import { mapWith } from '../../kit/calls/edges.ts';
import type { TestParty } from '../../kit/calls/party.ts';
import { defaultMap } from '../../kit/maps.ts';
import { test } from '../../kit/test.ts';

const ring = { type: 'ring' } as const;
const answer = { type: 'answer' } as const;
const outside = '79991234567';

function lastEnd(world: CallWorld): unknown {
  return world.events().findLast(({ name }) => name === 'dlg_end')?.data;
}

/** Anna of north in a conference at a server of the south. */
async function conference(): Promise<{ world: CallWorld; anna: TestParty }> {
  const world = await CallWorld.start();
  world.inside('conf-324').always(answer);
  const anna = world.phone('1001');
  anna.call('conf-324-1');
  await world.pass();
  return { world, anna };
}

test('a call whose party is out of reach goes on when the way is back in time', async (t) => {
  const { world, anna } = await conference();
  const mend = world.edges.probed.faults.cut({ from: 'south' });
  const isReachable = () => world.edges.probed.node('n1').view.isReachable('s2');
  for (let passedMs = 0; isReachable() && passedMs < 10_000; passedMs += 100) await world.pass(100);
  t.false(isReachable());
  await world.pass(500);
  mend();
  await world.pass(20_000);
  t.is(world.live.length, 1);
  t.deepEqual(anna.heard(), ['answered']);
});

test('a call whose party is out of reach for too long ends', async (t) => {
  const { world, anna } = await conference();
  world.edges.probed.faults.cut({ from: 'south' });
  await world.pass(5_000);
  t.is(world.live.length, 1);
  await world.pass(3_000);
  t.deepEqual(anna.heard(), ['answered', 'ended remote']);
  t.like(lastEnd(world), { type: 'error', by: 'b' });
  t.deepEqual(world.live, []);
});

test('a conference server that starts anew has forgotten its calls, and they end at once', async (t) => {
  const { world, anna } = await conference();
  world.edges.probed.faults.crashInstance('conf-324');
  await world.pass(600);
  t.deepEqual(anna.heard(), ['answered', 'ended remote']);
});

test('a conference server whose node crashed has forgotten its calls, also when it is back before it is missed', async (t) => {
  const { world, anna } = await conference();
  world.edges.probed.faults.crashNode('s2');
  await world.pass(500);
  void world.edges.probed.cluster.start(['s2']);
  await world.pass(2_000);
  t.deepEqual(anna.heard(), ['answered', 'ended remote']);
});

test('no gate of another site replaces a gate that is gone: the call behind it ends', async (t) => {
  const world = await CallWorld.start();
  const [anna] = [world.phone('1001'), world.phone('1009', { gate: 'sg-123' }).always(ring, answer)];
  anna.call('1009');
  await world.pass();
  world.edges.probed.faults.crashNode('h2');
  await world.pass(10_000);
  t.is(world.live.length, 0);
  t.is(anna.heard().at(-1), 'ended remote');
});

test('an esg that starts again counts each call on its account, of two domains with one provider, and limits that one', async (t) => {
  const domains = defaultMap.topology.domains.map((domain) => ({
    ...domain,
    providers: domain.providers.map((each) => ({ ...each, trunks: 2, esg: 221 })),
  }));
  const world = await CallWorld.start({ map: mapWith({ domains }) });
  const globex = { domain: 'globex.root.test', gate: 'sg-313' };
  const [caller] = [world.phone('1001', globex), world.phone('1002', globex).always(ring, answer)];
  const provider = world.provider().always(ring, answer);
  const inUse = async () => {
    const asked = world.edges.probed.scope('ws-211').ask('north/n2/esg-221', 'edge.figures', {});
    const { value } = await world.edges.probed.comes(asked);
    if (!value.ok) throw new Error(value.fault.message);
    const { dlgcount, regs } = value.value;
    return [dlgcount, ...regs.map(({ d, onlinetrunkcount }) => `${d} ${onlinetrunkcount}`).sort()];
  };
  await world.pass(40_000);
  const callIn = (username: string) =>
    provider.call(`sip:${username}@sip.telecom.test`, { to: { uri: 'sip:1002@sip.telecom.test' } });
  callIn('globex');
  await world.pass();
  caller.call(outside);
  await world.pass();
  const both = [2, 'acme.root.test 0', 'globex.root.test 2'];
  t.deepEqual(await inUse(), both);
  world.edges.probed.faults.crashInstance('esg-221');
  await world.pass(2_000);
  t.deepEqual(await inUse(), [0, 'acme.root.test 0', 'globex.root.test 0']);
  // By then the provider has refreshed the sessions.
  await world.pass(60_000);
  t.deepEqual(await inUse(), both);
  const refused = callIn('globex');
  await world.pass();
  t.deepEqual(provider.heard(refused), ['failed 486']);
  world.phone('1002').always(ring, answer);
  const taken = callIn('acme');
  await world.pass();
  t.deepEqual(provider.heard(taken), ['rang 180', 'answered']);
  t.deepEqual(await inUse(), [3, 'acme.root.test 1', 'globex.root.test 2']);
});

test('a phone that is not heard of any more is given up', async (t) => {
  const world = await CallWorld.start();
  const [anna, ben] = [world.phone('1001'), world.phone('1002').always(answer)];
  anna.call('1002');
  await world.pass();
  ben.agent.stop();
  await world.pass(80_000);
  t.is(world.live.length, 1);
  await world.pass(20_000);
  t.is(anna.heard().at(-1), 'ended remote');
  t.like(lastEnd(world), { type: 'error', sipcode: 408, by: 'b' });
});

test('when the route to a caller is lost, the ringing callees are cancelled', async (t) => {
  const world = await CallWorld.start();
  const conf = world.inside('conf-324');
  const ben = world.phone('1002').always(ring);
  conf.call(`sip:1002@${acme}`, { hop: world.map.instanceNamed('b2b-214')?.address ?? '', domain: acme });
  await world.pass();
  t.deepEqual(ben.heard(), ['invited']);
  world.edges.probed.faults.cut({ from: 'south' });
  await world.pass(8_000);
  t.deepEqual(ben.heard(), ['invited', 'cancelled']);
  t.like(lastEnd(world), { type: 'error', by: 'a' });
});

test('a b2b that drains accepts no new calls, lets calls end, and ends the calls that are left', async (t) => {
  const world = await CallWorld.start();
  const [anna, ben] = [world.phone('1001'), world.phone('1002').always(ring, answer)];
  for (let times = 0; times < 8; times += 1) anna.call('1002');
  await world.pass();
  t.is(world.live.length, 8);
  const here = world.live.filter(({ b2b }) => b2b.startsWith('north/n2/'));
  t.true(here.length > 0);
  const stopped = world.edges.probed.node('n2').stop();
  const { atMs } = await world.edges.probed.comes(stopped);
  await world.pass();
  for (const { dialogid } of here) {
    const names = world.eventNames(dialogid);
    t.deepEqual(names.slice(-2), ['dlg_end', 'dlg_stop']);
    t.is(world.events(dialogid).at(-1)?.data['type'], 'call_terminate');
  }
  t.is(world.live.length, 8 - here.length);
  t.true(atMs < 20_000);
  t.is(ben.heard().filter((text) => text === 'ended remote').length, here.length);
});

/** How long n2 takes to stop, whose b2b has calls, and how often its b2b asks callstores; they have stored all after so long. */
async function stopOf(storedMs: number, calls = 8): Promise<{ tookMs: number; asks: number }> {
  const world = await CallWorld.start();
  const [anna] = [world.phone('1001'), world.phone('1002').always(ring, answer)];
  for (let times = 0; times < calls; times += 1) anna.call('1002');
  await world.pass();
  world.isStored = storedMs === 0;
  const { clock } = world.edges.probed;
  const startMs = clock.now();
  const stopped = world.edges.probed.comes(world.edges.probed.node('n2').stop());
  clock.setTimer(storedMs, () => {
    world.isStored = true;
  });
  return { tookMs: (await stopped).atMs - startMs, asks: world.storedAsks };
}

// Seeds 32380 and 32975 of the campaign: the callstore crashed when the b2b had stopped.
test('a b2b that drains stops when a callstore has the records of its calls, or after four more seconds', async (t) => {
  const [atOnce, later, never, without] = [
    await stopOf(0),
    await stopOf(6_000),
    await stopOf(60_000),
    await stopOf(6_000, 0),
  ];
  t.true(atOnce.asks > 0);
  t.true(later.tookMs > 6_000 && later.tookMs < 7_000, `${later.tookMs} ms`);
  const waitedMs = never.tookMs - atOnce.tookMs;
  t.true(waitedMs > 3_500 && waitedMs < 5_000, `${waitedMs} ms`);
  t.is(without.asks, 0);
});

test('a b2b that drains still lists its calls to a callstore that begins to serve', async (t) => {
  const world = await CallWorld.start();
  const [anna] = [world.phone('1001'), world.phone('1002').always(ring, answer)];
  for (let times = 0; times < 8; times += 1) anna.call('1002');
  await world.pass();
  const name = world.live.map(({ b2b }) => b2b).find((b2b) => b2b.startsWith('north/n2/')) ?? '';
  const stopped = world.edges.probed.node('n2').stop();
  await world.pass(100);
  const calls = world.ask(name.slice(name.lastIndexOf('/') + 1), 'dialog.list', {});
  await world.pass(100);
  t.like(await calls, { ok: true });
  await world.edges.probed.comes(stopped);
});

test('a call that has ended ends once: no dlg_dead follows its dlg_end when its b2b crashes by a bug', async (t) => {
  const scopes: RoleScope[] = [];
  const b2b = (scope: RoleScope) => {
    scopes.push(scope);
    return createB2b(scope);
  };
  const world = await CallWorld.start({ b2b });
  const [anna, ben] = [world.phone('1001'), world.phone('1002').always(answer)];
  for (let times = 0; times < 8; times += 1) anna.call('1002');
  await world.pass();
  const [ended, live] = world.live.filter((call) => call.b2b === world.live[0]?.b2b);
  ben.agent.stop();
  anna.tell({ type: 'end' }, ended?.acallid);
  await world.pass();
  t.is(world.eventNames(ended?.dialogid).at(-1), 'dlg_end');
  const scope = scopes.find(({ instance }) => instance.address === ended?.b2b);
  const bug = ({ machine = '' } = {}) => {
    if (machine === 'dialog') throw new Error('a bug');
  };
  Object.assign(scope?.counters ?? {}, { probe: new Proxy({}, { get: () => bug }) });
  anna.tell({ type: 'offer', media: 'sendonly' }, live?.acallid);
  await world.pass();
  t.deepEqual(
    [ended, live].map((call) => world.eventNames(call?.dialogid).at(-1)),
    ['dlg_end', 'dlg_dead'],
  );
  t.false(world.live.some(({ dialogid }) => dialogid === ended?.dialogid));
});

test('no call that a b2b has is left when it crashes: it starts with none', async (t) => {
  const world = await CallWorld.start();
  const [anna, ben] = [world.phone('1001'), world.phone('1002').always(answer)];
  anna.call('1002');
  await world.pass();
  const { b2b, dialogid } = world.call;
  const name = b2b.slice(b2b.lastIndexOf('/') + 1);
  world.edges.probed.faults.crashInstance(name);
  await world.pass(2_000);
  const reply = world.ask(name, 'dialog.list', {});
  await world.pass();
  t.like(await reply, { ok: true, value: { dialogs: [] } });
  anna.tell({ type: 'end' });
  await world.pass();
  t.is(anna.heard().at(-1), 'ended local');
  anna.call('1002');
  await world.pass();
  t.is(ben.invites.length, 2);
  t.not(world.live.at(-1)?.dialogid, dialogid);
});
