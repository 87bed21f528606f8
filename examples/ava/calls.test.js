/** A client of the platform, tested with AVA: each test has a cluster of its own. */
import test from 'ava';
import { clusterFor } from 'strowger/ava';

const admin = { domain: 'acme.root.test', login: 'admin', pwd: 'admin' };

test('a call is connected', async (t) => {
  const cluster = await clusterFor(t, { seed: 7 });
  const api = await cluster.client(admin);
  const { connected, dialogid } = await api.calls.create({ from: '1001', to: '1002', response_mode: 3 });
  t.true(connected);
  t.truthy(await cluster.waitFor('callevents.dlg_start', { dialogid }));
});

test('a banned client is let in after 180 seconds', async (t) => {
  const cluster = await clusterFor(t, { seed: 7 });
  const logIn = async (pwd) => {
    const body = JSON.stringify({ ...admin, pwd, session_type: 'token' });
    const headers = { 'content-type': 'application/json' };
    return (await cluster.fetch('north', '/rest/v1/iam/sessions', { method: 'POST', headers, body })).status;
  };
  for (let failures = 0; failures < 5; failures += 1) await logIn('wrong');
  t.is(await logIn('admin'), 429);
  await cluster.clock.advance('180s');
  t.is(await logIn('admin'), 200);
});
