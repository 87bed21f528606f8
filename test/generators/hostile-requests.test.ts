/**
 * Requests that an unknown client could send: made of what the OpenAPI document names and of what no document would, by methods,
 * paths, queries, fields and bodies. Each has an answer of the interface, and nothing of it stays behind in the process.
 */
import assert from 'node:assert';
import fc from 'fast-check';
import { collectionOf, site, WalkedInterface } from '../../sim/docs/examples/walked-interface.ts';
import type { Document } from '../../src/http/openapi/document.ts';
import { type ListedOperation, operationsIn } from '../../src/http/openapi/operations.ts';
import { goodValue, type Schema } from '../kit/http/schema-arbitrary.ts';
import { holds, runs } from '../kit/property.ts';
import { scopedTest } from '../kit/scoped.ts';

const test = scopedTest();

const statuses = [200, 204, 206, 302, 304, 400, 401, 403, 404, 405, 409, 412, 413, 415, 416, 426, 429, 501, 503, 504];
const inherited = Object.getOwnPropertyNames(Object.prototype);
const mostUrlChars = 14_000;

const walked = new WalkedInterface();
let document: Document;
let operations: readonly ListedOperation[];

test.before(async () => {
  await walked.start();
  await walked.fill();
  const { text } = await walked.ask({ method: 'GET', path: '/openapi.json' });
  const isEnd = ({ method, path }: ListedOperation) =>
    method === 'DELETE' && (path.includes('/nodes/') || path.endsWith('/sessions/current'));
  document = JSON.parse(text) as Document;
  operations = operationsIn(document).filter((each) => !isEnd(each));
});
test.after(() => walked.world.stop());

const name = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...inherited, 'prototype', '__proto__.x', 'constructor.prototype.x') },
  { weight: 2, arbitrary: fc.constantFrom('then', 'length', 'toJSON', 'name', 'ALL', '*', '..', '.', '%2e%2e', '%') },
  { weight: 1, arbitrary: fc.string({ maxLength: 12 }) },
);
const longText = fc
  .tuple(fc.constantFrom('a', '%', '_a', '\u{1f600}', '"', '\\', '\0', ' '), fc.nat(3_000))
  .map(([unit, count]) => unit.repeat(count));
const text = fc.oneof(name, longText, fc.string({ unit: 'grapheme', maxLength: 20 }));

function nested(depth: number, [open, close]: readonly [string, string]): string {
  return `${open.repeat(depth)}1${close.repeat(depth)}`;
}

const depths = fc.constantFrom(1, 15, 16, 17, 63, 64, 65, 500, 6_000);
const deep = fc
  .tuple(depths, fc.constantFrom(['[', ']'] as const, ['{"__proto__":', '}'] as const, ['["!",', ']'] as const))
  .map(([depth, brackets]) => nested(depth, brackets));

const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text,
    fc.constantFrom<unknown>(null, true, 0, -1, 1e308, Number.MAX_SAFE_INTEGER),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;

const expression = fc
  .letrec((tie) => ({
    node: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.tuple(fc.constantFrom('==', '<', 'like', 'in', '!='), fc.tuple(fc.constant('property'), name), json),
      fc.tuple(fc.constantFrom('&&', '||'), tie('node'), tie('node')),
      fc.tuple(fc.constant('!'), tie('node')),
      fc.tuple(name, json),
      fc.dictionary(name, json, { maxKeys: 3, noNullPrototype: true }),
    ),
  }))
  .node.map((value) => JSON.stringify(value));

const parameterValue = fc.oneof(
  expression,
  deep,
  text,
  fc.array(name, { maxLength: 4 }).map((names) => JSON.stringify(names)),
  fc.constantFrom('', '1', 'true', '-1', '99999999999', 'hq', 'admin'),
);

function queryOf({ operation }: ListedOperation): fc.Arbitrary<string> {
  const known = operation.parameters.filter((each) => each.in === 'query').map((each) => each.name);
  const parameter = fc.tuple(fc.oneof(name, fc.constantFrom('mask', 'filter', 'order', ...known)), parameterValue);
  return fc.array(parameter, { maxLength: 3 }).map((pairs) => new URLSearchParams(pairs).toString());
}

