/** A virtual cluster behind its HTTP fronts, and a client that speaks to them as an integrator does. */
import type { ExecutionContext } from 'ava';
import type { DependencyContainer } from 'tsyringe';
import { type LoadedTopology, loadTopology } from '../../sim/topology/load-topology.ts';
import { VirtualWorld } from '../../sim/world/virtual.ts';
import { ClusterMap } from '../../src/model/cluster/cluster-map.ts';
import { topologySchema } from '../../src/model/topology/schema.ts';
import type { SampleFolder } from '../../src/ports/samples.ts';
import type { MetadataFiles } from '../../src/services/web-apps/user-interface.ts';
import type { WebApps } from '../../src/services/web-apps/web-apps.ts';

export const sessions = '/rest/v1/iam/sessions';
export const current = '/rest/v1/iam/sessions/current';
export const roles = '/rest/v1/master/logicalroles';
export const nodes = '/rest/v1/master/nodes';

/** The address from which all requests to a virtual world come. */
export const client = '127.0.0.1';

export interface Credentials {
  readonly domain: string;
  readonly login: string;
  readonly pwd: string;
}

export const admin: Credentials = { domain: 'root.test', login: 'admin', pwd: 'admin' };
export const user: Credentials = { domain: 'root.test', login: 'user', pwd: 'user' };
/** Has an access role of its own only; a user of `oneNode` and `twoSites`. */
export const guest: Credentials = { domain: 'root.test', login: 'guest', pwd: 'guest' };
export const acmeAdmin: Credentials = { domain: 'acme.root.test', login: 'admin', pwd: 'admin' };
export const acmeUser: Credentials = { domain: 'acme.root.test', login: 'user', pwd: 'user' };

export interface Asked {
  /** The site whose front is asked. */
  readonly at?: string;
  readonly token?: string | undefined;
  /** A session id, sent as the cookie `RSession`. */
  readonly cookie?: string | undefined;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is; its content type is up to `headers`. */
  readonly raw?: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined where it is empty. */
  readonly body: unknown;
  /** How long it took, in virtual time. */
  readonly tookMs: number;
}

export interface ClusterOptions {
  /** A topology as a file has it; default: the one that ships. */
  readonly topology?: object;
  readonly webApps?: WebApps;
  readonly metadataFiles?: MetadataFiles;
  readonly keepJournal?: boolean;
  /** Whether phones and providers are there (the default). They register: without them a cluster starts in two thirds of the time. */
  readonly outside?: boolean;
  /** The folder of the audio matchers; default: that of the topology. */
  readonly samples?: SampleFolder;
  /** Roles that the test plays itself. */
  readonly replaceRoles?: (scope: DependencyContainer) => void;
}

/** The topology that ships, read once: nothing changes it. */
let shipped: LoadedTopology | undefined;

export class FrontCluster {
  readonly world: VirtualWorld;
  /** The site that is asked when a request names none: the first. */
  readonly home: string;

  private constructor(world: VirtualWorld) {
    this.world = world;
    this.home = [...world.map.sites.keys()][0]!;
  }

  static async start({
    topology,
    webApps,
    metadataFiles,
    samples,
    keepJournal = false,
    outside = true,
    replaceRoles,
  }: ClusterOptions = {}): Promise<FrontCluster> {
    shipped ??= loadTopology('default');
    const map = topology === undefined ? shipped.map : new ClusterMap(topologySchema.parse(topology));
    const roles = replaceRoles && { replaceRoles };
    const world = new VirtualWorld({
      map,
      webApps: webApps ?? shipped.webApps,
      metadataFiles: metadataFiles ?? shipped.metadataFiles,
      seed: 7,
      keepJournal,
      outside,
      ...roles,
      ...(samples !== undefined && { samples }),
    });
    await world.start();
    return new FrontCluster(world);
  }

  /** Sends a request, given as `METHOD /path?query`. */
  async ask(line: string, asked: Asked = {}): Promise<Answer> {
    const { at = this.home, json, raw, token, cookie } = asked;
    const [method = '', target = ''] = line.split(/ (.*)/s);
    const headers = new Headers(asked.headers);
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
    if (cookie !== undefined) headers.set('cookie', `RSession=${cookie}`);
    if (json !== undefined) headers.set('content-type', 'application/json; charset=utf-8');
    const body = json === undefined ? raw : JSON.stringify(json);
    const stream = body instanceof ReadableStream ? { duplex: 'half' as const } : {};
    const content = body === undefined ? {} : { body, ...stream };
    const request = new Request(`http://${at}${target}`, { method, headers, ...content });
    // A text brings a content type of its own along.
    if (typeof raw === 'string' && asked.headers?.['content-type'] === undefined)
      request.headers.delete('content-type');
    return this.send(at, request);
  }

  async send(at: string, request: Request): Promise<Answer> {
    const sentMs = this.world.now();
    const response = await this.world.request(at, request);
    const tookMs = this.world.now() - sentMs;
    const text = await response.text();
    const { status, headers } = response;
    return { status, headers, text, body: text === '' ? undefined : JSON.parse(text), tookMs };
  }

