/** The process that the HTTP bench loads: a live default cluster, and a bare server with an answer of the same size. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SystemClock } from '../../src/adapters/system-clock.ts';
import { SeededRandom } from '../ports/random.ts';
import { SimulatedStores } from '../ports/store.ts';
import { loadTopology } from '../topology/load-topology.ts';
import { LiveWorld } from '../world/live.ts';
import type { Served } from './http.ts';

const silent = { write() {}, child: () => silent };
const answer = [{ site: 'hq', node: 'h1', srvidx: 113, addr: '10.1.0.11', online: true, banned: [] }];

const bare = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(answer));
});
await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve));

const stores = new SimulatedStores({
  clock: new SystemClock(),
  random: new SeededRandom(1).stream('faults'),
  latencyMs: 0,
});
const world = new LiveWorld({
  ...loadTopology('default'),
  log: silent,
  host: '127.0.0.1',
  port: 0,
  stores,
});
await world.start();

const login = await world.request(
  'hq',
  new Request('http://hq/rest/v1/iam/sessions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ domain: 'root.test', login: 'admin', pwd: 'admin', session_type: 'token' }),
  }),
);
const { session_token: token } = (await login.json()) as { session_token: string };

process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.(user + system);
});
process.on('disconnect', () => process.exit());
const served: Served = {
  cluster: world.urls().get('ws-111') ?? '',
  bare: `http://127.0.0.1:${(bare.address() as AddressInfo).port}`,
  token,
};
process.send?.(served);
