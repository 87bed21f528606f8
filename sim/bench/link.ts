/** An ask over a real link and back, against a raw `ws` echo of the same JSON in the same process. */
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import type { Ask } from '../../src/cluster/messaging/asks.ts';
import { ClusterMap } from '../../src/model/cluster/cluster-map.ts';
import { encode } from '../../src/model/cluster/envelope.ts';
import { checkTopology } from '../../src/model/topology/checks.ts';
import { topologySchema } from '../../src/model/topology/schema.ts';
import { SeededRandom } from '../ports/random.ts';
import { SimulatedStores } from '../ports/store.ts';
import { VirtualClock } from '../ports/virtual-clock.ts';
import { LiveWorld } from '../world/live.ts';
import { atMost, type BenchRow, compare } from './measure.ts';

const exchanges = 4_000;
const inFlight = 32;
const silent = { write() {}, child: () => silent };

/** Two nodes of one site: the asker, and the one with an esg instance. */
function twoNodes(): ClusterMap {
  const node = (n: number, instances: object[]) => ({ name: `n${n}`, ip: `10.0.0.${n}`, instances });
  const site = { name: 'hq', type: 'master', domains: ['root.test'] };
  const nodes = [node(1, [{ role: 'ws', srvidx: 1 }]), node(2, [{ role: 'esg', srvidx: 2 }])];
  const topology = topologySchema.parse({ name: 'two', sites: [{ ...site, nodes }], domains: [{ name: 'root.test' }] });
  const problems = checkTopology(topology);
  if (problems.length > 0) throw new Error(problems.map((problem) => problem.message).join(', '));
  return new ClusterMap(topology);
}

export async function linkRows(): Promise<BenchRow[]> {
  const map = twoNodes();
  const stores = new SimulatedStores({
    clock: new VirtualClock(0),
    random: new SeededRandom(1).stream('faults'),
    latencyMs: 0,
  });
  const world = new LiveWorld({ map, webApps: () => [], log: silent, host: '127.0.0.1', port: 0, stores });
  await world.start();
  const ask = world.cluster.node('n1')?.ask;
  if (ask === undefined) throw new Error('node n1 runs');
  const echo = await openEcho();
  const rows: BenchRow[] = [];
  for (const [name, atOnce] of [
    ['ask over a link, one at a time', 1],
    [`ask over a link, ${inFlight} at once`, inFlight],
  ] as const) {
    const { ratio, aMs, bMs } = await compare(
      () => pump(atOnce, () => exchange(ask)),
      () => pump(atOnce, echo.exchange),
      11,
    );
    const each = (ms: number) => `${((ms / exchanges) * 1_000).toFixed(1)} µs`;
    rows.push(atMost(1.5, { name, floor: 'raw ws echo', ratio, detail: `${each(aMs)} against ${each(bMs)}` }));
  }
  echo.close();
  await world.stop();
  return rows;
}

async function exchange(ask: Ask): Promise<void> {
  const answer = await ask('hq/n2/esg-2', 'filter.list', {});
  if (!answer.ok) throw new Error(answer.fault.message);
}

/** `exchanges` of them, so many at once. */
async function pump(atOnce: number, once: () => Promise<unknown>): Promise<void> {
  let left = exchanges;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      await once();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** A server that parses each message and sends the reply as JSON; a client that sends JSON and parses the reply. */
async function openEcho(): Promise<{ exchange: () => Promise<unknown>; close: () => void }> {
  const ask = {
    id: 'n1.1.1000',
    kind: 'ask',
    type: 'filter.list',
    from: 'hq/n1',
    to: 'hq/n2/esg-2',
    deadlineMs: 1_795_000_000_000,
    hops: 0,
    body: {},
  } as const;
  const { deadlineMs: _, ...rest } = ask;
  const reply = {
    ...rest,
    id: 'n2.1.1000',
    kind: 'reply',
    from: ask.to,
    to: ask.from,
    re: ask.id,
    body: { banned: [] },
  } as const;
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
  server.on('connection', (socket) =>
    socket.on('message', (data) => {
      JSON.parse(String(data));
      socket.send(encode(reply));
    }),
  );
  await new Promise((resolve) => server.once('listening', resolve));
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, {
    perMessageDeflate: false,
  });
  await new Promise((resolve) => client.once('open', resolve));
  const waiting: ((value: unknown) => void)[] = [];
  client.on('message', (data) => waiting.shift()?.(JSON.parse(String(data))));
  const exchange = () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      client.send(encode(ask));
    });
  return {
    exchange,
    close: () => {
      client.terminate();
      server.close();
    },
  };
}
