/** What a WebSocket link bears from peers that misbehave, vanish or never come, and what it leaves behind. */

import { spawn } from 'node:child_process';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { ExecutionContext } from 'ava';
import { SeededRandom } from '../../../sim/ports/random.ts';
import { systemClock } from '../../../src/adapters/system-clock.ts';
import type { WsLinkOptions } from '../../../src/adapters/ws-link.ts';
import { limits } from '../../../src/model/limits.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { RandomStream } from '../../../src/ports/random.ts';
import { test } from '../../kit/test.ts';
import { Side } from './contract.ts';
import { client, knock, makeWsLink, proofOf, untilReal, upgraded } from './ws-kit.ts';

/** What `close` may take when peers do not answer: well below the half minute for which `ws` would wait. */
const boundedMs = 20_000;

async function listening(t: ExecutionContext, options: Partial<WsLinkOptions> = {}) {
  let url = '';
  const onListening = (where: string) => {
    url = where;
  };
  const side = new Side(makeWsLink(t, { self: 'b', awaits: ['a', 'd'], onListening, ...options }));
  await side.open();
  return { side, url };
}

/** A server of bare sockets, each given to `onSocket`; its URL. */
async function bareServer(t: ExecutionContext, onSocket: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    onSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function took(doing: Promise<unknown>): Promise<number> {
  const startMs = systemClock.now();
  await doing;
  return systemClock.now() - startMs;
}

test('a binary frame is left unread, and the connection goes on', async (t) => {
  const { side, url } = await listening(t);
  const a = await client(t, url, { from: 'a', to: 'b' });
  a.send(Buffer.from('binary'));
  a.send('text');
  await untilReal(() => side.frames.length > 0);
  t.deepEqual(side.events, ['connected a', 'frame a']);
  t.deepEqual(side.frames, ['text']);
});

for (const [what, spoil] of [
  ['a frame over 1 MiB', (socket: Socket) => socket.write(header(limits.frameBytes + 1))],
  ['a text that is no UTF-8', (socket: Socket) => socket.write(Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0xc3, 0x28]))],
  ['a frame without a mask', (socket: Socket) => socket.write(Buffer.from([0x81, 0x01, 0x78]))],
  ['bytes that are no frame', (socket: Socket) => socket.write('GET / HTTP/1.1\r\n\r\n')],
] as const) {
  test(`${what} ends the connection it came by, and no other`, async (t) => {
    const { side, url } = await listening(t);
    const d = await client(t, url, { from: 'd', to: 'b' });
    spoil(await upgraded(url, { authorization: proofOf({ from: 'a', to: 'b' }) }));
    await untilReal(() => side.count('disconnected a') === 1);
    d.send('still here');
    await untilReal(() => side.frames.length === 1);
    t.deepEqual(side.events, ['connected d', 'connected a', 'disconnected a', 'frame d']);
  });
}

test('a peer that stops reading costs no more than its queue, and then its connection', async (t) => {
  const { side, url } = await listening(t);
  const deaf = await upgraded(url, { authorization: proofOf({ from: 'a', to: 'b' }) });
  t.teardown(() => deaf.destroy());
  deaf.pause();
  const frame = 'x'.repeat(64 * 1024);
  let takenBytes = 0;
  let refusal = side.link.send('a', frame);
  // One frame a turn, so that the sockets take all that they can.
  for (; refusal === undefined && takenBytes < 100 * limits.peerQueueBytes; takenBytes += frame.length) {
    await new Promise((resolve) => setImmediate(resolve));
    refusal = side.link.send('a', frame);
  }
  t.is(refusal, 'queue_full');
  t.true(takenBytes >= limits.peerQueueBytes && takenBytes < 8 * limits.peerQueueBytes, `${takenBytes} bytes`);
  await untilReal(() => side.count('disconnected a') === 1);
});

test('a reset removes a peer that has vanished silently', async (t) => {
  const { side, url } = await listening(t);
  const vanished = await upgraded(url, { authorization: proofOf({ from: 'a', to: 'b' }) });
  t.teardown(() => vanished.destroy());
  vanished.pause();
  t.is(side.link.send('a', 'into the void'), undefined);
  side.link.reset('a');
  await untilReal(() => side.count('disconnected a') === 1);
  t.is(side.link.send('a', 'no peer there'), 'not_connected');
  await client(t, url, { from: 'a', to: 'b' });
  await untilReal(() => side.count('connected a') === 2);
});

for (const [who, arrive] of [
  [
    'has proved itself and does not answer',
    (url: string) => upgraded(url, { authorization: proofOf({ from: 'a', to: 'b' }) }),
  ],
  ['says nothing', (url: string) => arrived(url, '')],
  ['says half of something', (url: string) => arrived(url, 'GET / HTTP/1.1\r\nHost: b\r\nUpgra')],
  ['was refused and stays', (url: string) => arrived(url, upgradeRequest)],
  ['got the answer to a plain request and stays', (url: string) => arrived(url, 'GET / HTTP/1.1\r\nHost: b\r\n\r\n')],
] as const) {
  test(`a client that ${who} does not keep a link from closing`, async (t) => {
    const { side, url } = await listening(t);
    const socket = await arrive(url);
    t.teardown(() => socket.destroy());
    const isEnded = new Promise((resolve) => socket.once('close', resolve));
    t.true((await took(side.link.close())) < boundedMs);
    socket.resume().end();
    await isEnded;
  });
}

