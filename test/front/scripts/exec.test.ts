/** /exec: which script answers, which clients may ask, what the script gets, how long it may take, and what answers. */
import type { ExecutionContext } from 'ava';
import { type Answer, type Asked, acmeAdmin, acmeUser, admin, FrontCluster, good, refused } from '../../kit/front.ts';
import { scopedTest } from '../../kit/scoped.ts';

const test = scopedTest();

const scripts = '/rest/v1/domain/svcscripts';
const channels = '/rest/v1/domain/integrationchannels';
const apps = '/rest/v1/domain/roleapps';
const at = 'north';
const token = 'the-token-of-the-crm';

let cluster: FrontCluster;
let acme: string;

test.before(async () => {
  cluster = await FrontCluster.start({
    metadataFiles: { 'standard/webservices.json': '{"slow":{"recv_timeout":3}}' },
  });
  acme = await cluster.token(acmeAdmin, at);
});

type Components = Readonly<Record<string, Record<string, unknown>>>;

/** Defines a script of which the first component follows `start`. */
async function define(t: ExecutionContext, code: string, components: Components): Promise<void> {
  const [next] = Object.keys(components);
  const list = Object.entries(components).map(([name, rest]) => ({ name, ...rest }));
  const json = { code, components: [{ name: 'start', type: 'start', ...(next && { next }) }, ...list] };
  await make(t, scripts, json);
}

async function make(t: ExecutionContext, path: string, json: object): Promise<{ id: string }> {
  const made = good<{ id: string }>(t, await cluster.ask(`POST ${path}`, { at, token: acme, json }));
  t.teardown(() => cluster.ask(`DELETE ${path}/${made.id}`, { at, token: acme }));
  return made;
}

/** A channel with a script of one code component. */
async function channel(t: ExecutionContext, code: string, more: object = {}): Promise<void> {
  await define(t, 'answer', { code: { type: 'code', code } });
  await make(t, channels, { code: 'crm', token_local: token, svcscriptcode: 'answer', ...more });
}

/** Sends a request whose answer may be anything. */
async function exec(asked: Asked & { method?: string; query?: string } = {}): Promise<Answer> {
  const { method = 'POST', query = '', json, raw, headers, token: bearer } = { token, ...asked };
  const fields = new Headers(headers);
  if (bearer !== undefined) fields.set('authorization', `Bearer ${bearer}`);
  if (asked.cookie !== undefined) fields.set('cookie', `RSession=${asked.cookie}`);
  if (json !== undefined) fields.set('content-type', 'application/json');
  const body = json === undefined ? raw : JSON.stringify(json);
  const request = new Request(`http://${at}/exec${query}`, {
    method,
    headers: fields,
    ...(body !== undefined && { body }),
  });
  const sentMs = cluster.world.now();
  const response = await cluster.world.request(at, request);
  const text = await response.text();
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    parsed = undefined;
  }
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: parsed,
    tookMs: cluster.world.now() - sentMs,
  };
}

test('the answer is what the variables of the script say; by default 200 without a body', async (t) => {
  await channel(t, 'x = 1');
  const plain = await exec({ json: {} });
  t.is(plain.status, 200);
  t.is(plain.text, '');
  t.is(plain.headers.get('content-type'), 'application/octet-stream');
});

test('a script sets the status, further headers and the body', async (t) => {
  const code = `response_code = "201"; response_headers = { "Content-Type": "text/plain", "X-Mark": "m" };
    response_content = startparam(4).word + "!"`;
  await channel(t, code);
  const answer = await exec({ json: { word: 'hey' } });
  t.is(answer.status, 201);
  t.is(answer.text, 'hey!');
  t.is(answer.headers.get('content-type'), 'text/plain');
  t.is(answer.headers.get('x-mark'), 'm');
});

test('the start parameters are those of the table', async (t) => {
  await channel(t, 'response_content = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => startparam(n))');
  const answer = await exec({ json: { a: { b: [1] } }, query: '?x=1&timeout=5', headers: { 'x-mark': 'm' } });
  const [item, method, url, body, headers, sender, protocol, query] = answer.body as unknown[];
  t.like(item, { code: 'crm', token_local: token, type: 'public' });
  t.deepEqual([method, url, body, sender, protocol], ['POST', '/exec', { a: { b: [1] } }, '127.0.0.1', 'http']);
  t.deepEqual(headers, [
    { name: 'content-type', value: 'application/json' },
    { name: 'x-mark', value: 'm' },
  ]);
  t.deepEqual(query, { x: '1', timeout: '5' });
});

