/** The registrar: registrations, their copies, their end, and their events. */

import { limits } from '../../../src/model/limits.ts';
import { acme, RegistrarCluster, registrars } from '../../kit/calls/registrars.ts';
import { sized } from '../../kit/property.ts';
import { test } from '../../kit/test.ts';

const actives = Object.values(registrars);

test('a registration is known at every site at once', async (t) => {
  const cluster = await RegistrarCluster.start();
  const bound = await cluster.bind('north', cluster.binding());
  t.is(bound.result, 'bound');
  t.deepEqual(
    bound.bindings.map(({ device }) => device),
    ['d1'],
  );
  await cluster.pass();
  for (const by of actives) {
    t.deepEqual(await cluster.devices(by), ['d1'], by);
    t.deepEqual(await cluster.online(by), ['1001'], by);
    t.deepEqual(await cluster.devices(by, ['1002']), [], by);
  }
});

test('a standby registrar refuses requests, but has a copy when it takes over', async (t) => {
  const cluster = await RegistrarCluster.start();
  await cluster.bind('north', cluster.binding());
  await t.throwsAsync(cluster.devices('sr-228'), { message: /standby/ });
  cluster.probed.faults.crashNode('n1');
  await cluster.pass(6_000);
  t.deepEqual(await cluster.devices('sr-228', ['1001'], 'hq'), ['d1']);
});

test('an empty registrar gets all bindings from the active ones', async (t) => {
  const cluster = await RegistrarCluster.start();
  await cluster.bind('north', cluster.binding());
  cluster.probed.faults.crashNode('s1');
  cluster.probed.faults.crashNode('s2');
  await cluster.pass(5_000);
  await cluster.bind('north', cluster.binding({ device: 'd2' }));
  void cluster.probed.faults.restartNode('s1');
  void cluster.probed.faults.restartNode('s2');
  await cluster.pass(10_000);
  t.deepEqual(await cluster.devices('sr-317'), ['d1', 'd2']);
});

test('more bindings than go into one message come page by page', async (t) => {
  const cluster = await RegistrarCluster.start();
  const names = Array.from(
    { length: sized(limits.bindingsPage + 3, 1_203) },
    (_, index) => `d${String(index).padStart(4, '0')}`,
  );
  cluster.probed.faults.cut({ from: 'south' });
  await cluster.pass(5_000);
  for (const device of names) await cluster.bind('north', cluster.binding({ device }), 2_000);
  t.deepEqual(await cluster.devices('sr-317'), []);
  cluster.probed.faults.mend();
  await cluster.pass(6_000);
  t.deepEqual(await cluster.devices('sr-317'), names);
});

test('a registration ends when its time is up, at every site, and one event is published, by the site that it came through', async (t) => {
  const cluster = await RegistrarCluster.start();
  await cluster.bind('north', cluster.binding({ livesMs: 60_000 }));
  const endsMs = cluster.nowMs + 60_000;
  await cluster.pass(endsMs - cluster.nowMs - 200);
  for (const by of actives) t.deepEqual(await cluster.devices(by), ['d1'], by);
  await cluster.pass(1_000);
  for (const by of actives) {
    t.deepEqual(await cluster.devices(by), [], by);
    t.deepEqual(await cluster.online(by), [], by);
  }
  t.deepEqual(cluster.news, ['register 1001 d1', 'online 1001', 'expire 1001 d1', 'offline 1001']);
  t.deepEqual(new Set(cluster.events.map(({ by }) => by)), new Set(['sr-217']));
});

test('when the site that it came through is gone, another one publishes the end', async (t) => {
  const cluster = await RegistrarCluster.start();
  await cluster.bind('north', cluster.binding({ livesMs: 60_000 }));
  await cluster.pass();
  cluster.probed.faults.crashNode('n1');
  cluster.probed.faults.crashNode('n2');
  await cluster.pass(61_000);
  t.deepEqual(
    cluster.events.map(({ by, event }) => `${by} ${event.name}`),
    ['sr-217 register', 'sr-217 data_changed', 'sr-134 expire', 'sr-134 data_changed'],
  );
});

test('more logins than go into one answer are listed piece by piece', async (t) => {
  const cluster = await RegistrarCluster.start();
  const logins = Array.from({ length: 300 }, (_, index) => `${String(index).padStart(4, '0')}${'x'.repeat(2_000)}`);
  const bindings = logins.map((login) => cluster.binding({ login }));
  const [half, others] = [bindings.slice(0, 150), bindings.slice(150)];
  const scope = cluster.probed.scope('b2b-214');
  const { address } = cluster.probed.map.instanceNamed(registrars.north) as { address: string };
  for (const some of [half, others]) scope.tell(address, 'registrar.copied', { bindings: some });
  await cluster.pass();
  const { value: first } = await cluster.probed.comes(scope.ask(address, 'registrar.online', { domain: acme }));
  if (!first.ok || first.value.rest === undefined) return t.fail('it is one piece');
  t.is(first.value.rest.at, address);
  const { value: second } = await cluster.probed.comes(
    scope.ask(address, 'registrar.rest', { rest: first.value.rest.name }),
  );
  if (!second.ok) return t.fail(second.fault.message);
  t.deepEqual([...first.value.logins, ...second.value.items].sort(), logins);
  const { value: gone } = await cluster.probed.comes(
    scope.ask(address, 'registrar.rest', { rest: first.value.rest.name }),
  );
  t.like(gone, { ok: false, fault: { code: 'overloaded' } });
});

