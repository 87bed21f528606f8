/** Clients that never read, read a byte at a time, or stop anywhere: memory stays bounded, and others are served. */
import { connect, type Socket } from 'node:net';
import type { ExecutionContext } from 'ava';
import { WebSocket } from 'ws';
import { oneNode } from '../cli/serve/served.ts';
import { sized } from '../kit/property.ts';
import { test } from '../kit/test.ts';
import { writeFile } from '../topology/edits.ts';
import { pass, Served, until } from './served.ts';

const mebibyte = 1024 * 1024;

function dial(t: ExecutionContext, port: number): Socket {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  socket.on('error', () => {});
  t.teardown(() => socket.destroy());
  return socket;
}

/** A front without other nodes, which would only take time. */
const oneNodeOnly = (t: ExecutionContext) => ['--topology', writeFile(t, 'one.yaml', oneNode)];

const opened = (socket: Socket) =>
  new Promise<void>((resolve) => socket.once('connect', () => resolve()).once('close', () => resolve()));

test('clients that never read large answers hold bounded memory, are cut off, and others are served', async (t) => {
  const limits = [
    '--limit',
    'unreadBytesPerAddress=67108864',
    '--limit',
    'writeTimeMs=5000',
    '--limit',
    'writeBytesPerSecond=1048576',
  ];
  const served = await Served.start(t, ...oneNodeOnly(t), ...limits);
  await (await fetch(`${served.url}/docs`)).text(); // it is made at the first request
  await pass(500);
  served.measureAnew();
  const beforeBytes = served.nowBytes;
  const count = sized(30, 2_000);
  const sockets: Socket[] = [];
  for (let n = 0; n < count; n++) {
    const socket = dial(t, served.port);
    socket.pause();
    socket.write('GET /docs HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(16));
    sockets.push(socket);
    if (n % 50 === 49) await Promise.all(sockets.slice(-50).map(opened));
  }
  await pass(2_000);
  t.log(`${count} clients that never read: ${served.figures()}, ${Math.round(beforeBytes / mebibyte)} MiB before`);
  t.true(served.mostBytes - beforeBytes < 350 * mebibyte);
  await until(async () => (await fetch(`${served.url}/docs`)).status === 200);
  t.is(await served.health(), 'ok');
});

test('clients that read a byte at a time, and such that stop in a head or a body, leave others served', async (t) => {
  const served = await Served.start(t, ...oneNodeOnly(t), '--limit', 'requestTimeMs=5000');
  const count = sized(30, 1_000);
  const texts = [
    '',
    'GET /do',
    'GET /docs HTTP/1.1\r\nHost: x\r\nX: ',
    'POST /rest/v1/iam/sessions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"do',
    'POST /rest/v1/iam/sessions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"',
    'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n',
  ];
  let ended = 0;
  for (let n = 0; n < count; n++) {
    const socket = dial(t, served.port);
    socket.once('close', () => {
      ended += 1;
    });
    socket.resume();
    socket.write(texts[n % texts.length] as string);
  }
  const slow = dial(t, served.port);
  slow.pause();
  slow.write('GET /docs HTTP/1.1\r\nHost: x\r\n\r\n');
  for (let n = 0; n < 100; n++) {
    slow.read(1);
    t.is(await served.health(), 'ok');
  }
  await until(() => ended === count);
  t.log(`${count} clients that stopped: ${served.figures()}`);
  t.pass();
});

test('event sockets that are paused hold bounded memory, and one that reads goes on', async (t) => {
  const calls = ['--load', `${sized(5, 20)}/s`];
  const served = await Served.start(
    t,
    ...calls,
    '--limit',
    'unreadBytesPerAddress=67108864',
    '--limit',
    'writeTimeMs=10000',
  );
  const token = await served.token();
  const count = sized(20, 999);
  const beforeBytes = served.nowBytes;
  const open = async () => {
    const socket = new WebSocket(`${served.url.replace('http', 'ws')}/ws?subscribe=callevents.*`, {
      headers: { authorization: `Bearer ${token}` },
    });
    socket.on('error', () => {});
    t.teardown(() => socket.terminate());
    await new Promise((resolve, reject) => socket.once('open', resolve).once('close', reject));
    return socket;
  };
  const reader = await open();
  let events = 0;
  reader.on('message', () => {
    events += 1;
  });
  for (let n = 0; n < count; n++) (await open()).pause();
  const sinceOpen = events;
  await pass(sized(5_000, 120_000));
  t.log(
    `${count} paused event sockets: ${served.figures()}, ${Math.round(beforeBytes / mebibyte)} MiB before, ${events - sinceOpen} events to the one that reads`,
  );
  t.true(served.mostBytes - beforeBytes < 250 * mebibyte);
  t.true(events > sinceOpen);
  t.is(reader.readyState, reader.OPEN);
  t.is(await served.health(), 'ok');
});
