/** mdc and sdc: numbers and SIP users are answered from the data, at every site as they are now. */

import { hash } from 'node:crypto';
import { SeededRandom } from '../../../sim/ports/random.ts';
import { SimulatedStores } from '../../../sim/ports/store.ts';
import { VirtualClock } from '../../../sim/ports/virtual-clock.ts';
import { ClusterMap } from '../../../src/model/cluster/cluster-map.ts';
import { limits } from '../../../src/model/limits.ts';
import { namedUuid, nilUuid } from '../../../src/model/uuid.ts';
import { defaultMap } from '../../kit/maps.ts';
import { test } from '../../kit/test.ts';
import { acme, DirectoryCluster, place } from './kit.ts';

const knowing = ['mdc-133', 'sdc-218', 'sdc-318'];

test('a SIP user that was made is found by number and login everywhere, as soon as the answer is there', async (t) => {
  const cluster = await DirectoryCluster.start();
  await cluster.create('2001', { phonenumber: '4711', name: 'Ann', lic: { devices: 5 }, opts: { trunks: 3 } });
  for (const name of knowing) {
    t.is(await cluster.callee(name, '4711'), `2001@${acme}`, name);
    t.is(await cluster.callee(name, '2001'), `2001@${acme}`, name);
    t.is(await cluster.callee(name, '4711', 'globex.root.test'), 'outside', name);
    const { users } = await cluster.good(name, 'directory.sipusers', {
      domain: acme,
      logins: ['2001', 'unknown', '1001'],
    });
    t.deepEqual(
      users.map(({ login, name: shown, devices, trunks }) => [login, shown, devices, trunks]),
      [
        ['2001', 'Ann', 5, 3],
        ['1001', '1001', 2, -1],
      ],
    );
  }
});

test('a user that was changed or removed is found as it is now, or not at all', async (t) => {
  const cluster = await DirectoryCluster.start();
  const { id } = await cluster.create('2001');
  await cluster.good('mdc-133', 'data.patch', { ...place, id, patch: { phonenumber: '4712' } });
  for (const name of knowing) t.is(await cluster.callee(name, '4712'), `2001@${acme}`, name);
  await cluster.good('mdc-133', 'data.patch', { ...place, id, patch: { login: '2002', phonenumber: '' } });
  for (const name of knowing) {
    t.is(await cluster.callee(name, '4712'), 'outside', name);
    t.is(await cluster.callee(name, '2001'), 'outside', name);
    t.is(await cluster.callee(name, '2002'), `2002@${acme}`, name);
  }
  await cluster.good('mdc-133', 'data.delete', { ...place, id });
  for (const name of knowing) t.is(await cluster.callee(name, '2002'), 'outside', name);
});

test('an account that may not register has room for no device', async (t) => {
  const cluster = await DirectoryCluster.start();
  await cluster.create('2001', { reg: 0, lic: { devices: 4 } });
  const { users } = await cluster.good('sdc-218', 'directory.sipusers', { domain: acme, logins: ['2001'] });
  t.is(users[0]?.devices, 0);
});

test('SIP users are found by id, by number and by the user bound to them', async (t) => {
  const cluster = await DirectoryCluster.start();
  const iduser = '0d4f1c9e-8a55-4c3f-9a6b-0a2f6d1e7b11';
  const { id } = await cluster.create('2001', { iduser });
  await cluster.create('2002', { iduser });
  const logins = async (where: { field: 'id' | 'iduser' | 'phonenumber'; value: string }, name: string) =>
    (await cluster.good(name, 'directory.sipusers', { domain: acme, where })).users.map(({ login }) => login);
  for (const name of knowing) {
    t.deepEqual(await logins({ field: 'id', value: id }, name), ['2001']);
    t.deepEqual(await logins({ field: 'phonenumber', value: '1003' }, name), ['1003']);
    t.deepEqual(await logins({ field: 'iduser', value: iduser }, name), ['2001', '2002']);
    t.is((await logins({ field: 'iduser', value: nilUuid }, name)).length, 9);
  }
});

test('a number in another domain is found where that domain is served, and leads out of no accounts', async (t) => {
  const cluster = await DirectoryCluster.start();
  for (const name of knowing) {
    t.is(await cluster.callee(name, '1002@globex.root.test'), '1002@globex.root.test', name);
    t.is(await cluster.callee(name, '5501@globex.root.test'), 'conference', name);
    t.is(await cluster.callee(name, '0991@globex.root.test'), 'none', name);
    t.is(await cluster.callee(name, '1002@nowhere.test'), 'none', name);
    t.is(await cluster.callee(name, '1002@root.test'), 'none', name);
  }
});

