/** Target a WebSocket link lets in. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExecutionContext } from 'ava';
import { systemClock } from '../../../src/adapters/system-clock.ts';
import type { WsLinkOptions } from '../../../src/adapters/ws-link.ts';
import { limits } from '../../../src/model/limits.ts';
import { test } from '../../kit/test.ts';
import { Side } from './contract.ts';
import { client, knock, makeWsLink, proofOf, secret, untilReal, upgraded } from './ws-kit.ts';

/** Node `b`, which `a` and `d` dial, and which dials `c`. */
async function listening(t: ExecutionContext, options: Partial<WsLinkOptions> = {}) {
  let url = '';
  const onListening = (where: string) => {
    url = where;
  };
  const side = new Side(makeWsLink(t, { self: 'b', awaits: ['a', 'd'], dials: ['c'], onListening, ...options }));
  await side.open();
  return { side, url };
}

const nowMs = systemClock.now();
const right = { from: 'a', to: 'b', atMs: nowMs };
const shown = proofOf(right);

const intruders: readonly [who: string, headers: Record<string, string>][] = [
  ['shows nothing', {}],
  ['shows an empty authorization', { authorization: '' }],
  ['comes with another scheme', { authorization: shown.replace('Strowger', 'Bearer') }],
  ['knows another secret', { authorization: proofOf({ ...right, secret: `${secret}!` }) }],
  ['knows an empty secret', { authorization: proofOf({ ...right, secret: '' }) }],
  ['shows a proof for another node', { authorization: proofOf({ ...right, to: 'c' }) }],
  ['has an unknown name', { authorization: proofOf({ ...right, from: 'mallory' }) }],
  ['has the name of a peer that is dialled from here', { authorization: proofOf({ ...right, from: 'c' }) }],
  ['has the name of the node itself', { authorization: proofOf({ ...right, from: 'b' }) }],
  ['puts another name in front of a proof', { authorization: shown.replace('a>b', 'd>b') }],
  ['puts another time in front of a proof', { authorization: shown.replace(`${nowMs}`, `${nowMs + 1}`) }],
  ['writes the time in another way', { authorization: shown.replace(`@${nowMs}`, `@0${nowMs}`) }],
  ['shows a proof without its last digit', { authorization: shown.slice(0, -1) }],
  ['shows a proof with a digit more', { authorization: `${shown}0` }],
  ['shows a proof in capitals', { authorization: shown.toUpperCase().replace('STROWGER A>B', 'Strowger a>b') }],
  ['shows two proofs', { authorization: `${shown}, ${shown}` }],
  ['shows a proof of an infinite time', { authorization: proofOf({ ...right, atMs: Infinity }) }],
  ['is a page in a browser', { authorization: shown, origin: 'http://127.0.0.1' }],
  ['is a page from nowhere', { authorization: shown, origin: 'null' }],
];

for (const [who, headers] of intruders) {
  test(`a dialler that ${who} gets 401 instead of the upgrade`, async (t) => {
    const { side, url } = await listening(t, { clock: stoppedAt(nowMs) });
    t.is(await knock(url, headers), 401);
    t.deepEqual(side.events, []);
    t.is(await knock(url, { authorization: shown }), 101, 'a peer that proves itself is let in');
  });
}

for (const [ageMs, status] of [
  [60_000, 101],
  [60_001, 401],
  [-60_000, 101],
  [-60_001, 401],
] as const) {
  test(`a proof that is ${ageMs} ms old gets ${status}`, async (t) => {
    const { url } = await listening(t, { clock: stoppedAt(nowMs + ageMs) });
    t.is(await knock(url, { authorization: shown }), status);
  });
}