test('a body that is not a JSON object is there as a text; a GET has none', async (t) => {
  await channel(t, 'response_content = [startparam(2), startparam(4)]');
  t.deepEqual((await exec({ raw: 'a=1&b=2', headers: { 'content-type': 'text/plain' } })).body, ['POST', 'a=1&b=2']);
  t.deepEqual((await exec({})).body, ['POST', '']);
  t.deepEqual((await exec({ method: 'GET' })).body, ['GET', {}]);
  refused(t, await exec({ raw: 'x'.repeat(300_000) }), 413, /at most 262144 bytes/);
});

test('another method is 405, HEAD included', async (t) => {
  await channel(t, 'x = 1');
  for (const method of ['PUT', 'DELETE', 'PATCH', 'LOOKUP']) refused(t, await exec({ method }), 405);
  t.is((await exec({ method: 'HEAD' })).status, 405);
  for (const method of ['PUT', 'OPTIONS'])
    t.is((await exec({ method })).headers.get('allow'), 'POST, GET, OPTIONS', 'HEAD is none of them');
});

test('the answer waits for nested scripts', async (t) => {
  await define(t, 'inner', {
    wait: { type: 'wait', seconds: '2', next: 'set' },
    set: { type: 'assign', set: { word: '"deep"' } },
  });
  await define(t, 'outer', {
    call: { type: 'script', code: '"inner"', result: 'r', next: 'set' },
    set: { type: 'assign', set: { response_content: 'r.word' } },
  });
  await make(t, channels, { code: 'crm', token_local: token, svcscriptcode: 'outer' });
  const answer = await exec({ json: {} });
  t.is(answer.text, 'deep');
  t.true(answer.tookMs >= 2_000);
});

test('timeout can only shorten the wait of the channel; a wait that is over is 504, and the script goes on', async (t) => {
  await define(t, 'slow', { wait: { type: 'wait', seconds: '30' } });
  const { id } = await make(t, channels, {
    code: 'crm',
    token_local: token,
    svcscriptcode: 'slow',
    opts: { recv_timeout: 8 },
  });
  const waits: [query: string, ms: number][] = [
    ['', 8_000],
    ['?timeout=2', 2_000],
    ['?timeout=60', 8_000],
    ['?timeout=99999999999999999999', 8_000],
  ];
  for (const [query, ms] of waits) {
    const answer = await exec({ json: {}, query });
    refused(t, answer, 504, /has not ended within \d+ s: it goes on/);
    t.true(Math.abs(answer.tookMs - ms) < 200, `${answer.tookMs} ms`);
  }
  for (const query of [
    '?timeout=0',
    '?timeout=-1',
    '?timeout=1.5',
    '?timeout=x',
    '?timeout=',
    '?timeout=1&timeout=2',
  ]) {
    refused(t, await exec({ json: {}, query }), 400, /^timeout: /);
  }
  good(t, await cluster.ask(`PATCH ${channels}/${id}`, { at, token: acme, json: { type: 'slow' } }));
  const ofType = await exec({ json: {} });
  t.true(Math.abs(ofType.tookMs - 3_000) < 200, 'the section of the type sets the wait');
});

test('no session and no token is 401, and counts for the ban filter', async (t) => {
  await channel(t, 'x = 1');
  const { token: _, ...none } = { token: undefined };
  refused(t, await cluster.ask('POST /exec?timeout=x', { at, ...none, json: {} }), 401);
  for (let n = 0; n < 5; n += 1)
    refused(
      t,
      await exec({ json: {}, token: 'an-unknown-token', query: '?timeout=x' }),
      401,
      /no session with this id, and no integration channel/,
    );
  refused(t, await exec({ json: {}, token: 'an-unknown-token' }), 429);
  refused(t, await exec({ json: {} }), 429, /is banned/);
  await cluster.world.wait(200_000);
  t.is((await exec({ json: {} })).status, 200);
});

