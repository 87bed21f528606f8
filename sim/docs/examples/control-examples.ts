/** A request and an answer of each operation of the control interface, from a virtual cluster: the examples of its document. */
import { loopbackHosts } from '../../control/access.ts';
import { controlPath, createControl } from '../../control/control.ts';
import { type HostedWorld, type WantedWorld, Worlds } from '../../embed/hosting/worlds.ts';
import { RecordedCluster } from '../../embed/recorded/recorded-cluster.ts';
import { withData } from '../../scenario/initial-data.ts';
import { loadTopology } from '../../topology/load-topology.ts';
import { type Example, exampleLines, shortened } from './example-text.ts';

export const controlExamplesFile = 'sim/control/examples.ts';

/** The source of the module with the examples. */
export async function controlExamplesSource(): Promise<string> {
  return `/** Generated from a virtual cluster by \`npm run docs\`: a request and an answer of each operation, as JSON. */
export const controlExamples: ReadonlyMap<string, string> = new Map([
${exampleLines(await walked())}
]);
`;
}

/** A script that sends an HTTP request, and how it is started. */
const data = {
  domains: [
    {
      name: 'acme.root.test',
      items: {
        svcscript: [
          {
            code: 'notify',
            components: [
              { name: 'start', type: 'start', next: 'send' },
              { name: 'send', type: 'http', method: 'POST', url: '"https://crm.test/calls"', body: '"a call"' },
            ],
          },
        ],
        integrationchannel: [{ code: 'crm', token_local: 'a-token-of-the-crm', svcscriptcode: 'notify' }],
      },
    },
  ],
};

const [caller, callee] = ['acme.root.test/1001', 'acme.root.test/1002'];

/** A value of the last answer of an operation. */
type Known = (operation: string) => never;

/** An operation, its parameters, and its body, in the order in which they are sent. */
type Asked = readonly [operation: string, params?: Params, body?: unknown];
type Params = Readonly<Record<string, string>>;

const script =
  'name: mine\nwhy: A dashboard asks for a cluster that has just started, and shows a site as lost.\nsteps:\n  - wait: 1s\n';

function* requests(last: Known): Generator<Asked> {
  yield ['GET /worlds'];
  yield ['POST /worlds', {}, { name: 'mine', topology: 'single', seed: 7 }];
  yield ['GET /worlds/{world}', { world: 'mine' }];
  yield ['DELETE /worlds/{world}', { world: 'mine' }];
  yield ['GET /clock'];
  yield ['POST /clock/advance', {}, { by: '180s' }];
  yield ['POST /clock/pause'];
  yield ['PUT /clock/pace', {}, { pace: 10 }];
  yield ['PUT /clock/pace', {}, { pace: null }];
  yield ['POST /clock/resume'];
  yield ['PUT /stubs', {}, { url: 'https://crm.test/', answer: { status: 200, body: 'thanks' } }];
  yield ['GET /stubs'];
  yield ['POST /clock/advance', {}, { by: '10s' }];
  yield ['GET /deliveries'];
  const [{ id: delivery }] = last('GET /deliveries') as readonly [{ readonly id: string }];
  yield ['GET /deliveries/{delivery}', { delivery }];
  yield ['POST /deliveries/{delivery}/replay', { delivery }];
  yield ['DELETE /stubs', { '?url': 'https://crm.test/' }];
  yield* callRequests(last);
  yield ['POST /faults', {}, { cut: { from: 'north' }, name: 'lines' }];
  yield ['GET /faults'];
  yield ['DELETE /faults/{fault}', { fault: 'lines' }];
  yield ['DELETE /faults'];
  yield ['PUT /numbers/{domain}/{number}', { domain: 'acme.root.test', number: '1002' }, { reject: 486 }];
  yield ['GET /numbers'];
  yield ['DELETE /numbers/{domain}/{number}', { domain: 'acme.root.test', number: '1002' }];
  yield ['DELETE /numbers'];
  yield ['PUT /load', {}, { rate: 0.5, holdingMs: 10_000 }];
  yield ['POST /clock/advance', {}, { by: '10s' }];
  yield ['GET /load'];
  yield ['PUT /load', {}, { rate: 0 }];
  yield ['GET /verdicts'];
  yield ['GET /actors'];
  yield ['GET /scenarios'];
  yield ['PUT /scenarios/{scenario}', { scenario: 'mine' }, { text: script }];
  yield ['POST /scenarios/{scenario}/run', { scenario: 'mine' }, { seed: 1 }];
  yield ['DELETE /scenarios/{scenario}', { scenario: 'mine' }];
  yield ['POST /fork', {}, { name: 'other' }];
  yield ['GET /snapshot'];
  yield ['PUT /snapshot', {}, last('GET /snapshot')];
  yield ['POST /reset'];
}

