/** Bans that were asked for are in the store of their instance: they outlive it. */

import type { AskType, BodyOf, ReplyOf } from '../../../src/model/protocol/catalogue.ts';
import { EdgeCluster } from '../../kit/calls/edges.ts';
import { test } from '../../kit/test.ts';

const gate = 'north/n1/sg-213';
const endpoint = '10.2.0.11:5060';
const [one, other, third] = ['10.100.0.1', '10.100.0.2', '10.100.0.3'] as const;

async function request<T extends AskType>(cluster: EdgeCluster, type: T, body: BodyOf<T>): Promise<ReplyOf<T>> {
  const { value } = await cluster.probed.comes(cluster.probed.scope('ws-311').ask(gate, type, body));
  if (!value.ok) throw new Error(value.fault.message);
  return value.value;
}

const ban = (cluster: EdgeCluster, ip: string, expires: number) => request(cluster, 'filter.add', { ip, expires });
const banned = async (cluster: EdgeCluster) => (await request(cluster, 'filter.list', {})).banned;

const ways: Readonly<Record<string, (cluster: EdgeCluster) => Promise<void>>> = {
  'a crash of the gate': async ({ probed }) => probed.faults.crashInstance('sg-213'),
  'a crash of its node': async ({ probed: { faults } }) => {
    faults.crashNode('n1');
    void faults.restartNode('n1');
  },
  'a stop of its node': async ({ probed }) => {
    void probed.faults.drainNode('n1');
    await probed.pass(15_000);
    void probed.faults.restartNode('n1');
  },
};

for (const [way, restart] of Object.entries(ways)) {
  test(`a ban that was asked for outlives ${way}; one that was lifted, or has ended, does not`, async (t) => {
    const cluster = await EdgeCluster.start();
    await ban(cluster, one, 600);
    t.deepEqual(await ban(cluster, one, 900), { result: true });
    await ban(cluster, other, 600);
    await request(cluster, 'filter.remove', { ip: other });
    await ban(cluster, third, 2);
    await restart(cluster);
    await cluster.pass(20_000);
    const list = await banned(cluster);
    t.deepEqual(
      list.map(({ ip }) => ip),
      [one],
    );
    t.true(list.every(({ expires }) => expires > 840 && expires <= 880));
    cluster.endpoint(`${one}:5060`).ask(endpoint, 'INVITE', { callid: 'banned' });
    cluster.endpoint(`${other}:5060`).ask(endpoint, 'INVITE', { callid: 'lifted' });
    await cluster.pass();
    t.deepEqual(
      cluster.inside.map(({ message }) => message.callid),
      ['lifted'],
    );
    await cluster.pass(900_000);
    t.deepEqual(await banned(cluster), []);
  });
}

test('bans that were lifted together do not come back', async (t) => {
  const cluster = await EdgeCluster.start();
  await ban(cluster, one, 600);
  await ban(cluster, other, 600);
  await request(cluster, 'filter.clear', {});
  cluster.probed.faults.crashInstance('sg-213');
  await cluster.pass(10_000);
  t.deepEqual(await banned(cluster), []);
});

test('while its disk is full a gate bans without a promise, and what it lifts stays lifted when there is room', async (t) => {
  const cluster = await EdgeCluster.start();
  const { faults } = cluster.probed;
  await ban(cluster, one, 600);
  faults.fillStore('n1');
  t.deepEqual(await ban(cluster, other, 600), { result: false });
  await request(cluster, 'filter.remove', { ip: one });
  t.deepEqual(
    (await banned(cluster)).map(({ ip }) => ip),
    [other],
  );
  faults.makeRoom('n1');
  await cluster.pass(2_000);
  t.deepEqual(await ban(cluster, third, 600), { result: true });
  faults.crashInstance('sg-213');
  await cluster.pass(10_000);
  t.deepEqual(
    (await banned(cluster)).map(({ ip }) => ip),
    [third],
  );
});

test('a gate that starts while its disk is full serves, and its bans hold as soon as there is room', async (t) => {
  const cluster = await EdgeCluster.start();
  const { faults } = cluster.probed;
  await ban(cluster, one, 600);
  faults.fillStore('n1');
  faults.crashInstance('sg-213');
  await cluster.pass(10_000);
  cluster.endpoint(`${one}:5060`).ask(endpoint, 'INVITE', { callid: 'unknown still' });
  await cluster.pass();
  t.is(cluster.inside.length, 1);
  faults.makeRoom('n1');
  await cluster.pass(2_000);
  cluster.endpoint(`${one}:5060`).ask(endpoint, 'INVITE', { callid: 'banned', cseq: 2 });
  await cluster.pass();
  t.is(cluster.inside.length, 1);
  t.deepEqual(
    (await banned(cluster)).map(({ ip }) => ip),
    [one],
  );
});
