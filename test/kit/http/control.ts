/** The control interface over a virtual cluster, and a client of it. */
import { loopbackHosts } from '../../../sim/control/access.ts';
import { type ControlOptions, createControl } from '../../../sim/control/control.ts';
import { LiveHost } from '../../../sim/embed/hosting/live-host.ts';
import { Worlds } from '../../../sim/embed/hosting/worlds.ts';
import type { Load } from '../../../sim/outside/running-load.ts';
import { loadTopology } from '../../../sim/topology/load-topology.ts';
import { FrontCluster } from '../front.ts';
import { silentLog } from '../quiet.ts';

export interface ControlAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

export type AskControl = (
  line: string,
  json?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<ControlAnswer>;

export interface Controlled {
  readonly cluster: FrontCluster;
  readonly load: Load;
  /** Sends `METHOD /path` below `/strowger/v1`, as a local client does. */
  readonly ask: AskControl;
  /** Sends any request. */
  readonly send: (request: Request) => Promise<ControlAnswer>;
}

export async function controlled(access: Partial<ControlOptions['access']> = {}): Promise<Controlled> {
  const cluster = await FrontCluster.start();
  const { world } = cluster;
  const host = new LiveHost({ name: 'main', loaded: loadTopology('default'), seed: undefined, make: () => world });
  const { load } = host.present.operator;
  const worlds = new Worlds(host, () => Promise.reject(new Error('no other worlds here')));
  const options = { worlds, access: { hosts: loopbackHosts, ...access }, log: silentLog };
  const control = createControl(options);
  const send = async (request: Request) => {
    // A connection frames the body.
    const framing = request.body === null ? null : 'chunked';
    const header = (name: string) => (name === 'transfer-encoding' ? framing : request.headers.get(name));
    const answer = control(request, '127.0.0.1', header);
    const { status, headers, text } = await cluster.world.during(Promise.resolve(answer)).then(read);
    const isJson = headers.get('content-type')?.startsWith('application/json') ?? false;
    return { status, headers, body: isJson ? JSON.parse(text) : text || undefined };
  };
  const ask: AskControl = (line, json, more = {}) => {
    const [method = '', path = ''] = line.split(' ');
    const body = json === undefined ? {} : { body: JSON.stringify(json) };
    const headers = { host: 'localhost:8079', 'content-type': 'application/json', ...more };
    return send(new Request(`http://localhost:8079/strowger/v1${path}`, { method, headers, ...body }));
  };
  return { cluster, load, ask, send };
}

async function read(response: Response): Promise<{ status: number; headers: Headers; text: string }> {
  return { status: response.status, headers: response.headers, text: await response.text() };
}
