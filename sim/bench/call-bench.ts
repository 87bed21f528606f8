/** The cost of calls: a whole one, many at once, a list of many, and the speed of virtual time under a load. */
import { Actor, createActor } from 'xstate';
import { actorClock } from '../../src/actors/actor-logic.ts';
import { EntityHost } from '../../src/actors/entity-host.ts';
import { dialogMachine } from '../../src/machines/call/dialog.ts';
import { legTable } from '../../src/sip/legs.ts';
import { VirtualClock } from '../ports/virtual-clock.ts';
import { loadTopology } from '../topology/load-topology.ts';
import { VirtualWorld } from '../world/virtual.ts';
import { bareCosts } from './entity-bench.ts';
import { atLeast, atMost, type BenchRow, cpuOf, heapBytes, median, timed } from './measure.ts';

const calls = '/rest/v1/uc/calls';
const together = 100;
const few = 200;
const many = 5_000;

export async function callRows(): Promise<BenchRow[]> {
  return [...(await fullCallRow()), ...(await manyRows()), ...(await loadRow())];
}

/** A virtual cluster with a session of an administrator of acme. */
export class CallBench {
  readonly world = new VirtualWorld({ ...loadTopology('default'), seed: 1 });
  #token = '';

  async start(): Promise<void> {
    await this.world.start();
    const credentials = { domain: 'acme.root.test', login: 'admin', pwd: 'admin', session_type: 'token' };
    const answer = await this.ask('POST', '/rest/v1/iam/sessions', credentials);
    this.#token = (answer as { session_token: string }).session_token;
  }

  async ask(method: string, path: string, body?: unknown): Promise<unknown> {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${this.#token}` };
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await this.world.request(
      'north',
      new Request(`http://north${path}`, { method, headers, ...content }),
    );
    const text = await response.text();
    return text === '' ? undefined : JSON.parse(text);
  }

  async count(): Promise<number> {
    return ((await this.ask('GET', `${calls}?countonly`)) as { count: number }).count;
  }
}

/**
 * POST to both legs ended, events and records included, a hundred at once; against the same number of actors started
 * and events sent on bare XState. Entities and legs count as actors, though they run as charts and by a table.
 */
async function fullCallRow(): Promise<BenchRow[]> {
  const bench = new CallBench();
  await bench.start();
  const round = async () => {
    const order = { from: '1001', to: '1002', response_mode: 3 };
    await Promise.all(Array.from({ length: together }, () => bench.ask('POST', calls, order)));
    const live = (await bench.ask('GET', `${calls}?mask=dialogid`)) as { dialogid: string }[];
    await Promise.all(live.map(({ dialogid }) => bench.ask('DELETE', `${calls}/${dialogid}`)));
    await bench.world.wait(10_000);
  };
  // As many as the runtime needs to compile what calls execute: the floor is measured so too.
  for (let i = 0; i < 12; i += 1) await round();
  const counted = await counting(round);
  const costs: number[] = [];
  for (let i = 0; i < 5; i += 1) costs.push((await cpuOf(round)) / together);
  const idleMs = (await cpuOf(() => bench.world.wait(16_000))) / together;
  await bench.world.stop();
  const actors = counted.actors / together;
  const events = counted.events / together;
  const { startMs, sendMs } = await bareCosts();
  const floorMs = actors * startMs + events * sendMs;
  const costMs = median(costs) - idleMs;
  return [
    atMost(4, {
      name: 'a full call',
      floor: 'its transitions on bare XState',
      ratio: costMs / floorMs,
      detail: `${costMs.toFixed(2)} ms against ${floorMs.toFixed(2)} ms: ${actors.toFixed(0)} actors, ${events.toFixed(0)} events`,
    }),
  ];
}

/** Memory of many calls at once, with phones, b2b and callstores, and a page of their list. */
async function manyRows(): Promise<BenchRow[]> {
  const bench = new CallBench();
  await bench.start();
  await connect(bench, few);
  const fewMs = await pageMs(bench);
  const before = { bytes: heapBytes(), live: await bench.count() };
  await connect(bench, many - few);
  const live = await bench.count();
  const bytes = (heapBytes() - before.bytes) / (live - before.live);
  const manyMs = await pageMs(bench);
  await bench.world.stop();
  const bare = bareBytes();
  return [
    atMost(3, {
      name: 'memory of a call',
      floor: 'its actors: dialog, 2 legs, 2 phones, each bare',
      ratio: bytes / (5 * bare),
      detail: `${(bytes / 1_024).toFixed(1)} KB against ${((5 * bare) / 1_024).toFixed(1)} KB, ${live} calls at once`,
    }),
    atMost(2, {
      name: `page of 100 from ${many}`,
      floor: `page of 100 from ${few}`,
      ratio: manyMs / fewMs,
      detail: `${manyMs.toFixed(2)} against ${fewMs.toFixed(2)} ms`,
    }),
  ];
}

/** Calls between phones of north at the highest rate without losses. */
export async function connect(bench: CallBench, count: number): Promise<void> {
  for (let made = 0; made < count; made += 100) {
    for (let i = 0; i < Math.min(100, count - made); i += 1) {
      bench.world.outside.call(`acme.root.test/100${1 + (i % 2)}`, `100${3 + (i % 2)}`);
    }
    await bench.world.wait(500);
  }
  await bench.world.wait(5_000);
}

async function pageMs(bench: CallBench): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 21; i += 1) times.push(await timed(() => bench.ask('GET', `${calls}?limit=100`)));
  return median(times);
}