/** Methods that a request may be made with at all. */
const method = fc
  .oneof(name, fc.constantFrom('LOOKUP', 'OPTIONS', 'HEAD', 'PUT', 'PATCH', 'POST', 'GET', 'REFER', 'get', 'lookup'))
  .filter((each) => /^[\w!#$%&'*+.^`|~-]{1,32}$/.test(each) && !/^(connect|trace|track)$/i.test(each));

function knownId(path: string, parameter: string): string {
  if (parameter === 'id') return walked.ids.get(collectionOf(path)) ?? 'none';
  if (parameter === 'name') return path.includes('parking') ? 'music.wav' : (walked.ids.get('recording') ?? 'none');
  return walked.ids.get(parameter) ?? 'none';
}

function pathOf({ path }: ListedOperation): fc.Arbitrary<string> {
  const parts = path.split('/').map((part) => {
    const [, parameter] = /^\{(\w+)\}$/.exec(part) ?? [];
    if (parameter === undefined) return fc.constant(part);
    const known = fc.constant(encodeURIComponent(knownId(path, parameter)));
    const strange = text.map((each) => encodeURIComponent(each).slice(0, 3_000));
    return fc.oneof(
      { weight: 3, arbitrary: known },
      strange,
      fc.constantFrom('%', '%zz', '%C3%28', '%00', 'a%2Fb', 'a;b=c'),
    );
  });
  const whole = fc.tuple(...parts).map((all) => all.join('/'));
  return fc.oneof(
    { weight: 8, arbitrary: whole },
    { weight: 1, arbitrary: fc.tuple(whole, name).map(([all, more]) => `${all}/${encodeURIComponent(more)}`) },
  );
}

interface Body {
  readonly type: string | undefined;
  readonly content: string;
}

function schemaOf({ operation }: ListedOperation): Schema {
  const json = operation.requestBody?.content['application/json'] as { schema: Schema } | undefined;
  const shared = String(json?.schema['$ref'] ?? '')
    .split('/')
    .at(-1);
  return (document.components.schemas[shared ?? ''] as Schema | undefined) ?? json?.schema ?? {};
}

/** A body as it should be, with perhaps a field too much, or one that is not as it should be. */
function nearlyGood(listed: ListedOperation, field: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const strange = fc.option(fc.tuple(field, json), { nil: undefined });
  return fc.tuple(goodValue(schemaOf(listed)), strange).map(([good, more]) => {
    const known = JSON.stringify(good) ?? 'null';
    if (more === undefined || !known.startsWith('{')) return known;
    const [key, value] = more;
    return `{${JSON.stringify(key)}:${JSON.stringify(value)}${known === '{}' ? '' : ','}${known.slice(1)}`;
  });
}

function bodyOf(listed: ListedOperation): fc.Arbitrary<Body | undefined> {
  const field = fc.oneof(
    name,
    fc.constantFrom(
      'domain',
      'login',
      'pwd',
      'id',
      'opts',
      'ext',
      ...Object.keys((schemaOf(listed)['properties'] as object | undefined) ?? {}),
    ),
  );
  const value = fc.oneof(json, fc.constant('1001'), fc.constant(1));
  // Put together by hand: `__proto__` in an object of ours would be no field.
  const object = fc
    .array(fc.tuple(field, value), { maxLength: 6 })
    .map((pairs) => `{${pairs.map(([key, each]) => `${JSON.stringify(key)}:${JSON.stringify(each)}`).join(',')}}`);
  const wide = fc.constantFrom(`[${'1,'.repeat(30_000)}1]`, `{"a":[${'{},'.repeat(30_000)}{}]}`);
  const content = fc.oneof(
    { weight: 6, arbitrary: nearlyGood(listed, field) },
    { weight: 4, arbitrary: object },
    json.map((each) => JSON.stringify(each)),
    deep,
    wide,
    fc.string(),
    longText,
  );
  const form = fc
    .tuple(name, name, longText)
    .map(([fieldName, file, bytes]) => [
      '--b\r\n',
      `Content-Disposition: form-data; name="${fieldName}"; filename="${file}"\r\n`,
      `${file}: ${fieldName}\r\n\r\n${bytes}\r\n--b--\r\n`,
    ])
    .map((lines) => ({ type: 'multipart/form-data; boundary=b', content: lines.join('') }));
  const types = fc.constantFrom('application/json', 'application/json', 'application/json', 'text/plain', undefined);
  const plain = fc.tuple(types, content).map(([type, each]) => ({ type, content: each }));
  return fc.oneof(fc.constant(undefined), { weight: 6, arbitrary: plain }, form);
}

const headers = fc.record(
  {
    origin: fc.constantFrom(`http://${site}`, 'http://else.test', 'null'),
    'sec-fetch-site': fc.constantFrom('same-origin', 'same-site', 'cross-site', 'none'),
    range: fc.constantFrom('bytes=0-', 'bytes=-1', 'bytes=9-1', 'bytes=0-0,2-3', '__proto__=1'),
    'if-match': fc.constantFrom('*', '"a"', 'W/"a"', '"'.repeat(1_000)),
    'if-none-match': fc.constantFrom('*', '"a"', ','.repeat(1_000)),
    'if-modified-since': fc.constantFrom('Thu, 01 Jan 1970 00:00:00 GMT', 'never'),
    'content-length': fc.constantFrom('0', '9'.repeat(15), 'many'),
    'x-http-method-override': fc.constant('DELETE'),
    accept: fc.constantFrom('*/*', 'text/html'),
  },
  { requiredKeys: [] },
);

const shown = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom<string>('nobody', 'acme', 'acme', 'acme', 'master', 'master', 'cookie') },
  { weight: 1, arbitrary: name.map((each) => `wrong ${each}`) },
);

