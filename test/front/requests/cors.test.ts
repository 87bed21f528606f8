/** Cross-origin requests: a listed origin may do what a page of the front may; any other origin gets no CORS header. */

import { tokens } from '../../../src/tokens.ts';
import { type Answer, acmeAdmin, current, FrontCluster, refused, sessions } from '../../kit/front.ts';
import { test } from '../../kit/test.ts';

const page = 'https://app.example';
const users = '/rest/v1/uc/sipusers';
const calls = '/rest/v1/uc/calls';

function start(): Promise<FrontCluster> {
  const origins = new Set([page, 'http://localhost:3000']);
  return FrontCluster.start({
    outside: false,
    replaceRoles: (scope) => scope.register(tokens.origins, { useValue: origins }),
  });
}

/** The fields of an answer that are about cross-origin requests. */
function corsOf({ headers }: Answer): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => /^access-control-/.test(name)));
}

function preflight(cluster: FrontCluster, path: string, method: string, origin = page): Promise<Answer> {
  const asked = { 'access-control-request-method': method, 'access-control-request-headers': 'content-type,if-match' };
  return cluster.ask(`OPTIONS ${path}`, { headers: { origin, ...asked } });
}

test('without a list no answer says anything to pages of other origins', async (t) => {
  const cluster = await FrontCluster.start({ outside: false });
  const answer = await preflight(cluster, users, 'LOOKUP');
  t.deepEqual(corsOf(answer), {});
  t.is(answer.headers.get('vary'), null);
});

test('a preflight of a listed page permits the methods of the path, also those of the platform, and its fields', async (t) => {
  const cluster = await start();
  for (const [path, method] of [
    [users, 'LOOKUP'],
    [`${calls}/1`, 'REFER'],
    [`${users}/1`, 'PATCH'],
  ] as const) {
    const answer = await preflight(cluster, path, method);
    t.is(answer.status, 204, path);
    const methods = answer.headers.get('access-control-allow-methods') ?? '';
    t.true(methods.split(', ').includes(method), methods);
    t.deepEqual(corsOf(answer), {
      'access-control-allow-origin': page,
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': answer.headers.get('allow') ?? '',
      'access-control-allow-headers': 'content-type,if-match',
      'access-control-max-age': '600',
    });
    const vary = 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers';
    t.is(answer.headers.get('vary'), vary);
  }
});

test('a page that is not listed gets an answer without permission, which varies by origin', async (t) => {
  const cluster = await start();
  for (const origin of ['https://app.example.evil', 'http://app.example', 'https://app.example:444', 'null', '*']) {
    const answer = await preflight(cluster, users, 'LOOKUP', origin);
    t.deepEqual(corsOf(answer), {}, origin);
    t.is(answer.headers.get('vary'), 'Origin');
  }
  const none = await cluster.ask('GET /healthz');
  t.deepEqual(corsOf(none), {});
  t.is(none.headers.get('vary'), 'Origin', 'a cache must not give this answer to a page that is listed');
});

test('a listed page logs in by cookie, reads, writes and logs out', async (t) => {
  const cluster = await start();
  const headers = { origin: page, 'sec-fetch-site': 'cross-site', host: 'hq' };
  const opened = await cluster.ask(`POST ${sessions}`, { headers, json: acmeAdmin });
  t.is(opened.status, 204, opened.text);
  const cookie = /^RSession=([^;]+)/.exec(opened.headers.get('set-cookie') ?? '')?.[1] ?? '';
  const list = await cluster.ask(`GET ${users}?limit=1`, { headers, cookie });
  t.is(list.status, 200);
  t.is(list.headers.get('access-control-allow-origin'), page);
  t.is(list.headers.get('access-control-allow-credentials'), 'true');
  const exposed = list.headers.get('access-control-expose-headers')?.split(', ') ?? [];
  for (const field of ['ETag', 'X-Missing-Sites', 'Retry-After', 'Content-Range'])
    t.true(exposed.includes(field), field);
  const foreign = { ...headers, origin: 'https://evil.example' };
  refused(t, await cluster.ask(`DELETE ${current}`, { headers: foreign, cookie }), 403, /^origin: /);
  t.is((await cluster.ask(`DELETE ${current}`, { headers, cookie })).status, 204);
});

test('a listed page can read refusals as well: of a method, a path, a body and a session', async (t) => {
  const cluster = await start();
  const headers = { origin: page };
  for (const [line, status] of [
    [`LOOKUP ${current}`, 405],
    ['__proto__ /healthz', 405],
    ['GET /nowhere', 404],
    [`GET ${users}`, 401],
    [`POST ${sessions}`, 400],
  ] as const) {
    const answer = await cluster.ask(line, { headers });
    t.is(answer.status, status, line);
    t.is(answer.headers.get('access-control-allow-origin'), page, line);
  }
});

test('a listed page opens a web socket by cookie, another does not', async (t) => {
  const cluster = await start();
  const cookie = `RSession=${await cluster.cookie(acmeAdmin)}`;
  const knock = async (origin: string) => {
    const answer = await cluster.world.socket('hq', { headers: { cookie, origin }, target: '/ws' });
    return answer instanceof Response ? answer.status : 'open';
  };
  t.is(await knock(page), 'open');
  t.is(await knock('http://localhost:3000'), 'open');
  t.is(await knock('http://localhost:3001'), 403);
  t.is(await knock('null'), 403);
});

test('a cookie that is set over HTTPS is Secure, and one that is deleted there too', async (t) => {
  const cluster = await FrontCluster.start({ outside: false });
  const login = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(acmeAdmin) };
  const opened = await cluster.send('hq', new Request(`https://hq${sessions}`, login));
  const set = opened.headers.get('set-cookie') ?? '';
  t.regex(set, /; SameSite=Strict; HttpOnly; Secure$/);
  const headers = { cookie: set.split(';')[0] ?? '' };
  const closed = await cluster.send('hq', new Request(`https://hq${current}`, { method: 'DELETE', headers }));
  t.regex(closed.headers.get('set-cookie') ?? '', /^RSession=deleted; .*; HttpOnly; Secure$/);
});
