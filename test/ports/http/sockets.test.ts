/** Web sockets of the HTTP server, over real connections; every other upgrade offer is ignored. */

import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import type { ExecutionContext } from 'ava';
import { WebSocket } from 'ws';
import { NodeHttpServer } from '../../../src/adapters/http-server/http-server.ts';
import { systemClock } from '../../../src/adapters/system-clock.ts';
import type { HttpHandler, OpenHttpServer, ServerSocket, WebSockets } from '../../../src/ports/http-server.ts';
import { converse, responses } from '../../http/method-gate-server.ts';
import { moment } from '../../kit/moment.ts';
import { test } from '../../kit/test.ts';

/** For how long `ws` by itself waits for an answer to its goodbye. */
const wsPatienceMs = 30_000;

/** Accepts clients that give no reason for a refusal, and echoes their messages. */
class EchoSockets implements WebSockets {
  readonly path = '/ws';
  readonly sockets: ServerSocket[] = [];
  readonly heard: string[] = [];
  readonly seen: { target: string; sender: string; cookie: string | null }[] = [];

  async connect(...[target, sender, header]: Parameters<WebSockets['connect']>) {
    this.seen.push({ target, sender, cookie: header('cookie') });
    const refused = new URLSearchParams(target.split('?')[1]).get('refused');
    if (refused !== null)
      return Response.json({ refused }, { status: Number(refused), headers: { 'retry-after': '5' } });
    return (socket: ServerSocket) => {
      this.sockets.push(socket);
      return {
        received: (text: string | undefined) => {
          this.heard.push(`received ${text}`);
          socket.send(`you said ${text}`);
        },
        pong: () => this.heard.push('alive'),
        closed: () => this.heard.push('closed'),
      };
    };
  }
}

const plain: HttpHandler = async (request) =>
  Response.json({ method: request.method, path: new URL(request.url).pathname, body: await request.text() });

async function openServer(
  t: ExecutionContext,
  handlers: WebSockets,
  handler = plain,
): Promise<{ server: OpenHttpServer; port: number }> {
  const server = await new NodeHttpServer({ host: '127.0.0.1', port: 0 }).open(handler, handlers);
  t.teardown(() => server.abort());
  return { server, port: Number(new URL(server.url).port) };
}

