/** Provider accounts: they register, are checked, and move between the gates of a site. */

import type { ProviderAccount } from '../../../src/model/protocol/messages/edge.ts';
import type { Timings, TopologyProvider } from '../../../src/model/topology/schema.ts';
import { cancelOf } from '../../../src/sip/outgoing-messages.ts';
import { EdgeCluster, mapWith } from '../../kit/calls/edges.ts';
import { requestOf } from '../../kit/calls/outside.ts';
import { type ProviderHabits, TestProvider } from '../../kit/calls/provider.ts';
import { acme, b2b } from '../../kit/calls/telecom.ts';
import { defaultMap } from '../../kit/maps.ts';
import { test } from '../../kit/test.ts';

const telecom = '10.9.0.1:5060';

async function start(
  change: Partial<TopologyProvider> = {},
  habits: ProviderHabits = {},
  quicker: Partial<Timings> = {},
): Promise<{ cluster: EdgeCluster; provider: TestProvider }> {
  const domains = defaultMap.topology.domains.map((domain) =>
    domain.name === 'acme.root.test'
      ? { ...domain, providers: domain.providers.map((each) => ({ ...each, ...change })) }
      : domain,
  );
  const providers: TestProvider[] = [];
  const cluster = await EdgeCluster.start(
    { map: mapWith({ domains, timings: { ...defaultMap.topology.timings, ...quicker } }) },
    (outside) => {
      providers.push(new TestProvider(outside, telecom, habits));
    },
  );
  return { cluster, provider: providers[0]! };
}

async function figures(cluster: EdgeCluster, name: string, by = 'ws-211') {
  const { address } = cluster.probed.map.instanceNamed(name)!;
  const { value } = await cluster.probed.comes(cluster.probed.scope(by).ask(address, 'edge.figures', {}));
  if (!value.ok) throw new Error(value.fault.message);
  return value.value;
}

async function account(cluster: EdgeCluster, name = 'esg-221'): Promise<ProviderAccount | undefined> {
  return (await figures(cluster, name)).regs[0];
}

test('an account registers with credentials, and shows what the provider said', async (t) => {
  const { cluster, provider } = await start();
  await cluster.pass();
  t.is(provider.registered.get('acme'), 'sip:acme@10.2.0.12:5080');
  t.deepEqual(await account(cluster), {
    code: 'acme-telecom',
    d: 'acme.root.test',
    user: 'acme',
    domain: 'sip.telecom.test',
    port: 5_060,
    proto: 'udp',
    addrs: ['10.9.0.1'],
    regstate: 'registered',
    pingstate: 'ok',
    last_response: ['SIP/2.0 200 OK', 'Contact: <sip:acme@10.2.0.12:5080>', 'Expires: 3600'],
    onlinetrunkcount: 0,
  });
  const registers = provider.endpoint.requests.filter(
    ({ method, from }) => method === 'REGISTER' && from.uri.includes('acme'),
  );
  t.deepEqual(
    registers.map(({ expires, cseq, credentials }) => [expires, cseq, credentials?.username]),
    [
      [3_600, 1, undefined],
      [3_600, 2, 'acme'],
    ],
  );
  t.is(new Set(registers.map(({ callid }) => callid)).size, 1);
});

test('it registers again before its time is up', async (t) => {
  const { cluster, provider } = await start({ ping: false }, { grants: 60 });
  await cluster.pass(60_000);
  const own = provider.asked.filter((each) => each.includes('acme'));
  t.deepEqual(
    own,
    Array.from({ length: 4 }, () => 'REGISTER acme 3600'),
  );
  t.like(await account(cluster), { regstate: 'registered', pingstate: 'disabled' });
});

test('a refused account waits and tries again', async (t) => {
  const { cluster, provider } = await start({ ping: false }, { refuses: 403 });
  await cluster.pass(100);
  t.like(await account(cluster), { regstate: 'retry', last_response: ['SIP/2.0 403 Forbidden'] });
  provider.habits = {};
  await cluster.pass(31_000);
  t.like(await account(cluster), { regstate: 'registered' });
});

test('an account without an answer waits for its result, then tries again', async (t) => {
  const { cluster, provider } = await start({ ping: true }, { isSilent: true });
  t.like(await account(cluster), { regstate: 'wait_result', last_response: [] });
  await cluster.pass(33_000);
  t.like(await account(cluster), { regstate: 'retry', pingstate: 'error' });
  provider.habits = {};
  await cluster.pass(31_000);
  t.like(await account(cluster), { regstate: 'registered', pingstate: 'ok' });
});

