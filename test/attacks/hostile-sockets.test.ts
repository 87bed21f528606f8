/** Hostile web socket clients: whatever they send, no instance ends, other clients are served, and the loop is not held. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import fc from 'fast-check';
import { WebSocket } from 'ws';
import { SocketCluster } from '../kit/http/sockets.ts';
import { holds, runs, sized } from '../kit/property.ts';
import { test } from '../kit/test.ts';
import { anyCharacter } from '../kit/text.ts';
import { Served, until } from './served.ts';

const names = ['callevents.*', 'confevents.x', '__proto__.*', 'constructor.*', 'callevents.constructor', ''];
const nested = fc
  .tuple(fc.constantFrom('[', '{"a":', '[{"__proto__":'), fc.integer({ min: 1, max: 20_000 }), fc.boolean())
  .map(([open, depth, closes]) => {
    const close = [...open]
      .reverse()
      .flatMap((letter) => (letter === '[' ? [']'] : letter === '{' ? ['}'] : []))
      .join('');
    return open.repeat(depth) + (closes ? `1${close.repeat(depth)}` : '');
  });
const scalar = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom('x', 0, -1, 1e308, null, 'any', '__proto__', 'toString'),
);
const field = fc.constantFrom(
  'id',
  'qid',
  'objects',
  'events',
  'expires',
  'cursor',
  'exargs',
  'classpath',
  '__proto__',
  'constructor',
);
const body = fc.oneof(
  fc.dictionary(field, scalar),
  fc.record(
    {
      id: fc.constantFrom('a', 'b', '__proto__', 'constructor', 'x'.repeat(300)),
      objects: fc.oneof(fc.constant('any'), fc.array(fc.string(), { maxLength: 120 })),
      events: fc.array(fc.constantFrom(...names), { maxLength: 120 }),
      expires: fc.constantFrom(0, 1, 60, 1e9, -1),
      cursor: fc.oneof(
        fc.string(),
        fc.constantFrom('1', '1~', '1~b2b-211.x.1', `1${'~b2b-211.zzzzzzzz.1'.repeat(2_000)}`),
      ),
      exargs: scalar,
    },
    { requiredKeys: [] },
  ),
);
const text = fc.oneof(
  nested,
  body.map((each) => JSON.stringify(['subscribe', each])),
  nested.map((each) => `["subscribe",{"exargs":${each}}]`),
  fc.integer({ min: 1, max: 20_000 }).map((count) => `["subscribe",{"events":[${'1,'.repeat(count)}1]}]`),
  fc.string({ unit: anyCharacter, maxLength: 200 }),
  fc.constant(undefined),
);

test('after any hostile messages a front has all its instances, and serves the next client', async (t) => {
  const cluster = await SocketCluster.start({ keepJournal: true });
  let sockets = 0;
  await holds(
    t,
    fc.asyncProperty(fc.array(text, { maxLength: 20 }), async (texts) => {
      const socket = await cluster.open();
      sockets += 1;
      for (const each of texts) {
        if (each === undefined) socket.sendBinary();
        else socket.send(each);
      }
      await cluster.wait(100);
      assert.equal(socket.end, undefined);
      assert.equal(socket.received.length >= texts.length, true);
      socket.close();
      const next = await cluster.open();
      assert.equal((await cluster.subscribe(next))['result'], 'ok');
      next.close();
    }),
    { numRuns: runs(8) },
  );
  t.true(sockets > 0);
  t.true(cluster.world.journal.lines.some((line) => line.includes('instance.status')));
  t.deepEqual(
    cluster.world.journal.lines.filter((line) => line.includes('instance.crashed') || line.includes(' log bug ')),
    [],
  );
});

/** A frame of RFC 6455 as a client sends it, right or wrong. */
function frame({
  head,
  length,
  payload,
  isMasked,
}: {
  head: number;
  length: number;
  payload: Buffer;
  isMasked: boolean;
}): Buffer {
  const mask = isMasked ? 0x80 : 0;
  const size =
    length < 126
      ? Buffer.from([mask | length])
      : length < 65_536
        ? Buffer.from([mask | 126, length >> 8, length & 255])
        : Buffer.from([
            mask | 127,
            0,
            0,
            0,
            0,
            (length >>> 24) & 255,
            (length >> 16) & 255,
            (length >> 8) & 255,
            length & 255,
          ]);
  return Buffer.concat([Buffer.from([head]), size, isMasked ? Buffer.alloc(4) : Buffer.alloc(0), payload]);
}

const rawFrame = fc
  .record({
    head: fc.oneof(fc.constantFrom(0x81, 0x01, 0x00, 0x80, 0x88, 0x89, 0x8a, 0x82), fc.nat(255)),
    claims: fc.oneof(fc.constant(undefined), fc.constantFrom(0, 125, 126, 65_535, 65_536, 2 ** 31 - 1)),
    size: fc.constantFrom(0, 1, 2, 125, 200, 70_000),
    isMasked: fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
    copies: fc.oneof({ weight: 5, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.constant(3_000) }),
  })
  .map(({ head, claims, size, isMasked, copies }) => {
    const payload = Buffer.alloc(size, '[');
    const one = frame({ head, length: claims ?? size, payload, isMasked });
    return size > 1_000 ? one : Buffer.concat(Array.from({ length: copies }, () => one));
  });

test('after any frames, whole or in pieces, a served front answers', async (t) => {
  const served = await Served.start(t);
  const token = await served.token();
  await holds(
    t,
    fc.asyncProperty(fc.array(rawFrame, { minLength: 1, maxLength: 12 }), fc.nat(200), async (frames, cut) => {
      const socket = connect({ port: served.port, host: '127.0.0.1', noDelay: true });
      socket.on('error', () => {});
      const isClosed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
      socket.write(
        `GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nAuthorization: Bearer ${token}\r\n` +
          `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`,
      );
      await new Promise((resolve) => socket.once('data', resolve).once('close', resolve));
      const bytes = Buffer.concat(frames);
      socket.write(bytes.subarray(0, cut));
      socket.write(bytes.subarray(cut));
      assert.equal(await served.health(), 'ok');
      socket.destroy();
      await isClosed;
    }),
    { numRuns: runs(10) },
  );
  t.log(served.figures());
});

test('20,000 subscriptions in a burst are answered, and other clients meanwhile', async (t) => {
  const served = await Served.start(t);
  const token = await served.token();
  const open = async () => {
    const socket = new WebSocket(`${served.url.replace('http', 'ws')}/ws`, {
      headers: { authorization: `Bearer ${token}` },
    });
    t.teardown(() => socket.terminate());
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    return socket;
  };
  const count = sized(2_000, 20_000);
  const socket = await open();
  let answers = 0;
  socket.on('message', () => {
    answers += 1;
  });
  served.measureAnew();
  for (let n = 0; n < count; n++) {
    socket.send(JSON.stringify(['subscribe', { id: `${n % 150}`, qid: n, objects: 'any', events: ['callevents.*'] }]));
  }
  const other = await open();
  const answered = new Promise((resolve) => other.once('message', resolve));
  other.send('["subscribe",{"objects":"any","events":["callevents.*"]}]');
  await answered;
  const before = answers;
  await until(() => answers >= count);
  t.log(`${count} subscriptions in a burst, another client had its answer after ${before}: ${served.figures()}`);
  t.is(socket.readyState, socket.OPEN);
  t.is(await served.health(), 'ok');
});
