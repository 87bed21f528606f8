/** Lists of domain data: reduced fields, pages, filters, orders, masks with their documented misspellings. */
import type { ExecutionContext } from 'ava';
import { entities } from '../../../src/model/entities/entities.ts';
import { EntityClient, filterOf, type Item } from '../../kit/data/entities.ts';
import { acmeUser, FrontCluster, good, refused } from '../../kit/front.ts';
import { scopedTest } from '../../kit/scoped.ts';

const test = scopedTest();

let cluster: FrontCluster;

test.before(async () => {
  cluster = await FrontCluster.start({ outside: false });
});

async function open(t: ExecutionContext, kind: string): Promise<EntityClient> {
  const client = await EntityClient.open(cluster, kind);
  t.teardown(() => client.clear());
  return client;
}

/** The dotted names of what an item shows; empty objects and arrays count as values. */
function namesIn(item: object, prefix = ''): string[] {
  return Object.entries(item).flatMap(([name, value]) => {
    const isBranch = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isBranch ? namesIn(value, `${prefix}${name}.`) : [`${prefix}${name}`];
  });
}

const fullLists: Readonly<Record<string, string[]>> = {
  roleapp: ['id', 'title', 'folder', 'archive._links.self.href', 'roles', 'svcscriptcode', 'ext.lwt', 'ext.ct'],
  selector: [
    ...['id', 'state', 'displayname', 'enabled', 'timestartutc', 'calldurationsec', 'calltimeout', 'topology_mode'],
    ...['mediafile', 'default_mic', 'default_spk', 'default_recall', 'comment', 'ext.ct', 'ext.lwt'],
  ],
};

for (const { kind, list = [] } of entities) {
  test(`${kind}: list items carry the fields of the mask list, and a mask names any of them`, async (t) => {
    const client = await open(t, kind);
    const { id } = await client.create();
    const expected = fullLists[kind] ?? list.flatMap((name) => (name === 'ext' ? ['ext.ct', 'ext.lwt'] : [name]));
    const item = (await client.list()).find((each) => each.id === id)!;
    t.deepEqual(namesIn(item).sort(), expected.toSorted());
    const [masked] = await client.list(`?${filterOf({ id })}&mask=ext.ct,nosuch,id`);
    t.deepEqual(masked, { id, ext: { ct: item.ext.ct } } as Item);
    const [flat] = await client.list(`?${filterOf({ id })}&mask=ext.ct&flat`);
    t.deepEqual(flat, { 'ext.ct': item.ext.ct } as never);
    t.deepEqual(good(t, await client.ask(`GET /${id}?mask=id,ext.ct`)), masked);
    t.deepEqual(good(t, await client.ask(`GET ?countonly&${filterOf({ id })}`)), { count: 1 });
  });
}

test('the misspelt documented names work, and so do the right ones', async (t) => {
  const campaigns = await open(t, 'chatcampaign');
  await campaigns.create({ searchhistoryscr: 'find' });
  for (const name of ['searchhitoryscr', 'searchhistoryscr']) {
    t.deepEqual(await campaigns.list(`?mask=${name}`), [{ searchhistoryscr: 'find' }] as never);
    t.is((await campaigns.list(`?${filterOf({ [name]: 'find' })}`)).length, 1);
  }
  const rules = await open(t, 'recordrule');
  const storageruleid = '0d4f1c9e-8a55-4c3f-9a6b-0a2f6d1e7b11';
  await rules.create({ storageruleid: storageruleid.toUpperCase() });
  for (const name of ['storageid', 'storageruleid']) {
    t.deepEqual(await rules.list(`?mask=${name}`), [{ storageruleid }] as never);
  }
});

