/** The framing of requests: what is a request, which one it is, and what is refused. No sockets. */

import assert from 'node:assert';
import { METHODS } from 'node:http';
import fc from 'fast-check';
import { type Feed, RequestFraming } from '../../src/http/method-gate/framing.ts';
import { limits } from '../../src/model/limits.ts';
import { runs, sized } from '../kit/property.ts';
import { test } from '../kit/test.ts';
import { chunks, field, head, refused } from './method-gate-refusals.ts';
import { mutated, mutations, packetSizes, packets, request } from './method-gate-requests.ts';

/** All that comes of a stream in packets. */
function readAll(stream: readonly Buffer[], framing = new RequestFraming()) {
  const feeds: Feed[] = stream.map((packet) => framing.feed(packet));
  return {
    heads: feeds.flatMap((feed) => feed.heads),
    forward: Buffer.concat(feeds.map((feed) => feed.forward ?? Buffer.alloc(0))),
    refusal: feeds.find((feed) => feed.refusal !== undefined)?.refusal,
  };
}

function readText(text: string, framing?: RequestFraming) {
  return readAll([Buffer.from(text, 'latin1')], framing);
}

const accepted: readonly [what: string, text: string, methods: readonly string[]][] = [
  ['a plain GET', 'GET / HTTP/1.1\r\nHost: h\r\n\r\n', ['GET']],
  ['a method of our own', head(''), ['REFER']],
  ['the longest method', `${'M'.repeat(limits.methodChars)} / HTTP/1.1\r\nHost: h\r\n\r\n`, ['M'.repeat(32)]],
  ['a method that begins like a known one', 'GETX / HTTP/1.1\r\nHost: h\r\n\r\n', ['GETX']],
  ['dots that are no segment', 'GET /.a/b./...?/../. HTTP/1.1\r\nHost: h\r\n\r\n', ['GET']],
  ['HTTP/1.0 without Host', 'GET / HTTP/1.0\r\n\r\n', ['GET']],
  ['an empty Host', 'GET / HTTP/1.1\r\nHost:\r\n\r\n', ['GET']],
  ['pipelined requests', `${head('')}${head('Content-Length: 2\r\n')}ab${head('')}`, ['REFER', 'REFER', 'REFER']],
  ['empty lines before a request', `\r\n\r\n\r\n${head('')}\r\n\r\n${head('')}`, ['REFER', 'REFER']],
  [
    'a body in chunks, with a trailer',
    `${chunks('5\r\nabcde\r\nA\r\n0123456789\r\n0\r\nX: y\r\n\r\n')}${head('')}`,
    ['REFER', 'REFER'],
  ],
  ['chunked in capitals', head('Transfer-Encoding: Chunked\r\n'), ['REFER']],
  ['a GET with an empty body', 'GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n', ['GET']],
  ['a target that names the host', 'GET http://H:80/x HTTP/1.1\r\nHost: h:80\r\n\r\n', ['GET']],
  ['OPTIONS for the whole server', 'OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n', ['OPTIONS']],
  ['bytes beyond ASCII in a value', head('X: \xe9\xff\r\n'), ['REFER']],
  ['an expectation of 100-continue', head('Expect: 100-Continue\r\n'), ['REFER']],
  ['Upgrade that Connection does not name', `${head('Upgrade: h2c\r\n')}${head('')}`, ['REFER', 'REFER']],
  ['nothing after the last request', `${head('Connection: close\r\n')}${head('')}`, ['REFER']],
  ['nothing after the last request of HTTP/1.0', `GET / HTTP/1.0\r\n\r\n${head('')}`, ['GET']],
  [
    'more after HTTP/1.0 with keep-alive',
    `GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n${head('')}`,
    ['GET', 'REFER'],
  ],
  ['close in a list, as Proxy-Connection', `${head('Proxy-Connection: foo, Close\r\n')}${head('')}`, ['REFER']],
  ['the largest head', head(field(limits.headerBytes - head(field(0)).length)), ['REFER']],
];

for (const [what, text, methods] of accepted) {
  test(`accepted: ${what}`, (t) => {
    const { heads, refusal } = readText(text);
    t.deepEqual(
      heads.map((each) => each.method),
      methods,
    );
    t.is(refusal, undefined);
  });
}

for (const [what, text, message, status = 400] of refused) {
  test(`refused: ${what}`, (t) => {
    const { refusal, heads } = readText(head('') + text);
    t.regex(refusal?.message ?? '', message);
    t.is(refusal?.status, status);
    t.is(refusal?.during, heads.length > 1 ? 'body' : 'head');
  });
}

test('an upgrade passes everything behind its head as it is', (t) => {
  const text = 'GET / HTTP/1.1\r\nHost: h\r\nConnection: x, Upgrade\r\nUpgrade: websocket\r\n\r\n';
  const framing = new RequestFraming();
  const { heads, forward } = readText(`${text}REFER\n\0`, framing);
  t.is(heads[0]?.isUpgrade, true);
  t.is(forward.toString('latin1'), `${text}REFER\n\0`);
  t.true(framing.isUpgraded);
  const { refusal } = readText(text.replace('GET', 'POST'), new RequestFraming());
  t.regex(refusal?.message ?? '', /^Upgrade: expected it in a GET/);
});

test('an offer to upgrade that is ignored leaves a normal request, but a request behind it in its packet is refused', (t) => {
  const get = 'GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n';
  const post = `${get.replace('GET', 'POST').trimEnd()}\r\nContent-Length: 2\r\n\r\nab`;
  const framing = new RequestFraming(() => false);
  for (const text of [get, post, get]) {
    const { heads, forward, refusal } = readText(text, framing);
    t.deepEqual([heads.length, heads[0]?.isUpgrade, refusal], [1, false, undefined]);
    t.is(forward.toString('latin1'), text);
  }
  for (const text of [get, post]) {
    const { heads, forward, refusal } = readText(`${text}${get}`, new RequestFraming(() => false));
    t.is(heads.length, 1);
    t.is(forward.toString('latin1'), text);
    t.regex(refusal?.message ?? '', /expected it after the answer/);
  }
});

