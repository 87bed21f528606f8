/** The HTTP server with harmful clients: too many, too slow, or never reading. Small limits, real connections. */

import { connect, type Socket } from 'node:net';
import type { ExecutionContext } from 'ava';
import { WebSocket } from 'ws';
import { NodeHttpServer } from '../../../src/adapters/http-server/http-server.ts';
import { systemClock } from '../../../src/adapters/system-clock.ts';
import type { HttpLimits } from '../../../src/model/limits.ts';
import type { HttpHandler, ServerSocket, WebSockets } from '../../../src/ports/http-server.ts';
import { moment } from '../../kit/moment.ts';
import { test } from '../../kit/test.ts';

const mebibyte = 1024 * 1024;
/** More than the system's buffers of a connection take. */
const largeBytes = 16 * mebibyte;

const handler: HttpHandler = async (request) => {
  const { pathname } = new URL(request.url);
  if (request.method === 'POST') return new Response(`got ${(await request.text().catch(() => '')).length}`);
  return new Response(pathname === '/large' ? 'x'.repeat(largeBytes) : 'small');
};

/** Accepts every socket, and keeps it. */
class AcceptingSockets implements WebSockets {
  readonly path = '/ws';
  readonly sockets: ServerSocket[] = [];
  closed = 0;

  async connect() {
    return (socket: ServerSocket) => {
      this.sockets.push(socket);
      return {
        received: () => {},
        pong: () => {},
        closed: () => {
          this.closed += 1;
        },
      };
    };
  }
}

async function open(t: ExecutionContext, limits: Partial<HttpLimits>) {
  const handlers = new AcceptingSockets();
  const server = await new NodeHttpServer({ host: '127.0.0.1', port: 0, limits }).open(handler, handlers);
  t.teardown(() => server.abort());
  return { handlers, url: server.url, port: Number(new URL(server.url).port) };
}

/** A connection of which everything that comes is kept, if it reads. */
function dial(t: ExecutionContext, port: number, text: string, { reads = true } = {}): Socket & { heard: string } {
  const socket = Object.assign(connect({ port, host: '127.0.0.1', noDelay: true }), { heard: '' });
  t.teardown(() => socket.destroy());
  socket.on('error', () => {});
  socket.write(text);
  if (reads) {
    socket.on('data', (part) => {
      socket.heard += part;
    });
  } else socket.pause();
  return socket;
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const closing = (socket: Socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()));
const turn = () => new Promise((resolve) => setImmediate(resolve));

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await moment();
}

const statusOf = async (url: string) => {
  const response = await fetch(url);
  await response.text();
  return response.status;
};

/** Clients that stop, where (behind `|`: after an answer), and the answer they get; the limit that ends them is 200 ms. */
const stopping: readonly [what: string, limit: keyof HttpLimits, text: string, heard: RegExp][] = [
  ['says nothing', 'headerTimeMs', '', /^(HTTP\/1\.1 408[\s\S]*)?$/],
  ['stops in the request line', 'headerTimeMs', 'GET /x HT', /^HTTP\/1\.1 408/],
  ['stops in a field', 'headerTimeMs', 'GET / HTTP/1.1\r\nHost: x\r\nAccept: te', /^HTTP\/1\.1 408/],
  [
    'stops in a field of its second request',
    'headerTimeMs',
    `${get('/')}|GET / HTTP/1.1\r\nHost: x\r\nAccept: te`,
    /^HTTP\/1\.1 200[\s\S]*small(HTTP\/1\.1 408[\s\S]*)?$/,
  ],
  [
    'stops in the body',
    'requestTimeMs',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nfive!',
    /^HTTP\/1\.1 408/,
  ],
  [
    'stops in a chunk',
    'requestTimeMs',
    'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\na\r\nfive!',
    /^HTTP\/1\.1 408/,
  ],
  ['is idle after an answer', 'keepAliveMs', get('/'), /^HTTP\/1\.1 200[\s\S]*small$/],
];

