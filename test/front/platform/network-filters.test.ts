/** The network filters of esg and sg: banning, listing, lifting; how long a ban lasts; which sessions may do it. */
import type { ExecutionContext } from 'ava';
import {
  type Answer,
  acmeAdmin,
  admin,
  current,
  emptied,
  FrontCluster,
  good,
  guest,
  oneNode,
  refused,
  roles,
  user,
} from '../../kit/front.ts';
import { scopedTest } from '../../kit/scoped.ts';

const test = scopedTest();

interface Row {
  readonly site: string;
  readonly srvidx: number;
  readonly online: boolean;
  readonly banned?: { ip: string; expires: number }[];
  readonly result?: boolean;
}

const edges = [
  { role: 'esg', site: 'hq', node: 'h1', srvidx: 113, addr: '10.1.0.11' },
  { role: 'esg', site: 'hq', node: 'h2', srvidx: 122, addr: '10.1.0.12' },
  { role: 'esg', site: 'north', node: 'n2', srvidx: 221, addr: '10.2.0.12' },
  { role: 'esg', site: 'south', node: 's2', srvidx: 321, addr: '10.3.0.12' },
  { role: 'sg', site: 'hq', node: 'h2', srvidx: 123, addr: '10.1.0.12' },
  { role: 'sg', site: 'north', node: 'n1', srvidx: 213, addr: '10.2.0.11' },
  { role: 'sg', site: 'south', node: 's1', srvidx: 313, addr: '10.3.0.11' },
  { role: 'ws', site: 'hq', node: 'h1', srvidx: 111, addr: '10.1.0.11' },
  { role: 'ws', site: 'north', node: 'n1', srvidx: 211, addr: '10.2.0.11' },
  { role: 'ws', site: 'south', node: 's1', srvidx: 311, addr: '10.3.0.11' },
];

/** The instances of a role in the default topology, as every entry shows them: by site, node and srvidx. */
function entries(role: string): object[] {
  return edges.filter((each) => each.role === role).map(({ role: _, ...entry }) => entry);
}

const path = (role: string) => `${roles}/${role}/bannedaddrs`;
let wide: FrontCluster;
let wideToken: string;
/** One esg on the node of the front: no way between them, so times are exact. */
let near: FrontCluster;
let token: string;

test.before(async () => {
  wide = await FrontCluster.start({ outside: false });
  wideToken = await wide.token();
  near = await FrontCluster.start({ topology: oneNode });
});

test.beforeEach(async () => {
  token = await near.token();
  await near.ask(`DELETE ${path('esg')}`, { token });
});

async function list(t: ExecutionContext, role: string): Promise<Row[]> {
  return good(t, await wide.ask(`GET ${path(role)}`, { token: wideToken }));
}

function ban(json: unknown): Promise<Answer> {
  return near.ask(`POST ${path('esg')}`, { token, json });
}

async function bannedNear(): Promise<unknown> {
  const rows = (await near.ask(`GET ${path('esg')}`, { token })).body as Row[];
  return rows[0]?.banned;
}

for (const role of ['esg', 'sg']) {
  test(`${role}: POST bans an address on every instance, and every entry says so`, async (t) => {
    const answer = await wide.ask(`POST ${path(role)}`, { token: wideToken, json: { ip: '10.9.8.7', expires: 60 } });
    t.deepEqual(
      good<Row[]>(t, answer) as unknown[],
      entries(role).map((entry) => ({ ...entry, online: true, result: true })),
    );
    t.deepEqual(
      (await list(t, role)) as unknown[],
      entries(role).map((entry) => ({ ...entry, online: true, banned: [{ ip: '10.9.8.7', expires: 60 }] })),
    );
  });

  test(`${role}: DELETE of an address lifts its ban everywhere, and leaves the others`, async (t) => {
    for (const ip of ['10.9.8.7', '10.9.8.6']) {
      await wide.ask(`POST ${path(role)}`, { token: wideToken, json: { ip, expires: 600 } });
    }
    emptied(t, await wide.ask(`DELETE ${path(role)}/10.9.8.7`, { token: wideToken }));
    for (const row of await list(t, role)) {
      t.deepEqual(
        row.banned?.map((each) => each.ip),
        ['10.9.8.6'],
      );
    }
    emptied(t, await wide.ask(`DELETE ${path(role)}/10.9.8.7`, { token: wideToken }));
  });

  test(`${role}: DELETE of the collection lifts every ban everywhere`, async (t) => {
    for (const ip of ['10.9.8.7', '10.9.8.6', '10.9.8.5']) {
      await wide.ask(`POST ${path(role)}`, { token: wideToken, json: { ip, expires: 600 } });
    }
    emptied(t, await wide.ask(`DELETE ${path(role)}`, { token: wideToken }));
    for (const row of await list(t, role)) t.deepEqual(row.banned, []);
  });
}

