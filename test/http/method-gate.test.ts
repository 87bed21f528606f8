/** The method gate in front of a real http server: over sockets, and for the worst bytes over a stream in memory. */
import { createServer, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import test from 'ava';
import fc from 'fast-check';
import { RequestFraming } from '../../src/http/framing.ts';
import { installMethodGate, trueMethod } from '../../src/http/method-gate.ts';
import { chunks, head, refused } from './method-gate-refusals.ts';
import { mutated, mutations, packetSizes, packets, request } from './method-gate-requests.ts';
import {
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

const bytes = (text: string) => [Buffer.from(text, 'latin1')];
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
  await t.notThrowsAsync(fc.assert(property, { numRuns: 60 }));
});

for (const [what, text, message, status = 400] of refused) {
  test(`refused after an earlier request is answered: ${what}`, async (t) => {
    const port = await listen(t, gated(echo([])));
    const heard = responses(await converse(port, bytes(head('') + text)));
    t.deepEqual(
      heard.map((each) => each.status),
      [200, status],
    );
    const [, answer] = heard;
    t.regex(answer?.head ?? '', /^Connection: close\r\nContent-Type: application\/json\r$/m);
    t.is(/^Allow: GET\r$/m.test(answer?.head ?? ''), status === 405);
    if (text.startsWith('HEAD ')) t.is(answer?.body, '');
    else t.regex(JSON.parse(answer?.body ?? '').message, message);
  });
}

