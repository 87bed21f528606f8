/** What the method gate answers when it refuses, and how the connection ends. */
import type { Server, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { test } from '../kit/test.ts';
import { chunks, head, refused } from './method-gate-refusals.ts';
import {
  bytes,
  converse,
  echo,
  gated,
  type Handler,
  listen,
  nextTurn,
  options,
  responses,
} from './method-gate-server.ts';

/** Resolves once a connection of the server has closed on the server's side too. */
function closing(server: Server): Promise<void> {
  return new Promise((resolve) => server.on('connection', (socket) => socket.on('close', () => resolve())));
}

for (const [what, text, message, status = 400] of refused) {
  test(`refused after an earlier request is answered: ${what}`, async (t) => {
    const server = gated(echo([]));
    const isClosed = closing(server);
    const port = await listen(t, server);
    const heard = responses(await converse(port, bytes(head('') + text)));
    await isClosed;
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
  const server = gated(late);
  const isClosed = closing(server);
  const port = await listen(t, server);
  const heard = responses(await converse(port, bytes(`${head('')}${head('')}bad(`), true));
  await isClosed;
  t.deepEqual(
    heard.map((each) => each.status),
    [200, 200, 400],
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
  const isClosed = closing(server);
  const port = await listen(t, server);
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  t.teardown(() => socket.destroy());
  socket.write('bad(');
  t.is(responses(await textOf(socket))[0]?.status, 400);
  await isClosed;
});

test("after an error of node's parser nothing is read, also while an earlier response is awaited", async (t) => {
  const seen: ServerResponse[] = [];
  const server = gated((_request, response) => seen.push(response), { maxHeaderSize: 200 });
  const sockets: Socket[] = [];
  server.on('connection', (socket) => sockets.push(socket));
  const port = await listen(t, server);
  const isFailed = new Promise((resolve) => server.once('clientError', resolve));
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const answer = textOf(socket.setEncoding('latin1'));
  const broken = `${head('')}LOOKUP / HTTP/1.1\r\nX: ${'a'.repeat(300)}`;
  const rest = `\r\nHost: h\r\n\r\n${head('')}`;
  socket.write(broken);
  await isFailed;
  socket.write(rest);
  while (sockets[0]?.bytesRead !== broken.length + rest.length) await nextTurn();
  t.is(seen.length, 1);
  seen[0]?.end();
  t.deepEqual(
    responses(await answer).map((each) => each.status),
    [200, 431],
  );
  t.is(seen.length, 1);
});
