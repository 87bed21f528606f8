/** A client of the platform, tested with Vitest: each test has a cluster of its own. */
import { clusterFixture } from 'strowger/vitest';
import { test as base } from 'vitest';

const test = base.extend({ cluster: clusterFixture({ seed: 7 }) });
const admin = { domain: 'acme.root.test', login: 'admin', pwd: 'admin' };

test('a callee that rejects is reported', async ({ cluster, expect }) => {
  await cluster.phone('1002').onCall((call) => call.reject(603));
  const api = await cluster.client(admin);
  const answer = await api.calls.create({ from: '1001', to: '1002', response_mode: 3 });
  expect(answer.connected).toBe(false);
  expect(answer.last_response).toContain('603');
});

test('a site that is cut off serves its own calls', async ({ cluster, expect }) => {
  const api = await cluster.client({ ...admin, site: 'north' });
  await cluster.faults.cut({ from: 'north' });
  await cluster.clock.advance('10s');
  expect((await api.calls.create({ from: '1001', to: '1002', response_mode: 3 })).connected).toBe(true);
});
