/** Which clients may use the control interface, and that what is refused has changed nothing. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Controlled, controlled } from '../../kit/http/control.ts';
import { holds, runs } from '../../kit/property.ts';
import { test } from '../../kit/test.ts';
import { anyUrl } from '../../kit/text.ts';

const token = 'a token of the tests';
const url = 'http://localhost:8079/strowger/v1/faults';
const cut = { cut: { from: 'north' } };

const refusals: readonly [what: string, headers: Record<string, string>, status: number, message: RegExp][] = [
  ['a name that is not on the list', { host: 'evil.test:8079' }, 403, /^host: expected one of localhost, 127/],
  ['a name that begins like one of the list', { host: 'localhost.evil.test' }, 403, /^host: /],
  ['an address that is not on the list', { host: '10.0.0.1:8079' }, 403, /--control-allow-host adds a name$/],
  ['an empty host', { host: '' }, 403, /got ""/],
  ['a page of another origin', { origin: 'http://evil.test' }, 403, /^origin: .* got "http:\/\/evil\.test"$/],
  ['a page of another port', { origin: 'http://localhost:3000' }, 403, /^origin: /],
  ['a page of the same place over HTTPS', { origin: 'https://localhost:8079' }, 403, /^origin: /],
  ['a page without an origin', { origin: 'null' }, 403, /^origin: .* got "null"$/],
  ['an image on a foreign page', { 'sec-fetch-site': 'cross-site' }, 403, /^sec-fetch-site: /],
  ['a page of a neighbouring host', { 'sec-fetch-site': 'same-site' }, 403, /^sec-fetch-site: /],
  ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 415, /^content-type: expected application\/json/],
  ['a plain text', { 'content-type': 'text/plain' }, 415, /got "text\/plain"$/],
  ['a type that begins like JSON', { 'content-type': 'application/jsonp' }, 415, /^content-type: /],
];

test('a request from elsewhere is refused with the reason, and injects nothing', async (t) => {
  const { ask } = await controlled();
  for (const [what, headers, status, message] of refusals) {
    const answer = await ask('POST /faults', cut, headers);
    t.is(answer.status, status, what);
    t.regex((answer.body as { error_message: string }).error_message, message, what);
  }
  t.deepEqual((await ask('GET /faults')).body, []);
});

test('a body without a content type is refused', async (t) => {
  const { ask, send } = await controlled();
  const request = new Request(url, { method: 'POST', headers: { host: 'localhost' }, body: JSON.stringify(cut) });
  request.headers.delete('content-type');
  t.is((await send(request)).status, 415);
  t.deepEqual((await ask('GET /faults')).body, []);
});

const accepted: readonly Record<string, string>[] = [
  { host: 'LOCALHOST' },
  { host: '127.0.0.1:1' },
  { host: '[::1]:8079' },
  { origin: 'http://localhost:8079' },
  { 'sec-fetch-site': 'same-origin' },
  { 'sec-fetch-site': 'none' },
  { 'content-type': 'Application/JSON ; charset=utf-8' },
];

test('a local client is served by each loopback name, and a page of the interface itself', async (t) => {
  const { ask } = await controlled();
  for (const headers of accepted) t.is((await ask('POST /faults', cut, headers)).status, 200, JSON.stringify(headers));
});

test('hosts on the list are served, and any address where the interface listens on all', async (t) => {
  const hosts = new Set(['bench.test', '0.0.0.0']);
  const { ask } = await controlled({ token, hosts, takesAddresses: true });
  const statusFor = async (host: string) =>
    (await ask('GET /faults', undefined, { host, authorization: `Bearer ${token.replaceAll(' ', '')}` })).status;
  t.is(await statusFor('evil.test'), 403);
  t.is(await statusFor('bench.test:8079'), 401, 'past the list of hosts, to the token');
  t.is(await statusFor('10.0.0.1:8079'), 401);
  t.is(await statusFor('[fe80::1]:8079'), 401);
});

const secret = 'correct-horse-battery';

test('with a token set each request needs it', async (t) => {
  const { ask } = await controlled({ token: secret });
  const shown = [undefined, '', 'Bearer', `Basic ${secret}`, `Bearer ${secret}x`, `Bearer ${secret.slice(1)}`, secret];
  for (const authorization of shown) {
    const answer = await ask('POST /faults', cut, authorization === undefined ? {} : { authorization });
    t.is(answer.status, 401, authorization ?? 'none');
    t.is(answer.headers.get('www-authenticate'), 'Bearer');
    t.false(JSON.stringify(answer.body).includes(secret));
  }
  const authorization = `bearer  ${secret}`;
  t.deepEqual((await ask('GET /faults', undefined, { authorization })).body, []);
  t.is((await ask('POST /faults', cut, { authorization })).status, 200);
});

/** One thing about a request that must have it refused. */
interface Hostility {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
}

