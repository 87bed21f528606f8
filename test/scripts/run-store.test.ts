/** The store of runs on a disk that is full for a while. */
import { FaultyDisk } from '../../sim/faults/faulty-disk.ts';
import { SeededRandom } from '../../sim/ports/random.ts';
import { SimulatedStores } from '../../sim/ports/store.ts';
import { VirtualClock } from '../../sim/ports/virtual-clock.ts';
import type { RunRecord } from '../../src/scripts/run-record.ts';
import { RunStore } from '../../src/scripts/run-store.ts';
import { idle } from '../kit/quiet.ts';
import { scopedTest } from '../kit/scoped.ts';

const test = scopedTest();

function onDisk() {
  const clock = new VirtualClock(0);
  const disk = { isFull: false };
  const stores = new SimulatedStores({ clock, random: new SeededRandom(1).stream('faults') });
  const faulty = new FaultyDisk(clock, { slowMs: () => 0, isFull: () => disk.isFull });
  const runs = new RunStore({ clock }, faulty.of(stores.shared('site', 'n1')), 'scripts');
  const pass = async (ms: number) => {
    const untilMs = clock.now() + ms;
    for (await idle(); (clock.nextDeadlineMs() ?? Infinity) <= untilMs; await idle()) clock.runNext();
    clock.advanceTo(untilMs);
    await idle();
  };
  const stored = async () => {
    const loaded = runs.load();
    await pass(100);
    return (await loaded)?.map(({ id, status }) => ({ id, status }));
  };
  return { disk, runs, pass, stored };
}

function record(id: string, status: RunRecord['status']): string {
  return JSON.stringify({ id, status, startedMs: 0 });
}

test('a write that waits for the disk does not replace a newer state of its run', async (t) => {
  const { disk, runs, pass, stored } = onDisk();
  disk.isFull = true;
  const older = runs.put('a', record('a', 'running'));
  await pass(500);
  disk.isFull = false;
  const newer = runs.put('a', record('a', 'finished'));
  await pass(5_000);
  t.deepEqual(await Promise.all([older, newer]), [true, true]);
  t.deepEqual(await stored(), [{ id: 'a', status: 'finished' }]);
});

test('a run that was removed while the disk was full is gone when it can be written', async (t) => {
  const { disk, runs, pass, stored } = onDisk();
  const putting = runs.put('a', record('a', 'finished'));
  await pass(100);
  t.true(await putting);
  disk.isFull = true;
  const removing = runs.remove('a');
  const other = runs.put('b', record('b', 'running'));
  await pass(3_000);
  t.deepEqual(await stored(), [{ id: 'a', status: 'finished' }]);
  disk.isFull = false;
  await pass(2_000);
  await removing;
  t.true(await other);
  t.deepEqual(await stored(), [{ id: 'b', status: 'running' }]);
});

test('what waits for the disk when the store is closed was not stored', async (t) => {
  const { disk, runs, pass } = onDisk();
  disk.isFull = true;
  const putting = runs.put('a', record('a', 'running'));
  await pass(100);
  runs.close();
  await pass(2_000);
  t.false(await putting);
});

for (const what of ['runs', 'global variables'] as const) {
  const title = `the ${what} of a store that is closed while its instance reads it are not read, and nothing fails`;
  test(title, async (t) => {
    const { runs, pass } = onDisk();
    const putting = runs.put('a', record('a', 'running'), [['acme', { x: 1 }]]);
    await pass(100);
    t.true(await putting);
    // The first one gets to the store after it was closed.
    const reading = what === 'runs' ? runs.load() : runs.globals();
    runs.close();
    const later = what === 'runs' ? runs.load() : runs.globals();
    await pass(100);
    t.deepEqual([await reading, await later], [undefined, undefined]);
  });
}
