/**
 * Streams of bytes that are nearly HTTP: requests to a served front, one behind the other, damaged and cut into packets at
 * any place. Whatever comes back is whole answers of the interface, and the front serves on.
 */
import assert from 'node:assert';
import fc from 'fast-check';
import { SeededRandom } from '../../sim/ports/random.ts';
import { SimulatedStores } from '../../sim/ports/store.ts';
import { LiveWorld } from '../../sim/world/live.ts';
import { SystemClock } from '../../src/adapters/system-clock.ts';
import { ClusterMap } from '../../src/model/cluster/cluster-map.ts';
import { topologySchema } from '../../src/model/topology/schema.ts';
import { mutated, mutations, packetSizes, packets } from '../http/method-gate-requests.ts';
import { converse } from '../http/method-gate-server.ts';
import { acmeAdmin, oneNode, sessions } from '../kit/front.ts';
import { holds, runs } from '../kit/property.ts';
import { silentLog } from '../kit/quiet.ts';
import { scopedTest } from '../kit/scoped.ts';

const test = scopedTest();

const map = new ClusterMap(topologySchema.parse(oneNode));
let world: LiveWorld;
let url: URL;
let token: string;

test.before(async () => {
  const stores = new SimulatedStores({ clock: new SystemClock(), random: new SeededRandom(1).stream('faults') });
  world = new LiveWorld({
    map,
    webApps: () => [],
    log: silentLog,
    host: '127.0.0.1',
    port: 0,
    outside: false,
    stores,
  });
  await world.start();
  url = new URL(world.urls().get('ws-1') ?? '');
  const login = JSON.stringify({ ...acmeAdmin, session_type: 'token' });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(new URL(sessions, url), { method: 'POST', headers, body: login });
  token = ((await answer.json()) as { session_token: string }).session_token;
});
test.after(() => world.stop());

const users = '/rest/v1/uc/sipusers';
const targets = [
  '/healthz',
  `${users}?limit=1`,
  users,
  '/rest/v1/fs/targets/parking',
  '/rest/v1/fs/targets/parking/x.wav',
  '/rest/v1/uc/calls',
  '/ws?subscribe=callevents.*',
  '/docs',
  'http://x/healthz',
  '//',
];
const strangeTargets = ['/a/../b', '/%2e%2E/b', '*', '/a\\b'];
const methods = ['GET', 'POST', 'LOOKUP', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', '__proto__', 'constructor'];
const fields = [
  'Connection: keep-alive',
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  'Upgrade: h2c',
  'Expect: 100-continue',
  'Content-Type: application/json',
  'Content-Type: multipart/form-data; boundary=b',
  'Cookie: RSession=deleted; __proto__=a',
  'Origin: http://else.test',
  '__proto__: constructor',
  `X-Long: ${'a'.repeat(4_000)}`,
];
const strangeFields = ['Connection: close', 'Expect: a miracle', 'a b: c', 'X: \0'];
const strangeHosts = ['Host:', 'Host: a:b', 'Host: 127..0.1', 'Host: xn--', 'Host: x\r\nHost: y', 'X-No: host'];
const bodies = [
  '{}',
  '"a"',
  '[[[[',
  `${'['.repeat(100)}${']'.repeat(100)}`,
  '--b\r\n\r\n--b--\r\n',
  'a'.repeat(70_000),
];

/** Mostly what is right: one thing that is not ends the connection. */
function mostly(right: readonly string[], strange: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...right) }, fc.constantFrom(...strange));
}

/** A request, its body framed as it says, or by a length that is not its own. */
const request = fc
  .record({
    method: mostly(methods, ['TRACE', 'get']),
    target: mostly(targets, strangeTargets),
    version: mostly(['1.1'], ['1.0', '2.0']),
    host: mostly(['Host: x'], strangeHosts),
    fields: fc.uniqueArray(mostly(fields, strangeFields), { maxLength: 3 }),
    body: fc.constantFrom('', ...bodies),
    framing: mostly(['length', 'chunks'], ['none', 'too long', 'both']),
    isKnown: fc.boolean(),
  })
  .map(({ method, target, version, host, fields, body: given, framing, isKnown }) => {
    const body = ['GET', 'HEAD'].includes(method) && framing === 'length' ? '' : given;
    const size = { length: body.length, 'too long': body.length + 100_000, both: body.length }[framing as 'length'];
    const isChunked = framing === 'chunks' || framing === 'both';
    const lines = [
      `${method} ${target} HTTP/${version}`,
      host,
      ...fields,
      ...(isKnown ? ['Authorization: Bearer TOKEN'] : []),
      ...(size === undefined || body === '' ? [] : [`Content-Length: ${size}`]),
      ...(isChunked && body !== '' ? ['Transfer-Encoding: chunked'] : []),
    ];
    const payload = isChunked && body !== '' ? `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n` : body;
    return `${lines.join('\r\n')}\r\n\r\n${payload}`;
  });

