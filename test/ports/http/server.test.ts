/** The HttpServer port: an HTTP server, and the front of a site in the virtual world. */

import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { ExecutionContext } from 'ava';
import { loadTopology } from '../../../sim/topology/load-topology.ts';
import { VirtualWorld } from '../../../sim/world/virtual.ts';
import { NodeHttpServer } from '../../../src/adapters/http-server/http-server.ts';
import type { HttpHandler, OpenHttpServer } from '../../../src/ports/http-server.ts';
import { freePorts } from '../../kit/free-ports.ts';
import { test } from '../../kit/test.ts';
import { httpServerContract, type ServerUnderTest } from './contract.ts';

async function openServer(t: ExecutionContext, handler: HttpHandler, host = '127.0.0.1'): Promise<OpenHttpServer> {
  const open = await new NodeHttpServer({ host, port: 0 }).open(handler);
  t.teardown(() => open.abort());
  return open;
}

async function nodeServer(t: ExecutionContext): Promise<ServerUnderTest> {
  let onInside: () => Promise<void> = async () => {};
  const handler: HttpHandler = async ({ url }) => {
    if (new URL(url).pathname === '/slow') await onInside();
    return new Response('answered');
  };
  const [port = 0] = await freePorts(1);
  const server = new NodeHttpServer({ host: '127.0.0.1', port });
  let open: OpenHttpServer = await server.open(handler);
  t.teardown(() => open.abort());
  return {
    ask: () => fetch(`${open.url}/fast`),
    async askDuring(work) {
      let release: () => void = () => {};
      const isInside = new Promise<void>((resolve) => {
        onInside = () => {
          resolve();
          return new Promise((go) => {
            release = go;
          });
        };
      });
      const answer = fetch(`${open.url}/slow`);
      answer.catch(() => {});
      await isInside;
      await work();
      release();
      return answer;
    },
    close: () => open.close(),
    abort: () => open.abort(),
    async reopen() {
      open = await server.open(handler);
    },
    url: () => open.url,
  };
}

/** The front of hq. A slow request asks an edge that does not answer; the server ends with its node. */
async function virtualServer(): Promise<ServerUnderTest> {
  const { map, webApps } = loadTopology('default');
  const world = new VirtualWorld({ map, webApps, seed: 1 });
  await world.start();
  const login = await world.request(
    'hq',
    new Request('http://hq/rest/v1/iam/sessions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ domain: 'root.test', login: 'admin', pwd: 'admin', session_type: 'token' }),
    }),
  );
  const { session_token: token } = (await login.json()) as { session_token: string };
  await world.wait(1_000); // the other fronts hear of the session, and give it back after a restart
  const ask = () => {
    const headers = { authorization: `Bearer ${token}` };
    return world.request('hq', new Request('http://hq/rest/v1/master/logicalroles/esg/bannedaddrs', { headers }));
  };
  return {
    ask,
    async askDuring(work) {
      const mend = world.faults.cut({ from: 'north' });
      world.clock.setTimer(100, work);
      return ask().finally(mend);
    },
    async close() {
      let hasLeft = false;
      world.cluster
        .node('h1')
        ?.stop()
        .then(() => {
          hasLeft = true;
        });
      while (!hasLeft) await world.wait(1);
    },
    abort: () => world.faults.crashNode('h1'),
    async reopen() {
      world.faults.crashNode('h1');
      const restarted = world.faults.restartNode('h1');
      await world.runUntil(() => world.cluster.isSettled, 10_000);
      await restarted;
    },
    url: () => world.urls().get('ws-111'),
  };
}

httpServerContract(test, 'http', nodeServer);
httpServerContract(test, 'virtual', virtualServer);

for (const method of ['LOOKUP', 'REFER', 'SEND_DTMF', 'REFERREPLACES', 'SETUP_RECORD', 'PATCH', 'DELETE']) {
  test(`http: a request with the method ${method} reaches the handler as it was sent`, async (t) => {
    const { url } = await openServer(t, async (request, sender) =>
      Response.json({ method: request.method, url: request.url, body: await request.text(), sender }),
    );
    const answer = await fetch(`${url}/a/b?c=d`, { method, body: '{"e":"ü"}' });
    t.deepEqual(await answer.json(), { method, url: `${url}/a/b?c=d`, body: '{"e":"ü"}', sender: '127.0.0.1' });
  });
}

test('http: an address that is taken makes open reject', async (t) => {
  const { url } = await openServer(t, () => new Response());
  const other = new NodeHttpServer({ host: '127.0.0.1', port: Number(new URL(url).port) });
  await t.throwsAsync(
    other.open(() => new Response()),
    { code: 'EADDRINUSE' },
  );
});

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));

(hasIpv6 ? test : test.skip)(
  'http: an IPv6 server has brackets in its URL, and knows the addresses of its clients',
  async (t) => {
    const { url } = await openServer(t, (_request, sender) => new Response(sender), '::1');
    t.regex(url, /^http:\/\/\[::1\]:\d+$/);
    t.is(await (await fetch(url)).text(), '::1');
  },
);