const requests = fc
  .nat()
  .chain((index) => {
    const listed = operations[index % operations.length] as ListedOperation;
    const methods = fc.oneof({ weight: 4, arbitrary: fc.constant(listed.method) }, method);
    return fc.record({
      method: methods,
      path: pathOf(listed),
      query: queryOf(listed),
      body: bodyOf(listed),
      headers,
      shown,
    });
  })
  .filter(({ path, query }) => path.length + query.length < mostUrlChars);
type Hostile = typeof requests extends fc.Arbitrary<infer T> ? T : never;

function requestOf({ method, path, query, body, headers, shown }: Hostile): Request {
  const fields = new Headers(headers);
  if (body?.type !== undefined) fields.set('content-type', body.type);
  if (shown === 'acme' || shown === 'master') fields.set('authorization', `Bearer ${walked[shown]}`);
  if (shown === 'cookie') fields.set('cookie', `a=b; RSession=${walked.acme}; __proto__=c`);
  const wrong = /^wrong (.*)$/s.exec(shown)?.[1]?.replaceAll(/[^!-~]/g, '');
  if (wrong !== undefined) fields.set('authorization', `Bearer ${wrong}`);
  const hasBody = body !== undefined && !/^(get|head)$/i.test(method);
  const request = new Request(`http://${site}${path}${query === '' ? '' : `?${query}`}`, {
    method,
    headers: fields,
    ...(hasBody && { body: body.content }),
  });
  if (body?.type === undefined) request.headers.delete('content-type');
  return request;
}

/** What is wrong with an answer. */
function complaintAbout(request: Request, response: Response, text: string): string | undefined {
  const { status, headers } = response;
  if (!statuses.includes(status)) return `status ${status}: ${text.slice(0, 300)}`;
  if (request.method === 'HEAD' || status === 204) return text === '' ? undefined : `a body: ${text.slice(0, 100)}`;
  if (status < 400) return undefined;
  if (headers.get('content-type') !== 'application/json; charset=utf-8') return `type ${headers.get('content-type')}`;
  const { error_code, error_message, ...more } = JSON.parse(text) as Record<string, unknown>;
  if (error_code !== 1_000 + status || typeof error_message !== 'string' || error_message === '') return text;
  return Object.keys(more).length === 0 ? undefined : text;
}

/** Wrong sessions ban the one address that there is; what was asked may have closed a session. */
async function startAnew(): Promise<void> {
  await walked.ask({ method: 'DELETE', path: '/rest/v1/master/logicalroles/ws/bannedaddrs', token: walked.master });
  for (const [who, domain] of [
    ['master', 'root.test'],
    ['acme', 'acme.root.test'],
  ] as const) {
    const { status } = await walked.ask({ method: 'GET', path: '/rest/v1/iam/sessions/current', token: walked[who] });
    if (status !== 200) walked[who] = await walked.logIn(domain);
  }
}

test('any hostile request has an answer of the interface, and leaves nothing behind', async (t) => {
  const met = new Map<number, number>();
  await holds(
    t,
    fc.asyncProperty(requests, async (hostile) => {
      const request = requestOf(hostile);
      const response = await walked.world.request(site, request);
      const text = await response.text();
      met.set(response.status, (met.get(response.status) ?? 0) + 1);
      assert.equal(complaintAbout(request, response, text), undefined);
      assert.deepEqual(Object.getOwnPropertyNames(Object.prototype), inherited);
      await startAnew();
    }),
    { numRuns: runs(10), uncovered: () => [200, 400, 401, 403, 404, 405].filter((status) => !met.has(status)) },
  );
  t.log(
    [...met]
      .sort(([a], [b]) => a - b)
      .map(([status, count]) => `${status} ×${count}`)
      .join(', '),
  );
  t.is((await walked.ask({ method: 'GET', path: '/healthz' })).status, 200);
});
