/** Writes by cookie: what a page of another origin may have sent is refused, by whatever method; a token has no such page. */

import { type Asked, acmeAdmin, current, emptied, FrontCluster, refused, sessions } from '../../kit/front.ts';
import { test } from '../../kit/test.ts';

const users = '/rest/v1/uc/sipusers';
const sound = { json: { name: 'Ann', login: '1942', pwd: 'secret', phonenumber: '1942' } };

/** The host of the front is `hq`. */
const foreign: readonly (readonly [what: string, headers: Record<string, string>, message: RegExp])[] = [
  ['another origin', { origin: 'http://else.test' }, /^origin: expected the one of this front in a request by cookie/],
  ['another port', { origin: 'http://hq:8079' }, /^origin: /],
  ['another origin of the same site', { origin: 'http://else.hq', 'sec-fetch-site': 'same-site' }, /^origin: /],
  ['an origin that only begins alike', { origin: 'http://hq.else.test' }, /^origin: /],
  ['no origin of its own', { origin: 'null' }, /^origin: .*got "null"/],
  ['two origins', { origin: 'http://hq, http://else.test' }, /^origin: /],
  ['the same site, by its own word', { 'sec-fetch-site': 'same-site' }, /^sec-fetch-site: expected same-origin/],
  ['another site, by its own word', { 'sec-fetch-site': 'cross-site' }, /^sec-fetch-site: /],
  ['the front, by its own word from elsewhere', { origin: 'http://hq', 'sec-fetch-site': 'cross-site' }, /^sec-/],
];
const own = [
  {},
  { origin: 'http://hq' },
  { origin: 'http://HQ:80' },
  { origin: 'https://hq' },
  { origin: 'http://hq', 'sec-fetch-site': 'same-origin' },
  { 'sec-fetch-site': 'none' },
];

test('a write by cookie from a page of another origin is refused, and one by token is not', async (t) => {
  const cluster = await FrontCluster.start({ outside: false });
  const cookie = await cluster.cookie(acmeAdmin);
  const token = await cluster.token(acmeAdmin);
  const host = { host: 'hq' };
  for (const [, headers, message] of foreign) {
    const asked = { headers: { ...host, ...headers } };
    for (const line of [
      `POST ${users}`,
      `LOOKUP ${users}`,
      `DELETE ${users}/x`,
      `PATCH ${current}`,
      `DELETE ${current}`,
    ]) {
      refused(
        t,
        await cluster.ask(line, { ...asked, cookie, ...(line.startsWith('DELETE') ? {} : sound) }),
        403,
        message,
      );
    }
    const never = await cluster.ask(`DELETE ${users}/x`, { ...asked, cookie: 'never-was' });
    refused(t, never, 403, message);
    t.is((await cluster.ask(`GET ${users}?limit=1`, { ...asked, cookie })).status, 200);
    refused(t, await cluster.ask(`DELETE ${users}/x`, { ...asked, token }), 404);
  }
  t.is(await cluster.statusOf({ cookie }), 200);
});

test('a write by cookie from a page of the front, or from no page, is done', async (t) => {
  const cluster = await FrontCluster.start({ outside: false });
  const cookie = await cluster.cookie(acmeAdmin);
  for (const headers of own) {
    refused(t, await cluster.ask(`DELETE ${users}/x`, { cookie, headers: { host: 'hq', ...headers } }), 404);
  }
});

test('a body by cookie needs a content type; without a body, or by token, there need be none', async (t) => {
  const cluster = await FrontCluster.start({ outside: false });
  const cookie = await cluster.cookie(acmeAdmin);
  const token = await cluster.token(acmeAdmin);
  const raw = JSON.stringify({ domain: 'acme.root.test' });
  const missing = /^content-type: expected one with the body of a request by cookie, got none$/;
  for (const line of [
    `POST ${users}`,
    `PATCH ${current}`,
    'PUT /rest/v1/fs/targets/parking/a.wav',
    `DELETE ${current}`,
  ]) {
    refused(t, await cluster.ask(line, { cookie, raw }), 415, missing);
    refused(t, await cluster.ask(line, { cookie, raw, headers: { 'content-length': '7' } }), 415, missing);
  }
  emptied(t, await cluster.ask(`PATCH ${current}`, { token, raw }));
  refused(t, await cluster.ask(`POST ${users}`, { cookie }), 400, /^body: expected JSON, got nothing$/);
  emptied(t, await cluster.ask(`DELETE ${current}`, { cookie }));
});

test('a page of another origin gets no session: neither a copy of one nor one of its own choice', async (t) => {
  const cluster = await FrontCluster.start({ outside: false });
  const cookie = await cluster.cookie();
  const headers = { host: 'hq', origin: 'http://else.test' };
  const ask = (asked: Asked) => cluster.ask(`POST ${sessions}`, { headers, ...asked });
  refused(t, await ask({ cookie, json: { session_type: 'token_clone_cookie' } }), 403, /^origin: /);
  refused(t, await ask({ json: acmeAdmin }), 403, /^origin: /);
  t.is((await ask({ json: { ...acmeAdmin, session_type: 'token' } })).status, 200);
});
