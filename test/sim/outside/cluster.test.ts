/** Phones and providers at a whole cluster, in virtual time: they register, call each other, and survive what happens to it. */

import type { CallProgress } from '../../../sim/outside/endpoints/party-machine.ts';
import { VirtualWorld } from '../../../sim/world/virtual.ts';
import { ClusterMap } from '../../../src/model/cluster/cluster-map.ts';
import { defaultMap as map, webApps } from '../../kit/maps.ts';
import { test } from '../../kit/test.ts';

const acme = 'acme.root.test';
const phone = `${acme}/1001`;
const telecom = `${acme}/acme-telecom`;

async function started(seed = 1, topology = map): Promise<VirtualWorld> {
  const world = new VirtualWorld({ map: topology, webApps, seed });
  await world.start();
  return world;
}

interface CallOut {
  readonly hangupMs?: number;
  readonly patienceMs?: number;
  readonly ms?: number;
}

/** Makes a call, lets time pass, and returns the progress that its caller was notified of. */
async function called(world: VirtualWorld, from: string, to: string, options: CallOut = {}): Promise<string[]> {
  const { ms = 15_000, ...more } = options;
  const notified: string[] = [];
  const onProgress = (progress: CallProgress) =>
    void notified.push(`${progress.type}${'status' in progress ? ` ${progress.status}` : ''}`);
  world.outside.call(from, to, { ...more, onProgress });
  await world.wait(ms);
  return notified;
}

const talk = ['rang 180', 'answered', 'ended'];

test('when a cluster has started its phones and accounts are registered, each through a gate of its own site', async (t) => {
  const world = await started();
  const phones = world.outside.phones();
  t.is(phones.length, 22);
  t.true(phones.every(({ isRegistered }) => isRegistered));
  t.deepEqual([...new Set(phones.map(({ gate }) => gate))], ['sg-213', 'sg-313', 'sg-123']);
  const [provider] = world.outside.providers();
  t.deepEqual(
    provider?.accounts.map(({ isRegistered, contact }) => [isRegistered, contact]),
    [
      [true, 'sip:acme@10.2.0.12:5080'],
      [true, 'sip:globex@10.3.0.12:5080'],
    ],
  );
  await world.stop();
});

test('phones, providers and rooms are called and answer by their numbers', async (t) => {
  const world = await started();
  const outcomes: readonly [from: string, to: string, notified: readonly string[], options?: CallOut][] = [
    [phone, '1002', talk, { hangupMs: 1_000 }],
    [phone, '1005', talk, { hangupMs: 1_000 }],
    [phone, '1005@globex.root.test', talk, { hangupMs: 1_000 }],
    [phone, '1009', ['failed 486']],
    [phone, '4930123400', talk, { hangupMs: 1_000 }],
    [phone, '4930123411', ['answered', 'ended']],
    [phone, '4930123413', ['rang 180', 'failed 487'], { patienceMs: 5_000 }],
    [phone, '4930123414', talk, { hangupMs: 1_000 }],
    [phone, '7*486', ['failed 486']],
    [phone, '5501', ['answered', 'ended'], { hangupMs: 1_000 }],
    [telecom, '1002', talk, { hangupMs: 1_000 }],
    ['globex.root.test/globex-telecom', '1010', talk, { hangupMs: 1_000 }],
  ];
  for (const [from, to, notified, options] of outcomes) {
    const heard = await called(world, from, to, options);
    t.deepEqual(
      heard.filter((each, n) => each !== heard[n - 1]),
      notified,
      `${from} calls ${to}`,
    );
  }
  await world.wait(40_000);
  t.is(world.outside.calls, 0);
  t.deepEqual([...world.outside.counters.all()], []);
  await world.stop();
});