test('a refresh prolongs; the fields of an event are those of the registration', async (t) => {
  const cluster = await RegistrarCluster.start();
  await cluster.bind('north', cluster.binding({ livesMs: 60_000 }));
  await cluster.pass(50_000);
  await cluster.bind('north', cluster.binding({ livesMs: 60_000, cseq: 2, contact: 'sip:1001@10.100.0.9:5060' }));
  await cluster.pass(30_000);
  t.like(await cluster.lookup('sr-317', ['1001']), [{ contact: 'sip:1001@10.100.0.9:5060', cseq: 2 }]);
  t.deepEqual(cluster.news, ['register 1001 d1', 'online 1001', 'refresh 1001 d1']);
  const id = 'id-of-1001';
  const [first, second] = cluster.events.map(({ event }) => event);
  t.like(first, { class: 'registrarevents', domains: [acme], objects: [id, '1001'] });
  const { eventid, eventts, ...data } = first!.data;
  t.regex(String(eventid), /^[0-9a-f-]{36}$/);
  t.regex(String(eventts), /Z$/);
  t.deepEqual(data, {
    login: '1001',
    domain: acme,
    contact: 'sip:1001@10.100.0.1:5060',
    device: 'd1',
    expires: 60,
    useragent: 'phone',
  });
  t.like(second, {
    class: 'modelevents',
    domains: [acme],
    data: { collection: 'sipuser_states', id, status: 'online' },
  });
});

test('a user is online from the first device to the last', async (t) => {
  const cluster = await RegistrarCluster.start();
  await cluster.bind('north', cluster.binding({ device: 'd1' }));
  await cluster.pass();
  await cluster.bind('south', cluster.binding({ device: 'd2', path: 'south/s1/sg-313' }));
  await cluster.pass();
  await cluster.unbind('south', { device: 'd1' });
  await cluster.pass();
  await cluster.unbind('north', { device: 'd2' });
  await cluster.pass();
  t.deepEqual(cluster.news, [
    'register 1001 d1',
    'online 1001',
    'register 1001 d2',
    'unregister 1001 d1',
    'unregister 1001 d2',
    'offline 1001',
  ]);
});

test('all devices of a user are removed at once, and the answer has their number', async (t) => {
  const cluster = await RegistrarCluster.start();
  for (const device of ['d1', 'd2']) await cluster.bind('north', cluster.binding({ device }));
  await cluster.bind('north', cluster.binding({ login: '1002' }));
  await cluster.pass();
  t.deepEqual(await cluster.unbind('hq'), { removed: 2 });
  t.deepEqual(await cluster.unbind('hq'), { removed: 0 });
  await cluster.pass();
  for (const by of actives) t.deepEqual(await cluster.online(by), ['1002'], by);
});

test('an un-REGISTER that a later REGISTER of its device has overtaken leaves the registration alone', async (t) => {
  const cluster = await RegistrarCluster.start();
  const binding = cluster.binding({ device: 'd1', cseq: 5 });
  await cluster.bind('north', binding);
  await cluster.pass();
  const late = { device: 'd1', callid: binding.callid, cseq: 3 };
  t.deepEqual(await cluster.unbind('north', late), { removed: 0 });
  await cluster.pass();
  for (const by of actives) t.deepEqual(await cluster.online(by), ['1001'], by);
  t.deepEqual(await cluster.unbind('north', { ...late, callid: 'of another boot' }), { removed: 1 });
});

test('a REGISTER older than the last one of its device changes nothing; a retransmitted one is answered again', async (t) => {
  const cluster = await RegistrarCluster.start();
  const first = cluster.binding({ cseq: 1, contact: 'sip:old@10.0.0.1:1' });
  t.is((await cluster.bind('north', cluster.binding({ cseq: 2 }))).result, 'bound');
  t.is((await cluster.bind('north', first)).result, 'stale');
  t.is((await cluster.bind('north', cluster.binding({ cseq: 2 }))).result, 'bound');
  t.deepEqual(
    cluster.news.filter((each) => each.startsWith('refresh')),
    [],
  );
  await cluster.unbind('north', { device: 'd1', callid: first.callid, cseq: 4 });
  t.is((await cluster.bind('north', cluster.binding({ cseq: 3 }))).result, 'stale');
  t.is((await cluster.bind('north', cluster.binding({ cseq: 4 }))).result, 'stale');
  t.is((await cluster.bind('north', cluster.binding({ cseq: 5 }))).result, 'bound');
  t.is((await cluster.bind('north', cluster.binding({ cseq: 1, callid: 'after a reboot' }))).result, 'bound');
});