  /** Starts a node that crashed, and gives it time to meet its peers. */
  async restartNode(name: string): Promise<void> {
    const back = this.world.faults.restartNode(name);
    await this.world.wait(5_000);
    await back;
  }

  /** Logs in for a token. */
  async token(who: Credentials = admin, at = this.home): Promise<string> {
    const answer = await this.ask(`POST ${sessions}`, { at, json: { ...who, session_type: 'token' } });
    if (answer.status !== 200) throw new Error(`login gave ${answer.status} ${answer.text}`);
    return (answer.body as { session_token: string }).session_token;
  }

  /** Logs in for a cookie, and gives the session id in it. */
  async cookie(who: Credentials = admin, at = this.home): Promise<string> {
    const answer = await this.ask(`POST ${sessions}`, { at, json: who });
    if (answer.status !== 204) throw new Error(`login gave ${answer.status} ${answer.text}`);
    return cookieIn(answer).id;
  }

  /** The status of reading the current session. */
  async statusOf(asked: Asked): Promise<number> {
    return (await this.ask(`GET ${current}`, asked)).status;
  }
}

/** The session id in the one `set-cookie` of an answer, and all that comes after it. */
export function cookieIn(answer: Answer): { id: string; attributes: string } {
  const [, id, attributes] = /^RSession=([^;]*); (.*)$/.exec(answer.headers.get('set-cookie') ?? '') ?? [];
  if (id === undefined || attributes === undefined) throw new Error(`no cookie: ${answer.headers.get('set-cookie')}`);
  return { id, attributes };
}

/** An HTTP date so many milliseconds after the epoch. */
export function httpDate(ms: number): string {
  return new Date(ms).toUTCString();
}

/** Holds an answer against the error shape of the interface, with the headers that its status brings along. */
export function refused(t: ExecutionContext, answer: Answer, status: number, message = /./): void {
  t.is(answer.status, status, answer.text);
  t.is(answer.headers.get('content-type'), 'application/json; charset=utf-8');
  const { error_message } = answer.body as { error_message: string };
  t.deepEqual(answer.body, { error_code: 1_000 + status, error_message });
  t.regex(error_message, message);
  if (status === 401) t.is(answer.headers.get('www-authenticate'), 'Bearer');
  if (status === 405) t.truthy(answer.headers.get('allow'));
  if (status === 429 || status === 503) t.regex(answer.headers.get('retry-after') ?? '', /^[1-9][0-9]*$/);
}

/** Holds an answer against 204: no body, no content type. */
export function emptied(t: ExecutionContext, answer: Answer): void {
  t.is(answer.status, 204, answer.text);
  t.is(answer.text, '');
  t.is(answer.headers.get('content-type'), null);
}

/** The body of a good answer. */
export function good<T>(t: ExecutionContext, answer: Answer): T {
  t.is(answer.status, 200, answer.text);
  t.is(answer.headers.get('content-type'), 'application/json; charset=utf-8');
  return answer.body as T;
}

const users = [
  { login: 'admin', pwd: 'admin', name: 'Administrator', roles: ['admin'], tags: ['night', 'berlin'] },
  { login: 'user', pwd: 'user', name: 'User', roles: ['user'] },
  { login: 'guest', pwd: 'guest', name: 'Guest', roles: ['kiosk'] },
];

/** One site, one node: without a peer to ping hours pass at once. */
export const oneNode = {
  name: 'one-node',
  sites: [
    {
      name: 'hq',
      type: 'master_communication',
      domains: ['root.test'],
      nodes: [
        {
          name: 'h1',
          ip: '10.1.0.11',
          instances: [
            { role: 'ws', srvidx: 1 },
            { role: 'esg', srvidx: 2 },
            { role: 'sg', srvidx: 3 },
            { role: 'mdc', srvidx: 4, group: 4, order: 1 },
          ],
        },
      ],
    },
  ],
  domains: [
    { name: 'root.test', users },
    { name: 'acme.root.test', solution: 'callcenter', users },
    { name: 'west.acme.root.test', users },
    { name: 'globex.root.test', users },
  ],
};

/** Two sites of one node each, which ping each other once in ten minutes. */
export const twoSites = {
  name: 'two-sites',
  timings: { pingIntervalMs: 600_000 },
  sites: [
    {
      name: 'hq',
      type: 'master_communication',
      domains: ['root.test'],
      nodes: [
        {
          name: 'h1',
          ip: '10.1.0.11',
          instances: [
            { role: 'ws', srvidx: 11 },
            { role: 'rpco', srvidx: 12, order: 1 },
            { role: 'mdc', srvidx: 13, group: 13, order: 1 },
          ],
        },
      ],
    },
    {
      name: 'north',
      type: 'communication',
      domains: ['acme.root.test'],
      nodes: [
        {
          name: 'n1',
          ip: '10.2.0.11',
          instances: [
            { role: 'ws', srvidx: 21 },
            { role: 'rpco', srvidx: 22, order: 1 },
            { role: 'sdc', srvidx: 23, group: 23, order: 1 },
          ],
        },
      ],
    },
  ],
  domains: [
    { name: 'root.test', users },
    { name: 'acme.root.test', users },
  ],
};