test('the devices of a SIP user that was removed or has another login lose their registrations at every site', async (t) => {
  const cluster = await DirectoryCluster.start();
  const srs = ['sr-134', 'sr-217', 'sr-317'];
  const { id } = await cluster.create('2001');
  await cluster.good('mdc-133', 'data.patch', { ...place, id, patch: { name: 'Ann' } });
  await cluster.probed.pass(1_000);
  t.deepEqual(cluster.unbound(), []);
  await cluster.good('mdc-133', 'data.patch', { ...place, id, patch: { login: '2002' } });
  await cluster.probed.pass(1_000);
  t.deepEqual(
    [...new Set(cluster.unbound())],
    srs.map((sr) => `2001 at ${sr}`),
  );
  await cluster.good('mdc-133', 'data.delete', { ...place, id });
  await cluster.probed.pass(1_000);
  t.deepEqual(
    [...new Set(cluster.unbound())],
    ['2001', '2002'].flatMap((login) => srs.map((sr) => `${login} at ${sr}`)),
  );
  const [login, removal] = ['2001', '2002'].map((name) => cluster.revocationOf(name));
  t.like(login, { now: { userid: id } });
  t.is(typeof login?.now?.ha1, 'string');
  t.deepEqual(removal?.now, { userid: id });
});

test('registrars are sent how many devices a SIP user may have, when that changes', async (t) => {
  const cluster = await DirectoryCluster.start();
  const { id } = await cluster.create('2001', { lic: { devices: 2 } });
  for (const patch of [{ lic: { devices: 1 } }, { lic: { devices: 3 } }, { reg: 0 }]) {
    await cluster.good('mdc-133', 'data.patch', { ...place, id, patch });
    await cluster.probed.pass(1_000);
  }
  const sent = cluster.probed.received.filter(
    ({ by, envelope }) => by === 'sr-217' && envelope.type === 'registrar.unbind',
  );
  const keeps = sent.map(({ envelope }) => (envelope.body as { keep?: number }).keep);
  t.deepEqual([...new Set(keeps)], [1, 3, 0]);
});

// Seed 79446 of the campaign: the sdc that serves a site that is cut inside itself does not reach all fronts of it.
test('a stand-by notifies fronts and registrars of a removed user too', async (t) => {
  const cluster = await DirectoryCluster.start();
  const { probed } = cluster;
  const user = { kind: 'user', domain: acme, id: namedUuid('ann') };
  const given = { login: 'ann', pwd: 'x', name: 'Ann', opts: { roles: ['user'] } };
  await cluster.good('mdc-133', 'data.create', { ...user, given });
  await cluster.create('2001');
  await probed.pass(1_000);
  await cluster.good('mdc-133', 'data.delete', user);
  await cluster.good('mdc-133', 'data.delete', { ...place, id: namedUuid('2001') });
  await probed.pass(1_000);
  const sent = new Set(
    probed.received.map(({ by, envelope }) => `${envelope.type} from ${envelope.from.split('/')[2]} to ${by}`),
  );
  for (const sdc of ['sdc-218', 'sdc-229']) {
    t.true(sent.has(`session.user_gone from ${sdc} to ws-211`), sdc);
    t.true(sent.has(`registrar.unbind from ${sdc} to sr-217`), sdc);
  }
});

test('a registrar that is about to take over loses the devices of a removed SIP user too', async (t) => {
  const cluster = await DirectoryCluster.start();
  const { id } = await cluster.create('2001');
  cluster.probed.faults.crashNode('n1');
  await cluster.good('mdc-133', 'data.delete', { ...place, id });
  await cluster.probed.pass(3_000);
  t.true(cluster.unbound().includes('2001 at sr-228'));
});

test('a site that was cut off drops the devices of a SIP user removed meanwhile, when it learns of it', async (t) => {
  const cluster = await DirectoryCluster.start();
  const { id } = await cluster.create('2001');
  cluster.probed.faults.cut({ from: 'north' });
  await cluster.probed.pass(5_000);
  await cluster.good('mdc-133', 'data.delete', { ...place, id });
  await cluster.probed.pass(5_000);
  t.false(cluster.unbound().includes('2001 at sr-217'));
  cluster.probed.faults.mend();
  await cluster.probed.pass(5_000);
  t.true(cluster.unbound().includes('2001 at sr-217'));
  t.is(await cluster.callee('sdc-218', '2001'), 'outside');
});

