/** What the method gate refuses: a table that is tried on the framing alone and through a server. */
import { limits } from '../../src/model/limits.ts';

/** The bytes of a connection up to the refusal, what its message says, and its status if it is not 400. */
type Row = readonly [what: string, text: string, message: RegExp, status?: number];

/** A request with these fields, each with its CRLF. */
export const head = (lines: string) => `REFER / HTTP/1.1\r\nHost: h\r\n${lines}\r\n`;
/** A request with this body in chunks. */
export const chunks = (body: string) => `${head('Transfer-Encoding: chunked\r\n')}${body}`;
export const field = (size: number) => `X: ${'a'.repeat(size)}\r\n`;

const lengths = ['1, 1', '+1', '-1', '0x1', '1.0', '1 1', '1\t', '\xe91', '', '1'.repeat(16)];
const badLength = /^Content-Length ".*": expected 1 to 15 digits/;
const codings = [
  'gzip, chunked',
  'identity',
  'chunked, chunked',
  'chunked;q=1',
  'xchunked',
  'chunked\t',
  'chunked\xe9',
  '',
];
const badCoding = /^Transfer-Encoding ".*": expected chunked/;

export const refused: readonly Row[] = [
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
  ...[
    '/.',
    '/..',
    '/a/./b',
    '/a/../b',
    '/a/%2e%2E/b',
    '/.%2e',
    '/%2e?a',
    '/../?a',
    'http://h/a/..',
    'http://h/./a',
  ].map(
    (path): Row => [
      `the path ${path}`,
      `REFER ${path} HTTP/1.1\r\nHost: h\r\n\r\n`,
      /^path ".*": expected one without/,
    ],
  ),
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
  ...lengths.map(
    (length): Row => [`Content-Length ${JSON.stringify(length)}`, head(`Content-Length: ${length}\r\n`), badLength],
  ),
  ...codings.map(
    (coding): Row => [
      `Transfer-Encoding ${JSON.stringify(coding)}`,
      head(`Transfer-Encoding: ${coding}\r\n`),
      badCoding,
    ],
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
  ['an empty upgrade', head('Connection: upgrade\r\nUpgrade: \t\r\n'), /^Upgrade "\\t"/],
  ['a head too large', head(field(limits.headerBytes)), /^head too large: expected 16384/, 431],
  ['a head of many lines too large', head(field(1000).repeat(17)), /^head too large/, 431],
  ['a head too large to wait for its end', `REFER /${'a'.repeat(limits.headerBytes)}`, /^head too large/, 431],
  ['too many fields', head('A:\r\n'.repeat(256)), /^more than 256 fields/, 431],
  ['a trailer too large', chunks(`0\r\n${field(limits.headerBytes)}`), /^head too large/, 431],
  [
    'head and trailer too large together',
    `${head(`${field(9000)}Transfer-Encoding: chunked\r\n`)}0\r\n${field(9000)}`,
    /^head too large/,
    431,
  ],
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
