/** The runtime guard of virtual runs. */
import { randomUUID } from 'node:crypto';
import { loadTopology } from '../../sim/topology/load-topology.ts';
import { refuseAmbient } from '../../sim/world/ambient-guard.ts';
import { VirtualWorld } from '../../sim/world/virtual.ts';
import { QuickJsEngine } from '../../src/adapters/quickjs-engine.ts';
import { test } from '../kit/test.ts';

/** Named by computed members, as packages may. */
const [chance, present] = ['random', 'now'] as const;
const uses: Readonly<Record<string, () => unknown>> = {
  'Math.random': () => Math[chance](),
  'Date.now': () => Date[present](),
  'new Date': () => Reflect.construct(Date, []),
  'performance.now': () => performance[present](),
  setTimeout: () => setTimeout(() => {}, 0),
  'crypto.randomUUID': () => randomUUID(),
};

function messageOf(use: () => unknown): string {
  try {
    use();
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
}

test('the guard refuses each source of time and chance by its name, until it is lifted', (t) => {
  const allow = refuseAmbient();
  const messages = Object.entries(uses).map(([name, use]) => [name, messageOf(use)] as const);
  const year = new Date(0).getUTCFullYear();
  allow();
  for (const [name, message] of messages) t.true(message.startsWith(name), message);
  t.is(year, 1970);
  for (const use of Object.values(uses)) t.is(messageOf(use), '');
});

test('a cluster starts and calls are answered under the guard', async (t) => {
  const world = new VirtualWorld({ ...loadTopology('default'), seed: 1 });
  const allow = refuseAmbient();
  try {
    await world.start();
    const traffic = world.outside.traffic({ rate: 3, holdingMs: 1_000 });
    traffic.start();
    await world.wait(5_000);
    traffic.stop();
    t.true(traffic.counts.answered > 0);
  } finally {
    allow();
  }
  await world.stop();
});

test('the engine of scripts loads under the guard', async (t) => {
  const allow = refuseAmbient();
  try {
    await t.notThrowsAsync(QuickJsEngine.load(() => undefined));
  } finally {
    allow();
  }
});