async function loadRow(): Promise<BenchRow[]> {
  const { world } = new CallBench();
  await world.start();
  world.outside.traffic({ rate: 10, holdingMs: 20_000 }).start();
  await world.wait(160_000);
  const speeds: number[] = [];
  for (let i = 0; i < 3; i += 1) speeds.push(20_000 / (await timed(() => world.wait(20_000))));
  await world.stop();
  return [
    atLeast(60, {
      name: '10 calls a second',
      floor: 'real time',
      ratio: median(speeds),
      detail: 'phones, providers, rooms; held for 20 s in the mean',
    }),
  ];
}

/** Actors started and events sent during `work`. */
async function counting(work: () => Promise<unknown>): Promise<{ actors: number; events: number }> {
  const counts = { actors: 0, events: 0 };
  const table = legTable() as { step: (...args: unknown[]) => unknown };
  const { step } = table;
  const { start, send } = Actor.prototype;
  const hosts = EntityHost.prototype as { start: (...args: never[]) => unknown; send: (...args: never[]) => boolean };
  const { start: startEntity, send: sendToEntity } = hosts;
  table.step = (...args) => {
    counts.events += 1;
    // The first event of a leg.
    if (args[0] === legTable().initial) counts.actors += 1;
    return step(...args);
  };
  Actor.prototype.start = function (this: Actor<never>) {
    counts.actors += 1;
    return start.call(this);
  };
  hosts.start = function (this: typeof hosts, ...args) {
    counts.actors += 1;
    return startEntity.apply(this, args);
  };
  hosts.send = function (this: typeof hosts, ...args) {
    counts.events += 1;
    return sendToEntity.apply(this, args);
  };
  Actor.prototype.send = function (this: Actor<never>, event: never) {
    counts.events += 1;
    return send.call(this, event);
  };
  try {
    await work();
  } finally {
    table.step = step;
    Object.assign(Actor.prototype, { start, send });
    Object.assign(hosts, { start: startEntity, send: sendToEntity });
  }
  return counts;
}

/** Bytes of one bare actor of the dialog machine. */
function bareBytes(): number {
  const clock = actorClock(new VirtualClock(0));
  const count = 2_000;
  const before = heapBytes();
  const kept = Array.from({ length: count }, () =>
    createActor(dialogMachine, { clock, input: { isOriginated: false, isProven: true } }).start(),
  );
  const bytes = (heapBytes() - before) / count;
  for (const actor of kept) actor.stop();
  return bytes;
}