test('a list is in the order of creation, and pages of it fit together', async (t) => {
  const client = await open(t, 'recordrule');
  const made: string[] = [];
  for (let i = 0; i < 7; i += 1) {
    made.push((await client.create({ priority: i % 3 })).id);
    await cluster.world.wait(5);
  }
  const idsOf = async (query: string) => (await client.list(query)).map(({ id }) => id);
  t.deepEqual(await idsOf(''), made);
  t.deepEqual(
    [...(await idsOf('?limit=3')), ...(await idsOf('?offset=3&limit=3')), ...(await idsOf('?offset=6'))],
    made,
  );
  t.deepEqual(await idsOf('?offset=7'), []);
  t.deepEqual(await idsOf('?limit=0'), []);
  t.deepEqual(await idsOf(`?order=${encodeURIComponent('[{"ext.ct":"desc"}]')}`), made.toReversed());
  t.deepEqual(
    await idsOf(`?order=${encodeURIComponent('[{"ext.ct":"desc"}]')}&offset=2&limit=2`),
    made.toReversed().slice(2, 4),
  );
  const byPriority = await client.list('?order=priority,ext.ct&mask=priority');
  t.deepEqual(
    byPriority.map((item) => item['priority']),
    [0, 0, 0, 1, 1, 2, 2],
  );
  t.deepEqual(good(t, await client.ask('GET ?countonly=true')), { count: 7 });
  t.deepEqual(
    good(t, await client.ask(`GET ?countonly=true&limit=1&${filterOf(['<', ['property', 'priority'], 2])}`)),
    {
      count: 5,
    },
  );
});

test('a filter finds by any field that one may see, by an index or without', async (t) => {
  const client = await open(t, 'sipuser');
  await client.create({ pwd: 'hidden', name: 'Ann' });
  const logins = async (filter: unknown, token = client.token) =>
    (await client.list(`?mask=login&${filterOf(filter)}`, { token })).map((item) => item['login']);
  t.deepEqual(await logins({ login: '2001' }), ['2001']);
  t.deepEqual(await logins({ phonenumber: '2001', name: 'Bob' }), []);
  t.deepEqual(await logins(['==', 'Ann', ['property', 'name']]), ['2001']);
  t.deepEqual(await logins(['&&', ['==', ['property', 'login'], '2001'], ['==', ['property', 'reg'], 1]]), ['2001']);
  refused(t, await client.ask(`GET ?${filterOf(['||', { login: '2001' }, { login: '1001' }])}`), 400, /^filter\[1\]: /);
  t.deepEqual(await logins(['like', ['property', 'login'], '100_']), [
    '1001',
    '1002',
    '1003',
    '1004',
    '1005',
    '1006',
    '1007',
    '1008',
    '1009',
  ]);
  t.deepEqual(await logins({ 'lic.devices': 2, name: 'Ann' }), ['2001']);
  t.deepEqual(await logins({ login: 2001 }), [], 'a number is no text');
  t.deepEqual(await logins({ pwd: 'hidden' }), ['2001']);
  const reader = await cluster.token(acmeUser);
  t.deepEqual(await logins({ pwd: 'hidden' }, reader), [], 'what one may not see one can not search');
  t.deepEqual(await logins(['!=', ['property', 'pwd'], 'x'], reader), await logins({}, reader));
});

test('a query that is wrong is refused, and says where', async (t) => {
  const client = await open(t, 'user');
  for (const [query, message] of [
    ['limit=ten', /^limit: expected an integer/],
    ['limit=10001', /^limit: expected an integer from 0 to 10000/],
    ['offset=-1', /^offset: /],
    ['filter=', /^filter: /],
    ['filter=["=="]', /^filter: == takes 2/],
    ['order=[5]', /^order\[0\]: /],
    ['flat=maybe', /^flat: /],
    ['limit=1&limit=2', /^limit: given twice/],
  ] as const) {
    refused(t, await client.ask(`GET ?${query}`), 400, message);
  }
});

test('a list is neither selected nor ordered by a field that only other roles know', async (t) => {
  const client = await open(t, 'sipuser');
  for (const query of ['filter={"devices":[]}', 'filter=["in","x",["property","devices"]]', 'order=devices']) {
    refused(t, await client.ask(`GET ?${query}`), 400, /no field "devices" here/);
  }
});

test('a list that is too long for one answer between nodes comes whole', async (t) => {
  const client = await open(t, 'chatcampaign');
  const name = 'x'.repeat(1_000);
  const long = Object.fromEntries(
    ['name', 'autobot', 'queuebot', 'dialogbot', 'inactivebot', 'rotationbot', 'finalbot', 'stopbot'].map((n) => [
      n,
      name,
    ]),
  );
  const made: string[] = [];
  for (let i = 0; i < 150; i += 1) made.push((await client.create({ ...long, code: `c${i}` })).id);
  for (const at of ['hq', 'north']) {
    const items = await client.list('', { at });
    t.deepEqual(
      items.map(({ id }) => id),
      made,
    );
    t.true(JSON.stringify(items).length > 1024 * 1024);
  }
});
