/** Stores on a faulty disk: calls take longer, beside each other, and in order; on a full one writes fail. */

import { FaultyDisk } from '../../../sim/faults/faulty-disk.ts';
import { SeededRandom } from '../../../sim/ports/random.ts';
import { SimulatedStores } from '../../../sim/ports/store.ts';
import { VirtualClock } from '../../../sim/ports/virtual-clock.ts';
import { test } from '../../kit/test.ts';

async function opened(slow: { ms: number; isFull?: boolean }) {
  const clock = new VirtualClock(0);
  const stores = new SimulatedStores({ clock, random: new SeededRandom(1).stream('faults'), latencyMs: 0 });
  const disk = new FaultyDisk(clock, { slowMs: () => slow.ms, isFull: () => slow.isFull === true });
  const store = await disk.of(stores).open('data');
  const done: string[] = [];
  const note = (what: string, call: Promise<unknown>) => call.then(() => done.push(`${what} at ${clock.now()}`));
  /** Lets time pass step by step, and what was awaited go on in between. */
  const pass = async (ms: number) => {
    for (let step = 0; step < ms; step += 10) {
      clock.advanceTo(clock.now() + 10);
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    }
  };
  return { store, stores, disk, done, note, pass };
}

test('calls take longer, beside each other', async (t) => {
  const { store, done, note, pass } = await opened({ ms: 100 });
  note('write', store.write([{ put: 'a', value: '1' }]));
  await pass(50);
  note('get', store.get('a'));
  await pass(200);
  t.deepEqual(done, ['write at 100', 'get at 150']);
});

test('a call made after the disk has recovered does not overtake the waiting ones', async (t) => {
  const slow = { ms: 100 };
  const { store, done, note, pass } = await opened(slow);
  note('first', store.write([{ put: 'a', value: '1' }]));
  slow.ms = 0;
  note('second', store.write([{ put: 'a', value: '2' }]));
  note('close', store.close());
  await pass(200);
  t.deepEqual(done, ['first at 100', 'second at 100', 'close at 100']);
});

test('a store that is not slow is as it was', async (t) => {
  const { store } = await opened({ ms: 0 });
  await store.write([{ put: 'a', value: '1' }]);
  t.is(await store.get('a'), '1');
  const found: string[] = [];
  for await (const [key] of store.entries({})) found.push(key);
  t.deepEqual(found, ['a']);
});

test('what is read in order waits as well, and then has what was written before', async (t) => {
  const { store, pass } = await opened({ ms: 100 });
  const written = store.write([{ put: 'a', value: '1' }]);
  const found: string[] = [];
  const reading = (async () => {
    for await (const [key] of store.entries({})) found.push(key);
  })();
  await pass(300);
  await Promise.all([written, reading]);
  t.deepEqual(found, ['a']);
});

test('of a process that dies the calls that wait are never made, and its lock is free at once', async (t) => {
  const { store, stores, disk, done, note, pass } = await opened({ ms: 100 });
  note('write', store.write([{ put: 'a', value: '1' }]));
  disk.die();
  await store.close();
  await pass(200);
  t.deepEqual(done, []);
  t.is(await (await stores.open('data')).get('a'), undefined);
});

test('on a full disk no store opens and no write is made, as on a real one; with room both are', async (t) => {
  const slow = { ms: 0, isFull: false };
  const { store, stores, disk } = await opened(slow);
  const write = () => store.write([{ put: 'a', value: '1' }]);
  slow.isFull = true;
  await t.throwsAsync(write(), { name: 'StoreUnwritable' });
  await t.throwsAsync(disk.of(stores).open('other'), { name: 'StoreUnwritable', message: /no space left on device/ });
  await store.close();
  await t.throwsAsync(disk.of(stores).open('data'), { name: 'StoreUnwritable' });
  slow.isFull = false;
  const again = await disk.of(stores).open('data');
  t.is(await again.get('a'), undefined);
  await again.write([{ put: 'a', value: '2' }]);
  t.is(await again.get('a'), '2');
});