test('a copy of a database that was lost takes over the new one whole', async (t) => {
  const cluster = await DirectoryCluster.start();
  const { probed, stores } = cluster;
  await cluster.create('2001');
  for (const node of ['h2', 'h3']) {
    probed.faults.crashNode(node);
    stores.crash(node);
  }
  const store = await stores.shared('sites/hq', 'unknown').open('data-133');
  for await (const [key] of store.entries({})) void store.write([{ delete: key }]);
  await probed.pass(10);
  await store.close();
  for (const node of ['h2', 'h3']) void probed.faults.restartNode(node);
  await probed.pass(10_000);
  for (const name of knowing) {
    t.is(await cluster.callee(name, '2001'), 'outside', name);
    t.is(await cluster.callee(name, '1001'), `1001@${acme}`, name);
  }
  t.true(cluster.unbound().includes('2001 at sr-217'));
  await cluster.create('2002');
  for (const name of knowing) t.is(await cluster.callee(name, '2002'), `2002@${acme}`, name);
});

test('a site that serves another domain than before gets the data of that one too', async (t) => {
  const { topology } = defaultMap;
  const sites = topology.sites.map((site) => (site.name === 'north' ? { ...site, domains: [acme] } : site));
  const clock = new VirtualClock(0);
  const stores = new SimulatedStores({ clock, random: new SeededRandom(1).stream('faults'), latencyMs: 0 });
  const before = await DirectoryCluster.start({ map: new ClusterMap({ ...topology, sites }) }, stores);
  t.is(await before.callee('sdc-218', '1001'), `1001@${acme}`);
  t.deepEqual((await before.ask('sdc-218', 'directory.sipusers', { domain: 'globex.root.test' })).ok, false);
  stores.crash('');
  const after = await DirectoryCluster.start({}, stores);
  const { users } = await after.good('sdc-218', 'directory.sipusers', { domain: 'globex.root.test' });
  t.is(users.length, 10);
  t.is(await after.callee('sdc-218', '1001'), `1001@${acme}`);
});

test('a change waits for the copies in reach, but not long for a silent one', async (t) => {
  const cluster = await DirectoryCluster.start();
  const { probed } = cluster;
  const startMs = probed.clock.now();
  await cluster.create('2001');
  t.true(probed.clock.now() - startMs < 100);
  probed.faults.pauseNode('n1');
  const pausedMs = probed.clock.now();
  await cluster.create('2002');
  const tookMs = probed.clock.now() - pausedMs;
  t.true(tookMs >= limits.dataFollowMs && tookMs < limits.dataFollowMs + 100, `${tookMs} ms`);
  probed.faults.resumeNode('n1');
  await probed.pass(5_000);
  t.is(await cluster.callee('sdc-218', '2002'), `2002@${acme}`);
});

test('a change whose deadline passes while it waits for its turn surely does not happen', async (t) => {
  const cluster = await DirectoryCluster.start();
  const { probed, stores } = cluster;
  stores.stall('sites/hq');
  const scope = probed.scope('b2b-114');
  const to = probed.address('mdc-133');
  const create = (login: string) =>
    scope.ask(
      to,
      'data.create',
      { ...place, id: namedUuid(login), given: { login, pwd: 'x', phonenumber: '' } },
      { deadlineMs: probed.clock.now() + 500 },
    );
  const answers = Promise.all([create('2001'), create('2002')]);
  await probed.pass(1_000);
  stores.resume('sites/hq');
  const [first, second] = (await probed.comes(answers)).value;
  t.deepEqual([first?.ok, second?.ok], [false, false]);
  await probed.pass(5_000);
  t.is(await cluster.callee('sdc-218', '2001'), `2001@${acme}`, 'it was under way');
  t.is(await cluster.callee('sdc-218', '2002'), 'outside');
});

test('of two channels with one token every site finds the older one, also a site that serves the domain of the other one only', async (t) => {
  const { topology } = defaultMap;
  const sites = topology.sites.map((site) => (site.name === 'north' ? { ...site, domains: [acme] } : site));
  const cluster = await DirectoryCluster.start({ map: new ClusterMap({ ...topology, sites }) });
  const given = { code: 'crm', token_local: 'a-token-of-two-domains' };
  for (const domain of ['globex.root.test', acme]) {
    await cluster.good('mdc-133', 'data.create', { kind: 'integrationchannel', domain, id: namedUuid(domain), given });
    await cluster.probed.pass(1_000);
  }
  const token = hash('sha256', given.token_local);
  for (const name of ['mdc-133', 'sdc-218', 'sdc-318']) {
    t.is((await cluster.good(name, 'directory.channel', { token })).domain, 'globex.root.test', name);
  }
});