test('a proof that was shown to one node opens no other', async (t) => {
  const b = await listening(t, { awaits: ['a'] });
  const c = await listening(t, { self: 'c', awaits: ['a'], dials: [] });
  let seen = '';
  const spy = createServer().on('upgrade', ({ headers }, socket) => {
    seen = headers.authorization ?? '';
    socket.destroy();
  });
  await new Promise<void>((resolve) => spy.listen(0, '127.0.0.1', resolve));
  t.teardown(() => spy.close());
  const url = `ws://127.0.0.1:${(spy.address() as AddressInfo).port}`;
  const a = makeWsLink(t, { self: 'a', dials: ['b'], urlOf: () => url });
  await new Side(a).open();
  await untilReal(() => seen !== '');
  a.crash();
  t.is(await knock(c.url, { authorization: seen }), 401);
  t.is(await knock(b.url, { authorization: seen }), 101);
});

test('a proof does not give the secret away, and differs from one time to the next', (t) => {
  const other = proofOf({ ...right, atMs: nowMs + 1 });
  t.false(shown.includes(secret));
  t.not(shown.slice(-64), other.slice(-64));
});

test('a plain request gets 426', async (t) => {
  const { side, url } = await listening(t);
  const answer = await fetch(url.replace('ws:', 'http:'), {
    headers: { authorization: proofOf({ from: 'a', to: 'b' }) },
  });
  t.is(answer.status, 426);
  t.deepEqual(side.events, []);
});

test('a peer that dials again takes the place of its old connection', async (t) => {
  const { side, url } = await listening(t);
  const first = await client(t, url, { from: 'a', to: 'b' });
  const isEnded = new Promise((resolve) => first.once('close', resolve));
  const second = await client(t, url, { from: 'a', to: 'b' });
  await isEnded;
  first.send('from the old one', () => {});
  second.send('from the new one');
  await untilReal(() => side.frames.length > 0);
  t.deepEqual(side.events, ['connected a', 'disconnected a', 'connected a', 'frame a']);
  t.deepEqual(side.frames, ['from the new one']);
});

test('two peers are let in beside each other, each under its own name', async (t) => {
  const { side, url } = await listening(t);
  const a = await client(t, url, { from: 'a', to: 'b' });
  const d = await client(t, url, { from: 'd', to: 'b' });
  a.send('from a');
  await untilReal(() => side.frames.length === 1);
  d.send('from d');
  await untilReal(() => side.frames.length === 2);
  t.deepEqual(side.events, ['connected a', 'connected d', 'frame a', 'frame d']);
});

test('the event loop goes on between frames that arrive at once and take long; the end of the connection comes last', async (t) => {
  const order: string[] = [];
  let url = '';
  const onListening = (where: string) => {
    url = where;
  };
  const link = makeWsLink(t, { self: 'b', awaits: ['a'], onListening });
  await link.open({
    connected: () => {},
    received: (_peer, frame) => {
      order.push(frame);
      for (const endMs = systemClock.now() + 2 * limits.sliceMs; systemClock.now() < endMs; );
      setImmediate(() => order.push('loop'));
    },
    disconnected: (_peer, reason) => order.push(reason),
  });
  const socket = await upgraded(url, { authorization: proofOf({ from: 'a', to: 'b' }) });
  const maskKey = [0, 0, 0, 0];
  const frames = [...'vwxyz'].map((text) => [0x81, 0x81, ...maskKey, text.charCodeAt(0)]);
  socket.end(Buffer.from([...frames, [0x88, 0x82, ...maskKey, 0x03, 0xe9]].flat()));
  await untilReal(() => order.includes('closed with 1001'));
  t.deepEqual(
    order.filter((each) => each !== 'loop'),
    [...'vwxyz', 'closed with 1001'],
  );
  t.notRegex(order.join(' '), /(\b[v-z] ){3}/, 'a slice ends, at most one more begins before the loop has gone on');
});

test('an address that is taken makes open reject, and the link can still be closed', async (t) => {
  const { url } = await listening(t);
  const listen = { host: '127.0.0.1', port: Number(new URL(url).port) };
  const other = makeWsLink(t, { self: 'c', listen });
  await t.throwsAsync(new Side(other).open(), { code: 'EADDRINUSE' });
  await other.close();
});

function stoppedAt(timeMs: number): WsLinkOptions['clock'] {
  return { now: () => timeMs, setTimer: (delayMs, fire) => systemClock.setTimer(delayMs, fire) };
}