const stream = fc.record({
  requests: fc.array(request, { minLength: 1, maxLength: 3 }),
  changes: fc.boolean().chain((isDamaged) => (isDamaged ? mutations : mutations.map(() => []))),
  sizes: packetSizes.filter((sizes) => sizes.some((size) => size > 1)),
});

/**
 * The answers that came back: node's server gives none to a request that is still at work when its client ends. A web socket's frames follow the last.
 * Throws where an answer is not whole.
 */
function answersIn(heard: string): { status: number; head: string; body: string }[] {
  const answers: { status: number; head: string; body: string }[] = [];
  for (let at = 0; at < heard.length; ) {
    const headEnd = heard.indexOf('\r\n\r\n', at) + 4;
    assert.ok(headEnd > 3, `no head in ${heard.slice(at, at + 200)}`);
    const head = heard.slice(at, headEnd);
    const [, code] = /^HTTP\/1\.1 (\d{3}) [ -~]*\r\n/.exec(head) ?? [];
    assert.ok(code !== undefined, `no status in ${head.slice(0, 200)}`);
    const status = Number(code);
    answers.push({ status, head, body: '' });
    at = headEnd;
    if (status === 101) break;
    const length = Number(/^content-length: (\d+)\r$/im.exec(head)?.[1] ?? 0);
    // Answers to HEAD have the length of a body that does not come: the next answer, or nothing, is there instead.
    if (heard.startsWith('HTTP/1.1 ', at) || (at === heard.length && length > 0)) continue;
    assert.ok(at + length <= heard.length, `an answer of ${length} bytes broke off: ${head}`);
    answers[answers.length - 1] = { status, head, body: heard.slice(at, at + length) };
    at += length;
  }
  return answers;
}

function check({ status, head, body }: ReturnType<typeof answersIn>[number]): void {
  assert.ok(status < 500 || status === 501 || status === 503, `${head}${body}`);
  if (status < 400 || body === '') return;
  assert.match(head, /^content-type: application\/json; charset=utf-8\r$/im);
  assert.equal(
    (JSON.parse(Buffer.from(body, 'latin1').toString()) as { error_code: number }).error_code,
    1_000 + status,
  );
}

const closing = {
  'an answer with `Connection: close`': { fields: ['Connection: close'], target: '/healthz', status: 200 },
  'the refusal of a web socket': {
    fields: [
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ],
    target: '/ws?subscribe=callevents.*',
    status: 401,
  },
};

for (const [what, { fields, target, status }] of Object.entries(closing)) {
  test(`${what} arrives whole, whatever its client goes on to send`, async (t) => {
    const first = [`GET ${target} HTTP/1.1`, 'Host: x', ...fields].join('\r\n');
    const requests = `${first}\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n`;
    for (let round = 0; round < 50; round += 1) {
      const received = await converse(Number(url.port), packets(Buffer.from(requests), [2]), true);
      t.deepEqual(
        answersIn(received).map((answer) => answer.status),
        [status],
      );
    }
  });
}

test('any stream of bytes is answered with whole answers of the interface, and the front serves on', async (t) => {
  const met = new Map<number, number>();
  await holds(
    t,
    fc.asyncProperty(stream, async ({ requests, changes, sizes }) => {
      const bytes = Buffer.from(requests.join('').replaceAll('TOKEN', token), 'latin1');
      const heard = await converse(Number(url.port), packets(mutated(bytes, changes), sizes), true);
      const answers = answersIn(heard);
      for (const answer of answers) {
        met.set(answer.status, (met.get(answer.status) ?? 0) + 1);
        check(answer);
      }
      assert.equal((await fetch(new URL('/healthz', url))).status, 200);
    }),
    { numRuns: runs(15) },
  );
  t.log(
    [...met]
      .sort(([a], [b]) => a - b)
      .map(([status, count]) => `${status} ×${count}`)
      .join(', '),
  );
});