test('a phone whose node is gone finds another gate when a call fails, and calls through it', async (t) => {
  const world = await started();
  world.faults.crashNode('n1');
  t.deepEqual(await called(world, phone, '1005', { ms: 50_000 }), ['failed 408']);
  t.like(world.outside.phones(phone)[0], { isRegistered: true, gate: 'sg-123' });
  t.deepEqual(await called(world, phone, '1005', { hangupMs: 1_000 }), talk);
  await world.stop();
});

test('an account whose gate dies moves to the next one of the site, registers there, and takes its calls there', async (t) => {
  const domains = map.topology.domains.map((domain) => ({
    ...domain,
    providers: domain.providers.map((provider) => ({ ...provider, esg: 113 })),
  }));
  const world = await started(1, new ClusterMap({ ...map.topology, domains }));
  const contact = () => world.outside.providers()[0]?.accounts[0]?.contact;
  t.is(contact(), 'sip:acme@10.1.0.11:5080');
  world.faults.crashNode('h1');
  await world.wait(10_000);
  t.is(contact(), 'sip:acme@10.1.0.12:5080');
  t.deepEqual(await called(world, telecom, '1010', { hangupMs: 1_000 }), talk);
  await world.stop();
});

test('an account whose provider is silent at one address registers at the other one, and takes its calls from there', async (t) => {
  const domains = map.topology.domains.map((domain) => ({
    ...domain,
    providers: domain.providers.map((provider) => ({ ...provider, addrs: ['10.9.0.1', '10.9.0.2'] })),
  }));
  const world = await started(1, new ClusterMap({ ...map.topology, domains }));
  const registered = () =>
    world.outside
      .providers('sip.telecom.test')
      .map(({ endpoint, accounts: [acmes] }) => [endpoint, acmes?.isRegistered]);
  t.deepEqual(registered(), [
    ['10.9.0.1:5060', true],
    ['10.9.0.2:5060', false],
  ]);
  world.faults.silence('10.9.0.1:5060');
  // Three checks of its connection fail, and half a minute later it registers anew.
  await world.wait(150_000);
  t.like(registered()[1], ['10.9.0.2:5060', true]);
  t.deepEqual(await called(world, phone, '4930123', { hangupMs: 1_000 }), talk);
  t.deepEqual(await called(world, telecom, '1010', { hangupMs: 1_000 }), talk);
  t.deepEqual(
    world.outside.providers().map(({ isSilent }) => isSilent),
    [true, false],
  );
  await world.stop();
});

test('when one party of a call falls silent the platform ends the call of the other in the time of a session', async (t) => {
  const world = await started();
  const notified = called(world, phone, '1002', { ms: 150_000 });
  await world.wait(10_000);
  t.is(world.outside.calls, 2);
  world.outside.silence(`${acme}/1002`);
  t.deepEqual(await notified, talk);
  t.is(world.outside.calls, 0);
  world.outside.revive(`${acme}/1002`);
  await world.wait(1_000);
  t.deepEqual(await called(world, phone, '1002', { hangupMs: 1_000 }), talk);
  await world.stop();
});

test('when b2b loses its calls the parties notice within the time of a session', async (t) => {
  const world = await started();
  const notified = [called(world, phone, '1002', { ms: 100_000 }), called(world, telecom, '1005', { ms: 100_000 })];
  await world.wait(10_000);
  t.is(world.outside.calls, 4);
  for (const { name } of map.instancesOf('b2b')) world.faults.crashInstance(name);
  t.deepEqual(await Promise.all(notified), [talk, talk]);
  t.is(world.outside.calls, 0);
  t.deepEqual(await called(world, phone, '1002', { hangupMs: 1_000 }), talk);
  await world.stop();
});

test('a call to a paused gate is answered when the gate goes on', async (t) => {
  const world = await started();
  world.faults.pauseNode('n1');
  const notified = called(world, phone, '1005', { ms: 20_000, hangupMs: 1_000 });
  await world.wait(1_000);
  t.is(world.outside.phones(phone)[0]?.calls[0]?.state, 'calling');
  world.faults.resumeNode('n1');
  t.deepEqual(await notified, talk);
  await world.stop();
});
