/** What holds for every path: refusals and their shape, HEAD and OPTIONS, paths and queries as they may be written. */
import { current, emptied, FrontCluster, good, nodes, refused, roles, sessions } from '../../kit/front.ts';
import { scopedTest } from '../../kit/scoped.ts';

const test = scopedTest();

let cluster: FrontCluster;
let token: string;

test.before(async () => {
  cluster = await FrontCluster.start({ outside: false });
  token = await cluster.token();
});

/** Every path of this stage, with the methods that it has. */
const paths: readonly [path: string, methods: string[]][] = [
  ['/healthz', ['GET']],
  [sessions, ['POST']],
  [current, ['GET', 'PATCH', 'DELETE']],
  [`${roles}/esg/bannedaddrs`, ['GET', 'POST', 'DELETE']],
  [`${roles}/esg/bannedaddrs/10.9.8.7`, ['DELETE']],
  [`${roles}/sg/bannedaddrs`, ['GET', 'POST', 'DELETE']],
  [`${roles}/sg/bannedaddrs/10.9.8.7`, ['DELETE']],
  [`${roles}/ws/bannedaddrs`, ['GET', 'DELETE']],
  [`${roles}/ws/bannedaddrs/10.9.8.7`, ['DELETE']],
  [`${roles}/ws/bannedaddrs/site`, ['GET', 'DELETE']],
  [`${roles}/ws/bannedaddrs/site/10.9.8.7`, ['DELETE']],
  [`${roles}/esg/dashboards`, ['GET']],
  [`${roles}/esg/dashboards/info`, ['GET']],
  [`${roles}/esg/dashboards/count`, ['GET']],
  [`${roles}/esg/dashboards/sites`, ['GET']],
  [nodes, ['GET']],
  [`${nodes}/h1`, ['GET', 'DELETE', 'PATCH']],
];
const tried = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'LOOKUP', 'REFER', 'SEND_DTMF', 'get', 'Get', 'X'];

for (const [path, methods] of paths) {
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].sort();

  test(`${path} refuses methods that it does not have, and says which there are`, async (t) => {
    for (const method of tried) {
      // Some of these become capitals on their way.
      if (methods.includes(method.toUpperCase())) continue;
      for (const asked of [{}, { token }]) {
        const answer = await cluster.ask(`${method} ${path}`, asked);
        refused(t, answer, 405, new RegExp(method, 'i'));
        t.deepEqual(answer.headers.get('allow')?.split(', ').sort(), allow);
      }
    }
  });

  test(`${path} answers OPTIONS with its methods, without a session`, async (t) => {
    const answer = await cluster.ask(`OPTIONS ${path}`);
    emptied(t, answer);
    t.deepEqual(answer.headers.get('allow')?.split(', ').sort(), allow);
  });

  if (!methods.includes('GET')) {
    test(`${path} refuses HEAD, without a body`, async (t) => {
      const head = await cluster.ask(`HEAD ${path}`, { token });
      t.is(head.status, 405);
      t.is(head.text, '');
      t.deepEqual(head.headers.get('allow')?.split(', ').sort(), allow);
    });
    continue;
  }

  test(`${path} answers HEAD as GET, without the body`, async (t) => {
    for (const asked of [{ token }, {}, { headers: { authorization: 'Basic YTpi' } }]) {
      const head = await cluster.ask(`HEAD ${path}`, asked);
      const get = await cluster.ask(`GET ${path}`, asked);
      t.is(head.status, get.status);
      t.is(head.text, '');
      t.is(head.headers.get('content-length'), String(Buffer.byteLength(get.text)));
      t.deepEqual(Object.fromEntries(head.headers), Object.fromEntries(get.headers));
    }
  });
}

test('HEAD takes the query that GET takes', async (t) => {
  const head = await cluster.ask(`HEAD ${nodes}?mask=name&limit=2`, { token });
  const get = await cluster.ask(`GET ${nodes}?mask=name&limit=2`, { token });
  t.is(head.headers.get('content-length'), String(Buffer.byteLength(get.text)));
  t.is((await cluster.ask(`HEAD ${nodes}?limit=x`, { token })).status, 400);
});

test('the length of an answer is that of its bytes, not of its characters', async (t) => {
  const answer = await cluster.ask(`GET /${encodeURIComponent('ключ')}`);
  refused(t, answer, 404, /ключ/);
  t.is(answer.headers.get('content-length'), String(Buffer.byteLength(answer.text)));
});