test('a session runs the script of the role application in its Referer, within its roles', async (t) => {
  await define(t, 'app', {
    set: { type: 'assign', set: { response_content: '[startparam(1).folder, startparam(5)]' } },
  });
  const { id } = await make(t, apps, { folder: 'desk', svcscriptcode: 'app', roles: ['operator'] });
  const headers = { referer: `http://${at}/app/desk/index.html` };
  const answer = await exec({ token: acme, json: {}, headers });
  const [folder, fields] = answer.body as [string, { name: string }[]];
  t.is(folder, 'desk');
  t.false(
    fields.some(({ name }) => name === 'authorization'),
    'a script does not get the session',
  );
  const cookie = await cluster.cookie(acmeAdmin, at);
  t.is((await exec({ token: undefined, cookie, json: {}, headers })).status, 200);
  const user = await cluster.token(acmeUser, at);
  refused(t, await exec({ token: user, json: {}, headers }), 403, /for the access roles operator/);
  good(t, await cluster.ask(`PATCH ${apps}/${id}`, { at, token: acme, json: { roles: [] } }));
  t.is((await exec({ token: user, json: {}, headers })).status, 200);
  for (const referer of ['http://north/app/nothing', 'http://north/', 'x']) {
    refused(t, await exec({ token: user, json: {}, headers: { referer } }), 404, /role application/);
  }
  refused(t, await exec({ token: user, json: {} }), 404, /^referer: expected the address of a role application/);
  good(t, await cluster.ask(`PATCH ${apps}/${id}`, { at, token: acme, json: { svcscriptcode: '' } }));
  refused(t, await exec({ token: user, json: {}, headers }), 404, /no service script/);
});

test('a page of another origin cannot use the cookie of a session', async (t) => {
  await define(t, 'app', {});
  await make(t, apps, { folder: 'desk', svcscriptcode: 'app' });
  const cookie = await cluster.cookie(acmeAdmin, at);
  const headers = { referer: 'http://evil.test/app/desk', origin: 'http://evil.test' };
  refused(t, await exec({ token: undefined, cookie, json: {}, headers }), 403);
});

test('a channel without a script, or with one that does not exist, is 404', async (t) => {
  const { id } = await make(t, channels, { code: 'crm', token_local: token });
  refused(t, await exec({ json: {} }), 404, /there is no service script/);
  good(t, await cluster.ask(`PATCH ${channels}/${id}`, { at, token: acme, json: { svcscriptcode: 'nothing' } }));
  refused(t, await exec({ json: {} }), 404, /no script with code "nothing"/);
});

test('the token is shown to administrators only', async (t) => {
  const { id } = await make(t, channels, { code: 'crm', token_local: token });
  const shown = good<object>(
    t,
    await cluster.ask(`GET ${channels}/${id}`, { at, token: await cluster.token(acmeUser, at) }),
  );
  t.false('token_local' in shown);
  t.is(
    good<{ token_local: string }>(t, await cluster.ask(`GET ${channels}/${id}`, { at, token: acme })).token_local,
    token,
  );
});

test('a script that fails is 500 with its component and field, and so are variables that make no answer', async (t) => {
  await channel(t, 'nothing.x');
  refused(t, await exec({ json: {} }), 500, /^script "answer", component "code": code: ReferenceError/);
});

const wrongVariables: readonly [code: string, problem: RegExp][] = [
  ['response_code = 99', /^variable response_code .* an integer from 200 to 599, got 99/],
  ['response_code = "x"', /^variable response_code/],
  ['response_headers = "{"', /^variable response_headers .* JSON/],
  ['response_headers = { "a b": 1 }', /names and values of HTTP headers/],
  ['response_headers = { "Set-Cookie": "RSession=x" }', /no field that the platform sets/],
  ['response_headers = 5', /a JSON object/],
  ['response_headers = { x: "a".repeat(200000) }', /response_headers .* at most 8192 characters/],
  ['response_headers = Object.fromEntries(Array.from({ length: 3000 }, (_, n) => ["x" + n, "y"]))', /at most 8192/],
];

for (const [code, problem] of wrongVariables) {
  test(`a script with ${code} is answered 500`, async (t) => {
    await channel(t, code);
    refused(t, await exec({ json: {} }), 500, problem);
  });
}

test('a script of the master domain answers at every site, and its token is no other domain’s', async (t) => {
  const root = await cluster.token(admin);
  const json = {
    code: 'root',
    components: [
      { name: 'start', type: 'start', next: 'a' },
      { name: 'a', type: 'assign', set: { response_content: '"root"' } },
    ],
  };
  good(t, await cluster.ask(`POST ${scripts}`, { token: root, json }));
  good(
    t,
    await cluster.ask(`POST ${channels}`, {
      token: root,
      json: { code: 'c', token_local: 'the-token-of-the-root', svcscriptcode: 'root' },
    }),
  );
  t.is((await exec({ json: {}, token: 'the-token-of-the-root' })).text, 'root');
});

test('without mware of the domain in reach it is 503: the script surely did not run', async (t) => {
  await channel(t, 'x = 1');
  for (const name of ['mware-215', 'mware-226', 'mware-315', 'mware-326', 'mware-115', 'mware-126']) {
    cluster.world.faults.crashInstance(name);
  }
  const answer = await exec({ json: {} });
  refused(t, answer, 503, /mware/);
});