test('three pings that fail end a registration; it comes back with the provider', async (t) => {
  const { cluster, provider } = await start();
  provider.habits = { isSilent: true };
  const seen = new Set<string>();
  for (let second = 0; second < 110; second += 1) {
    await cluster.pass(1_000);
    const { regstate, pingstate } = (await account(cluster))!;
    seen.add(`${regstate} ${pingstate}`);
  }
  t.deepEqual([...seen], ['registered ok', 'registered error', 'retry error']);
  provider.habits = {};
  await cluster.pass(60_000);
  t.like(await account(cluster), { regstate: 'registered', pingstate: 'ok' });
});

test('an account without registration sends nothing and is disabled', async (t) => {
  const { cluster, provider } = await start({ registration: false, ping: false });
  await cluster.pass(60_000);
  t.like(await account(cluster), { regstate: 'disabled', pingstate: 'disabled' });
  t.deepEqual(
    provider.asked.filter((each) => each.includes('acme')),
    [],
  );
});

test('of several addresses it stays at the first that registers it', async (t) => {
  const { cluster, provider } = await start({ ping: false, addrs: ['10.9.0.7', '10.9.0.1', '10.9.0.8'] });
  await cluster.pass(70_000);
  t.like(await account(cluster), { regstate: 'registered' });
  t.is(provider.registered.get('acme'), 'sip:acme@10.2.0.12:5080');
  const tried = cluster.outside.sent.filter(
    ({ message }) => message.method === 'REGISTER' && message.from.uri.includes('acme'),
  );
  t.deepEqual(
    [...new Set(tried.filter(({ from }) => from.startsWith('10.2.')).map(({ to }) => to))],
    ['10.9.0.7:5060', telecom],
  );
});

test('an account registers at the second address: the checks that failed at the first do not end the registration', async (t) => {
  const { cluster } = await start({ addrs: ['10.9.0.7', '10.9.0.1'] });
  await cluster.pass(63_000);
  const seen = new Set<string>();
  for (let second = 0; second < 60; second += 1) {
    const { regstate, pingstate } = (await account(cluster))!;
    seen.add(`${regstate} ${pingstate}`);
    await cluster.pass(1_000);
  }
  t.deepEqual([...seen], ['registered ok']);
});

test('when its gate is lost an account moves to the next of the site, and back when that returns', async (t) => {
  const { cluster, provider } = await start({ esg: 113 });
  t.is(provider.registered.get('acme'), 'sip:acme@10.1.0.11:5080');
  cluster.probed.faults.crashNode('h1');
  await cluster.pass(5_000);
  t.is(provider.registered.get('acme'), 'sip:acme@10.1.0.12:5080');
  t.like((await figures(cluster, 'esg-122')).regs[0], { d: 'acme.root.test', regstate: 'registered' });
  void cluster.probed.faults.restartNode('h1');
  await cluster.pass(10_000);
  t.is(provider.registered.get('acme'), 'sip:acme@10.1.0.11:5080');
  t.deepEqual((await figures(cluster, 'esg-122')).regs, []);
  t.is((await figures(cluster, 'esg-113')).regs.length, 1);
  t.true(provider.asked.includes('REGISTER acme 0'), 'the one that lets it go unregisters');
});

test('what belongs to an INVITE goes where the INVITE went, after its account has moved back', async (t) => {
  const { cluster, provider } = await start({ esg: 113 });
  cluster.probed.faults.crashNode('h1');
  await cluster.pass(5_000);
  const uri = 'sip:4930123@sip.telecom.test';
  const ends = { uri, to: { uri }, from: { uri: 'sip:1001@acme.root.test', tag: 'f' } };
  const ids = { account: acme, inviteid: 'i' };
  const invite = requestOf('INVITE', { callid: 'c', ...ends, via: [b2b], ...ids });
  cluster.tell('b2b-223', 'esg-122', invite);
  await cluster.pass();
  const got = () => provider.endpoint.requests.filter(({ callid }) => callid === 'c');
  provider.endpoint.reply(got()[0]!, 180);
  void cluster.probed.faults.restartNode('h1');
  await cluster.pass(10_000);
  t.is(provider.registered.get('acme'), 'sip:acme@10.1.0.11:5080');
  cluster.tell('b2b-223', 'esg-122', cancelOf(invite));
  await cluster.pass();
  t.deepEqual(
    got().map(({ method }) => method),
    ['INVITE', 'CANCEL'],
  );
});

// Seed 2054 of the campaign: the provider sent calls to the other gate until the registration was refreshed, 54 minutes later.
test('when its gate was cut off and comes back, the provider has its contact again', async (t) => {
  const { cluster, provider } = await start({ esg: 113 });
  const lift = cluster.probed.faults.cut({ from: 'h1' });
  await cluster.pass(8_000);
  t.is(provider.registered.get('acme'), 'sip:acme@10.1.0.12:5080');
  lift();
  await cluster.pass(10_000);
  t.is(provider.registered.get('acme'), 'sip:acme@10.1.0.11:5080');
});

