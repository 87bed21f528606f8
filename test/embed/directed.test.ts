/** Requests of the library that do not go as usual: the header `X-Strowger`, sites that are cut off, waits that fail. */

import { startCluster } from '../../sim/embed/test-cluster.ts';
import { operations } from '../../src/client/api/api.ts';
import { test } from '../kit/test.ts';
import { calls, credentials, tokenOf } from './kit.ts';

test('a request through fetch is delayed, refused, dropped or answered by half, as its header says', async (t) => {
  await using cluster = await startCluster({ topology: 'single', oracles: [] });
  const directed = (directive: unknown, path = '/healthz') =>
    cluster.fetch('hq', path, { headers: { 'x-strowger': JSON.stringify(directive) } });
  const startMs = cluster.clock.now;
  t.is((await directed({ delayMs: 5_000 })).status, 200);
  t.true(cluster.clock.now - startMs >= 5_000, 'virtual time has passed');
  t.is((await directed({ fail: 503 })).status, 503);
  t.is((await directed({ fial: 503 })).status, 400);
  await t.throwsAsync(directed({ drop: 'before' }), { instanceOf: TypeError, message: 'fetch failed' });
  const [whole, half] = [
    await (await cluster.fetch('hq', '/openapi.json')).arrayBuffer(),
    await directed({ half: true }, '/openapi.json'),
  ];
  t.is(half.status, 200);
  const reader = half.body?.getReader();
  t.is((await reader?.read())?.value?.length, Math.ceil(whole.byteLength / 2));
  await t.throwsAsync(async () => reader?.read(), { instanceOf: TypeError, message: 'terminated' });
  t.is((await cluster.fetch('hq', '/healthz')).status, 200, 'other requests are not affected');
});

test('a request that is dropped after its effect has it, and a fork has it too', async (t) => {
  await using cluster = await startCluster({ topology: 'single', oracles: [] });
  const headers = { authorization: `Bearer ${await tokenOf(cluster, 'hq')}` };
  const body = JSON.stringify({ from: '1001', to: '1002', response_mode: 3 });
  const directives = { 'x-strowger': '{"drop":"after","delayMs":1000}', 'content-type': 'application/json' };
  const dropped = cluster.fetch('hq', calls, { method: 'POST', headers: { ...headers, ...directives }, body });
  await t.throwsAsync(dropped, { instanceOf: TypeError });
  const count = async (of: typeof cluster) => (await of.fetch('hq', `${calls}?countonly=true`, { headers })).json();
  const counted = await count(cluster);
  t.notDeepEqual(counted, { count: 0 });
  await using other = await cluster.fork();
  t.is(other.traceHash, cluster.traceHash);
  t.deepEqual(await count(other), counted);
});

test('a front that the library opens on a port obeys the header', async (t) => {
  await using cluster = await startCluster({ topology: 'single', oracles: [] });
  const { hq = '' } = await cluster.listen();
  const answer = await fetch(`${hq}/healthz`, { headers: { 'x-strowger': '{"fail":503,"delayMs":10000}' } });
  t.is(answer.status, 503);
});

test('a request without a body is answered on a port as in the process, whatever its operation', async (t) => {
  await using cluster = await startCluster({ topology: 'single', oracles: [] });
  const { hq = '' } = await cluster.listen();
  const authorization = `Bearer ${await tokenOf(cluster, 'hq')}`;
  const entries = Object.values(operations).flatMap((group) => Object.values(group));
  for (const [method, path, kind] of entries) {
    if (kind !== 'json') continue;
    const target = path.replaceAll(/:\w+/g, 'none');
    const asked = { method, headers: { authorization } };
    const within = await cluster.fetch('hq', target, asked);
    const served = await fetch(`${hq}${target}`, asked);
    t.deepEqual([served.status, await served.text()], [within.status, await within.text()], `${method} ${path}`);
  }
});

test('a subscription is answered while another site is cut off', async (t) => {
  await using cluster = await startCluster({ oracles: [] });
  const api = await cluster.client({ ...credentials, site: 'north' });
  await cluster.faults.cut({ from: 'north' });
  const cutMs = cluster.clock.now;
  await cluster.clock.advance('1s');
  const events = api.events(['callevents.*']);
  await events.ready;
  t.true(cluster.clock.now > cutMs + 2_000, 'the front has waited for the other sites');
  events.close();
});

test('a wait for a call names the phone at which none rings', async (t) => {
  await using cluster = await startCluster({ topology: 'single', oracles: [] });
  await t.throwsAsync(cluster.phone('1002').nextCall({ within: '2s' }), {
    message: 'no call rings at acme.root.test/1002 within 2000 ms',
  });
});