const unknown = [
  '/',
  '/rest',
  '/rest/v1',
  '/rest/v1/',
  '/rest/v2/iam/sessions',
  '/rest/v1/iam',
  '/rest/v1/iam/sessions/',
  '/rest/v1/iam/sessions/other',
  '/rest/v1/iam/sessions/current/',
  '/rest/v1//iam/sessions/current',
  '//rest/v1/iam/sessions/current',
  '/REST/v1/iam/sessions/current',
  '/rest/v1/iam/Sessions/current',
  '/rest/v1/iam/sessions/current;a=b',
  '/rest/v1/iam/sessions%2Fcurrent',
  '/rest/v1/iam/sessions/current%00',
  `${roles}/b2b/bannedaddrs`,
  `${roles}/sg/dashboards`,
  `${roles}/esg/bannedaddrs/10.9.8.7/x`,
  `${nodes}/`,
  `${nodes}/h1/h2`,
  '/%zz',
  '/%',
  '/%C3%28',
  '/%F0%9F%92%A9',
  `/${'a'.repeat(2_000)}`,
  '/<script>alert(1)</script>',
  '/*',
  '/:name',
  '/constructor',
];

for (const path of unknown) {
  test(`an unknown path answers 404: ${path.slice(0, 50)}`, async (t) => {
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS', 'LOOKUP']) {
      refused(t, await cluster.ask(`${method} ${path}`, { token }), 404);
    }
    const head = await cluster.ask(`HEAD ${path}`, { token });
    t.is(head.status, 404);
    t.is(head.text, '');
  });
}

const sameAsCurrent = [
  '/rest/v1/iam/sessions/%63urrent',
  '/rest/v1/iam/session%73/current',
  '/rest/v1/iam/./sessions/current',
  '/rest/v1/iam/sessions/x/../current',
  '/rest/v1/iam/sessions/%2e/current',
  '/rest/v1/iam/sessions/current?',
  '/rest/v1/iam/sessions/current?nothing=known&=&&a&a',
  '/rest/v1/iam/sessions/current?%zz=%',
];

for (const path of sameAsCurrent) {
  test(`a path may be written otherwise: ${path}`, async (t) => {
    t.like(good(t, await cluster.ask(`GET ${path}`, { token })), { login: 'admin' });
  });
}

test('an unknown path or method is refused before the session is checked: 404 and 405 need no session', async (t) => {
  refused(t, await cluster.ask('GET /rest/v1/nothing'), 404);
  refused(t, await cluster.ask(`PUT ${nodes}`), 405);
  refused(t, await cluster.ask(`GET ${nodes}`), 401);
});

test('a query parameter may be percent-encoded, and a plus is a blank', async (t) => {
  const one = await cluster.ask(`GET ${roles}/esg/bannedaddrs?s%69te=%6Eorth`, { token });
  t.is(good<object[]>(t, one).length, 1);
  const two = await cluster.ask(`GET ${roles}/esg/bannedaddrs?sites=north,+south`, { token });
  t.is(good<object[]>(t, two).length, 2);
  refused(t, await cluster.ask(`GET ${roles}/esg/bannedaddrs?site=a%00b`, { token }), 400, /^site: /);
  refused(t, await cluster.ask(`GET ${roles}/esg/bannedaddrs?site=%F0%28`, { token }), 400, /^site: /);
});

test('a duplicate parameter is refused by its name wherever it means something', async (t) => {
  const twice: [string, string][] = [
    [nodes, 'limit'],
    [nodes, 'offset'],
    [nodes, 'order'],
    [nodes, 'filter'],
    [nodes, 'mask'],
    [nodes, 'flat'],
    [`${nodes}/h1`, 'mask'],
    [`${roles}/esg/bannedaddrs`, 'site'],
    [`${roles}/esg/bannedaddrs`, 'limit'],
    [`${roles}/esg/dashboards/info`, 'code'],
    [`${roles}/esg/dashboards/count`, 'servers'],
  ];
  for (const [path, name] of twice) {
    refused(t, await cluster.ask(`GET ${path}?${name}=1&${name}=1`, { token }), 400, new RegExp(`^${name}: .*twice`));
  }
});

test('health needs no session', async (t) => {
  for (const at of ['hq', 'north', 'south'])
    t.like(good(t, await cluster.ask('GET /healthz', { at })), { status: 'ready' });
});

test('a front that does not know its peers yet is not ready', async (t) => {
  cluster.world.faults.crashNode('n1');
  await cluster.world.wait(5_000);
  cluster.world.faults.cut({ from: 'n1' });
  const back = cluster.world.faults.restartNode('n1');
  await cluster.world.wait(100);
  await back;
  refused(t, await cluster.ask('GET /healthz', { at: 'north' }), 503, /ws-211/);
  cluster.world.faults.mend();
  await cluster.world.wait(5_000);
  good(t, await cluster.ask('GET /healthz', { at: 'north' }));
});

test('a text that a client has by its tag is not sent again, whatever other tags it names', async (t) => {
  const got = await cluster.world.request('hq', new Request('http://hq/favicon.ico'));
  const etag = got.headers.get('etag') ?? '';
  for (const [known, status] of [
    [etag, 304],
    [`"x", ${etag}`, 304],
    [`W/${etag}`, 304],
    ['*', 304],
    ['"x"', 200],
  ] as const) {
    const again = await cluster.world.request(
      'hq',
      new Request('http://hq/favicon.ico', { headers: { 'if-none-match': known } }),
    );
    t.is(again.status, status, known);
    t.is(again.headers.get('etag'), etag);
  }
});
