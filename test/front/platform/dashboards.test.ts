/** The dashboards of esg: index, info, count, sites; their scope, and what they show of instances that are away. */
import type { ExecutionContext } from 'ava';
import { acmeAdmin, FrontCluster, good, refused, roles, user } from '../../kit/front.ts';
import { scopedTest } from '../../kit/scoped.ts';

const test = scopedTest();

interface Counts {
  readonly dlgcount: number;
  readonly callcount: number;
}

interface Server extends Counts {
  readonly srvidx: number;
  readonly node: string;
  readonly online: boolean;
  readonly addr: string;
  readonly domains: string[];
  readonly regs: Record<string, unknown>[];
}

type Info = Counts & { sites: (Counts & { site: string; servers: Server[] })[] };

const base = `${roles}/esg/dashboards`;
const scopeParams = ['site', 'sites', 'server', 'servers'];
let cluster: FrontCluster;
let token: string;

test.before(async () => {
  cluster = await FrontCluster.start();
  token = await cluster.token();
});

async function look<T>(t: ExecutionContext, path: string): Promise<T> {
  return good(t, await cluster.ask(`GET ${base}${path}`, { token }));
}

function servers({ sites }: Info): Server[] {
  return sites.flatMap((site) => site.servers);
}

function sum(all: readonly Partial<Counts>[]): Counts {
  const total = (name: keyof Counts) => all.reduce((count, each) => count + (each[name] ?? 0), 0);
  return { dlgcount: total('dlgcount'), callcount: total('callcount') };
}

/** The provider codes shown, by server. */
async function codes(t: ExecutionContext, query: string): Promise<Record<string, unknown[]>> {
  const all = servers(await look<Info>(t, `/info${query}`));
  return Object.fromEntries(all.map(({ srvidx, regs }) => [String(srvidx), regs.map((reg) => reg['code'])]));
}

test('the index links to info, count and sites, and each link leads somewhere', async (t) => {
  type Link = { name: string; _links: { self: { href: string; params: string[] } } };
  const index = await look<Link[]>(t, '');
  t.deepEqual(
    index.map((each) => each.name),
    ['info', 'count', 'sites'],
  );
  for (const each of index) {
    t.deepEqual(Object.keys(each).sort(), ['_links', 'name']);
    const { href, params } = each._links.self;
    t.is(href, `${base}/${each.name}`);
    const all = each.name === 'info' ? [...scopeParams, 'regs', 'code'] : scopeParams;
    t.deepEqual(params.toSorted(), all.toSorted());
    good(t, await cluster.ask(`GET ${href}`, { token }));
  }
});

test('info is a tree of sites and servers with the documented fields', async (t) => {
  const info = await look<Info>(t, '/info');
  t.deepEqual(Object.keys(info).sort(), ['callcount', 'dlgcount', 'sites']);
  t.deepEqual(
    info.sites.map((site) => [site.site, site.servers.map((server) => server.srvidx)]),
    [
      ['hq', [113, 122]],
      ['north', [221]],
      ['south', [321]],
    ],
  );
  for (const site of info.sites) {
    t.deepEqual(Object.keys(site).sort(), ['callcount', 'dlgcount', 'servers', 'site']);
    for (const server of site.servers) {
      const names = ['addr', 'callcount', 'dlgcount', 'domains', 'node', 'online', 'regs', 'srvidx'];
      t.deepEqual(Object.keys(server).sort(), names);
      t.true(server.online);
      t.deepEqual(server.domains, site.site === 'hq' ? ['root.test'] : ['acme.root.test', 'globex.root.test']);
    }
  }
  t.like(info.sites[1]?.servers[0], { node: 'n2', addr: '10.2.0.12' });
});

test('count, sites and info agree, for every scope', async (t) => {
  for (const scope of ['', '?site=hq', '?sites=hq,south', '?server=221', '?servers=113,321', '?server=h3']) {
    const info = await look<Info>(t, `/info${scope}`);
    const counts = { dlgcount: info.dlgcount, callcount: info.callcount };
    t.true(Number.isSafeInteger(info.dlgcount) && info.dlgcount >= 0);
    t.true(Number.isSafeInteger(info.callcount) && info.callcount >= 0);
    for (const site of info.sites) t.like(site, { ...sum(site.servers) });
    t.deepEqual(sum(info.sites), counts);
    t.deepEqual(await look(t, `/count${scope}`), counts);
    const sites = info.sites.map(({ site, dlgcount, callcount }) => ({ site, dlgcount, callcount }));
    t.deepEqual(await look(t, `/sites${scope}`), { ...counts, sites });
  }
});

test('the scope says which sites and servers are in the tree', async (t) => {
  const tree = async (query: string) =>
    (await look<Info>(t, `/info${query}`)).sites.map((site) => [site.site, site.servers.map((each) => each.srvidx)]);
  t.deepEqual(await tree('?site=hq'), [['hq', [113, 122]]]);
  t.deepEqual(await tree('?server=122'), [['hq', [122]]]);
  t.deepEqual(await tree('?servers=321,n2'), [
    ['north', [221]],
    ['south', [321]],
  ]);
  t.deepEqual(await tree('?server=h3'), []);
});

