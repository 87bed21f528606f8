/** Whatever comes, the front answers: never 500, and always in the shape of the interface. */

import fc from 'fast-check';
import {
  type Answer,
  acmeAdmin,
  admin,
  current,
  FrontCluster,
  nodes,
  oneNode,
  roles,
  sessions,
  user,
} from '../../kit/front.ts';
import { sized } from '../../kit/property.ts';
import { test } from '../../kit/test.ts';
import { anyUrlPath } from '../../kit/text.ts';

const documented = [200, 204, 400, 401, 403, 404, 405, 409, 413, 415, 429, 431, 501, 503, 504];

const word = fc.oneof(
  fc.constantFrom(
    'hq',
    'north',
    '1',
    '2',
    'h1',
    'esg-2',
    '10.1.0.11',
    '10.9.8.7',
    'root.test',
    'true',
    '-1',
    '0',
    '1e9',
  ),
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
);

const knownPaths = [
  '/healthz',
  sessions,
  current,
  nodes,
  `${roles}/esg/dashboards`,
  `${roles}/esg/dashboards/info`,
  `${roles}/esg/dashboards/count`,
  `${roles}/esg/dashboards/sites`,
  `${roles}/ws/bannedaddrs/site`,
  ...['esg', 'sg', 'ws'].map((role) => `${roles}/${role}/bannedaddrs`),
];

const anyPath = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...knownPaths) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom(...knownPaths), word)
      .map(([known, end]) => `${known}/${encodeURIComponent(end)}`),
  },
  { weight: 1, arbitrary: anyUrlPath },
  { weight: 1, arbitrary: fc.string({ maxLength: 30 }).map((text) => `/${text.replaceAll(/[?#]/g, '')}`) },
);

const expression = fc.letrec((tie) => ({
  node: fc.oneof(
    { depthSize: 'small' },
    fc.tuple(fc.constant('property'), word),
    fc.jsonValue({ maxDepth: 1 }),
    fc.tuple(fc.constantFrom('==', '!=', '<', 'in', 'like', '&&', '||', '!', '~'), tie('node'), tie('node')),
    fc.tuple(fc.constant('!'), tie('node')),
  ),
})).node;

const parameter = fc.oneof(
  fc.tuple(
    fc.constantFrom('site', 'sites', 'server', 'servers', 'mask', 'offset', 'limit', 'flat', 'regs', 'code'),
    word,
  ),
  fc.tuple(
    fc.constant('filter'),
    expression.map((value) => JSON.stringify(value)),
  ),
  fc.tuple(
    fc.constant('order'),
    fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)),
  ),
  fc.tuple(word, word),
);

const query = fc.oneof(
  fc.constant(''),
  fc
    .array(parameter, { maxLength: 4 })
    .map(
      (all) => `?${all.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')}`,
    ),
  fc.string({ maxLength: 30 }).map((text) => `?${text}`),
);

const anyMethod = fc.constantFrom(
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'LOOKUP',
  'REFER',
  'SEND_DTMF',
  'M-X',
);

const operations = [
  ...['POST', 'POST', 'POST', 'HEAD'].map((method) => [method, sessions] as const),
  ...['GET', 'PATCH', 'PATCH', 'DELETE', 'HEAD'].map((method) => [method, current] as const),
  ...['GET', 'HEAD'].flatMap((method) => knownPaths.map((path) => [method, path] as const)),
  ...['esg/bannedaddrs', 'sg/bannedaddrs', 'ws/bannedaddrs', 'ws/bannedaddrs/site'].flatMap((filter) => {
    const path = `${roles}/${filter}`;
    return [
      ...['GET', 'POST', 'DELETE'].map((method) => [method, path] as const),
      ['DELETE', `${path}/10.9.8.7`] as const,
    ];
  }),
];

/** Mostly an operation of the interface, else anything. */
const target = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...operations) },
  { weight: 1, arbitrary: fc.tuple(anyMethod, anyPath) },
);

const field = fc.constantFrom('domain', 'login', 'pwd', 'session_type', 'ip', 'expires', 'id', 'x');
const scalar = fc.oneof(
  word,
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>('token', 'token_clone_cookie', 'admin', 'root.test', '10.9.8.7', 60),
);

const body = fc.oneof(
  fc.constant(undefined),
  fc.dictionary(field, scalar, { maxKeys: 4 }).map((value) => JSON.stringify(value)),
  fc.json(),
  fc.string({ maxLength: 40 }),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => new Uint8Array(bytes)),
);

/** Stands for the session of a request: none, an unknown id, or the session of a user. */
const session = fc.constantFrom('none', 'none', 'unknown', 'admin', 'admin', 'admin', 'user', 'acme');