(hasIpv6 ? test : test.skip)('http: a client with an IPv4 address is known by it on every server', async (t) => {
  const { url } = await openServer(t, (_request, sender) => new Response(sender), '::');
  t.is(await (await fetch(`http://127.0.0.1:${new URL(url).port}`)).text(), '127.0.0.1');
});

const head = 'POST /fast HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\n';

for (const [who, said] of [
  ['says nothing', ''],
  ['stops in the middle of the head', head],
  ['stops in the middle of the body', `${head}Content-Length: 10\r\n\r\nhalf`],
  ['has its answer and keeps the connection', 'GET /fast HTTP/1.1\r\nHost: x\r\n\r\n'],
] as const) {
  test(`http: a client that ${who} does not keep the server from closing`, async (t) => {
    const open = await openServer(t, async (request) => new Response(`answered ${await request.text()}`));
    const socket = await connected(t, open.url);
    const isEnded = new Promise((resolve) => socket.once('close', resolve));
    if (said !== '') socket.write(said);
    if (said.startsWith('GET')) await new Promise((resolve) => socket.once('data', resolve));
    else await fetch(open.url); // who comes later is answered later
    await open.close();
    await isEnded;
    t.true(socket.destroyed);
  });
}

test('http: a closing server ends as soon as the last request is answered', async (t) => {
  const server = await nodeServer(t);
  let closing: Promise<void> = Promise.resolve();
  const answer = await server.askDuring(() => {
    closing = server.close();
  });
  t.is(await answer.text(), 'answered');
  await t.notThrowsAsync(closing);
});

test('http: pipelined requests of one connection are all answered by a closing server', async (t) => {
  const inside: (() => void)[] = [];
  let isClosing = false;
  const open = await openServer(t, async ({ url }) => {
    if (!isClosing) await new Promise<void>((resolve) => inside.push(resolve));
    return new Response(new URL(url).pathname);
  });
  const socket = await connected(t, open.url);
  let heard = '';
  socket.on('data', (chunk) => {
    heard += chunk;
  });
  socket.write('GET /one HTTP/1.1\r\nHost: x\r\n\r\nGET /two HTTP/1.1\r\nHost: x\r\n\r\n');
  while (inside.length < 1) await new Promise((resolve) => setImmediate(resolve));
  const closing = open.close();
  isClosing = true;
  for (const go of inside) go();
  await closing;
  await new Promise((resolve) => (socket.destroyed ? resolve(undefined) : socket.once('close', resolve)));
  t.regex(heard, /\/one\r?\n?[\s\S]*\/two/);
});

const malformed = [
  ['HTTP/1.0 without Host', 'GET /fast HTTP/1.0\r\n\r\n'],
  ['an empty Host', 'GET /fast HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n'],
  ['an empty Host, and a body', 'POST /fast HTTP/1.1\r\nHost: \r\nContent-Length: 2\r\nConnection: close\r\n\r\nab'],
  ['a malformed Host', 'GET /fast HTTP/1.1\r\nHost: a:b:c\r\nConnection: close\r\n\r\n'],
  ['a malformed port', 'GET /fast HTTP/1.1\r\nHost: a:99999\r\nConnection: close\r\n\r\n'],
  [
    'a host name with an empty label that looks like an address',
    'GET /fast HTTP/1.1\r\nHost: 127..0.1\r\nConnection: close\r\n\r\n',
  ],
  ['a host address out of range', 'GET /fast HTTP/1.1\r\nHost: 1.2.3.999\r\nConnection: close\r\n\r\n'],
  ['a backslash in the path', 'GET /a\\b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
  ['a malformed URL', 'GET http://[/ HTTP/1.1\r\nHost: [\r\nConnection: close\r\n\r\n'],
  ['a path with dot segments', 'GET /a/%2e./b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
] as const;

for (const [what, request] of malformed) {
  test(`http: ${what} is refused in the words of the interface`, async (t) => {
    const { url } = await openServer(t, () => new Response('answered'));
    const socket = await connected(t, url);
    let heard = '';
    socket.on('data', (chunk) => {
      heard += chunk;
    });
    const isEnded = new Promise((resolve) => socket.once('end', resolve));
    socket.write(request);
    await isEnded;
    const [head = '', body = ''] = heard.split('\r\n\r\n');
    t.regex(head, /^HTTP\/1\.1 400 Bad Request\r\n/);
    t.regex(head, /^content-type: application\/json; charset=utf-8$/im);
    t.regex(head, /^connection: close$/im);
    t.like(JSON.parse(body), { error_code: 1400 });
    t.regex((JSON.parse(body) as { error_message: string }).error_message, /expected/);
  });
}

async function connected(t: ExecutionContext, url: string): Promise<Socket> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' });
  t.teardown(() => socket.destroy());
  socket.on('error', () => {});
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  return socket;
}