test('a ban by one role says nothing to another', async (t) => {
  await wide.ask(`POST ${path('esg')}`, { token: wideToken, json: { ip: '10.9.8.7', expires: 60 } });
  for (const row of [...(await list(t, 'sg')), ...(await list(t, 'ws'))]) t.deepEqual(row.banned, []);
  emptied(t, await wide.ask(`DELETE ${path('esg')}`, { token: wideToken }));
});

test('ws lists every instance, and takes no POST', async (t) => {
  t.deepEqual(
    (await list(t, 'ws')) as unknown[],
    entries('ws').map((entry) => ({ ...entry, online: true, banned: [] })),
  );
  for (const target of [path('ws'), `${path('ws')}/site`]) {
    const answer = await wide.ask(`POST ${target}`, { token: wideToken, json: { ip: '10.9.8.7', expires: 60 } });
    refused(t, answer, 405);
    t.deepEqual(answer.headers.get('allow')?.split(', ').sort(), ['DELETE', 'GET', 'HEAD', 'OPTIONS']);
  }
});

test('ws/bannedaddrs/site lists and clears the instances of the site that answers', async (t) => {
  for (const at of ['hq', 'north', 'south']) {
    const answer = await wide.ask(`GET ${path('ws')}/site`, { at, token: wideToken });
    t.deepEqual(
      good<Row[]>(t, answer).map((row) => row.site),
      [at],
    );
    emptied(t, await wide.ask(`DELETE ${path('ws')}/site`, { at, token: wideToken }));
    emptied(t, await wide.ask(`DELETE ${path('ws')}/site/10.9.8.7`, { at, token: wideToken }));
  }
});

// A ban begins before its answer, which waits for the disk: some milliseconds.
test('expires counts down, and the ban ends at its second', async (t) => {
  good(t, await ban({ ip: '10.9.8.7', expires: 60 }));
  t.deepEqual(await bannedNear(), [{ ip: '10.9.8.7', expires: 60 }]);
  await near.world.wait(20_000);
  t.deepEqual(await bannedNear(), [{ ip: '10.9.8.7', expires: 40 }]);
  await near.world.wait(39_990);
  t.deepEqual(await bannedNear(), [{ ip: '10.9.8.7', expires: 1 }]);
  await near.world.wait(10);
  t.deepEqual(await bannedNear(), []);
});

test('expires may be text, as the documented example has it', async (t) => {
  good(t, await ban({ ip: '10.9.8.7', expires: '60' }));
  t.deepEqual(await bannedNear(), [{ ip: '10.9.8.7', expires: 60 }]);
  await near.world.wait(60_000);
  t.deepEqual(await bannedNear(), []);
});

test('a repeated POST extends the ban from then on', async (t) => {
  await ban({ ip: '10.9.8.7', expires: 60 });
  await near.world.wait(50_000);
  await ban({ ip: '10.9.8.7', expires: 60 });
  t.deepEqual(await bannedNear(), [{ ip: '10.9.8.7', expires: 60 }], 'one entry');
  await near.world.wait(59_990);
  t.deepEqual(await bannedNear(), [{ ip: '10.9.8.7', expires: 1 }]);
  await near.world.wait(10);
  t.deepEqual(await bannedNear(), []);
});

test('a repeated POST never shortens the ban', async (t) => {
  await ban({ ip: '10.9.8.7', expires: 600 });
  good(t, await ban({ ip: '10.9.8.7', expires: 1 }));
  t.deepEqual(await bannedNear(), [{ ip: '10.9.8.7', expires: 600 }]);
  await near.world.wait(599_990);
  t.deepEqual(await bannedNear(), [{ ip: '10.9.8.7', expires: 1 }]);
  await near.world.wait(10);
  t.deepEqual(await bannedNear(), []);
});

test('an address that was freed can be banned anew', async (t) => {
  await ban({ ip: '10.9.8.7', expires: 600 });
  emptied(t, await near.ask(`DELETE ${path('esg')}/10.9.8.7`, { token }));
  good(t, await ban({ ip: '10.9.8.7', expires: 5 }));
  t.deepEqual(await bannedNear(), [{ ip: '10.9.8.7', expires: 5 }]);
});