const jsonTypes = ['application/json', 'application/json; charset=utf-8'];
const headers = fc.record(
  {
    'content-type': fc.constantFrom(...jsonTypes, ...jsonTypes, 'text/plain', ''),
    'content-length': fc.constantFrom('0', '5', '99999999999', 'many', '-1'),
    cookie: fc.oneof(fc.constantFrom('RSession', 'RSession=', 'RSession="', 'a=b; RSession=%zz'), fc.base64String()),
    accept: fc.constantFrom('text/html', '*/*'),
    'x-http-method-override': fc.constant('DELETE'),
  },
  { requiredKeys: [] },
);

const requests = fc.record({ target, query, body, headers, header: session, cookie: session });
type RandomRequest = ReturnType<typeof requests.generate>['value'];

/** One more administrator, of whose sessions the requests know nothing. */
const watcher = { login: 'watcher', pwd: 'watcher' };
const [root, ...children] = oneNode.domains;
const users = [...(root?.users ?? []), { ...watcher, roles: ['admin'] }];
const topology = { ...oneNode, domains: [{ ...root, users }, ...children] };

/** The sessions of a run; opened anew when a request has closed or switched them. */
class RunSessions {
  readonly #cluster: FrontCluster;
  readonly #watcher: string;
  readonly #ids = new Map<string, string>();

  constructor(cluster: FrontCluster, watcher: string) {
    this.#cluster = cluster;
    this.#watcher = watcher;
  }

  /** Failures ban the one address that there is: lifts that. */
  async forgive(): Promise<void> {
    await this.#cluster.ask(`DELETE ${roles}/ws/bannedaddrs`, { token: this.#watcher });
  }

  async id(name: string): Promise<string | undefined> {
    if (name === 'none') return undefined;
    if (name === 'unknown') return 'never-was';
    const known = this.#ids.get(name);
    if (known !== undefined) return known;
    const who = name === 'admin' ? admin : name === 'user' ? user : acmeAdmin;
    await this.forgive();
    const id = await this.#cluster.token(who);
    this.#ids.set(name, id);
    return id;
  }

  forget(): void {
    this.#ids.clear();
  }
}

function isSessionChange({ target: [method, path] }: RandomRequest): boolean {
  return path.includes('/iam/') && method !== 'GET';
}

/** Requests that would end the only front there is. */
function isEnd({ target: [method, path] }: RandomRequest): boolean {
  return method === 'DELETE' && decodeURI(path.replaceAll(/%(?![0-9a-f]{2})/gi, '')).includes('/nodes/');
}

async function serve(cluster: FrontCluster, ids: RunSessions, wanted: RandomRequest): Promise<Answer> {
  const { query, body, headers } = wanted;
  const [method, path] = wanted.target;
  const all = new Headers(headers);
  const token = await ids.id(wanted.header);
  const cookie = await ids.id(wanted.cookie);
  if (token !== undefined) all.set('authorization', `Bearer ${token}`);
  if (cookie !== undefined) all.set('cookie', `RSession=${cookie}`);
  const hasBody = body !== undefined && method !== 'GET' && method !== 'HEAD';
  const request = new Request(`http://hq${path}${query}`, { method, headers: all, ...(hasBody && { body }) });
  return cluster.send('hq', request);
}

/** What is wrong with an answer; undefined when nothing is. */
function complaint(request: RandomRequest, { status, text, headers, body }: Answer): string | undefined {
  if (!documented.includes(status)) return `status ${status}`;
  if (request.target[0] === 'HEAD' || status === 204) return text === '' ? undefined : `a body: ${text}`;
  if (headers.get('content-type') !== 'application/json; charset=utf-8') return `type ${headers.get('content-type')}`;
  if (status === 200) return undefined;
  const { error_code, error_message, ...more } = body as Record<string, unknown>;
  if (error_code !== 1_000 + status) return `error_code ${error_code} for ${status}`;
  if (typeof error_message !== 'string' || error_message === '') return `error_message ${error_message}`;
  return Object.keys(more).length === 0 ? undefined : `more than an error: ${text}`;
}

test('any random request is answered as the interface has it, and never with 500', async (t) => {
  const cluster = await FrontCluster.start({ topology });
  const ids = new RunSessions(cluster, await cluster.token({ ...watcher, domain: 'root.test' }));
  const met = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(requests, async (request) => {
      fc.pre(!isEnd(request));
      const answer = await serve(cluster, ids, request);
      met.set(answer.status, (met.get(answer.status) ?? 0) + 1);
      if (isSessionChange(request)) ids.forget();
      if (answer.status === 429) await ids.forgive();
      const wrong = complaint(request, answer);
      if (wrong !== undefined) throw new Error(wrong);
    }),
    { seed: 20_260_101, numRuns: sized(100, 10_000) },
  );
  for (const status of [200, 204, 400, 401, 403, 404, 405, 415, 429]) {
    t.true(met.has(status), `no answer of ${status}: ${JSON.stringify([...met])}`);
  }
});