const inherited = Object.getOwnPropertyNames(Object.prototype);
const changes: readonly { method: string; path: string; body?: string }[] = [
  { method: 'POST', path: '/faults', body: JSON.stringify(cut) },
  { method: 'POST', path: '/faults', body: '{"crash":"n2"}' },
  { method: 'DELETE', path: '/faults' },
  { method: 'DELETE', path: '/faults/f1' },
  { method: 'PUT', path: '/numbers/acme.root.test/1002', body: '{"reject":486}' },
  { method: 'DELETE', path: '/numbers' },
  { method: 'POST', path: '/calls', body: '{"from":"acme.root.test/1001","to":"1002"}' },
  { method: 'PUT', path: '/load', body: '{"rate":5}' },
];

const label = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);
const foreignHost = fc.oneof(
  fc
    .tuple(fc.constantFrom('', 'localhost.', '127.0.0.1.', 'x@localhost:', '[::1].'), label)
    .map((parts) => parts.join('')),
  fc.ipV4().filter((address) => address !== '127.0.0.1'),
  fc.constantFrom('', ':8079', 'localhost:x', '[::1', '[::2]', ...inherited),
);
const nested = fc
  .tuple(fc.constantFrom('[', '{"a":', '{"__proto__":', '{"cut":'), fc.integer({ min: 200, max: 20_000 }))
  .map(([open, depth]) => open.repeat(depth));
const hostility: fc.Arbitrary<Hostility> = fc.oneof(
  fc.oneof(fc.constantFrom(...inherited, 'LOOKUP', 'QUERY'), fc.stringMatching(/^[A-Z_]{1,12}$/)).map((method) => ({
    method: /^(GET|HEAD|POST|PUT|DELETE|CONNECT|TRACE|TRACK)$/i.test(method) ? 'POSTED' : method,
  })),
  foreignHost.map((host) => ({ headers: { host } })),
  fc
    .oneof(fc.constantFrom('null', 'http://localhost', 'https://localhost:8079', 'file://'), anyUrl)
    .map((origin) => ({ headers: { origin } })),
  fc.constantFrom('cross-site', 'same-site', 'elsewhere').map((site) => ({ headers: { 'sec-fetch-site': site } })),
  fc
    .constantFrom(undefined, '', 'Bearer', 'Bearer x', `Bearer ${secret}, x`, `Digest ${secret}`)
    .map((authorization) => ({
      headers: { authorization },
    })),
  fc
    .constantFrom('text/plain', 'text/json', 'multipart/form-data; boundary=x', 'application/json-seq', '')
    .map((type) => ({
      ...{ method: 'POST', path: '/faults', body: JSON.stringify(cut) },
      headers: { 'content-type': type },
    })),
  fc
    .oneof(
      nested,
      nested.map((text) => `${text}0${'}'.repeat(text.length / 5)}`),
      fc.string(),
      fc.json(),
    )
    .map((body) => ({
      ...{ method: 'POST', path: '/faults', body },
    })),
  fc.constantFrom(...inherited).map((name) => ({
    ...{ method: 'POST', path: '/faults', body: `{${JSON.stringify(name)}:"n2"}` },
  })),
  fc.constantFrom(...inherited).map((name) => ({
    ...{ method: 'PUT', path: `/numbers/${name}/${name}`, body: '{"reject":486}' },
  })),
  fc.constantFrom(...inherited).map((name) => ({ method: 'POST', path: `/${name}`, body: '{}' })),
);

/** All that a client can change, as far as it shows. */
async function stateOf({ ask }: Controlled): Promise<unknown> {
  const shown = ['/faults', '/numbers', '/load', '/phones', '/providers'].map(async (path) => {
    const answer = await ask(`GET ${path}`, undefined, { authorization: `Bearer ${secret}` });
    return answer.status === 200 ? answer.body : assert.fail(`GET ${path} gave ${answer.status}`);
  });
  return [await Promise.all(shown), Object.getOwnPropertyNames(Object.prototype)];
}

test('a request that is refused has changed nothing, whatever it asks for', async (t) => {
  const control = await controlled({ token: secret });
  await control.ask('POST /faults', { pause: 's2', name: 'kept' }, { authorization: `Bearer ${secret}` });
  const property = fc.asyncProperty(fc.constantFrom(...changes), hostility, async (change, hostile) => {
    const { method, path, body } = { ...change, ...hostile };
    const headers = new Headers();
    const good = { host: 'localhost:8079', authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
    for (const [name, value] of Object.entries({ ...good, ...hostile.headers })) {
      if (value !== undefined) headers.set(name, value);
    }
    const target = `http://localhost:8079/strowger/v1${path}`;
    const content = body === undefined || method === 'GET' ? {} : { body };
    const before = await stateOf(control);
    const { status } = await control.send(new Request(target, { method, headers, ...content }));
    assert.ok(status >= 400 && status < 500, `${method} ${path} gave ${status}`);
    assert.deepEqual(await stateOf(control), before);
  });
  await holds(t, property, { numRuns: runs(20) });
});