for (const [what, limit, text, heard] of stopping) {
  test(`a client that ${what} is closed after ${limit}`, async (t) => {
    const { port } = await open(t, { [limit]: 200 });
    const [first = '', second] = text.split('|');
    const socket = dial(t, port, first);
    const isClosed = closing(socket);
    if (second !== undefined) {
      await until(() => socket.heard.endsWith('small'));
      socket.write(second);
    }
    await isClosed;
    t.regex(socket.heard, heard);
  });
}

test('connections of an address above its share are answered 503 and closed; the others go on', async (t) => {
  const { port } = await open(t, { connectionsPerAddress: 3, keepAliveMs: 60_000 });
  const served = [1, 2, 3].map(() => dial(t, port, get('/')));
  await until(() => served.every(({ heard }) => heard.endsWith('small')));
  const refused = dial(t, port, get('/'));
  await closing(refused);
  t.regex(
    refused.heard,
    /^HTTP\/1\.1 503[\s\S]*retry-after: 1[\s\S]*"error_code":1503,"error_message":"[^"]*3 connections/i,
  );
  served[0]?.write(get('/'));
  await until(() => (served[0]?.heard.match(/small/g)?.length ?? 0) === 2);
  served[1]?.destroy();
  await until(async () => {
    const next = dial(t, port, get('/'));
    await until(() => next.heard.endsWith('small') || next.closed);
    return next.heard.startsWith('HTTP/1.1 200');
  });
  t.pass();
});

test('requests that a client sends without waiting are served one after the other, and in order', async (t) => {
  let inside = 0;
  let most = 0;
  const server = await new NodeHttpServer({ host: '127.0.0.1', port: 0 }).open(async (request) => {
    inside += 1;
    most = Math.max(most, inside);
    await turn();
    inside -= 1;
    return new Response(`<${new URL(request.url).pathname}>`);
  });
  t.teardown(() => server.abort());
  const paths = Array.from({ length: 16 }, (_each, n) => `/${n}`);
  const socket = dial(t, Number(new URL(server.url).port), paths.map(get).join(''));
  await until(() => socket.heard.endsWith('</15>'));
  t.deepEqual(
    [...socket.heard.matchAll(/<(.+?)>/g)].map(([, path]) => path),
    paths,
  );
  t.is(most, 1);
});

test('requests that come at once are all answered, whatever each takes, and the loop goes on between them', async (t) => {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  const inTurn: number[] = [];
  const server = await new NodeHttpServer({ host: '127.0.0.1', port: 0 }).open(() => {
    for (const untilMs = systemClock.now() + 15; systemClock.now() < untilMs; );
    inTurn.push(turns);
    return new Response('small');
  });
  t.teardown(() => server.abort());
  count();
  const sockets = Array.from({ length: 10 }, () => dial(t, Number(new URL(server.url).port), get('/')));
  await until(() => sockets.every(({ heard }) => heard.endsWith('small')));
  isOver = true;
  t.is(new Set(inTurn).size, 10);
});

for (const [what, goOn] of [
  ['come at once', (socket: Socket) => void socket.write('body')],
  ['break off at once', (socket: Socket) => void socket.destroy()],
] as const) {
  test(`bodies that ${what} are read by their handlers in turns, and the loop goes on between them`, async (t) => {
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    const inTurn: number[] = [];
    let started = 0;
    const server = await new NodeHttpServer({ host: '127.0.0.1', port: 0 }).open(async (request) => {
      started += 1;
      await request.text().catch(() => {});
      for (const untilMs = systemClock.now() + 15; systemClock.now() < untilMs; );
      inTurn.push(turns);
      return new Response('small');
    });
    t.teardown(() => server.abort());
    count();
    const post = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n';
    const sockets = Array.from({ length: 10 }, () => dial(t, Number(new URL(server.url).port), post));
    await until(() => started === 10);
    for (const socket of sockets) goOn(socket);
    await until(() => inTurn.length === 10);
    isOver = true;
    t.is(new Set(inTurn).size, 10);
  });
}