test('a refusal waits for the responses before it, even if the peer has ended its side', async (t) => {
  const late: Handler = async (request, response) => {
    for (let turn = 0; turn < 5; turn++) await nextTurn();
    response.end(request.url);
  };
  const port = await listen(t, gated(late));
  const heard = responses(await converse(port, bytes(`${head('')}${head('')}bad(`), true));
  t.deepEqual(
    heard.map((each) => each.status),
    [200, 200, 400],
  );
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

test('a bad chunk behind a part of the response: the connection ends without another one', async (t) => {
  const port = await listen(
    t,
    gated((_request, response) => response.writeHead(200).write('part')),
  );
  const socket = connect({ port, host: '127.0.0.1' }).setEncoding('latin1');
  let heard = '';
  socket.write(chunks('1\r\na\r\n'));
  await new Promise<void>((resolve) => {
    socket.on('error', () => {}).on('close', () => resolve());
    socket.on('data', (part: string) => {
      if (!heard.includes('part') && `${heard}${part}`.includes('part')) socket.write('bad\n');
      heard += part;
    });
  });
  t.regex(heard, /^HTTP\/1\.1 200 OK\r\n(.+\r\n)+\r\n4\r\npart\r\n$/);
});

test('a bad chunk behind the whole response: the connection ends without another one', async (t) => {
  const port = await listen(
    t,
    gated((_request, response) => response.end('whole')),
  );
  const socket = connect({ port, host: '127.0.0.1' }).setEncoding('latin1');
  socket.write(chunks('1\r\na\r\n'));
  socket.once('data', () => socket.write('bad\n'));
  const heard = responses(await textOf(socket));
  t.deepEqual(
    heard.map((each) => each.body),
    ['whole'],
  );
});

test("what node's parser and timer refuse is answered like any refusal", async (t) => {
  const quick = { headersTimeout: 20, requestTimeout: 20, connectionsCheckingInterval: 5 };
  const small = await listen(t, gated(echo([]), { maxHeaderSize: 200 }));
  const hasty = await listen(t, gated(echo([]), quick));
  const table: readonly [port: number, text: string, endsItself: boolean, status: number, message: RegExp][] = [
    [small, head(`X: ${'a'.repeat(300)}\r\n`), false, 431, /^head too large/],
    [small, 'REFER / HTTP/1.1\r\nHos', true, 400, /^the connection ended within a request/],
    [small, `${head('Content-Length: 5\r\n')}ab`, true, 400, /^the connection ended within a request/],
    [small, 'GET / HTTP/1.1\r\nHos\0', false, 400, /^malformed request: Parse Error/],
    [hasty, 'REFER / HTTP/1.1\r\nHos', false, 408, /^the request was not complete in time/],
    [hasty, `${head('Content-Length: 5\r\n')}ab`, false, 408, /^the request was not complete in time/],
  ];
  for (const [port, text, endsItself, status, message] of table) {
    const heard = responses(await converse(port, bytes(text), endsItself));
    t.deepEqual(
      heard.map((each) => each.status),
      [status],
      text,
    );
    t.regex(JSON.parse(heard[0]?.body ?? '').message, message);
  }
});

test('a refused peer that never ends its side loses the connection', async (t) => {
  const server = gated(echo([]), {}, { ...options, lingerMs: 1 });
  const isClosed = new Promise<void>((resolve) => server.on('connection', (socket) => socket.on('close', resolve)));
  const port = await listen(t, server);
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  t.teardown(() => socket.destroy());
  socket.write('bad(');
  t.is(responses(await textOf(socket))[0]?.status, 400);
  await isClosed;
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

test("a request past node's limit of requests takes nobody else's method", async (t) => {
  const seen: Seen[] = [];
  const server = gated(echo(seen));
  server.maxRequestsPerSocket = 1;
  const port = await listen(t, server);
  // The limit is for HTTP/1.1 only.
  await converse(port, bytes(`${head('')}DROP / HTTP/1.1\r\nHost: h\r\n\r\nLOOKUP / HTTP/1.0\r\n\r\n`));
  t.deepEqual(
    seen.map((each) => each.method),
    ['REFER', 'LOOKUP'],
  );
});

test('no field is hidden from node, whatever its limit of fields was', async (t) => {
  const server = createServer((request, response) => response.end(request.headers.host));
  server.maxHeadersCount = 1;
  installMethodGate(server, options);
  const port = await listen(t, server);
  const heard = responses(await converse(port, bytes('LOOKUP / HTTP/1.1\r\nConnection: close\r\nHost: last\r\n\r\n')));
  t.is(heard[0]?.body, 'last');
});

test("after an error of node's parser nothing is read, also while an earlier response is awaited", async (t) => {
  const seen: ServerResponse[] = [];
  const server = gated((_request, response) => seen.push(response));
  const sockets: Socket[] = [];
  server.on('connection', (socket) => sockets.push(socket));
  const port = await listen(t, server);
  const isFailed = new Promise((resolve) => server.once('clientError', resolve));
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const answer = textOf(socket.setEncoding('latin1'));
  const broken = `${head('')}LOOKUP / HTTP/1.1\r\nHost\0`;
  socket.write(broken);
  await isFailed;
  socket.write(`\r\n\r\n${head('')}`);
  while (sockets[0]?.bytesRead !== broken.length + 4 + head('').length) await nextTurn();
  t.is(seen.length, 1);
  seen[0]?.end();
  t.deepEqual(
    responses(await answer).map((each) => each.status),
    [200, 400],
  );
  t.is(seen.length, 1);
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
  await nextTurn();
  collectGarbage();
  t.is(handled.length, 2000);
  const alive = handled.filter((each) => each.deref() !== undefined).length;
  t.log(alive);
  t.true(alive <= 4, `${alive} are alive`);
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
  const upgrade = 'GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n';
  const content = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((raw) => Buffer.from(raw).toString('latin1')),
    fc.constant(`${head('')}bad(\n`),
  );
  const property = fc.asyncProperty(content, packetSizes, async (text, sizes) => {
    const stream = Buffer.from(upgrade + text, 'latin1');
    t.is(await converse(port, packets(stream, sizes), true), `HTTP/1.1 101 Switching Protocols\r\n\r\n${text}`);
  });
  await t.notThrowsAsync(fc.assert(property, { numRuns: 20 }));
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
  await t.notThrowsAsync(fc.assert(property, { numRuns: 500 }));
});