test('when its gate comes back after a cut in which the gate that had taken it over was lost, the provider has its contact again', async (t) => {
  const { cluster, provider } = await start({ esg: 113 });
  const lift = cluster.probed.faults.cut({ from: 'h1' });
  await cluster.pass(8_000);
  t.is(provider.registered.get('acme'), 'sip:acme@10.1.0.12:5080');
  cluster.probed.faults.crashNode('h2');
  await cluster.pass(1_000);
  lift();
  await cluster.pass(5_000);
  t.is(provider.registered.get('acme'), 'sip:acme@10.1.0.11:5080');
});

test('a provider that asks the gate which takes its account over is not banned there before', async (t) => {
  const { cluster, provider } = await start({ esg: 113, addrs: ['10.9.0.3'] });
  const moved = new TestProvider(cluster.outside, '10.9.0.3:5060');
  await cluster.pass(40_000);
  t.is(moved.registered.get('acme'), 'sip:acme@10.1.0.11:5080');
  for (let time = 0; time < 7; time += 1) moved.endpoint.ask('10.1.0.12:5080', 'OPTIONS', { callid: `x-${time}` });
  await cluster.pass();
  t.deepEqual(
    moved.endpoint.responses.map(({ status }) => status),
    Array.from({ length: 7 }, () => 403),
  );
  cluster.probed.faults.crashNode('h1');
  await cluster.pass(5_000);
  t.is(moved.registered.get('acme'), 'sip:acme@10.1.0.12:5080');
  t.is(provider.registered.get('acme'), undefined);
});

test('an account that comes back before its un-REGISTER has reached the provider is registered in the end', async (t) => {
  const { cluster, provider } = await start({ esg: 113 }, {}, { pingIntervalMs: 200, pingPatienceMs: 200 });
  const lift = cluster.probed.faults.cut({ from: 'h1' });
  await cluster.pass(8_000);
  lift();
  provider.habits = { isSilent: true };
  while ((await account(cluster, 'esg-122'))?.regstate === 'registered') await cluster.pass(10);
  cluster.probed.faults.crashNode('h1');
  await cluster.pass(510);
  provider.habits = {};
  await cluster.pass(10_000);
  t.like(await account(cluster, 'esg-122'), { regstate: 'registered' });
  t.is(provider.registered.get('acme'), 'sip:acme@10.1.0.12:5080');
});

test('an account that moves away is shown as detached until the provider has said that it knows', async (t) => {
  const { cluster, provider } = await start({ esg: 113 });
  cluster.probed.faults.crashNode('h1');
  await cluster.pass(5_000);
  provider.habits = { isSilent: true };
  void cluster.probed.faults.restartNode('h1');
  const seen: string[] = [];
  for (let step = 0; step < 80; step += 1) {
    await cluster.pass(100);
    const [row] = (await figures(cluster, 'esg-122')).regs;
    const state = row === undefined ? 'gone' : `${row.regstate} ${row.pingstate}`;
    if (seen.at(-1) !== state) seen.push(state);
  }
  t.deepEqual(seen, ['detached disabled', 'gone']);
});

test('where the site has no other gate a lost account is nowhere until its own is back', async (t) => {
  const { cluster, provider } = await start();
  cluster.probed.faults.crashInstance('esg-221');
  t.false(cluster.outside.isTaken('10.2.0.12:5080'));
  await cluster.pass(300);
  for (const name of ['esg-113', 'esg-122', 'esg-321']) {
    t.false(
      (await figures(cluster, name)).regs.some(({ d }) => d === 'acme.root.test'),
      name,
    );
  }
  await cluster.pass(5_000);
  t.like(await account(cluster), { regstate: 'registered' });
  t.is(provider.asked.filter((each) => each === 'REGISTER acme 3600').length, 4);
});

test('a gate that drains takes its accounts back from the provider before it stops', async (t) => {
  const { cluster, provider } = await start();
  t.true(provider.registered.has('acme'));
  const stopped = cluster.probed.node('n2').stop();
  await cluster.probed.comes(stopped);
  t.false(provider.registered.has('acme'));
});

test('a gate that drains does not wait for a provider that is silent', async (t) => {
  const { cluster, provider } = await start();
  provider.habits = { isSilent: true };
  const sinceMs = cluster.probed.clock.now();
  const { atMs } = await cluster.probed.comes(cluster.probed.node('n2').stop());
  t.true(atMs - sinceMs <= 2_500, `${atMs - sinceMs} ms`);
});

test('the figures show only the accounts of the provider that is asked for', async (t) => {
  const { cluster } = await start();
  const { address } = cluster.probed.map.instanceNamed('esg-221')!;
  for (const [code, count] of [
    ['acme-telecom', 1],
    ['globex-telecom', 0],
  ] as const) {
    const { value } = await cluster.probed.comes(cluster.probed.scope('ws-111').ask(address, 'edge.figures', { code }));
    t.is(value.ok ? value.value.regs.length : -1, count);
  }
});
