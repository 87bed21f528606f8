/** The HTTP server with a certificate: it does over TLS all that it does over TCP, and nothing without TLS. */

import { createServer } from 'node:https';
import { connect } from 'node:net';
import type { ExecutionContext } from 'ava';
import fc from 'fast-check';
import { WebSocket } from 'ws';
import { NodeHttpServer } from '../../../src/adapters/http-server/http-server.ts';
import { installMethodGate } from '../../../src/http/method-gate/method-gate.ts';
import type { HttpHandler, OpenHttpServer, WebSockets } from '../../../src/ports/http-server.ts';
import { head, refused } from '../../http/method-gate-refusals.ts';
import { packetSizes, packets, request } from '../../http/method-gate-requests.ts';
import { bytes, converse, echo, listen, options, responses, type Seen } from '../../http/method-gate-server.ts';
import { freePorts } from '../../kit/free-ports.ts';
import { certificate as cert, key } from '../../kit/http/certificates.ts';
import { dialTls, fetchTls } from '../../kit/http/tls.ts';
import { sized } from '../../kit/property.ts';
import { test } from '../../kit/test.ts';
import { httpServerContract, type ServerUnderTest } from './contract.ts';

const tls = { cert, key };
const last = head('Connection: close\r\n');

function makeServer(port = 0): NodeHttpServer {
  return new NodeHttpServer({ host: '127.0.0.1', port, tls });
}

async function openServer(t: ExecutionContext, handler: HttpHandler, handlers?: WebSockets): Promise<OpenHttpServer> {
  const open = await makeServer().open(handler, handlers);
  t.teardown(() => open.abort());
  return open;
}

function portOf({ url }: OpenHttpServer): number {
  return Number(new URL(url).port);
}

async function tlsServer(t: ExecutionContext): Promise<ServerUnderTest> {
  let onInside: () => Promise<void> = async () => {};
  const handler: HttpHandler = async ({ url }) => {
    if (new URL(url).pathname === '/slow') await onInside();
    return new Response('answered');
  };
  const [port] = await freePorts(1);
  const server = makeServer(port);
  let open: OpenHttpServer = await server.open(handler);
  t.teardown(() => open.abort());
  return {
    ask: () => fetchTls(`${open.url}/fast`),
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
      const answer = fetchTls(`${open.url}/slow`);
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

httpServerContract(test, 'https', tlsServer);

for (const method of ['LOOKUP', 'REFER', 'SEND_DTMF', '__proto__', 'PATCH', 'DELETE']) {
  test(`https: a request with the method ${method} reaches the handler as it was sent`, async (t) => {
    const open = await openServer(t, ({ method, url }, sender) => Response.json({ method, url, sender }));
    const target = `${open.url}/a/b?c=d`;
    const sent = `${method} /a/b?c=d HTTP/1.1\r\nHost: ${new URL(open.url).host}\r\nConnection: close\r\n\r\n`;
    const [answer] = responses(await converse(portOf(open), bytes(sent), false, dialTls));
    t.is(answer?.status, 200);
    t.deepEqual(JSON.parse(answer?.body ?? ''), { method, url: target, sender: '127.0.0.1' });
  });
}

async function gated(t: ExecutionContext, seen: Seen[]): Promise<number> {
  const server = createServer({ ...tls, allowHalfOpen: true }, echo(seen));
  installMethodGate(server, options);
  return listen(t, server);
}

test('https: any requests in any packets: the handler sees their methods, targets and bodies in order', async (t) => {
  const seen: Seen[] = [];
  const port = await gated(t, seen);
  const property = fc.asyncProperty(
    fc.array(request, { minLength: 1, maxLength: 5 }),
    packetSizes,
    async (sent, sizes) => {
      seen.length = 0;
      const stream = Buffer.concat([...sent.map((each) => each.bytes), ...bytes(last)]);
      const heard = responses(await converse(port, packets(stream, sizes), false, dialTls));
      const expected = [...sent, { method: 'REFER', target: '/', body: '' }];
      t.deepEqual(
        seen,
        expected.map(({ method, target, body }) => ({ method, target, body })),
      );
      t.is(heard.length, expected.length);
    },
  );
  await t.notThrowsAsync(fc.assert(property, { numRuns: sized(8, 30) }));
});

test('https: what is malformed is refused after the request before it, and the connection ends', async (t) => {
  const port = await gated(t, []);
  for (const [what, text, message, status = 400] of refused) {
    const [first, answer, ...more] = responses(await converse(port, bytes(head('') + text), false, dialTls));
    t.deepEqual([first?.status, answer?.status, more.length], [200, status, 0], what);
    if (!text.startsWith('HEAD ')) t.regex(JSON.parse(answer?.body ?? '').message, message, what);
  }
});

const echoDesk: WebSockets = {
  path: '/ws',
  connect: async () => (socket) => ({
    received: (text) => socket.send(`you said ${text}`),
    pong: () => {},
    closed: () => {},
  }),
};

test('https: a web socket opens over TLS, and gets a close frame when the server closes', async (t) => {
  const open = await openServer(t, () => new Response(), echoDesk);
  const socket = new WebSocket(`${open.url.replace('https', 'wss')}/ws`, { ca: cert });
  t.teardown(() => socket.terminate());
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  socket.send('hello');
  t.is(await new Promise((resolve) => socket.once('message', (data) => resolve(String(data)))), 'you said hello');
  const code = new Promise((resolve) => socket.once('close', resolve));
  await open.close();
  t.is(await code, 1001);
});

test('https: a client of TLS 1.1 is refused, one of TLS 1.2 is served', async (t) => {
  const open = await openServer(t, () => new Response('answered'));
  const versionWith = (maxVersion: 'TLSv1.1' | 'TLSv1.2') =>
    new Promise((resolve) => {
      // Clients of our OpenSSL take old versions only at this level.
      const options = { minVersion: 'TLSv1', maxVersion, ciphers: 'DEFAULT:@SECLEVEL=0' } as const;
      const socket = dialTls(portOf(open), options);
      socket.once('secureConnect', () => resolve(socket.getProtocol())).once('error', () => resolve('refused'));
      t.teardown(() => socket.destroy());
    });
  t.is(await versionWith('TLSv1.1'), 'refused');
  t.is(await versionWith('TLSv1.2'), 'TLSv1.2');
});

test('https: a request without TLS gets no answer, and harms no other', async (t) => {
  const open = await openServer(t, () => new Response('answered'));
  const answer = await converse(portOf(open), bytes(last)).catch(() => '');
  t.notRegex(answer, /^HTTP/);
  t.is(await (await fetchTls(open.url)).text(), 'answered');
});

for (const end of ['close', 'abort'] as const) {
  test(`https: a connection that never begins its handshake is dropped when the server ends by ${end}`, async (t) => {
    const open = await openServer(t, () => new Response('answered'));
    const socket = connect({ port: portOf(open), host: '127.0.0.1' });
    t.teardown(() => socket.destroy());
    const isOver = new Promise((resolve) => socket.on('error', () => {}).once('close', resolve));
    await new Promise((resolve) => socket.once('connect', resolve));
    await fetchTls(open.url); // a later connection is served, so the silent one was accepted
    await open[end]();
    await isOver;
    t.true(socket.destroyed);
  });
}
