/** The framing of requests: what is a request, which one it is, and what is refused. No sockets. */
import { METHODS } from 'node:http';
import test from 'ava';
import fc from 'fast-check';
import { type Feed, RequestFraming } from '../../src/http/framing.ts';
import { limits } from '../../src/model/limits.ts';
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

const head = (lines: string) => `REFER / HTTP/1.1\r\nHost: h\r\n${lines}\r\n`;
const chunks = (body: string) => `${head('Transfer-Encoding: chunked\r\n')}${body}`;
const field = (size: number) => `X: ${'a'.repeat(size)}\r\n`;

const accepted: readonly [what: string, text: string, methods: readonly string[]][] = [
  ['a plain GET', 'GET / HTTP/1.1\r\nHost: h\r\n\r\n', ['GET']],
  ['a method of our own', head(''), ['REFER']],
  ['the longest method', `${'M'.repeat(limits.methodLetters)} / HTTP/1.1\r\nHost: h\r\n\r\n`, ['M'.repeat(32)]],
  ['a method that begins like a known one', 'GETX / HTTP/1.1\r\nHost: h\r\n\r\n', ['GETX']],
  ['HTTP/1.0 without Host', 'GET / HTTP/1.0\r\n\r\n', ['GET']],
  ['an empty Host', 'GET / HTTP/1.1\r\nHost:\r\n\r\n', ['GET']],
  ['pipelined requests', head('') + head('Content-Length: 2\r\n') + 'ab' + head(''), ['REFER', 'REFER', 'REFER']],
  ['empty lines before a request', `\r\n\r\n${head('')}\r\n${head('')}`, ['REFER', 'REFER']],
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

const refused: readonly [what: string, text: string, message: RegExp, status?: number][] = [
  ['CONNECT', 'CONNECT h:80 HTTP/1.1\r\nHost: h:80\r\n\r\n', /^method CONNECT/, 405],
  ['TRACE', 'TRACE / HTTP/1.1\r\nHost: h\r\n\r\n', /^method TRACE/, 405],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', /^method PRI/, 405],
  ['a known method in another case', 'get / HTTP/1.1\r\nHost: h\r\n\r\n', /^method get: expected GET/],
  ['a method too long', `${'M'.repeat(33)} / HTTP/1.1\r\nHost: h\r\n\r\n`, /^method too long: expected 32/],
  ['a method too long to wait for its end', 'M'.repeat(33), /^method too long/],
  ['a bad character in the method', 'RE(FER / HTTP/1.1\r\nHost: h\r\n\r\n', /^malformed method/],
  ['no method', ' / HTTP/1.1\r\nHost: h\r\n\r\n', /^malformed method/],
  ['a greeting of TLS', '\x16\x03\x01\x02\x00', /^malformed method/],
  ['two spaces before the target', 'REFER  / HTTP/1.1\r\nHost: h\r\n\r\n', /^malformed request line/],
  ['two spaces after the target', 'REFER /  HTTP/1.1\r\nHost: h\r\n\r\n', /^version " HTTP/],
  ['a fragment', 'REFER /#a HTTP/1.1\r\nHost: h\r\n\r\n', /^malformed request line/],
  ['a target beyond ASCII', 'REFER /\xe9 HTTP/1.1\r\nHost: h\r\n\r\n', /^malformed request line/],
  ['HTTP/0.9', 'GET /\r\n\r\n', /^version "": expected HTTP\/1\.1 or HTTP\/1\.0/],
  ['HTTP/2.0', 'GET / HTTP/2.0\r\nHost: h\r\n\r\n', /^version "HTTP\/2\.0"/],
  ['a version in small letters', 'GET / http/1.1\r\nHost: h\r\n\r\n', /^version "http/],
  ['another protocol', 'SOURCE / ICE/1.0\r\nHost: h\r\n\r\n', /^version "ICE/],
  ['a target of another form', 'REFER sip:a@h HTTP/1.1\r\nHost: h\r\n\r\n', /^target "sip:a@h"/],
  ['* without OPTIONS', 'REFER * HTTP/1.1\r\nHost: h\r\n\r\n', /^target \* without OPTIONS/],
  [
    'a target that names another host',
    'GET http://g/ HTTP/1.1\r\nHost: h\r\n\r\n',
    /^the target names "g" but Host "h"/,
  ],
  ['a target that names a user', 'GET http://a@h/ HTTP/1.1\r\nHost: h\r\n\r\n', /^target/],
  ['no Host', 'GET / HTTP/1.1\r\n\r\n', /^no Host/],
  ['two Hosts', head('Host: h\r\n'), /^several Host/],
  ['two hosts in one', 'GET / HTTP/1.1\r\nHost: h, i\r\n\r\n', /^Host "h, i"/],
  ['a tab beside the host', 'GET / HTTP/1.1\r\nHost: h\t\r\n\r\n', /^Host "h\\t"/],
  ['length and chunks', head('Content-Length: 1\r\nTransfer-Encoding: chunked\r\n'), /^Content-Length with Transfer/],
  ['chunks and length', head('Transfer-Encoding: chunked\r\nContent-Length: 1\r\n'), /^Content-Length with Transfer/],
  ['two lengths, though equal', head('Content-Length: 1\r\nContent-Length: 1\r\n'), /^several Content-Length/],
  ...['1, 1', '+1', '-1', '0x1', '1.0', '1 1', '1\t', '\xa01', '', '1'.repeat(16)].map((length) => {
    return [
      `Content-Length "${length}"`,
      head(`Content-Length: ${length}\r\n`),
      /^Content-Length ".*": expected 1 to 15/,
    ] as const;
  }),
  ...['gzip, chunked', 'identity', 'chunked, chunked', 'chunked;q=1', 'xchunked', 'chunked\t', 'chunked\xa0', ''].map(
    (coding) => {
      return [
        `Transfer-Encoding "${coding}"`,
        head(`Transfer-Encoding: ${coding}\r\n`),
        /^Transfer-Encoding ".*": exp/,
      ] as const;
    },
  ),
  [
    'two Transfer-Encodings',
    head('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n'),
    /^several Transfer-Encoding/,
  ],
  ['chunks in HTTP/1.0', 'REFER / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n', /^Transfer-Encoding in HTTP\/1\.0/],
  ['GET with a body', 'GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\n', /^GET with a body/],
  ['HEAD with a body', 'HEAD / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n', /^HEAD with a body/],
  ['a folded field', head('X: a\r\n b\r\n'), /^a field continues/],
  ['a fold before the first field', 'GET / HTTP/1.1\r\n Host: h\r\n\r\n', /^a field continues/],
  ['a bare LF after the request line', 'GET / HTTP/1.1\nHost: h\r\n\r\n', /^a line ends with a bare LF/],
  ['a bare LF after a field', head('X: a\n'), /^a line ends with a bare LF/],
  ['a bare LF as the empty line', 'GET / HTTP/1.1\r\nHost: h\r\n\n', /^a line ends with a bare LF/],
  ['a bare LF before a request', '\nGET / HTTP/1.1\r\nHost: h\r\n\r\n', /^malformed method/],
  ['a bare CR before a request', '\rGET / HTTP/1.1\r\nHost: h\r\n\r\n', /^a bare CR/],
  ['a bare CR in a field', head('X: a\rY: b\r\n'), /^control character in "X"/],
  ['two CRs', head('X: a\r\r\n'), /^control character in "X"/],
  ['a bare CR in the request line', 'GET / HTTP/1.1\rHost: h\r\n\r\n', /^version "HTTP\/1\.1\\r/],
  ['many empty lines', '\r\n'.repeat(5), /^more than 4 empty lines/],
  ['white space before a colon', head('X : a\r\n'), /^white space after the field name "X"/],
  ['a bad character in a name', head('X(: a\r\n'), /^bad character in the field name after "X"/],
  ['no name', head(': a\r\n'), /^a field starts with no name/],
  ['no colon', head('X\r\n'), /^field "X" has no colon/],
  ['NUL in a value', head('X: a\0\r\n'), /^control character in "X"/],
  ['DEL in a value', head('X: a\x7f\r\n'), /^control character in "X"/],
  ['options without a comma', head('Connection: close upgrade\r\n'), /^Connection "close upgrade"/],
  ['a tab in the options', head('Connection: close\t\r\n'), /^Connection "close\\t"/],
  ['an unknown expectation', head('Expect: tea\r\n'), /^unknown expectation: expected 100-continue/, 417],
  ['two expectations', head('Expect: 100-continue\r\nExpect: 100-continue\r\n'), /^unknown expectation/, 417],
  ['an upgrade with another method', head('Connection: upgrade\r\nUpgrade: x\r\n'), /^Upgrade: expected it in a GET/],
  ['an empty upgrade', head('Connection: upgrade\r\nUpgrade: \t\r\n'), /^Upgrade "\\t"/],
  ['a head too large', head(field(limits.headerBytes)), /^head too large: expected 16384/, 431],
  ['a head too large to wait for its end', `REFER /${'a'.repeat(limits.headerBytes)}`, /^head too large/, 431],
  ['too many fields', head('A:\r\n'.repeat(256)), /^more than 256 fields/, 431],
  ['a trailer too large', chunks(`0\r\n${field(limits.headerBytes)}`), /^head too large/, 431],
  ['an extension of a chunk', chunks('1;a=b\r\na\r\n0\r\n\r\n'), /^bad chunk size/],
  ['a chunk size with a space', chunks('1 \r\na\r\n0\r\n\r\n'), /^bad chunk size/],
  ['a chunk size with a prefix', chunks('0x1\r\na\r\n0\r\n\r\n'), /^bad chunk size/],
  ['no chunk size', chunks('\r\n\r\n'), /^bad chunk size/],
  ['a chunk size that never ends', chunks('0'.repeat(9)), /^bad chunk size/],
  ['a chunk size with a bare LF', chunks('1\na\r\n0\r\n\r\n'), /^bad chunk size/],
  ['a chunk size with a bare CR', chunks('1\ra\r\n0\r\n\r\n'), /^a bare CR/],
  ['a chunk longer than its size', chunks('1\r\nab\r\n0\r\n\r\n'), /^a chunk is longer than its size/],
  ['a chunk that ends with a bare CR', chunks('1\r\na\r0\r\n\r\n'), /^a bare CR/],
  ['a length in a trailer', chunks('0\r\nContent-Length: 1\r\n\r\n'), /^Content-Length in a trailer/],
  ['a folded trailer', chunks('0\r\nX: a\r\n b\r\n\r\n'), /^a field continues/],
];

for (const [what, text, message, status = 400] of refused) {
  test(`refused: ${what}`, (t) => {
    const { refusal, heads } = readText(head('') + text);
    t.regex(refusal?.message ?? '', message);
    t.is(refusal?.status, status);
    t.is(refusal?.during, heads.length > 1 ? 'body' : 'head');
  });
}

test('an upgrade passes everything behind its head as it is, and is refused where nobody takes it', (t) => {
  const text = 'GET / HTTP/1.1\r\nHost: h\r\nConnection: x, Upgrade\r\nUpgrade: websocket\r\n\r\n';
  const framing = new RequestFraming();
  const { heads, forward } = readText(`${text}REFER\n\0`, framing);
  t.is(heads[0]?.isUpgrade, true);
  t.is(forward.toString('latin1'), `${text}REFER\n\0`);
  t.true(framing.isUpgraded);
  const { refusal } = readText(text, new RequestFraming(() => false));
  t.regex(refusal?.message ?? '', /^Upgrade: expected none/);
});

test('a packet in which nothing changes is passed on as it is, and a body is not copied', (t) => {
  const framing = new RequestFraming();
  const known = Buffer.from('POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n');
  const body = Buffer.from('LOOKUP / ');
  t.is(framing.feed(known).forward, known);
  t.is(framing.feed(body).forward, body);
});

test('only an unfinished method is held back', (t) => {
  const framing = new RequestFraming();
  const forwarded = [...'LOOKUP / HTTP/1.1\r\nHo'].map((letter) =>
    String(framing.feed(Buffer.from(letter)).forward ?? ''),
  );
  t.is(forwarded.slice(0, 6).join(''), '');
  t.deepEqual(forwarded.slice(6), ['POST ', ...'/ HTTP/1.1\r\nHo']);
});

test('any requests in any packets: their methods in order, and no other byte changed', (t) => {
  const property = fc.property(fc.array(request, { minLength: 1, maxLength: 6 }), packetSizes, (sent, sizes) => {
    const { heads, forward, refusal } = readAll(packets(Buffer.concat(sent.map(({ bytes }) => bytes)), sizes));
    t.is(refusal, undefined);
    t.deepEqual(
      heads.map(({ method, target }) => [method, target]),
      sent.map(({ method, target }) => [method, target]),
    );
    const shown = sent.map(({ bytes, method }) => {
      const text = bytes.toString('latin1');
      return METHODS.includes(method) ? text : text.replace(method, 'POST');
    });
    t.is(forward.toString('latin1'), shown.join(''));
  });
  t.notThrows(() => fc.assert(property, { numRuns: 500 }));
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
  t.notThrows(() => fc.assert(property, { numRuns: 500 }));
});
