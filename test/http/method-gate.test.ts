/** The method gate in front of a real http server: over sockets, and for the worst bytes over a stream in memory. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { RequestFraming } from '../../src/http/method-gate/framing.ts';
import { installMethodGate, trueMethod } from '../../src/http/method-gate/method-gate.ts';
import { sized } from '../kit/property.ts';
import { test } from '../kit/test.ts';
import { head, refused } from './method-gate-refusals.ts';
import { mutated, mutations, packetSizes, packets, request } from './method-gate-requests.ts';
import {
  bytes,
  converse,
  echo,
  gated,
  type Handler,
  listen,
  MemoryConnection,
  nextTurn,
  options,
  responses,
  type Seen,
} from './method-gate-server.ts';

const upgrade = 'GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n';
const last = head('Connection: close\r\n');

test('any requests in any packets: the handler sees their methods, targets and bodies in order', async (t) => {
  const seen: Seen[] = [];
  const port = await listen(t, gated(echo(seen)));
  const property = fc.asyncProperty(
    fc.array(request, { minLength: 1, maxLength: 5 }),
    packetSizes,
    async (sent, sizes) => {
      seen.length = 0;
      const stream = Buffer.concat([...sent.map((each) => each.bytes), ...bytes(last)]);
      const heard = responses(await converse(port, packets(stream, sizes)));
      const expected = [...sent, { method: 'REFER', target: '/', body: '' }];
      t.deepEqual(
        seen,
        expected.map(({ method, target, body }) => ({ method, target, body })),
      );
      t.deepEqual(
        heard.map(({ status, body }) => [status, body]),
        seen.map((each) => [200, each.method === 'HEAD' ? '' : JSON.stringify(each)]),
      );
    },
  );
  await t.notThrowsAsync(fc.assert(property, { numRuns: sized(15, 60) }));
});

test('a flood of requests to a peer that reads late: all are answered in order, then the refusal', async (t) => {
  const seen: string[] = [];
  const flood: Handler = (request, response) => {
    seen.push(`${request.method} ${request.url?.length}`);
    response.end('a'.repeat(100_000));
  };
  const port = await listen(t, gated(flood));
  const targets = Array.from({ length: 200 }, (_, turn) => `/${'a'.repeat(1000 + turn)}`);
  const stream = targets.map((target) => `LOOKUP ${target} HTTP/1.1\r\nHost: h\r\n\r\n`).join('');
  const socket = connect({ port, host: '127.0.0.1' });
  await new Promise((resolve) => socket.write(`${stream}bad(`, resolve));
  const heard = responses(await textOf(socket.setEncoding('latin1')));
  t.deepEqual(
    seen,
    targets.map((target) => `LOOKUP ${target.length}`),
  );
  t.deepEqual(
    heard.map(({ status, body }) => [status, body.length > 1000]),
    [...targets.map(() => [200, true]), [400, false]],
  );
});

test('an expectation of 100-continue is met by node', async (t) => {
  const seen: Seen[] = [];
  const port = await listen(t, gated(echo(seen)));
  const expectant = head('Expect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n');
  const heard = responses(await converse(port, bytes(`${expectant}ab`)));
  t.deepEqual(
    heard.map((each) => each.status),
    [100, 200],
  );
  t.is(seen[0]?.body, 'ab');
});

test("nothing is read behind the last request that node's limit allows on a connection", async (t) => {
  const seen: Seen[] = [];
  const server = gated(echo(seen));
  server.maxRequestsPerSocket = 1;
  const port = await listen(t, server);
  const old = 'LOOKUP / HTTP/1.0\r\n\r\n';
  const heard = responses(await converse(port, bytes(`${head('')}DROP / HTTP/1.1\r\nHost: h\r\n\r\n${old}`)));
  t.deepEqual(
    seen.map((each) => each.method),
    ['REFER'],
  );
  t.deepEqual(
    heard.map((each) => [each.status, /^Connection: (.*)$/im.exec(each.head)?.[1]]),
    [[200, 'close']],
  );
});

for (const [what, declared] of [
  ['large', 'Content-Length: 1000000\r\n'],
  ['of a length that is not known', 'Transfer-Encoding: chunked\r\n'],
] as const) {
  test(`an answer before the end of a body that is ${what} says that the connection ends, and ends it`, async (t) => {
    const port = await listen(
      t,
      gated((_, response) => response.end('early')),
    );
    const heard = responses(await converse(port, bytes(`${head(declared)}`), true));
    t.deepEqual(
      heard.map((each) => [each.status, each.body, /^Connection: (.*)$/im.exec(each.head)?.[1]]),
      [[200, 'early', 'close']],
    );
  });
}

test('an answer reaches a client that sends on behind it', async (t) => {
  const port = await listen(
    t,
    gated((_, response) => response.end('early')),
  );
  const upload = [Buffer.from(head('Content-Length: 4000000\r\n')), ...Array<Buffer>(4).fill(Buffer.alloc(1_000_000))];
  const heard = responses(await converse(port, upload, true));
  t.deepEqual(
    heard.map((each) => each.body),
    ['early'],
  );
});

test('an answer after a large body, or before the end of a small one, leaves the connection open', async (t) => {
  const seen: Seen[] = [];
  const late = await listen(t, gated(echo(seen)));
  const large = `${head('Content-Length: 100000\r\n')}${'a'.repeat(100_000)}`;
  t.is(responses(await converse(late, bytes(`${large}${large}${head('Connection: close\r\n')}`))).length, 3);
  const early = await listen(
    t,
    gated((_, response) => response.end('early')),
  );
  const small = `${head('Content-Length: 1000\r\n')}${'a'.repeat(1_000)}`;
  t.is(responses(await converse(early, bytes(`${small}${small}${head('Connection: close\r\n')}`))).length, 3);
});

test('no field is hidden from node, whatever its limit of fields was', async (t) => {
  const server = createServer((request, response) => response.end(request.headers.host));
  server.maxHeadersCount = 1;
  installMethodGate(server, options);
  const port = await listen(t, server);
  const heard = responses(await converse(port, bytes('LOOKUP / HTTP/1.1\r\nConnection: close\r\nHost: last\r\n\r\n')));
  t.is(heard[0]?.body, 'last');
});

test('a request that was not announced gets no method, and its connection ends', async (t) => {
  const methods: (string | undefined)[] = [];
  const server = gated((request, response) => {
    methods.push(request.method);
    if (methods.length === 1) server.emit('request', request, response);
  });
  const port = await listen(t, server);
  t.is(await converse(port, bytes(head(''))), '');
  t.deepEqual(methods, ['REFER', '']);
});

test('a thousand requests on a connection leave nothing behind', async (t) => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const handled: WeakRef<object>[] = [];
  const port = await listen(
    t,
    gated((request, response) => {
      handled.push(new WeakRef(request), new WeakRef(response));
      response.end();
    }),
  );
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  for (let turn = 0; turn < 1000; turn++) {
    socket.write(head(''));
    await new Promise((resolve) => socket.once('data', resolve));
  }
  t.is(handled.length, 2000);
  let alive = handled.length;
  for (let turn = 0; turn < 20 && alive > 0; turn++) {
    await nextTurn();
    collectGarbage();
    alive = handled.filter((each) => each.deref() !== undefined).length;
  }
  t.is(alive, 0);
  socket.destroy();
});

test('an offer to upgrade that the server ignores is answered, and so are the requests after it', async (t) => {
  const port = await listen(t, gated(echo([])));
  const socket = connect({ port, host: '127.0.0.1', noDelay: true }).setEncoding('latin1');
  for (const text of [upgrade, upgrade, head('')]) {
    socket.write(text);
    const [answer] = await once(socket, 'data');
    t.regex(String(answer), /^HTTP\/1.1 200/);
  }
  socket.destroy();
});

test('an upgraded connection passes any bytes untouched, in both directions', async (t) => {
  const server = gated(echo([]));
  server.on('upgrade', (_request, socket, behind) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n');
    socket.write(behind);
    socket.pipe(socket);
  });
  const port = await listen(t, server);
  const content = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((raw) => Buffer.from(raw).toString('latin1')),
    fc.constant(`${head('')}bad(\n`),
  );
  const property = fc.asyncProperty(content, packetSizes, async (text, sizes) => {
    const stream = Buffer.from(upgrade + text, 'latin1');
    t.is(await converse(port, packets(stream, sizes), true), `HTTP/1.1 101 Switching Protocols\r\n\r\n${text}`);
  });
  await t.notThrowsAsync(fc.assert(property, { numRuns: sized(5, 20) }));
});

test('any bytes in any packets: the handler sees only what the framing announced, in its order', async (t) => {
  const seen: Seen[] = [];
  let complaints = 0;
  const server = gated(echo(seen));
  server.on('upgrade', (request) => seen.push({ method: trueMethod(request), target: request.url ?? '' }));
  server.on('clientError', () => complaints++);
  const run = async (stream: readonly Buffer[]) => {
    seen.length = 0;
    complaints = 0;
    const connection = new MemoryConnection();
    server.emit('connection', connection);
    for (const packet of stream) if (!connection.destroyed) connection.push(packet);
    await nextTurn();
    connection.destroy();
  };
  const property = fc.asyncProperty(
    fc.array(request, { minLength: 1, maxLength: 4 }),
    fc.constantFrom('', ...refused.map(([, text]) => text)),
    mutations,
    packetSizes,
    async (sent, worse, changes, sizes) => {
      const whole = Buffer.concat([...sent.map((each) => each.bytes), ...bytes(worse)]);
      const stream = packets(mutated(whole, changes), sizes);
      const framing = new RequestFraming();
      const announced = stream.flatMap((packet) => framing.feed(packet).heads);
      await run(stream);
      t.deepEqual(
        seen.map(({ method, target }) => [method, target]),
        announced.slice(0, seen.length).map(({ method, target }) => [method, target]),
      );
      if (complaints === 0) t.is(seen.length, announced.length);
    },
  );
  await t.notThrowsAsync(fc.assert(property, { numRuns: sized(150, 5_000) }));
});