test('an unknown or malformed scope, or more than one, is refused with 400', async (t) => {
  for (const path of ['/info', '/count', '/sites']) {
    refused(t, await cluster.ask(`GET ${base}${path}?site=west`, { token }), 400, /west.*hq, north, south/);
    refused(t, await cluster.ask(`GET ${base}${path}?site=hq&server=113`, { token }), 400, /at most one/);
    refused(t, await cluster.ask(`GET ${base}${path}?server=113&server=113`, { token }), 400, /^server: .*twice/);
  }
});

test('provider accounts are shown with regs only', async (t) => {
  const none = { 113: [], 122: [], 221: [], 321: [] };
  const all = { 113: [], 122: [], 221: ['acme-telecom'], 321: ['globex-telecom'] };
  for (const query of ['', '?regs=false', '?regs=0', '?code=acme-telecom'])
    t.deepEqual(await codes(t, query), none, query);
  for (const query of ['?regs=true', '?regs=1', '?regs', '?regs=']) t.deepEqual(await codes(t, query), all, query);
});

test('code limits regs to the accounts of that provider', async (t) => {
  t.deepEqual(await codes(t, '?regs&code=acme-telecom'), { 113: [], 122: [], 221: ['acme-telecom'], 321: [] });
  t.deepEqual(await codes(t, '?regs=true&code=globex-telecom&site=south'), { 321: ['globex-telecom'] });
  t.deepEqual(await codes(t, '?regs=true&code=unknown'), { 113: [], 122: [], 221: [], 321: [] });
});

test('a provider account has the documented fields', async (t) => {
  const info = await look<Info>(t, '/info?regs=true&code=acme-telecom&server=221');
  const [reg = {}] = servers(info)[0]?.regs ?? [];
  const { regstate, pingstate, last_response, onlinetrunkcount, ...rest } = reg;
  t.deepEqual(rest, {
    code: 'acme-telecom',
    d: 'acme.root.test',
    user: 'acme',
    domain: 'sip.telecom.test',
    port: 5_060,
    proto: 'udp',
    addrs: ['10.9.0.1'],
  });
  t.true(['disabled', 'registered', 'wait_result', 'retry', 'detached'].includes(regstate as string));
  t.true(['disabled', 'ok', 'error'].includes(pingstate as string));
  t.true(Array.isArray(last_response) && last_response.every((line) => typeof line === 'string'));
  t.true(Number.isSafeInteger(onlinetrunkcount));
});

test('regs that is no boolean, or given twice, is refused with 400', async (t) => {
  refused(t, await cluster.ask(`GET ${base}/info?regs=maybe`, { token }), 400, /^regs: expected .*, got "maybe"$/);
  refused(t, await cluster.ask(`GET ${base}/info?regs=TRUE`, { token }), 400, /^regs: /);
  refused(t, await cluster.ask(`GET ${base}/info?regs&regs`, { token }), 400, /^regs: .*twice/);
  refused(t, await cluster.ask(`GET ${base}/info?regs&code=a&code=b`, { token }), 400, /^code: .*twice/);
});

for (const path of ['', '/info', '/count', '/sites']) {
  test(`dashboards${path} are for the master domain, and for reading`, async (t) => {
    refused(t, await cluster.ask(`GET ${base}${path}`), 401);
    refused(t, await cluster.ask(`GET ${base}${path}`, { token: await cluster.token(acmeAdmin) }), 403, /master/);
    good(t, await cluster.ask(`GET ${base}${path}`, { token: await cluster.token(user) }));
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'LOOKUP']) {
      const answer = await cluster.ask(`${method} ${base}${path}`, { token });
      refused(t, answer, 405);
      t.deepEqual(answer.headers.get('allow')?.split(', ').sort(), ['GET', 'HEAD', 'OPTIONS']);
    }
  });
}

test('there are no dashboards of sg and ws', async (t) => {
  for (const role of ['sg', 'ws']) refused(t, await cluster.ask(`GET ${roles}/${role}/dashboards`, { token }), 404);
});

test('a server that is away has its number and node alone; the sums leave it out, and name its site', async (t) => {
  cluster.world.faults.pauseNode('n2');
  const answer = await cluster.ask(`GET ${base}/info?regs=true`, { token });
  t.true(answer.tookMs <= 2_000, `${answer.tookMs} ms`);
  const info = good<Info>(t, answer);
  t.deepEqual(info.sites[1] as unknown, {
    site: 'north',
    dlgcount: 0,
    callcount: 0,
    servers: [{ srvidx: 221, node: 'n2', online: false }],
  });
  for (const path of ['/count', '/sites']) {
    const other = await cluster.ask(`GET ${base}${path}`, { token });
    good(t, other);
    t.is(other.headers.get('x-missing-sites'), 'north');
    t.true(other.tookMs <= 2_000, `${other.tookMs} ms`);
  }
  cluster.world.faults.resumeNode('n2');
  await cluster.world.wait(5_000);
  t.true(servers(await look<Info>(t, '/info')).every((server) => server.online));
  t.is((await cluster.ask(`GET ${base}/count`, { token })).headers.get('x-missing-sites'), null);
});
