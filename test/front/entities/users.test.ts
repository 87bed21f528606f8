/** Users and SIP users as data: what is changed holds at once and everywhere: logins, passwords, numbers. */
import { EntityClient, filterOf, type Item } from '../../kit/data/entities.ts';
import {
  acmeAdmin,
  acmeUser,
  admin,
  current,
  emptied,
  FrontCluster,
  good,
  refused,
  sessions,
} from '../../kit/front.ts';
import { scopedTest } from '../../kit/scoped.ts';

const test = scopedTest();

const sites = ['hq', 'north', 'south'];
const acme = 'acme.root.test';
let cluster: FrontCluster;

test.beforeEach(async () => {
  cluster = await FrontCluster.start({ outside: false });
});

async function logIn(login: string, pwd: string, at: string): Promise<number> {
  return (await cluster.ask(`POST ${sessions}`, { at, json: { domain: acme, login, pwd } })).status;
}

/** The statuses of a login at every site, one after the other. */
async function loginsOf(login: string, pwd: string): Promise<number[]> {
  const statuses: number[] = [];
  for (const at of sites) statuses.push(await logIn(login, pwd, at));
  return statuses;
}

test('a user that was created at one site logs in at every site at once, and has the roles that were given', async (t) => {
  const client = await EntityClient.open(cluster, 'user');
  const { id } = await client.create({ opts: { roles: ['admin', 'night'], tags: ['berlin'] } }, { at: 'south' });
  for (const at of ['north', 'south', 'hq']) t.is(await logIn('ann', 'secret', at), 204, at);
  const token = await cluster.token({ domain: acme, login: 'ann', pwd: 'secret' }, 'north');
  const session = good<Record<string, unknown>>(t, await cluster.ask(`GET ${current}`, { token }));
  t.is(session['user_id'], id);
  t.is(session['name'], 'Ann Lee');
  t.deepEqual(session['roles'], ['admin', 'night']);
  t.deepEqual(session['tags'], ['berlin']);
});

test('a removed user logs in nowhere, and one whose password was changed only with the new one', async (t) => {
  const client = await EntityClient.open(cluster, 'user');
  const { id } = await client.create();
  t.is(good<Item>(t, await client.ask(`PATCH /${id}`, { json: { pwd: 'other' } }))['pwd'], '*');
  t.deepEqual(await loginsOf('ann', 'secret'), [401, 401, 401]);
  t.deepEqual(await loginsOf('ann', 'other'), [204, 204, 204]);
  good(t, await client.ask(`PATCH /${id}`, { json: { pwd: '*', name: 'Ann' } }));
  t.deepEqual(await loginsOf('ann', 'other'), [204, 204, 204], 'what an answer shows of it changes nothing');
  good(t, await client.ask(`PATCH /${id}`, { json: { login: 'anna' } }));
  t.deepEqual(await loginsOf('ann', 'other'), [401, 401, 401]);
  t.deepEqual(await loginsOf('anna', 'other'), [204, 204, 204]);
  emptied(t, await client.ask(`DELETE /${id}`));
  await cluster.world.wait(200_000);
  t.deepEqual(await loginsOf('anna', 'other'), [401, 401, 401]);
});

test('a user that was removed and made again with the same id logs in at every site at once', async (t) => {
  const client = await EntityClient.open(cluster, 'user');
  const { id } = await client.create();
  t.deepEqual(await loginsOf('ann', 'secret'), [204, 204, 204]);
  emptied(t, await client.ask(`DELETE /${id}`));
  t.deepEqual(await loginsOf('ann', 'secret'), [401, 401, 401]);
  await client.create({ id, login: 'ann' });
  t.deepEqual(await loginsOf('ann', 'secret'), [204, 204, 204]);
  const token = await cluster.token({ domain: acme, login: 'ann', pwd: 'secret' }, 'north');
  await cluster.world.wait(3_000);
  for (const at of sites) t.is(await cluster.statusOf({ token, at }), 200, at);
});

test('the sessions of a removed user are over, at every site, also one that was cut off meanwhile', async (t) => {
  const client = await EntityClient.open(cluster, 'user');
  const { id } = await client.create({ opts: { roles: ['user'] } });
  const who = { domain: acme, login: 'ann', pwd: 'secret' };
  const tokens = [await cluster.token(who, 'hq'), await cluster.token(who, 'north')];
  await cluster.world.wait(1_000);
  cluster.world.faults.cut({ from: 'north' });
  await cluster.world.wait(5_000);
  emptied(t, await client.ask(`DELETE /${id}`));
  await cluster.world.wait(100);
  for (const token of tokens) {
    t.is(await cluster.statusOf({ token, at: 'hq' }), 401);
    t.is(await cluster.statusOf({ token, at: 'north' }), 200, 'the removal has not reached this site yet');
  }
  cluster.world.faults.mend();
  await cluster.world.wait(5_000);
  for (const token of tokens) t.is(await cluster.statusOf({ token, at: 'north' }), 401);
});

