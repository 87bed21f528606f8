/** Scope and collection parameters of the network filters: which instances answer, and what of the answer is shown. */
import type { ExecutionContext } from 'ava';
import { emptied, FrontCluster, good, refused, roles } from '../../kit/front.ts';
import { scopedTest } from '../../kit/scoped.ts';

const test = scopedTest();

type Row = Record<string, unknown> & { srvidx: number };

const bans = `${roles}/esg/bannedaddrs`;
let cluster: FrontCluster;
let token: string;

test.before(async () => {
  cluster = await FrontCluster.start({ outside: false });
  token = await cluster.token();
});

async function list(t: ExecutionContext, query: string, target = bans): Promise<Row[]> {
  return good(t, await cluster.ask(`GET ${target}?${query}`, { token }));
}

async function numbers(t: ExecutionContext, query: string, target = bans): Promise<number[]> {
  return (await list(t, query, target)).map((row) => row.srvidx);
}

const scopes: readonly [query: string, srvidxs: number[]][] = [
  ['', [113, 122, 221, 321]],
  ['site=hq', [113, 122]],
  ['site=north', [221]],
  ['sites=north', [221]],
  ['sites=south,hq', [113, 122, 321]],
  ['sites=hq,%20south', [113, 122, 321]],
  ['sites=hq,hq', [113, 122]],
  ['server=10.2.0.12', [221]],
  ['server=221', [221]],
  ['server=n2', [221]],
  ['server=n2@10.2.0.12', [221]],
  ['server=n2%4010.2.0.12', [221]],
  ['server=esg-221', [221]],
  ['server=esg-221@10.2.0.12', [221]],
  ['servers=221,122', [122, 221]],
  ['servers=s2,10.1.0.11,esg-221', [113, 221, 321]],
  // These servers exist, and have no esg.
  ['server=h3', []],
  ['server=213', []],
  ['servers=h3,n2', [221]],
];

for (const [query, srvidxs] of scopes) {
  test(`the scope "${query}" is ${JSON.stringify(srvidxs)}`, async (t) => {
    t.deepEqual(await numbers(t, query), srvidxs);
    const json = { ip: '10.9.8.7', expires: 60 };
    const done = good<Row[]>(t, await cluster.ask(`POST ${bans}?${query}`, { token, json }));
    t.deepEqual(
      done.map((row) => row.srvidx),
      srvidxs,
    );
    const banning = (await list(t, '')).filter((row) => (row['banned'] as object[]).length > 0);
    t.deepEqual(
      banning.map((row) => row.srvidx),
      srvidxs,
    );
    emptied(t, await cluster.ask(`DELETE ${bans}/10.9.8.7?${query}`, { token }));
    for (const row of await list(t, '')) t.deepEqual(row['banned'], []);
  });
}

test('DELETE of the collection clears what is in scope, and nothing else', async (t) => {
  good(t, await cluster.ask(`POST ${bans}`, { token, json: { ip: '10.9.8.7', expires: 600 } }));
  emptied(t, await cluster.ask(`DELETE ${bans}?sites=hq,south`, { token }));
  const banning = (await list(t, '')).filter((row) => (row['banned'] as object[]).length > 0);
  t.deepEqual(
    banning.map((row) => row.srvidx),
    [221],
  );
  emptied(t, await cluster.ask(`DELETE ${bans}`, { token }));
});

test('the scope reaches sg and ws alike', async (t) => {
  t.deepEqual(await numbers(t, 'sites=north,south', `${roles}/sg/bannedaddrs`), [213, 313]);
  t.deepEqual(await numbers(t, 'server=10.1.0.11', `${roles}/ws/bannedaddrs`), [111]);
});

const refusals: readonly [query: string, message: RegExp][] = [
  ['site=hq&sites=hq', /site.*at most one/],
  ['site=hq&server=113', /site.*at most one/],
  ['server=113&servers=113', /server.*at most one/],
  ['site=hq&sites=hq&server=113&servers=113', /at most one/],
  ['site=hq&site=hq', /^site: .*twice/],
  ['site=west', /^site: .*"west".*hq, north, south/],
  ['site=', /^site: .*hq, north, south/],
  ['site', /^site: .*hq, north, south/],
  ['site=HQ', /^site: .*"HQ".*hq, north, south/],
  ['site=hq,north', /^site: .*"hq,north".*hq, north, south/],
  ['sites=hq,west', /^sites: .*"west".*hq, north, south/],
  ['sites=hq,', /^sites: .*hq, north, south/],
  ['server=n9', /^server: .*"n9".*h1, h2, h3, n1, n2, s1, s2/],
  ['server=10.9.9.9', /^server: .*"10\.9\.9\.9".*h1/],
  ['server=999', /^server: .*"999".*h1/],
  ['server=0221', /^server: .*"0221".*h1/],
  ['server=constructor', /^server: .*"constructor".*h1/],
  ['servers=n2,n9', /^servers: .*"n9".*h1/],
  ['servers=', /^servers: .*h1/],
];

for (const [query, message] of refusals) {
  test(`the scope "${query}" is refused with 400, for every operation`, async (t) => {
    refused(t, await cluster.ask(`GET ${bans}?${query}`, { token }), 400, message);
    refused(t, await cluster.ask(`DELETE ${bans}?${query}`, { token }), 400, message);
    refused(t, await cluster.ask(`DELETE ${bans}/10.9.8.7?${query}`, { token }), 400, message);
    const json = { ip: '10.9.8.7', expires: 60 };
    refused(t, await cluster.ask(`POST ${bans}?${query}`, { token, json }), 400, message);
    for (const row of await list(t, '')) t.deepEqual(row['banned'], []);
  });
}

