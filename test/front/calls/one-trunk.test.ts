/** A SIP user that may have one call at a time (`opts.trunks`) takes part in transfers all the same. */

import type { Dialog } from '../../../src/model/protocol/messages/callstore.ts';
import { acmeAdmin, FrontCluster, good } from '../../kit/front.ts';
import { scopedTest } from '../../kit/scoped.ts';

const test = scopedTest();
const calls = '/rest/v1/uc/calls';
const sipusers = '/rest/v1/uc/sipusers';
let cluster: FrontCluster;
let token: string;

test.beforeEach(async () => {
  cluster = await FrontCluster.start();
  token = await cluster.token(acmeAdmin);
  await setTrunks(1);
});
test.afterEach(() => cluster.world.stop());

async function ask<T = Dialog[]>(line: string, json?: unknown): Promise<T> {
  const answer = await cluster.ask(line, { token, ...(json !== undefined && { json }) });
  if (answer.status >= 300) throw new Error(`${line}: ${answer.status} ${answer.text}`);
  return answer.body as T;
}

/** Changes how many calls 1001 may have; -1: any number. */
async function setTrunks(trunks: number): Promise<void> {
  const users = await ask<{ id: string; login: string }[]>(`GET ${sipusers}`);
  const { id } = users.find(({ login }) => login === '1001') ?? { id: '' };
  await ask(`PATCH ${sipusers}/${id}`, { opts: { trunks } });
  await cluster.world.wait(1_000);
}

test('X of a call that the platform starts may have one call', async (t) => {
  const started = await cluster.ask(`POST ${calls}`, { token, json: { from: '1001', to: '1002', response_mode: 3 } });
  t.like(good(t, started), { result: 'ok', last_response: 'SIP/2.0 200 OK' });
});

test('a party that may have one call is transferred by REFER', async (t) => {
  await ask(`INVITE ${calls}`, { from: '1002', to: '1001', response_mode: 3 });
  const [call] = await ask(`GET ${calls}`);
  const referred = await cluster.ask(`REFER ${calls}/${call?.dialogid}`, {
    token,
    json: { by: 'a', referto: '1003', response_mode: 3 },
  });
  t.like(good(t, referred), { result: 'ok', last_response: 'SIP/2.0 200 OK' });
});

test('a party that may have one call is moved into a conference', async (t) => {
  await ask(`INVITE ${calls}`, { from: '1002', to: '1001', response_mode: 3 });
  const [call] = await ask(`GET ${calls}`);
  const { confid } = await ask<{ confid: string }>(`SWITCHCONF ${calls}/${call?.dialogid}`, {});
  await cluster.world.wait(3_000);
  const people = await ask<unknown[]>(`GET /rest/v1/uc/conferences/${confid}/participants`);
  t.is(people.length, 2);
});

test('a party that may have one call is referred by its opponent', async (t) => {
  await ask(`INVITE ${calls}`, { from: '1002', to: '1001', response_mode: 3 });
  const { outside } = cluster.world;
  const [
    {
      endpoint,
      calls: [talk],
    } = { endpoint: '', calls: [] },
  ] = outside.phones('acme.root.test/1002');
  t.true(outside.transfer({ endpoint, callid: talk?.callid ?? '' }, 'sip:1003@acme.root.test'));
  await cluster.world.wait(5_000);
  t.is(outside.phones('acme.root.test/1003')[0]?.calls[0]?.state, 'talking');
});

test('a user that may have one call is free while a call that it has redirected to a room goes on', async (t) => {
  const { outside } = cluster.world;
  outside.behave('acme.root.test', '1001', { redirect: '5501' });
  await ask(`INVITE ${calls}`, { from: '1002', to: '1001', response_mode: 3 });
  outside.behave('acme.root.test', '1001', undefined);
  const json = { from: '1003', to: '1001', response_mode: 3 };
  t.like(good(t, await cluster.ask(`INVITE ${calls}`, { token, json })), { last_response: 'SIP/2.0 200 OK' });
  t.is((await ask(`GET ${calls}`)).length, 2);
});

test('a user that a redirected call did not reach, as it had its one call, is free after that while the other call rings on', async (t) => {
  const { outside } = cluster.world;
  outside.behave('acme.root.test', '1004', { redirect: '1001' });
  const users = await ask<{ id: string; login: string }[]>(`GET ${sipusers}`);
  const { id } = users.find(({ login }) => login === '1004') ?? { id: '' };
  const { pwd } = await ask<{ pwd: string }>(`PATCH ${sipusers}/${id}`, { lic: { devices: 2 } });
  const device = { username: '1004', domain: 'acme.root.test', pwd, ip: '10.66.21.60', expires: 600 };
  const [gate] = cluster.world.map.instancesOf('sg');
  const behaviour = { ringMs: 0 };
  t.is((await cluster.world.during(outside.registerAs({ ...device, gate: gate!, behaviour }))).status, 200);
  await ask(`INVITE ${calls}`, { from: '1002', to: '1001', response_mode: 3 });
  const [first] = await ask(`GET ${calls}`);
  await ask(`INVITE ${calls}`, { from: '1005', to: '1004', response_mode: 2 });
  await cluster.world.wait(1_000);
  await ask(`DELETE ${calls}/${first?.dialogid}`);
  await cluster.world.wait(5_000);
  t.deepEqual(
    (await ask(`GET ${calls}`)).map(({ status }) => status),
    ['forking'],
  );
  const json = { from: '1003', to: '1001', response_mode: 3 };
  t.like(good(t, await cluster.ask(`INVITE ${calls}`, { token, json })), { last_response: 'SIP/2.0 200 OK' });
});

test('the one call of a user counts whatever its login becomes, and not for the next user with that login', async (t) => {
  await ask(`INVITE ${calls}`, { from: '1002', to: '1001', response_mode: 3 });
  const users = await ask<{ id: string; login: string }[]>(`GET ${sipusers}`);
  const { id } = users.find(({ login }) => login === '1001') ?? { id: '' };
  await ask(`PATCH ${sipusers}/${id}`, { login: 'anna' });
  const next = { login: '1001', name: 'next', pwd: 'next', phonenumber: '1091', opts: { trunks: 1 } };
  await ask(`POST ${sipusers}`, next);
  await cluster.world.wait(1_000);
  for (const [to, last_response] of [
    ['1001', 'SIP/2.0 486 Busy Here'],
    ['1091', 'SIP/2.0 480 Temporarily Unavailable'],
  ]) {
    const json = { from: '1003', to, response_mode: 3 };
    // Several b2b instances take calls in turn.
    for (let times = 0; times < 3; times += 1)
      t.like(good(t, await cluster.ask(`INVITE ${calls}`, { token, json })), { last_response });
  }
});

test('calls that began before a user got a limit count towards it', async (t) => {
  await setTrunks(-1);
  await ask(`INVITE ${calls}`, { from: '1002', to: '1001', response_mode: 3 });
  await setTrunks(1);
  const incoming = { from: '1003', to: '1001', response_mode: 3 };
  t.like(good(t, await cluster.ask(`INVITE ${calls}`, { token, json: incoming })), {
    last_response: 'SIP/2.0 486 Busy Here',
  });
  await setTrunks(-1);
  t.like(good(t, await cluster.ask(`INVITE ${calls}`, { token, json: incoming })), { last_response: 'SIP/2.0 200 OK' });
  t.is((await ask(`GET ${calls}`)).length, 2);
});