test('another password ends the sessions of its user, at every site, also one that was cut off meanwhile', async (t) => {
  const client = await EntityClient.open(cluster, 'user');
  const { id } = await client.create({ opts: { roles: ['user'] } });
  const who = { domain: acme, login: 'ann', pwd: 'secret' };
  const token = await cluster.token(who, 'hq');
  const other = await cluster.token(acmeUser, 'hq');
  await cluster.world.wait(1_000);
  cluster.world.faults.cut({ from: 'north' });
  await cluster.world.wait(5_000);
  good(t, await client.ask(`PATCH /${id}`, { json: { name: 'Ann B' } }));
  t.is(await cluster.statusOf({ token, at: 'hq' }), 200, 'another name ends nothing');
  good(t, await client.ask(`PATCH /${id}`, { json: { pwd: 'other' } }));
  await cluster.world.wait(100);
  t.deepEqual(
    [await cluster.statusOf({ token, at: 'hq' }), await cluster.statusOf({ token, at: 'south' })],
    [401, 401],
  );
  cluster.world.faults.crashInstance('ws-111');
  cluster.world.faults.mend();
  await cluster.world.wait(5_000);
  for (const at of ['hq', 'north']) t.is(await cluster.statusOf({ token, at }), 401);
  for (const at of ['hq', 'north']) t.is(await cluster.statusOf({ token: other, at }), 200);
});

test('the users of the topology are there, with their passwords masked', async (t) => {
  const client = await EntityClient.open(cluster, 'user');
  const users = await client.list();
  t.deepEqual(
    users.map((each) => each['login']),
    ['admin', 'user'],
  );
  const one = good<Item>(t, await client.ask(`GET /${users[0]!.id}`));
  t.is(one['pwd'], '*');
  t.deepEqual((one['opts'] as Item)['roles'], ['admin']);
  t.deepEqual(await client.list(`?${filterOf({ pwd: 'admin' })}`), []);
});

test('users are managed by administrators of their domain, or of one above it', async (t) => {
  const domains = '/rest/v1/domain/domains';
  const root = await cluster.token(admin);
  const listed = good<{ id: string; name: string }[]>(t, await cluster.ask(`GET ${domains}`, { token: root }));
  t.deepEqual(
    listed.map(({ name }) => name),
    ['root.test', acme, 'globex.root.test'],
  );
  const idOf = (name: string) => listed.find((each) => each.name === name)!.id;
  const person = { name: 'Ann', login: 'ann', pwd: 'x' };
  const acmeUsers = `${domains}/${idOf(acme)}/users`;
  const made = good<Item>(t, await cluster.ask(`POST ${acmeUsers}`, { token: root, json: person }));
  const inAcme = await cluster.token(acmeAdmin);
  t.is(good<Item>(t, await cluster.ask(`GET ${domains}/${acme}/users/${made.id}`, { token: inAcme })).id, made.id);
  t.is(
    good<Item>(
      t,
      await cluster.ask(`GET ${domains}/${idOf(acme).toUpperCase()}/users/${made.id.toUpperCase()}`, { token: inAcme }),
    ).id,
    made.id,
  );
  for (const name of ['root.test', 'globex.root.test']) {
    const path = `${domains}/${idOf(name)}/users`;
    refused(t, await cluster.ask(`GET ${path}`, { token: inAcme }), 403, /bound to acme/);
    refused(t, await cluster.ask(`POST ${path}`, { token: inAcme, json: person }), 403);
    good(t, await cluster.ask(`POST ${path}`, { token: root, json: person }));
  }
  refused(t, await cluster.ask(`GET ${domains}/${made.id}/users`, { token: root }), 404, /no domain/);
  refused(t, await cluster.ask(`POST ${acmeUsers}`, { token: await cluster.token(acmeUser), json: person }), 403);
  refused(
    t,
    await cluster.ask(`POST ${domains}/${idOf('root.test')}/users`, { token: root, json: { ...person, id: made.id } }),
    409,
  );
});

test('the password of a SIP user is for administrators only', async (t) => {
  const client = await EntityClient.open(cluster, 'sipuser');
  const { id, pwd } = await client.create();
  t.is(pwd, 'sip');
  t.is(good<Item>(t, await client.ask(`GET /${id}`))['pwd'], 'sip');
  const token = await cluster.token(acmeUser);
  t.false('pwd' in good<Item>(t, await client.ask(`GET /${id}`, { token })));
  t.deepEqual(good(t, await client.ask(`GET /${id}?mask=pwd`, { token })), {});
});

test('the rules between the fields of a SIP user hold for creates and patches', async (t) => {
  const client = await EntityClient.open(cluster, 'sipuser');
  const json = { ...client.least, opts: { minexpires: 60, maxexpires: 30 } };
  refused(
    t,
    await client.ask('POST', { json }),
    400,
    /^opts.minexpires: expected at most opts.maxexpires \(30\), got 60$/,
  );
  const { id } = await client.create();
  refused(t, await client.ask(`PATCH /${id}`, { json: { opts: { maxexpires: 29 } } }), 400, /^opts.minexpires/);
  good(t, await client.ask(`PATCH /${id}`, { json: { opts: { maxexpires: 30 } } }));
});

test('two creates of one login at the same time: one is made, the other gets 409', async (t) => {
  const client = await EntityClient.open(cluster, 'sipuser');
  const answers = await Promise.all(sites.map((at) => client.ask('POST', { at, json: client.least })));
  t.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409]);
});
