/** A node that ends before it has started must leave nothing alive. */

import { SimulatedNetwork } from '../../sim/ports/network.ts';
import { SeededRandom } from '../../sim/ports/random.ts';
import { SimulatedStores } from '../../sim/ports/store.ts';
import { VirtualClock } from '../../sim/ports/virtual-clock.ts';
import { Node } from '../../src/cluster/node.ts';
import type { Role } from '../../src/cluster/role.ts';
import { done } from '../../src/model/fault.ts';
import { noFaultPoints } from '../../src/ports/instrumentation/fault-points.ts';
import { type Stores, StoreUnwritable } from '../../src/ports/store.ts';
import { oneSite } from '../kit/maps.ts';
import { idle, silentLog } from '../kit/quiet.ts';
import { test } from '../kit/test.ts';

const map = oneSite(2);
const storeMs = 5;

/** A node on a disk that takes its time but outlives it, as the files of a real process do. */
function fresh(disk?: Stores) {
  const clock = new VirtualClock(0);
  const random = new SeededRandom(1);
  const network = new SimulatedNetwork({ map, clock, random: random.stream('network'), onFrame: () => {} });
  const stores = new SimulatedStores({ clock, random: random.stream('faults'), latencyMs: storeMs });
  let made = 0;
  const node = new Node({
    map,
    name: 'a1',
    clock,
    link: network.linkOf('a1'),
    stores: disk ?? stores.of('a1'),
    random,
    log: silentLog,
    faultPoints: noFaultPoints,
    makeRole: () => {
      made += 1;
      return { handlers: { 'filter.list': () => done({ banned: [] }) } } as unknown as Role;
    },
    onTerminated: () => {},
  });
  const pass = async (ms: number) => {
    for (let step = 0; step < ms; step += 1) {
      clock.advanceTo(clock.now() + 1);
      await idle();
    }
  };
  /** Whether the other node can connect to this one. */
  const isThere = async () => {
    let connected = false;
    const link = network.linkOf('a2');
    await link.open({
      received: () => {},
      disconnected: () => {},
      connected: () => {
        connected = true;
      },
    });
    await pass(20);
    link.crash();
    return connected;
  };
  return { node, clock, pass, isThere, made: () => made };
}

test('a node starts when its store has counted the start', async (t) => {
  const { node, pass, isThere, made } = fresh();
  const started = node.start();
  await pass(storeMs + 1);
  await started;
  t.is(node.status, 'serving');
  t.is(made(), 2);
  t.true(await isThere());
});

test('a node that crashes while it starts is dead, and stays so', async (t) => {
  for (const crashAfterMs of [0, 2]) {
    const { node, clock, pass, isThere, made } = fresh();
    void node.start();
    await pass(crashAfterMs);
    node.crash();
    await pass(20);
    t.is(made(), 0);
    t.false(await isThere());
    t.deepEqual([node.openTimers, node.openAsks, clock.pending], [0, 0, 0]);
  }
});

test('a node that waits for room on its disk can be stopped', async (t) => {
  const full = { open: () => Promise.reject(new StoreUnwritable('node', 'no space left on device')) };
  const { node, clock, pass, made } = fresh(full);
  void node.start();
  await pass(2_500);
  await node.closeFronts();
  await node.stop();
  t.is(made(), 0);
  t.deepEqual([node.status, node.openTimers, clock.pending], ['stopped', 0, 0]);
});

test('a node that is stopped while it starts leaves, and stays away', async (t) => {
  const { node, clock, pass, isThere, made } = fresh();
  const started = node.start();
  await pass(2);
  let hasLeft = false;
  void node.stop().then(() => {
    hasLeft = true;
  });
  await pass(20);
  await started;
  t.true(hasLeft);
  t.is(made(), 0);
  t.false(await isThere());
  t.deepEqual([node.status, node.openTimers, clock.pending], ['stopped', 0, 0]);
});