function* callRequests(last: Known): Generator<Asked> {
  const ringing = () => {
    const phones = last('GET /phones') as readonly {
      readonly name: string;
      readonly endpoint: string;
      readonly calls: readonly { readonly callid: string }[];
    }[];
    const phone = phones.find(({ name }) => name === callee);
    return { endpoint: phone?.endpoint ?? '', callid: phone?.calls[0]?.callid ?? '' };
  };
  const ring: readonly Asked[] = [
    ['POST /calls', {}, { from: caller, to: '1002' }],
    ['POST /waits', {}, { for: { event: 'callevents.fork_start' }, sinceMs: 0, drives: true }],
    ['POST /clock/advance', {}, { by: '1s' }],
    ['GET /phones'],
  ];
  yield ['POST /phones', {}, { domain: 'acme.root.test', login: '1002', number: '1002' }];
  yield ['POST /phones/unregister', {}, { name: 'acme.root.test/1002/2' }];
  yield ['POST /phones/register', {}, { name: 'acme.root.test/1002/2' }];
  yield ['POST /phones/unregister', {}, { name: 'acme.root.test/1002/2' }];
  yield ['POST /phones/attend', {}, { name: callee, on: true }];
  yield* ring;
  yield ['POST /calls/reject', {}, { ...ringing(), status: 486 }];
  yield ['POST /clock/advance', {}, { by: '5s' }];
  yield* ring;
  yield ['POST /calls/answer', {}, { name: callee }];
  yield ['POST /clock/advance', {}, { by: '1s' }];
  yield ['POST /digits', {}, { name: caller, digits: '12#' }];
  yield ['POST /calls/hold', {}, { name: callee }];
  yield ['POST /calls/transfer', {}, { ...ringing(), to: 'sip:1003@acme.root.test' }];
  yield ['GET /journal'];
  yield ['POST /calls/hangup', {}, { name: callee }];
  yield ['DELETE /calls', { '?name': caller }];
  yield ['GET /providers'];
  yield ['GET /sms'];
}

/** The first example of each operation. Throws if one is refused. */
async function walked(): Promise<[title: string, example: Example][]> {
  const loaded = withData(loadTopology('default'), data);
  const start = async (wanted: WantedWorld) => worldOf(wanted);
  const worlds = new Worlds(await worldOf({ name: 'main', clock: 'virtual', loaded, seed: 1 }), start);
  const silent = { write: () => {}, child: () => silent };
  const control = createControl({ worlds, access: { hosts: loopbackHosts }, log: silent });
  const answers = new Map<string, unknown>();
  const examples = new Map<string, Example>();
  const main = worlds.main.virtual as RecordedCluster;
  await main.present.request(execRequest);
  for (const [operation, params = {}, body] of requests((of) => answers.get(of) as never)) {
    const request = requestOf(operation, params, body);
    const response = await control(request, '127.0.0.1', (name) => headerOf(request, name));
    const text = await response.text();
    if (response.status >= 400) throw new Error(`${operation}: ${response.status} ${text}`);
    const answer = text === '' ? undefined : (JSON.parse(text) as unknown);
    answers.set(operation, answer);
    const [method = '', path = ''] = operation.split(' ');
    const title = `${method} ${controlPath}${path}`;
    const shown = {
      ...(body !== undefined && { request: shortened(body) }),
      ...(answer !== undefined && { status: 200, answer: shortened(answer) }),
    };
    if (!examples.has(title)) examples.set(title, shown);
  }
  await Promise.all(worlds.all.map((world) => world.stop()));
  return [...examples];
}

const execRequest = {
  do: 'request',
  site: 'north',
  method: 'POST',
  target: '/exec',
  headers: [
    ['authorization', 'Bearer a-token-of-the-crm'],
    ['content-type', 'application/json'],
  ] as [string, string][],
  body: Buffer.from('{}').toString('base64'),
} as const;

function requestOf(operation: string, params: Params, body: unknown): Request {
  const [method = '', path = ''] = operation.split(' ');
  const url = new URL(
    `http://localhost${controlPath}${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '')}`,
  );
  for (const [name, value] of Object.entries(params))
    if (name.startsWith('?')) url.searchParams.set(name.slice(1), value);
  const headers = { 'content-type': 'application/json' };
  return new Request(url, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
}

/** A header field, as a connection to the interface has it. */
function headerOf({ headers, body }: Request, name: string): string | null {
  if (name === 'host') return 'localhost';
  return name === 'transfer-encoding' && body !== null ? 'chunked' : headers.get(name);
}

/** A world whose fronts have addresses and no ports. */
async function worldOf({ name, loaded, seed = 1, snapshot }: WantedWorld): Promise<HostedWorld> {
  const virtual = await RecordedCluster.start({ loaded, seed, oracles: 'all' }, snapshot);
  const sites = [...new Set(loaded.map.instancesOf('ws').map(({ site }) => site))];
  return {
    name,
    loaded,
    seed,
    virtual,
    urls: new Map(sites.map((site, index) => [site, `http://127.0.0.1:${8080 + index}`])),
    get present() {
      return virtual.present;
    },
    reset: () => virtual.reset(),
    stop: () => virtual.stop(),
  };
}
