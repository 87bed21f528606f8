/** The proxy between two nodes carries streams as TCP does, whatever rules begin and end under way. */
import { once } from 'node:events';
import { createServer, connect as dial, type Socket } from 'node:net';
import type { ExecutionContext } from 'ava';
import { TrafficRules } from '../../../sim/faults/rules.ts';
import { LinkProxy } from '../../../sim/processes/link-proxy.ts';
import type { NodeEntry } from '../../../src/model/cluster/cluster-map.ts';
import { test } from '../../kit/test.ts';

const [from, to] = ['a', 'b'].map((name) => ({ name }) as NodeEntry) as [NodeEntry, NodeEntry];

/** A connection from `a` to `b` through the proxy; its two ends, and the rules between them. */
async function connected(t: ExecutionContext) {
  const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const rules = new TrafficRules();
  const { port } = server.address() as { port: number };
  const proxy = new LinkProxy({ from, to, port, rules });
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const a = dial({ port: await proxy.open(), host: '127.0.0.1', allowHalfOpen: true });
  const [b] = await accepted;
  for (const socket of [a, b]) socket.on('error', () => {});
  t.teardown(() => {
    for (const socket of [a, b]) socket.destroy();
    proxy.close();
    server.close();
  });
  return { rules, proxy, a, b };
}

/** A rule for what `a` sends, and a promise of the first bytes that it judges. */
function ruled(rules: TrafficRules, verdict: 'hold' | { readonly afterMs: number }) {
  let judged = () => {};
  const met = new Promise<void>((resolve) => {
    judged = resolve;
  });
  const lift = rules.install((sender) => {
    if (sender !== from) return 'pass';
    judged();
    return verdict;
  });
  return { met, lift };
}

/** What arrives until the end; the socket can be written to afterwards. */
async function text(socket: Socket): Promise<string> {
  let all = '';
  socket.setEncoding('utf8').on('data', (more: string) => {
    all += more;
  });
  await once(socket, 'end');
  return all;
}

function over(socket: Socket): Promise<unknown> {
  return new Promise((resolve) => socket.once('close', resolve));
}

test('bytes do not overtake delayed ones when the delay ends', async (t) => {
  const { rules, a, b } = await connected(t);
  const arrived = text(b);
  const delay = ruled(rules, { afterMs: 50 });
  a.write('first ');
  await delay.met;
  delay.lift();
  a.end('second');
  t.is(await arrived, 'first second');
});

test('what is delayed is stopped by a cut, and arrives when the cut ends', async (t) => {
  const { rules, a, b } = await connected(t);
  const delay = ruled(rules, { afterMs: 20 });
  a.write('late ');
  await delay.met;
  const cut = ruled(rules, 'hold');
  await cut.met;
  t.is(b.read(), null);
  cut.lift();
  delay.lift();
  a.end('end');
  t.is(await text(b), 'late end');
});

test('a receiver that reads slowly gets all, and slows its sender down', async (t) => {
  const { a, b } = await connected(t);
  const bytes = 32 << 20;
  a.write(Buffer.alloc(bytes / 2));
  a.end(Buffer.alloc(bytes / 2));
  let read = 0;
  for await (const chunk of b) {
    if (read === 0) t.true(a.bytesWritten - a.writableLength < bytes, 'not all is under way');
    read += (chunk as Buffer).length;
    await new Promise((resolve) => setImmediate(resolve));
  }
  t.is(read, bytes);
});

test('the end of one direction leaves the other one open', async (t) => {
  const { a, b } = await connected(t);
  a.end('question');
  t.is(await text(b), 'question');
  b.end('answer');
  t.is(await text(a), 'answer');
});

test('an end does not come through a cut', async (t) => {
  const { rules, a, b } = await connected(t);
  const lift = rules.install((sender) => (sender === to ? 'hold' : 'pass'));
  let isOver = false;
  const answer = text(a).then((all) => {
    isOver = true;
    return all;
  });
  b.end('answer');
  a.end('question');
  t.is(await text(b), 'question');
  t.false(isOver);
  lift();
  t.is(await answer, 'answer');
});

test('a reset of one end is a reset of the other', async (t) => {
  const { a, b } = await connected(t);
  const reset = once(b, 'error') as Promise<[NodeJS.ErrnoException]>;
  a.resetAndDestroy();
  const [{ code }] = await reset;
  t.is(code, 'ECONNRESET');
});

test('a half that is broken resets one end, and the other one sends into nothing', async (t) => {
  const { proxy, a, b } = await connected(t);
  a.write('hello');
  await once(b, 'readable');
  const closed = over(a);
  const lift = proxy.breakHalf('a');
  await closed;
  b.resume();
  await new Promise((resolve) => b.write(Buffer.alloc(8 << 20), resolve));
  t.false(b.destroyed);
  const ended = over(b);
  lift();
  await ended;
  t.true(b.destroyed);
});