test('bans are kept address by address, each with its own end', async (t) => {
  await ban({ ip: '10.9.8.7', expires: 10 });
  await ban({ ip: '10.9.8.6', expires: 20 });
  await near.world.wait(10_000);
  t.deepEqual(await bannedNear(), [{ ip: '10.9.8.6', expires: 10 }]);
});

test('a ban lasts from 1 second to a year', async (t) => {
  for (const expires of [1, '1', 31_536_000, '31536000']) good(t, await ban({ ip: '10.9.8.7', expires }));
  t.deepEqual(await bannedNear(), [{ ip: '10.9.8.7', expires: 31_536_000 }]);
});

const badExpires = [
  0,
  -1,
  1.5,
  31_536_001,
  1e300,
  '',
  ' 60',
  '60s',
  '6e1',
  '-5',
  '1.5',
  '31536001',
  true,
  null,
  [60],
  {},
];

for (const expires of badExpires) {
  test(`expires is refused with 400: ${JSON.stringify(expires)}`, async (t) => {
    refused(t, await ban({ ip: '10.9.8.7', expires }), 400, /^expires: expected an integer from 1 to 31536000, got /);
    t.deepEqual(await bannedNear(), []);
  });
}

const badIps = [
  '',
  '10.9.8',
  '10.9.8.7.6',
  '10.9.8.256',
  '10.9.8.07',
  '10.9.8.7/8',
  ' 10.9.8.7',
  '::1',
  'host',
  7,
  null,
  ['10.9.8.7'],
];

for (const ip of badIps) {
  test(`ip is refused with 400: ${JSON.stringify(ip)}`, async (t) => {
    refused(t, await ban({ ip, expires: 60 }), 400, /^ip: expected .*got /);
    t.deepEqual(await bannedNear(), []);
    // Only an IPv4 address can be banned, but ws may have banned another by itself.
    if (typeof ip !== 'string' || ip === '' || ip === '::1') return;
    const target = encodeURIComponent(ip);
    refused(t, await near.ask(`DELETE ${path('esg')}/${target}`, { token }), 400, /^ip: expected an IP address/);
  });
}

test('a body without a field, with another one, or none at all is refused with 400', async (t) => {
  refused(t, await ban({ expires: 60 }), 400, /^ip: .*got nothing$/);
  refused(t, await ban({ ip: '10.9.8.7' }), 400, /^expires: .*got nothing$/);
  refused(t, await ban({ ip: '10.9.8.7', expires: 60, site: 'hq' }), 400, /^site: no such field/);
  refused(t, await ban([]), 400, /^body: /);
  refused(t, await near.ask(`POST ${path('esg')}`, { token }), 400, /^body: /);
});

test('the address in the path may be percent-encoded', async (t) => {
  await ban({ ip: '10.9.8.7', expires: 600 });
  emptied(t, await near.ask(`DELETE ${path('esg')}/10%2E9%2E8%2e7`, { token }));
  t.deepEqual(await bannedNear(), []);
});

const operations = ['esg', 'sg', 'ws', 'ws/site'].flatMap((each) => {
  const [role = '', suffix] = each.split('/');
  const target = suffix === undefined ? path(role) : `${path(role)}/${suffix}`;
  const all = [`GET ${target}`, `DELETE ${target}`, `DELETE ${target}/10.9.8.7`];
  return role === 'ws' ? all : [...all, `POST ${target}`];
});

for (const line of operations) {
  const asked = line.startsWith('POST') ? { json: { ip: '10.9.8.7', expires: 60 } } : {};

  test(`${line} needs a session`, async (t) => {
    refused(t, await near.ask(line, asked), 401);
  });

  test(`${line} needs a session in the master domain`, async (t) => {
    refused(t, await near.ask(line, { ...asked, token: await near.token(acmeAdmin) }), 403, /master/);
    const switched = await near.token(admin);
    emptied(t, await near.ask(`PATCH ${current}`, { token: switched, json: { domain: 'acme.root.test' } }));
    refused(t, await near.ask(line, { ...asked, token: switched }), 403, /master/);
  });

  const isReading = line.startsWith('GET');
  test(`${line} ${isReading ? 'is open to' : 'is refused to'} the role user`, async (t) => {
    const answer = await near.ask(line, { ...asked, token: await near.token(user) });
    if (isReading) good(t, answer);
    else refused(t, answer, 403, /admin/);
  });

  test(`${line} is refused to a role of one's own`, async (t) => {
    refused(t, await near.ask(line, { ...asked, token: await near.token(guest) }), 403, /admin/);
  });
}
