/** The nodes of the platform: the list, one of them, and how they are shown. */
import type { ExecutionContext } from 'ava';
import { acmeAdmin, FrontCluster, good, nodes, refused, user } from '../../kit/front.ts';
import { scopedTest } from '../../kit/scoped.ts';

const test = scopedTest();

type Row = Record<string, unknown> & { name: string };

let cluster: FrontCluster;
let token: string;

test.before(async () => {
  cluster = await FrontCluster.start({ outside: false });
  token = await cluster.token();
  await cluster.world.wait(30_500);
  await cluster.statusOf({ token });
});

async function list(t: ExecutionContext, query = ''): Promise<Row[]> {
  return good(t, await cluster.ask(`GET ${nodes}${query}`, { token }));
}

async function item(t: ExecutionContext, name: string, query = ''): Promise<Row> {
  return good(t, await cluster.ask(`GET ${nodes}/${name}${query}`, { token }));
}

/** A row without what the time alone changes. */
function still({ upTimeSec: _, ...row }: Row): object {
  return row;
}

const names = [
  'dtStart',
  'fullName',
  'ipAddress',
  'isSystem',
  'maxLogLevel',
  'name',
  'roles',
  'server',
  'site',
  'srvIdx',
  'status',
  'type',
  'upTimeSec',
];

test('the list has a supervisor for each server and a role node for each instance', async (t) => {
  const { map } = cluster.world;
  const rows = await list(t);
  const of = (type: string) => rows.filter((row) => row['type'] === type).map((row) => row.name);
  t.deepEqual(of('supervisor').sort(), [...map.nodes.keys()].sort());
  t.deepEqual(of('role').sort(), [...map.instances.values()].map((each) => each.name).sort());
  t.is(rows.length, map.nodes.size + map.instances.size);
  t.is(new Set(rows.map((row) => row.name)).size, rows.length, 'names are unique');
});

test('every node has exactly the public fields', async (t) => {
  const nowMs = cluster.world.now();
  for (const row of await list(t)) {
    t.deepEqual(Object.keys(row).sort(), names);
    t.is(row['fullName'], `${row.name}@${row['ipAddress']}`);
    t.regex(row['dtStart'] as string, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/);
    const upMs = nowMs - Date.parse(row['dtStart'] as string);
    t.true(Math.abs((row['upTimeSec'] as number) - upMs / 1_000) <= 1, `${row.name}: ${row['upTimeSec']}`);
    t.true(Number.isSafeInteger(row['upTimeSec']));
    t.is(typeof row['maxLogLevel'], 'string');
    t.is(row['isSystem'], row['type'] === 'supervisor');
  }
});

test('a server is shown as what it is', async (t) => {
  t.like(await item(t, 'n2'), {
    name: 'n2',
    fullName: 'n2@10.2.0.12',
    ipAddress: '10.2.0.12',
    site: 'north',
    server: 'n2',
    type: 'supervisor',
    status: 'active',
    upTimeSec: 30,
  });
});

test('a role node is shown as what it is', async (t) => {
  t.like(await item(t, 'esg-221'), {
    name: 'esg-221',
    fullName: 'esg-221@10.2.0.12',
    ipAddress: '10.2.0.12',
    site: 'north',
    server: 'n2',
    isSystem: false,
    type: 'role',
    status: 'active',
    roles: ['esg'],
    srvIdx: 221,
  });
});

test('of a group one is active, the others stand by', async (t) => {
  const statusOf = async (name: string) => (await item(t, name))['status'];
  t.deepEqual(await Promise.all(['mdc-133', 'mdc-128', 'sdc-218', 'sdc-229'].map(statusOf)), [
    'active',
    'standby',
    'active',
    'standby',
  ]);
});

test('an item is the same as its row in the list, at every site', async (t) => {
  for (const at of ['hq', 'north', 'south']) {
    const rows = good<Row[]>(t, await cluster.ask(`GET ${nodes}`, { at, token }));
    for (const name of ['h1', 'ws-111', 's2', 'sg-213']) {
      const answer = await cluster.ask(`GET ${nodes}/${name}`, { at, token });
      t.deepEqual(still(good<Row>(t, answer)), still(rows.find((row) => row.name === name)!));
    }
  }
});

