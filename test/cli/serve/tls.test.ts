/** A cluster with a certificate: HTTPS and WSS at every front, and files that do not fit are refused at the start. */

import type { ExecutionContext } from 'ava';
import { WebSocket } from 'ws';
import { tlsIdentity } from '../../../sim/cli/serve/options.ts';
import { freePorts } from '../../kit/free-ports.ts';
import * as certificates from '../../kit/http/certificates.ts';
import { fetchTls } from '../../kit/http/tls.ts';
import { test } from '../../kit/test.ts';
import { edited, makeFolder, writeFile } from '../../topology/edits.ts';
import { smallYaml } from '../../topology/small.ts';
import { Running } from '../command.ts';
import { strowger } from '../in-process.ts';

const { certificate, key } = certificates;
const page = 'https://app.example';
const json = { 'content-type': 'application/json' };
const sessions = '/rest/v1/iam/sessions';
const login = { domain: 'root.test', login: 'admin', pwd: 'admin' };

/** The arguments that name a certificate and a key. */
function tlsArgs(t: ExecutionContext, cert = certificate, ownKey = key): string[] {
  return ['--tls-cert', writeFile(t, 'cert.pem', cert), '--tls-key', writeFile(t, 'key.pem', ownKey)];
}

test('all fronts and the control interface of a served cluster speak HTTPS and WSS', async (t) => {
  const running = new Running(t, ['serve', '--port', '0', '--quiet', '--cors', page, ...tlsArgs(t)]);
  const [, sites = ''] = await running.says(/^ready (.*)\n/m);
  const urls = Object.fromEntries(sites.split(' ').map((each) => each.split('=') as [string, string]));
  t.deepEqual(Object.keys(urls), ['hq', 'north', 'south', 'control']);
  for (const url of Object.values(urls)) t.regex(url, /^https:\/\/127\.0\.0\.1:\d+$/);
  t.is((await fetchTls(`${urls['control']}/strowger/v1/faults`)).status, 200);

  const opened = await fetchTls(urls['hq'] + sessions, { method: 'POST', headers: json, body: JSON.stringify(login) });
  t.is(opened.status, 204, await opened.text());
  const set = opened.headers.get('set-cookie') ?? '';
  t.regex(set, /^RSession=[^;]+; .*; SameSite=Strict; HttpOnly; Secure$/);
  const cookie = set.split(';')[0] ?? '';
  const looked = await fetchTls(`${urls['hq']}/rest/v1/master/nodes`, { method: 'LOOKUP', headers: { cookie } });
  t.is(looked.status, 405, 'a method of the platform reaches the front, which does not have it here');
  t.regex(await looked.text(), /LOOKUP is not a method of this path/);

  const asked = { origin: page, 'access-control-request-method': 'LOOKUP' };
  const preflight = await fetchTls(`${urls['hq']}/rest/v1/uc/sipusers`, { method: 'OPTIONS', headers: asked });
  t.is(preflight.headers.get('access-control-allow-origin'), page);
  t.regex(preflight.headers.get('access-control-allow-methods') ?? '', /LOOKUP/);

  const socket = new WebSocket(`${urls['hq']?.replace('https', 'wss')}/ws`, { ca: certificate, headers: { cookie } });
  t.teardown(() => socket.terminate());
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  await t.throwsAsync(fetch(`${urls['hq']?.replace('https', 'http')}/healthz`), undefined, 'no HTTP beside it');
  t.is(await running.end('SIGINT'), 0, running.err);
});

test('the front of a node that is a process of its own speaks HTTPS', async (t) => {
  const [link, http] = await freePorts(2);
  const addresses = `        link: 127.0.0.1:${link}\n        http: 127.0.0.1:${http}\n`;
  const file = writeFile(
    t,
    'small.yaml',
    edited(smallYaml, [
      ['        ip: 10.1.0.1\n', `        ip: 10.1.0.1\n${addresses}`],
      ['        ip: 10.2.0.1\n', '        ip: 10.2.0.1\n        link: 127.0.0.1:1\n'],
      ['        ip: 10.2.0.2\n', '        ip: 10.2.0.2\n        link: 127.0.0.1:2\n'],
    ]),
  );
  const args = ['node', 'e1', '--topology', file, '--log', 'silent', ...tlsArgs(t)];
  const running = new Running(t, args, { STROWGER_SECRET: 'what only the nodes know' });
  await running.says(/^running /);
  t.is((await fetchTls(`https://127.0.0.1:${http}/openapi.json`)).status, 200);
  t.is(await running.end('SIGINT'), 0, running.err);
});

test('a key of another certificate is reported in one line before anything starts, and exits 1', async (t) => {
  const args = tlsArgs(t, certificate, certificates.otherKey);
  for (const command of [['serve'], ['node', 'h1']]) {
    const { code, out, err } = await strowger(t, ...command, ...args);
    t.is(code, 1);
    const [, cert, , ownKey] = args;
    const expected = `expected the private key of the certificate in ${cert}, got another key`;
    t.is(err, `strowger: --tls-key ${ownKey}: ${expected}\n`);
    t.is(out, '');
  }
});

const wrong: readonly [what: string, cert: string, key: string, message: RegExp][] = [
  [
    'a certificate that has expired',
    certificates.expired,
    key,
    /cert\.pem: the certificate expired on Jan .* 2020 GMT$/,
  ],
  [
    'one that is not valid yet',
    certificates.notYetValid,
    key,
    /cert\.pem: the certificate is valid from Jan .* 2119 GMT$/,
  ],
  ['a key in place of a certificate', key, key, /cert\.pem: expected a certificate in PEM: /],
  ['a certificate in place of a key', certificate, certificate, /key\.pem: expected a private key in PEM: /],
  ['an empty certificate', '', key, /cert\.pem: expected a certificate in PEM: /],
  [
    'a key with a pass phrase',
    certificate,
    certificates.lockedKey,
    /key\.pem: .* without a pass phrase, got an encrypted one$/,
  ],
  ['a key that is cut off', certificate, key.slice(0, 100), /key\.pem: expected a private key in PEM: /],
  [
    'a chain that is cut off',
    certificate + certificate.slice(0, 100),
    key,
    /cert\.pem: the certificate can't be used: /,
  ],
];

for (const [what, cert, ownKey, message] of wrong) {
  test(`${what} is refused with the file and what was expected`, (t) => {
    const [, tlsCert, , tlsKey] = tlsArgs(t, cert, ownKey);
    t.throws(() => tlsIdentity({ tlsCert, tlsKey }), { message });
  });
}

test('a certificate without a key, or the reverse, is refused, and so is a file that can not be read', (t) => {
  const [, tlsCert, , tlsKey] = tlsArgs(t);
  const both = { message: '--tls-cert and --tls-key: expected both or neither' };
  t.throws(() => tlsIdentity({ tlsCert }), both);
  t.throws(() => tlsIdentity({ tlsKey }), both);
  const folder = makeFolder(t);
  t.throws(() => tlsIdentity({ tlsCert: `${folder}/none.pem`, tlsKey }), {
    message: /^--tls-cert .*none\.pem: expected a file that can be read: ENOENT/,
  });
  t.throws(() => tlsIdentity({ tlsCert, tlsKey: folder }), {
    message: /^--tls-key .*: expected a file that can be read: EISDIR/,
  });
  t.is(tlsIdentity({}), undefined);
  t.deepEqual(tlsIdentity({ tlsCert, tlsKey }), { cert: certificate, key });
});
