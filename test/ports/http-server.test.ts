/** The door port: an HTTP server, and the front of a site in the virtual world. */

import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { ExecutionContext } from 'ava';
import test from 'ava';
import { loadTopology } from '../../sim/topology/load.ts';
import { VirtualWorld } from '../../sim/world/virtual.ts';
import { NodeHttpServer } from '../../src/adapters/http-server.ts';
import type { HttpHandler, OpenHttpServer } from '../../src/ports/http-server.ts';
import { type DoorUnderTest, doorContract } from './http-server-contract.ts';

async function openDoor(t: ExecutionContext, handler: HttpHandler, host = '127.0.0.1'): Promise<OpenHttpServer> {
  const open = await new NodeHttpServer({ host, port: 0 }).open(handler);
  t.teardown(() => open.abort());
  return open;
}

async function httpDoor(t: ExecutionContext): Promise<DoorUnderTest> {
  let onInside: () => Promise<void> = async () => {};
  const handler: HttpHandler = async ({ url }) => {
    if (new URL(url).pathname === '/slow') await onInside();
    return new Response('answered');
  };
  const door = new NodeHttpServer({ host: '127.0.0.1', port: 0 });
  let open: OpenHttpServer = await door.open(handler);
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
    slam: () => open.abort(),
    async reopen() {
      open = await door.open(handler);
    },
    url: () => open.url,
  };
}

/** The front of hq. A slow request asks an edge that does not hear it; the door ends with its node. */
async function virtualDoor(): Promise<DoorUnderTest> {
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
    slam: () => world.faults.crashNode('h1'),
    async reopen() {
      world.faults.crashNode('h1');
      const restarted = world.faults.restartNode('h1');
      await world.runUntil(() => world.cluster.isSettled, 10_000);
      await restarted;
    },
    url: () => world.urls().get('ws-111'),
  };
}

doorContract(test, 'http', httpDoor);
doorContract(test, 'virtual', virtualDoor);

for (const method of ['LOOKUP', 'REFER', 'SEND_DTMF', 'REFERREPLACES', 'SETUP_RECORD', 'PATCH', 'DELETE']) {
  test(`http: a request with the method ${method} reaches the handler as it was sent`, async (t) => {
    const { url } = await openDoor(t, async (request, sender) =>
      Response.json({ method: request.method, url: request.url, body: await request.text(), sender }),
    );
    const answer = await fetch(`${url}/a/b?c=d`, { method, body: '{"e":"ü"}' });
    t.deepEqual(await answer.json(), { method, url: `${url}/a/b?c=d`, body: '{"e":"ü"}', sender: '127.0.0.1' });
  });
}

test('http: an address that is taken makes open reject', async (t) => {
  const { url } = await openDoor(t, () => new Response());
  const other = new NodeHttpServer({ host: '127.0.0.1', port: Number(new URL(url).port) });
  await t.throwsAsync(
    other.open(() => new Response()),
    { code: 'EADDRINUSE' },
  );
});

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));

(hasIpv6 ? test : test.skip)('http: an IPv6 door has brackets in its URL, and knows its senders', async (t) => {
  const { url } = await openDoor(t, (_request, sender) => new Response(sender), '::1');
  t.regex(url, /^http:\/\/\[::1\]:\d+$/);
  t.is(await (await fetch(url)).text(), '::1');
});

(hasIpv6 ? test : test.skip)('http: a sender with an IPv4 address is known by it on every door', async (t) => {
  const { url } = await openDoor(t, (_request, sender) => new Response(sender), '::');
  t.is(await (await fetch(`http://127.0.0.1:${new URL(url).port}`)).text(), '127.0.0.1');
});

const head = 'POST /fast HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\n';

for (const [who, said] of [
  ['says nothing', ''],
  ['stops in the middle of the head', head],
  ['stops in the middle of the body', `${head}Content-Length: 10\r\n\r\nhalf`],
  ['has its answer and keeps the connection', 'GET /fast HTTP/1.1\r\nHost: x\r\n\r\n'],
] as const) {
  test(`http: a client that ${who} does not keep the door from closing`, async (t) => {
    const open = await openDoor(t, async (request) => new Response(`answered ${await request.text()}`));
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

test('http: a door that closes waits for nobody once the last one inside has the answer', async (t) => {
  const door = await httpDoor(t);
  let closing: Promise<void> = Promise.resolve();
  const answer = await door.askDuring(() => {
    closing = door.close();
  });
  t.is(await answer.text(), 'answered');
  await t.notThrowsAsync(closing);
});

test('http: requests that were sent on one connection, one behind the other, are all answered by a door that closes', async (t) => {
  const inside: (() => void)[] = [];
  let isClosing = false;
  const open = await openDoor(t, async ({ url }) => {
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
  ['a Host that is none', 'GET /fast HTTP/1.1\r\nHost: a:b:c\r\nConnection: close\r\n\r\n'],
  ['a port that is none', 'GET /fast HTTP/1.1\r\nHost: a:99999\r\nConnection: close\r\n\r\n'],
  ['a backslash in the path', 'GET /a\\b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
  ['a URL that is none', 'GET http://[/ HTTP/1.1\r\nHost: [\r\nConnection: close\r\n\r\n'],
  ['a path with dot segments', 'GET /a/%2e./b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
] as const;

for (const [what, request] of malformed) {
  test(`http: ${what} is refused in the words of the interface`, async (t) => {
    const { url } = await openDoor(t, () => new Response('answered'));
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