function encoded(params: Record<string, unknown>): string {
  return Object.entries(params)
    .map(([name, value]) => `${name}=${encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value))}`)
    .join('&');
}

const filters: readonly [filter: unknown, srvidxs: number[]][] = [
  [{}, [113, 122, 221, 321]],
  [{ site: 'hq' }, [113, 122]],
  [{ site: 'hq', node: 'h2' }, [122]],
  [{ online: true, srvidx: 321 }, [321]],
  [{ online: false }, []],
  [{ banned: [] }, [113, 122, 221, 321]],
  [
    ['==', ['property', 'online'], true],
    [113, 122, 221, 321],
  ],
  [
    ['!=', ['property', 'site'], 'hq'],
    [221, 321],
  ],
  [
    ['>=', ['property', 'srvidx'], 221],
    [221, 321],
  ],
  [
    ['in', ['property', 'node'], ['h1', 's2']],
    [113, 321],
  ],
  [
    ['like', ['property', 'addr'], '10._.0.12'],
    [122, 221, 321],
  ],
  [['&&', ['==', ['property', 'site'], 'hq'], ['!', ['==', ['property', 'node'], 'h1']]], [122]],
  [
    ['||', ['==', ['property', 'srvidx'], 113], ['==', ['property', 'srvidx'], 321]],
    [113, 321],
  ],
];

for (const [filter, srvidxs] of filters) {
  test(`the filter ${JSON.stringify(filter)} leaves ${JSON.stringify(srvidxs)}`, async (t) => {
    t.deepEqual(await numbers(t, encoded({ filter })), srvidxs);
  });
}

test('a filter and an order by a name that no entry has are refused, with the names that there are', async (t) => {
  for (const query of [encoded({ filter: { nothing: 'x' } }), encoded({ order: ['nothing'] })]) {
    const answer = await cluster.ask(`GET ${bans}?${query}`, { token });
    refused(t, answer, 400, /no field "nothing" here; expected one of site, node, srvidx, addr, online, banned/);
  }
});

const pages: readonly [query: string, srvidxs: number[]][] = [
  ['limit=2', [113, 122]],
  ['offset=1&limit=2', [122, 221]],
  ['offset=3', [321]],
  ['offset=4', []],
  ['offset=9007199254740991', []],
  ['limit=0', []],
  ['limit=10000', [113, 122, 221, 321]],
  [encoded({ order: ['srvidx'] }), [113, 122, 221, 321]],
  [encoded({ order: [{ srvidx: 'desc' }] }), [321, 221, 122, 113]],
  [encoded({ order: [{ site: 'desc' }] }), [321, 221, 113, 122]],
  [encoded({ order: [{ site: 'desc' }, { node: 'desc' }] }), [321, 221, 122, 113]],
  [encoded({ order: [{ srvidx: 'desc' }], limit: '1', offset: '1' }), [221]],
  [encoded({ filter: { site: 'hq' }, offset: '1' }), [122]],
  ['site=hq&limit=1', [113]],
];

for (const [query, srvidxs] of pages) {
  test(`the page "${decodeURIComponent(query)}" is ${JSON.stringify(srvidxs)}`, async (t) => {
    t.deepEqual(await numbers(t, query), srvidxs);
  });
}

test('mask shows the fields it names; unknown names are ignored', async (t) => {
  t.deepEqual(await list(t, 'site=north&mask=srvidx,node'), [{ node: 'n2', srvidx: 221 }]);
  t.deepEqual(await list(t, 'site=north&mask=srvidx,nothing'), [{ srvidx: 221 }]);
  t.deepEqual(await list(t, 'site=north&mask=banned,addr,node,online,site,srvidx'), await list(t, 'site=north'));
  t.deepEqual(await list(t, 'site=north&mask=online&flat=true'), [{ online: true }] as never);
});

test('flat changes nothing where nothing is nested: arrays stay', async (t) => {
  good(t, await cluster.ask(`POST ${bans}?site=north`, { token, json: { ip: '10.9.8.7', expires: 600 } }));
  for (const flat of ['flat=true', 'flat=1', 'flat', 'flat=false', 'flat=0']) {
    t.deepEqual(await list(t, `site=north&${flat}`), await list(t, 'site=north'));
  }
  emptied(t, await cluster.ask(`DELETE ${bans}`, { token }));
});

const badQueries: readonly [query: string, message: RegExp][] = [
  ['limit=ten', /^limit: expected an integer from 0 to 10000, got "ten"$/],
  ['limit=10001', /^limit: expected an integer from 0 to 10000, got "10001"$/],
  ['limit=-1', /^limit: /],
  ['limit=1.5', /^limit: /],
  ['limit=', /^limit: /],
  ['offset=-1', /^offset: /],
  ['offset=x', /^offset: /],
  ['flat=maybe', /^flat: expected .*, got "maybe"$/],
  ['limit=1&limit=1', /^limit: .*twice/],
  ['flat&flat', /^flat: .*twice/],
  ['mask=site&mask=node', /^mask: .*twice/],
  ['filter=x', /^filter: /],
  ['filter=', /^filter: /],
  ['filter=7', /^filter: /],
  [encoded({ filter: ['~', 1, 2] }), /^filter\[0\]: /],
  [encoded({ filter: ['==', ['property', 'site']] }), /^filter: .*operand/],
  [encoded({ filter: ['==', ['property', 'site'], { a: 1 }] }), /^filter/],
  ['order=7%207', /^order: /],
  [encoded({ order: [{ site: 'up' }] }), /^order/],
  [encoded({ order: [7] }), /^order/],
];

for (const [query, message] of badQueries) {
  test(`the query "${decodeURIComponent(query)}" is refused with 400`, async (t) => {
    refused(t, await cluster.ask(`GET ${bans}?${query}`, { token }), 400, message);
  });
}