test('after an early answer the rest of a small body may come late: until the time limit of requests the connection serves on', async (t) => {
  const requestTimeMs = 1_500;
  const server = new NodeHttpServer({ host: '127.0.0.1', port: 0, limits: { requestTimeMs } });
  const { url, abort } = await server.open(() => new Response('early'));
  t.teardown(abort);
  const post = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n';
  const answeredMs = systemClock.now();
  const silent = dial(t, Number(new URL(url).port), post);
  const slow = dial(t, Number(new URL(url).port), post);
  await until(() => slow.heard.endsWith('early'));
  slow.write(`body${post}`);
  await until(() => slow.heard.split('early').length === 3);
  for (const { heard } of [silent, slow]) t.regex(heard, /connection: keep-alive/i);
  await until(() => silent.closed);
  t.true(systemClock.now() - answeredMs >= requestTimeMs);
});

test('a client that sends more requests than may wait in line is cut off', async (t) => {
  const served: string[] = [];
  const server = await new NodeHttpServer({ host: '127.0.0.1', port: 0 }).open(({ url }) => {
    served.push(url);
    return new Promise(() => {});
  });
  t.teardown(() => server.abort());
  const port = Number(new URL(server.url).port);
  await closing(dial(t, port, get('/').repeat(1_000)));
  t.true(served.length <= 1);
});

test('connections far above the limit are closed at once', async (t) => {
  const { port } = await open(t, { httpConnections: 1, headerTimeMs: 60_000 });
  const sockets = Array.from({ length: 150 }, () => dial(t, port, ''));
  let closed = 0;
  for (const socket of sockets) {
    socket.once('close', () => {
      closed += 1;
    });
  }
  await until(() => closed === 49);
  t.pass();
});

test('web sockets of an address above its share, and of all above their limit, are refused with 503', async (t) => {
  for (const limits of [{ socketsPerAddress: 1 }, { sockets: 1 }]) {
    const { url, handlers } = await open(t, limits);
    const first = new WebSocket(`${url.replace('http', 'ws')}/ws`);
    t.teardown(() => first.terminate());
    await new Promise((resolve) => first.once('open', resolve));
    const second = new WebSocket(`${url.replace('http', 'ws')}/ws`);
    second.on('error', () => {});
    const status = await new Promise((resolve) =>
      second.once('unexpected-response', (_request, { statusCode }) => resolve(statusCode)),
    );
    t.is(status, 503);
    first.close();
    await until(() => handlers.closed === 1);
    const third = new WebSocket(`${url.replace('http', 'ws')}/ws`);
    t.teardown(() => third.terminate());
    await new Promise((resolve) => third.once('open', resolve));
  }
  t.pass();
});

test('while clients that never read hold all buffers a request is refused with 503; they are cut off, and it is served', async (t) => {
  const { url, port } = await open(t, {
    unreadBytesPerAddress: 2 * largeBytes,
    writeTimeMs: 1_000,
    writeBytesPerSecond: largeBytes,
  });
  for (let n = 0; n < 6; n++) dial(t, port, get('/large'), { reads: false });
  await until(async () => (await statusOf(url)) === 503);
  await until(async () => (await statusOf(url)) === 200);
  t.is(await statusOf(`${url}/large`), 200);
});

test('a web socket whose client never reads has less room the more waits for others, and is cut off in the end', async (t) => {
  const { url, handlers } = await open(t, {
    unreadBytesPerAddress: largeBytes,
    writeTimeMs: 100,
    writeBytesPerSecond: 100 * largeBytes,
  });
  const client = new WebSocket(`${url.replace('http', 'ws')}/ws`);
  client.on('error', () => {});
  t.teardown(() => client.terminate());
  await new Promise((resolve) => client.once('open', resolve));
  client.pause();
  const [socket] = handlers.sockets as [ServerSocket];
  const { roomBytes } = socket;
  t.is(roomBytes, largeBytes / 256);
  for (let n = 0; n < 40 && socket.queuedBytes < largeBytes / 2; n++) {
    socket.send('x'.repeat(mebibyte));
    await turn();
  }
  t.true(socket.roomBytes < roomBytes);
  await until(() => handlers.closed === 1);
  t.pass();
});