test('a client that was refused is not kept, even if it keeps its side open', async (t) => {
  const { url } = await listening(t);
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
  t.teardown(() => socket.destroy());
  let heard = '';
  const isEnded = new Promise((resolve) => socket.once('end', resolve));
  socket.on('data', (chunk) => {
    heard += chunk;
  });
  socket.write(upgradeRequest);
  await isEnded;
  t.regex(heard, /^HTTP\/1\.1 401 /);
  // An open socket would accept this silently.
  const isReset = new Promise<boolean>((resolve) => socket.once('error', () => resolve(true)));
  const knocking = setInterval(() => socket.write('hello?'), 20);
  t.teardown(() => clearInterval(knocking));
  t.true(await isReset);
});

test('a peer that never answers the dialling does not keep a link from closing', async (t) => {
  let dialled = 0;
  const url = await bareServer(t, () => {
    dialled += 1;
  });
  const a = new Side(makeWsLink(t, { self: 'a', dials: ['b'], urlOf: () => url }));
  await a.open();
  await untilReal(() => dialled === 1);
  t.true((await took(a.link.close())) < boundedMs);
  t.deepEqual(a.events, []);
});

/** A clock that runs at once whatever is due within an hour, and writes down for how long that would have been. */
function hastyClock(): { clock: Clock; delaysMs: number[] } {
  const delaysMs: number[] = [];
  const setTimer: Clock['setTimer'] = (delayMs, fire) => {
    delaysMs.push(delayMs);
    return systemClock.setTimer(0, fire);
  };
  return { clock: { now: () => systemClock.now(), setTimer }, delaysMs };
}

const jitters: readonly [what: string, make: () => RandomStream][] = [
  ['the least', () => drawing(() => 0)],
  ['the most', () => drawing(() => 1 - 2 ** -53)],
  ['any', () => new SeededRandom(7).stream('jitter')],
];

for (const [what, make] of jitters) {
  test(`the wait before a peer is dialled again doubles up to its bound, with ${what} jitter`, async (t) => {
    const { clock, delaysMs } = hastyClock();
    let dialled = 0;
    const url = await bareServer(t, (socket) => {
      dialled += 1;
      socket.destroy();
    });
    const reconnect = { minMs: 50, maxMs: 1_000 };
    const a = new Side(makeWsLink(t, { self: 'a', dials: ['b'], urlOf: () => url, clock, jitter: make(), reconnect }));
    await a.open();
    await untilReal(() => delaysMs.length >= 9);
    a.link.crash();
    t.true(dialled >= 9);
    [50, 100, 200, 400, 800, 1_000, 1_000, 1_000, 1_000].forEach((mostMs, round) => {
      const delayMs = delaysMs[round] ?? Number.NaN;
      t.true(delayMs >= mostMs / 2 && delayMs <= mostMs, `round ${round}: ${delayMs} ms`);
    });
    if (what === 'any') t.true(new Set(delaysMs.slice(5, 9)).size > 1, 'not all the same');
  });
}

test('after a connection the waits begin anew', async (t) => {
  const { clock, delaysMs } = hastyClock();
  const reconnect = { minMs: 50, maxMs: 1_000 };
  let url: string | undefined;
  const a = new Side(
    makeWsLink(t, { self: 'a', dials: ['b'], urlOf: () => url, clock, reconnect, jitter: drawing(() => 1 - 2 ** -53) }),
  );
  await a.open();
  await untilReal(() => delaysMs.length >= 6);
  t.true((delaysMs[5] ?? 0) > 900);
  url = (await listening(t, { awaits: ['a'] })).url;
  await untilReal(() => a.isConnectedTo('b'));
  const before = delaysMs.length;
  a.link.reset('b');
  await untilReal(() => a.count('connected b') === 2);
  t.true((delaysMs[before] ?? 0) > 49 && (delaysMs[before] ?? 0) <= 50);
});

test('a dialler that is refused goes on trying, and is let in when it may', async (t) => {
  const awaits: string[] = [];
  const { clock, delaysMs } = hastyClock();
  const { side, url } = await listening(t, { awaits });
  const a = new Side(makeWsLink(t, { self: 'a', dials: ['b'], urlOf: () => url, clock }));
  await a.open();
  await untilReal(() => delaysMs.length >= 3);
  t.deepEqual([a.events, side.events], [[], []]);
  awaits.push('a');
  await untilReal(() => a.isConnectedTo('b') && side.isConnectedTo('a'));
});

for (const end of ['close', 'crash']) {
  test(`a process whose links end by a ${end} ends by itself`, async (t) => {
    const script = fileURLToPath(new URL('leaver.js', import.meta.url));
    const leaver = spawn(process.execPath, [script, end], { stdio: ['ignore', 'pipe', 'inherit'] });
    t.teardown(() => leaver.kill('SIGKILL'));
    let said = '';
    leaver.stdout.on('data', (chunk) => {
      said += chunk;
    });
    const code = await new Promise((resolve) => leaver.once('close', resolve));
    t.is(code, 0);
    const [, endedMs = Number.NaN] = /^ended (\d+)$/m.exec(said) ?? [];
    t.true(systemClock.now() - Number(endedMs) < boundedMs, said);
  });
}

function drawing(float: () => number): RandomStream {
  return { float, integer: (least) => least, bytes: (count) => new Uint8Array(count) };
}

/** The first bytes of a masked text frame of so many bytes. */
function header(length: number): Buffer {
  const bytes = Buffer.alloc(14);
  bytes.writeUInt16BE(0x81ff);
  bytes.writeBigUInt64BE(BigInt(length), 2);
  return bytes;
}

const upgradeRequest =
  'GET / HTTP/1.1\r\nHost: b\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';

/** A bare connection that has said `text`, which has arrived, and leaves unread what it hears. */
async function arrived(url: string, text: string): Promise<Socket> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => {});
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  if (text !== '') socket.write(text);
  await knock(url, {}); // who comes later is answered later
  return socket;
}