async function open(t: ExecutionContext, port: number, headers: Record<string, string> = {}): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws?a=b`, { headers });
  t.teardown(() => socket.terminate());
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return socket;
}

const next = (socket: WebSocket) =>
  new Promise<string>((resolve) => socket.once('message', (data) => resolve(String(data))));
const ended = (socket: WebSocket) =>
  new Promise<[number, string]>((resolve) => socket.once('close', (code, reason) => resolve([code, String(reason)])));

/** Waits until something is so. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await moment();
}

test('an accepted client sends and receives texts; the handler knows its address', async (t) => {
  const handlers = new EchoSockets();
  const { port } = await openServer(t, handlers);
  const socket = await open(t, port, { cookie: 'RSession=x' });
  t.deepEqual(handlers.seen, [{ target: '/ws?a=b', sender: '127.0.0.1', cookie: 'RSession=x' }]);
  socket.send('hello');
  t.is(await next(socket), 'you said hello');
  socket.send(Buffer.from([1, 2]));
  t.is(await next(socket), 'you said undefined');
  handlers.sockets[0]?.ping();
  await until(() => handlers.heard.includes('alive'));
  socket.close();
  await until(() => handlers.heard.includes('closed'));
  t.deepEqual(handlers.heard, ['received hello', 'received undefined', 'alive', 'closed']);
});

test('two messages in one packet are two', async (t) => {
  const handlers = new EchoSockets();
  const { port } = await openServer(t, handlers);
  const socket = await open(t, port);
  socket.send('one');
  socket.send('two');
  await until(() => handlers.heard.length === 2);
  t.deepEqual(handlers.heard, ['received one', 'received two']);
});

test('the event loop goes on between two messages in one packet', async (t) => {
  const order: string[] = [];
  const received = (text: string | undefined) => {
    order.push(String(text));
    setImmediate(() => order.push('other work'));
  };
  const connect = async () => () => ({ received, pong: () => {}, closed: () => {} });
  const { port } = await openServer(t, { path: '/ws', connect });
  const socket = await open(t, port);
  for (const text of ['one', 'two', 'three']) socket.send(text);
  await until(() => order.length === 6);
  t.deepEqual(order, ['one', 'other work', 'two', 'other work', 'three', 'other work']);
});

test('the platform says goodbye with a code and a reason, and hears nothing after that', async (t) => {
  const handlers = new EchoSockets();
  const { port } = await openServer(t, handlers);
  const socket = await open(t, port);
  const end = ended(socket);
  handlers.sockets[0]?.close(4401, 'over');
  socket.send('too late');
  t.deepEqual(await end, [4401, 'over']);
  await until(() => handlers.heard.includes('closed'));
  t.deepEqual(handlers.heard, ['closed']);
});

test('a message that is too large ends the socket', async (t) => {
  const { port } = await openServer(t, new EchoSockets());
  const socket = await open(t, port);
  const end = ended(socket);
  socket.send('x'.repeat(64 * 1024));
  t.is((await next(socket)).length, 64 * 1024 + 'you said '.length);
  socket.send('x'.repeat(64 * 1024 + 1));
  t.is((await end)[0], 1009);
});

test('what a client does not read waits, and is counted', async (t) => {
  const handlers = new EchoSockets();
  const { port } = await openServer(t, handlers);
  const socket = await open(t, port);
  socket.pause();
  const [mine] = handlers.sockets;
  for (let n = 0; n < 200 && (mine?.queuedBytes ?? 0) < 1_000_000; n++) {
    mine?.send('x'.repeat(100_000));
    await new Promise((resolve) => setImmediate(resolve));
  }
  t.true((mine?.queuedBytes ?? 0) >= 1_000_000);
  mine?.abort();
  await until(() => handlers.heard.includes('closed'));
  t.pass();
});

test('a refused client gets the answer of the handler, and the connection is closed', async (t) => {
  const { port } = await openServer(t, new EchoSockets());
  const refusal = await new Promise<{ status: number | undefined; headers: object; body: string }>(
    (resolve, reject) => {
      const headers = {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
        'sec-websocket-version': '13',
      };
      const request = httpRequest({ port, host: '127.0.0.1', path: '/ws?refused=429', headers }, (response) => {
        let body = '';
        response.on('data', (part) => {
          body += part;
        });
        response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, body }));
      });
      request.on('error', reject).end();
    },
  );
  t.is(refusal.status, 429);
  t.is(refusal.body, '{"refused":"429"}');
  t.like(refusal.headers, { 'retry-after': '5', connection: 'close', 'content-type': 'application/json' });
});

test('a refused client that sends on and never ends its side loses the connection', async (t) => {
  const { port } = await openServer(t, new EchoSockets());
  const fields = 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  t.teardown(() => socket.destroy());
  socket.write(
    `GET /ws?refused=429 HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${fields}\r\n\r\n`,
  );
  let heard = '';
  socket.on('data', (part) => {
    heard += part;
  });
  socket.on('error', () => {});
  await new Promise((resolve) => socket.once('end', resolve));
  t.regex(heard, /^HTTP\/1\.1 429 /);
  const sending = setInterval(() => socket.write('more'), 50);
  await new Promise((resolve) => socket.once('close', resolve));
  clearInterval(sending);
});

test('a handshake that violates RFC 6455 is refused', async (t) => {
  const { port } = await openServer(t, new EchoSockets());
  const head = 'GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
  const [answer] = responses(await converse(port, [Buffer.from(head)]));
  t.is(answer?.status, 400);
  t.regex(answer?.body ?? '', /^\{"error_code":1400,"error_message":".+"\}$/);
});

const upgrade = (method: string, target: string, protocol: string, more = '') =>
  `${method} ${target} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: ${protocol}\r\n${more}`;

const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n';

/** What is not an offer of a web socket here; each gets the plain answer of the front. */
const offers: readonly [what: string, text: string, method: string, path: string, body: string][] = [
  ['h2c, as Java clients offer it', upgrade('GET', '/x', 'h2c', 'HTTP2-Settings: AAMAAABk\r\n\r\n'), 'GET', '/x', ''],
  ['h2c with a body', upgrade('POST', '/x', 'h2c', 'Content-Length: 4\r\n\r\nbody'), 'POST', '/x', 'body'],
  [
    'h2c with chunks',
    upgrade('POST', '/x', 'h2c', 'Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n'),
    'POST',
    '/x',
    'body',
  ],
  ['h2c at the path of web sockets', upgrade('GET', '/ws', 'h2c', '\r\n'), 'GET', '/ws', ''],
  ['h2c by a method of our own', upgrade('LOOKUP', '/x', 'h2c', 'Content-Length: 2\r\n\r\n{}'), 'LOOKUP', '/x', '{}'],
  ['a web socket elsewhere', upgrade('GET', '/wss', 'websocket', key), 'GET', '/wss', ''],
  ['a web socket below', upgrade('GET', '/ws/x', 'websocket', key), 'GET', '/ws/x', ''],
  ['a web socket by POST', upgrade('POST', '/ws', 'websocket', key), 'POST', '/ws', ''],
  ['a web socket with a body', upgrade('POST', '/ws', 'websocket', 'Content-Length: 1\r\n\r\nx'), 'POST', '/ws', 'x'],
  ['one of two protocols', upgrade('GET', '/ws', 'websocket, h2c', '\r\n'), 'GET', '/ws', ''],
  [
    'a web socket that Connection does not name',
    `GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n${key}`,
    'GET',
    '/ws',
    '',
  ],
  [
    'a web socket of HTTP/1.0',
    `GET /ws HTTP/1.0\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${key}`,
    'GET',
    '/ws',
    '',
  ],
];

test('any other offer to upgrade is answered as if it had not been made, and the connection goes on', async (t) => {
  const { port } = await openServer(t, new EchoSockets());
  for (const [what, text, method, path, body] of offers) {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    t.teardown(() => socket.destroy());
    let heard = '';
    socket.on('data', (part) => {
      heard += part;
    });
    let isOver = false;
    socket.on('close', () => {
      isOver = true;
    });
    const count = () => heard.match(/HTTP\/1\.1 200/g)?.length ?? 0;
    socket.write(text);
    await until(() => (count() === 1 && heard.endsWith('}')) || isOver);
    const [first] = responses(heard.replace(/transfer-encoding: chunked/gi, 'x: y'));
    t.is(first?.status, 200, what);
    t.true(heard.includes(JSON.stringify({ method, path, body })), `${what}: ${heard}`);
    if (text.includes('HTTP/1.0')) continue;
    socket.write('GET /again HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => (count() === 2 && heard.endsWith('}')) || isOver);
    t.true(heard.includes(JSON.stringify({ method: 'GET', path: '/again', body: '' })), what);
    socket.destroy();
  }
});

test('a connection that has carried requests becomes a web socket; one with an answer outstanding does not', async (t) => {
  const handlers = new EchoSockets();
  let release = () => {};
  const handler: HttpHandler = async (request, ...rest) => {
    if (request.url.endsWith('/slow'))
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    return plain(request, ...rest);
  };
  const { port } = await openServer(t, handlers, handler);
  const ask = (target: string) => `GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`;
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  t.teardown(() => socket.destroy());
  let heard = '';
  socket.on('data', (part) => {
    heard += part.toString('latin1');
  });
  socket.write(ask('/fast'));
  await until(() => heard.endsWith('}'));
  socket.write(upgrade('GET', '/ws', 'websocket', key));
  await until(() => heard.includes('101 Switching Protocols'));
  t.is(handlers.sockets.length, 1);
  const slow = connect({ port, host: '127.0.0.1', noDelay: true });
  slow.on('error', () => {});
  const isClosed = new Promise((resolve) => slow.once('close', resolve));
  slow.write(ask('/slow') + upgrade('GET', '/ws', 'websocket', key));
  await isClosed;
  release();
  t.is(handlers.sockets.length, 1);
});

test('a closing server sends close frames, and does not wait for clients that do not answer', async (t) => {
  const handlers = new EchoSockets();
  const { server, port } = await openServer(t, handlers);
  const polite = await open(t, port);
  const end = ended(polite);
  const deaf = connect({ port, host: '127.0.0.1' });
  deaf.on('error', () => {});
  t.teardown(() => deaf.destroy());
  deaf.write(upgrade('GET', '/ws', 'websocket', key));
  await until(() => handlers.sockets.length === 2);
  const sinceMs = systemClock.now();
  await server.close();
  t.deepEqual(await end, [1001, 'the front is closing']);
  t.true(systemClock.now() - sinceMs < wsPatienceMs);
  await until(() => handlers.heard.length === 2);
  t.deepEqual(handlers.heard, ['closed', 'closed']);
});

test('an aborted server drops web sockets, and handshakes under way', async (t) => {
  const handlers = new EchoSockets();
  const { server, port } = await openServer(t, handlers);
  const socket = await open(t, port);
  const end = ended(socket);
  let isAsked = false;
  const never: WebSockets = {
    path: '/ws',
    connect: () => {
      isAsked = true;
      return new Promise(() => {});
    },
  };
  const other = await openServer(t, never);
  const waiting = connect({ port: other.port, host: '127.0.0.1' });
  waiting.on('error', () => {});
  const isClosed = new Promise((resolve) => waiting.once('close', resolve));
  waiting.write(upgrade('GET', '/ws', 'websocket', key));
  await until(() => isAsked);
  server.abort();
  other.server.abort();
  t.is((await end)[0], 1006);
  await isClosed;
});

test('without a handler of web sockets an upgrade offer is ignored', async (t) => {
  const server = await new NodeHttpServer({ host: '127.0.0.1', port: 0 }).open(plain);
  t.teardown(() => server.abort());
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws`);
  const status = await new Promise((resolve) => {
    socket.once('unexpected-response', (_request, response) => resolve(response.statusCode));
    socket.once('error', () => {});
  });
  t.is(status, 200);
});