test('a packet in which nothing changes is passed on as it is, and a body is not copied', (t) => {
  const framing = new RequestFraming();
  const known = Buffer.from('POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n');
  const body = Buffer.from('LOOKUP / ');
  t.is(framing.feed(known).forward, known);
  t.is(framing.feed(body).forward, body);
});

/** The data of a body in chunks, how many they are, and where the last one, which is empty, begins. */
function unchunked(body: Buffer): { data: string; count: number; end: number } {
  let data = '';
  let count = 0;
  for (let at = 0; ; count += 1) {
    const lf = body.indexOf('\n', at);
    const size = Number.parseInt(body.toString('latin1', at, lf), 16);
    if (size === 0) return { data, count, end: at };
    assert.equal(body.toString('latin1', lf + 1 + size, lf + 3 + size), '\r\n');
    data += body.toString('latin1', lf + 1, lf + 1 + size);
    at = lf + 3 + size;
  }
}

test('a body of single bytes reaches the parser in a few chunks for each packet', (t) => {
  const body = Buffer.from(chunks(`${'1\r\nx\r\n'.repeat(150_000)}0\r\n\r\n`));
  const { forward, refusal } = readAll(packets(body, [65_536]));
  t.is(refusal, undefined);
  const { data, count } = unchunked(forward.subarray(forward.indexOf('\r\n\r\n') + 4));
  t.is(data, 'x'.repeat(150_000));
  t.true(count <= 3 * Math.ceil(body.length / 65_536), `${count} chunks`);
});

test('chunks of any size in any packets: the data stay, and what follows them', (t) => {
  const sizes = fc.array(
    fc.oneof({ weight: 8, arbitrary: fc.integer({ min: 1, max: 4 }) }, fc.constantFrom(255, 256)),
    {
      maxLength: 120,
    },
  );
  const property = fc.property(sizes, packetSizes, (given, cuts) => {
    const data = given.map((size, n) => String.fromCharCode(97 + (n % 26)).repeat(size));
    const body = data.map((each) => `${each.length.toString(16)}\r\n${each}\r\n`).join('');
    const stream = Buffer.from(`${chunks(`${body}0\r\nX: y\r\n\r\n`)}${head('')}`);
    const { forward, heads, refusal } = readAll(packets(stream, cuts));
    assert.deepEqual([heads.length, refusal], [2, undefined]);
    const text = forward.toString('latin1');
    assert.equal(unchunked(forward.subarray(forward.indexOf('\r\n\r\n') + 4)).data, data.join(''));
    assert.ok(text.endsWith(`0\r\nX: y\r\n\r\n${head('').replace('REFER', 'POST')}`));
  });
  fc.assert(property, { numRuns: runs(50) });
  t.pass();
});

test('only an unfinished method is held back', (t) => {
  const framing = new RequestFraming();
  const forwarded = [...'LOOKUP / HTTP/1.1\r\nHo'].map((letter) =>
    String(framing.feed(Buffer.from(letter)).forward ?? ''),
  );
  t.is(forwarded.slice(0, 6).join(''), '');
  t.deepEqual(forwarded.slice(6), ['POST ', ...'/ HTTP/1.1\r\nHo']);
});

test('any requests in any packets: their methods in order, and nothing else changed but how small chunks are cut', (t) => {
  const property = fc.property(fc.array(request, { minLength: 1, maxLength: 6 }), packetSizes, (sent, sizes) => {
    const { heads, forward, refusal } = readAll(packets(Buffer.concat(sent.map(({ bytes }) => bytes)), sizes));
    t.is(refusal, undefined);
    t.deepEqual(
      heads.map(({ method, target }) => [method, target]),
      sent.map(({ method, target }) => [method, target]),
    );
    let at = 0;
    for (const { bytes, method, body } of sent) {
      const text = bytes.toString('latin1');
      const shown = METHODS.includes(method) ? text : text.replace(method, 'POST');
      const given = Buffer.from(shown.slice(shown.indexOf('\r\n\r\n') + 4), 'latin1');
      const start = at + shown.length - given.length;
      t.is(forward.toString('latin1', at, start), shown.slice(0, start - at));
      const isChunked = given.toString('latin1') !== body;
      const [want, got] = isChunked ? [unchunked(given), unchunked(forward.subarray(start))] : [];
      t.is(got?.data, want?.data);
      const rest = given.toString('latin1', want?.end ?? 0);
      at = start + (got?.end ?? 0) + rest.length;
      t.is(forward.toString('latin1', at - rest.length, at), rest);
    }
    t.is(forward.length, at);
  });
  t.notThrows(() => fc.assert(property, { numRuns: sized(125, 500) }));
});

test('any bytes: the packets make no difference to what is read, forwarded and refused', (t) => {
  const property = fc.property(
    fc.array(request, { minLength: 1, maxLength: 3 }),
    mutations,
    packetSizes,
    (sent, changes, sizes) => {
      const bytes = mutated(Buffer.concat(sent.map((each) => each.bytes)), changes);
      const whole = readAll([bytes]);
      const cut = readAll(packets(bytes, sizes));
      t.deepEqual(cut.heads, whole.heads);
      t.deepEqual(cut.refusal, whole.refusal);
    },
  );
  t.notThrows(() => fc.assert(property, { numRuns: sized(125, 500) }));
});