test('mask, flat, filter, order, offset and limit work on the list', async (t) => {
  const encoded = (value: unknown) => encodeURIComponent(JSON.stringify(value));
  t.deepEqual(await list(t, `?mask=name,srvIdx&filter=${encoded({ roles: ['ws'] })}`), [
    { name: 'ws-111', srvIdx: 111 },
    { name: 'ws-211', srvIdx: 211 },
    { name: 'ws-311', srvIdx: 311 },
  ]);
  const filter = encoded(['&&', ['==', ['property', 'site'], 'north'], ['==', ['property', 'type'], 'supervisor']]);
  t.deepEqual(await list(t, `?mask=name&filter=${filter}`), [{ name: 'n1' }, { name: 'n2' }]);
  t.deepEqual(await list(t, `?mask=name&filter=${filter}&order=${encoded([{ name: 'desc' }])}`), [
    { name: 'n2' },
    { name: 'n1' },
  ]);
  t.deepEqual(await list(t, `?mask=name&filter=${filter}&offset=1&limit=1`), [{ name: 'n2' }]);
  t.deepEqual(await list(t, '?offset=1000'), []);
  t.deepEqual((await list(t, '?flat=true')).map(still), (await list(t)).map(still));
  refused(t, await cluster.ask(`GET ${nodes}?limit=x`, { token }), 400, /^limit: /);
});

test('pages put together are the whole list', async (t) => {
  const whole = await list(t);
  const pages: Row[] = [];
  for (let offset = 0; offset < whole.length; offset += 7) pages.push(...(await list(t, `?offset=${offset}&limit=7`)));
  t.deepEqual(pages.map(still), whole.map(still));
});

test('mask and flat work on an item; list parameters are no concern of it', async (t) => {
  t.deepEqual(await item(t, 'n2', '?mask=site,name'), { name: 'n2', site: 'north' });
  t.deepEqual(await item(t, 'n2', '?mask=nothing'), {} as Row);
  t.deepEqual(still(await item(t, 'n2', '?flat')), still(await item(t, 'n2')));
  t.deepEqual(still(await item(t, 'n2', '?limit=x&filter=y')), still(await item(t, 'n2')));
  refused(t, await cluster.ask(`GET ${nodes}/n2?flat=maybe`, { token }), 400, /^flat: /);
  refused(t, await cluster.ask(`GET ${nodes}/n2?mask=a&mask=b`, { token }), 400, /^mask: .*twice/);
});

for (const name of [
  'n9',
  'north',
  'N2',
  'esg-999',
  '221',
  'n2@10.2.0.12%20',
  '%00',
  '..%2Fn2',
  '__proto__',
  'a'.repeat(500),
]) {
  test(`an unknown node answers 404: ${name.slice(0, 20)}`, async (t) => {
    for (const method of ['GET', 'DELETE']) refused(t, await cluster.ask(`${method} ${nodes}/${name}`, { token }), 404);
  });
}

test('nodes are for the master domain; to end one needs the role admin', async (t) => {
  const asUser = await cluster.token(user);
  const asChild = await cluster.token(acmeAdmin);
  for (const line of [`GET ${nodes}`, `GET ${nodes}/n2`, `DELETE ${nodes}/n2`]) {
    refused(t, await cluster.ask(line), 401);
    refused(t, await cluster.ask(line, { token: asChild }), 403, /master/);
  }
  good(t, await cluster.ask(`GET ${nodes}`, { token: asUser }));
  good(t, await cluster.ask(`GET ${nodes}/n2`, { token: asUser }));
  refused(t, await cluster.ask(`DELETE ${nodes}/n2`, { token: asUser }), 403, /admin/);
  t.is((await item(t, 'n2'))['status'], 'active');
});

test('a node that is away is unreachable, and is waited for at most 2 s', async (t) => {
  cluster.world.faults.pauseNode('n2');
  const answer = await cluster.ask(`GET ${nodes}`, { token });
  t.true(answer.tookMs <= 2_000, `${answer.tookMs} ms`);
  const away = good<Row[]>(t, answer).filter((row) => row['status'] === 'unreachable');
  t.true(away.every((row) => row['server'] === 'n2' && row['dtStart'] === null && row['upTimeSec'] === null));
  t.is(away.length, 1 + cluster.world.map.node('n2').instances.length);
  t.like(await item(t, 'esg-221'), { status: 'unreachable', ipAddress: '10.2.0.12' });
  cluster.world.faults.resumeNode('n2');
  await cluster.world.wait(5_000);
  t.is((await item(t, 'esg-221'))['status'], 'active');
});

test('PATCH sets the log level of a server or a role node; another field is refused', async (t) => {
  const patch = (name: string, json: object) => cluster.ask(`PATCH ${nodes}/${name}`, { token, json });
  const logged: string[] = [];
  cluster.world.observe(({ event }) => void logged.push(event), { kinds: ['logged'] });
  t.is((await item(t, 'mware-115'))['maxLogLevel'], 'debug');
  t.is(good<Row>(t, await patch('mware-115', { maxLogLevel: 'error' }))['maxLogLevel'], 'error');
  t.is((await item(t, 'mware-115'))['maxLogLevel'], 'error');
  t.is((await item(t, 'h1'))['maxLogLevel'], 'debug');
  refused(t, await patch('mware-115', { maxLogLevel: 'loud' }), 400);
  refused(t, await patch('mware-115', { status: 'active' }), 400);
  refused(t, await patch('mware-999', { maxLogLevel: 'info' }), 404);
});
