/** The store port: level on disk, and its simulated twin. */

import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { ExecutionContext } from 'ava';
import fc from 'fast-check';
import { Level } from 'level';
import { FaultyDisk } from '../../sim/faults/faulty-disk.ts';
import { SeededRandom } from '../../sim/ports/random.ts';
import { SimulatedStores } from '../../sim/ports/store.ts';
import { VirtualClock } from '../../sim/ports/virtual-clock.ts';
import { type Disk, WriteTrouble } from '../../src/adapters/disk.ts';
import { LevelStores } from '../../src/adapters/level-store.ts';
import type { Log } from '../../src/ports/log.ts';
import { type StoreChange, StoreDamaged, StoreLocked } from '../../src/ports/store.ts';
import { test } from '../kit/test.ts';
import { applyTo, change, fullDiskContract, put, read, readFrom, storeContract } from './store-contract.ts';

async function makeDirectory(t: ExecutionContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'strowger-store-'));
  t.teardown(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** Lets everything happen that needs no time. */
const idle = () => new Promise((resolve) => setImmediate(resolve));

function makeWorld({ latencyMs = 1, seed = 1 } = {}) {
  const clock = new VirtualClock(0);
  const stores = new SimulatedStores({ clock, random: new SeededRandom(seed).stream('faults'), latencyMs });
  const settle = async <T>(promise: Promise<T>): Promise<T> => {
    const watched = watch(promise);
    for (;;) {
      await idle();
      if (watched.isSettled) return promise;
      if (!clock.runNext()) throw new Error('nothing is left to happen, and the promise is still pending');
    }
  };
  const advance = async (ms: number) => {
    clock.advanceTo(clock.now() + ms);
    await idle();
  };
  return { clock, stores, settle, advance };
}

function watch(promise: Promise<unknown>): { isSettled: boolean } {
  const watched = { isSettled: false };
  const settled = () => {
    watched.isSettled = true;
  };
  promise.then(settled, settled);
  return watched;
}

storeContract(test, 'level', async (t) => ({
  stores: new LevelStores(await makeDirectory(t)),
  settle: (promise) => promise,
}));
storeContract(test, 'simulated', async () => makeWorld());
storeContract(test, 'simulated without latency', async () => makeWorld({ latencyMs: 0 }));

type Operations = { type: 'put'; key: string; value: string }[];

/**
 * Level on a disk whose writes fail on demand. `refused`: nothing of them is there; `torn`: as when a sync fails, they are in
 * the log, and so in the database that is opened next.
 */
function failingDisk(kind: 'refused' | 'torn') {
  const state = { isFailing: false };
  const torn = new Map<string, Operations[]>();
  const failure = () => Object.assign(new Error('IO error: No space left on device'), { code: 'LEVEL_IO_ERROR' });
  const database = (path: string) => {
    const level = new Level(path);
    const inLog = torn.get(path) ?? [];
    torn.set(path, inLog);
    const batch = level.batch.bind(level) as (operations: Operations, options: object) => Promise<void>;
    const open = level.open.bind(level);
    return Object.assign(level, {
      open: async () => {
        await open();
        for (const operations of inLog.splice(0)) await batch(operations, {});
      },
      batch: async (operations: Operations, options: object) => {
        if (!state.isFailing) return batch(operations, options);
        if (kind === 'torn') inLog.push(operations);
        throw failure();
      },
    }) as Level;
  };
  const tryToWrite = () => {
    if (state.isFailing) throw failure();
  };
  const disk: Disk = { retryMs: 0, database, tryToWrite };
  const fail = (isFailing: boolean) => {
    state.isFailing = isFailing;
  };
  return { disk, fail };
}

for (const kind of ['refused', 'torn'] as const) {
  fullDiskContract(test, `level, ${kind}`, async (t) => {
    const { disk, fail } = failingDisk(kind);
    return { stores: new LevelStores(await makeDirectory(t), { disk }), settle: (promise) => promise, fail };
  });
}
for (const latencyMs of [0, 1]) {
  fullDiskContract(test, `simulated, ${latencyMs} ms`, async () => {
    const { clock, stores, settle } = makeWorld({ latencyMs });
    let isFull = false;
    const disk = new FaultyDisk(clock, { slowMs: () => latencyMs, isFull: () => isFull });
    const fail = (isFailing: boolean) => {
      isFull = isFailing;
    };
    return { stores: disk.of(stores), settle, fail };
  });
}

test('level: that writing fails is logged once, and once that it works again', async (t) => {
  const { disk, fail } = failingDisk('refused');
  const lines: string[] = [];
  const log: Log = { write: (level, event) => lines.push(`${level} ${event}`), child: () => log };
  const stores = new LevelStores(await makeDirectory(t), { disk, trouble: new WriteTrouble(log) });
  const [one, other] = [await stores.open('one'), await stores.open('other')];
  for (const isFailing of [true, false, true]) {
    fail(isFailing);
    for (let round = 0; round < 5; round += 1) {
      for (const store of [one, other]) await store.write([put('a', '')]).catch(() => {});
    }
  }
  const begun = 'error store.unwritable';
  t.deepEqual(lines, [begun, 'warn store.writable', begun]);
  await one.close();
  await other.close();
});

test('level: a directory with parts of a database and no CURRENT is damaged, not empty', async (t) => {
  const directory = await makeDirectory(t);
  const stores = new LevelStores(directory);
  const store = await stores.open('store');
  await store.write([put('a', '1')]);
  await store.close();
  await rm(join(directory, 'store', 'CURRENT'));
  await t.throwsAsync(stores.open('store'), { instanceOf: StoreDamaged, message: /CURRENT.*strowger data check/ });
});

test('level: each store is a directory of its own, made when it is missing', async (t) => {
  const directory = join(await makeDirectory(t), 'made', 'on', 'the', 'way');
  const stores = new LevelStores(directory);
  for (const name of ['calls', 'sessions']) await (await stores.open(name)).close();
  t.deepEqual((await readdir(directory)).sort(), ['calls', 'sessions']);
});

/** Starts a writer, kills it once it has printed some writes, and returns the numbers of all that it printed. */
async function killWriter(t: ExecutionContext, directory: string, { from, after }: { from: number; after: number }) {
  const script = fileURLToPath(new URL('store-writer.js', import.meta.url));
  const writer = spawn(process.execPath, [script, directory, 'store', `${from}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.teardown(() => writer.kill('SIGKILL'));
  const ended = new Promise<string | null>((resolve) => writer.once('close', (_code, signal) => resolve(signal)));
  const acknowledged: number[] = [];
  for await (const line of createInterface({ input: writer.stdout })) {
    acknowledged.push(Number(line));
    if (acknowledged.length === 1) {
      await t.throwsAsync(new LevelStores(directory).open('store'), { instanceOf: StoreLocked }, 'the writer has it');
    }
    if (acknowledged.length === after) writer.kill('SIGKILL');
  }
  t.is(await ended, 'SIGKILL', 'nothing else ended the writer');
  return acknowledged;
}

test('level: a process that is killed while it writes loses nothing that was acknowledged', async (t) => {
  const directory = await makeDirectory(t);
  let written = 0;
  for (const after of [1, 5, 30, 77, 150, 400]) {
    const acknowledged = await killWriter(t, directory, { from: written, after });
    const store = await new LevelStores(directory).open('store');
    const keys = (await read(store)).map(([key]) => key);
    await store.close();
    written = keys.length / 2;
    const whole = Array.from({ length: written }, (_, number) => String(number).padStart(8, '0'));
    t.deepEqual(
      keys,
      whole.flatMap((key) => [`${key}-x`, `${key}-y`]),
      'whole writes, and none left out before another',
    );
    t.true(Math.max(...acknowledged) < written);
    t.true(acknowledged.length >= after);
  }
});

test('simulated: a write is durable, and acknowledged, when its latency has passed', async (t) => {
  const { stores, settle, advance } = makeWorld({ latencyMs: 10 });
  const store = await settle(stores.open('store'));
  const writing = watch(store.write([put('a', '1')]));
  await advance(9);
  t.false(writing.isSettled);
  t.is(await store.get('a'), undefined);
  await advance(1);
  t.true(writing.isSettled);
  t.is(await store.get('a'), '1');
});

test('simulated: a faster write waits for the slower one before it', async (t) => {
  const { stores, settle, advance } = makeWorld({ latencyMs: 10 });
  const store = await settle(stores.open('store'));
  const slow = watch(store.write([put('a', 'slow')]));
  stores.setLatency('store', 2);
  const fast = watch(store.write([put('a', 'fast')]));
  stores.setLatency('', 0);
  const instant = watch(store.write([put('a', 'instant')]));
  await advance(9);
  t.deepEqual(
    [slow, fast, instant].map((write) => write.isSettled),
    [false, false, false],
  );
  await advance(1);
  t.deepEqual(
    [slow, fast, instant].map((write) => write.isSettled),
    [true, true, true],
  );
  t.is(await store.get('a'), 'instant');
});

test('simulated: a stalled store writes nothing until it resumes, but can be read', async (t) => {
  const { stores, settle, advance } = makeWorld();
  const store = await settle(stores.open('store'));
  await settle(store.write([put('a', '1')]));
  stores.stall('store');
  const writing = watch(store.write([put('a', '2')]));
  const closing = watch(store.close());
  await advance(1_000_000);
  t.false(writing.isSettled || closing.isSettled);
  stores.resume('store');
  await idle();
  t.true(writing.isSettled && closing.isSettled);
});

test('simulated: faults strike whole parts of a path, also of stores opened later, and add up', async (t) => {
  const { stores, settle, advance } = makeWorld();
  stores.stall('north');
  stores.stall('north/n1');
  const places = ['north/n1', 'north/n10', 'northern/n1'].map((place) => stores.of(place));
  const opened = await settle(Promise.all(places.map((place) => place.open('store'))));
  const writes = opened.map((store) => watch(store.write([put('a', '1')])));
  const settled = () => writes.map((write) => write.isSettled);
  await advance(10);
  t.deepEqual(settled(), [false, false, true]);
  stores.resume('north');
  await idle();
  t.deepEqual(settled(), [false, true, true]);
  stores.crash('north/n1');
  const again = await settle(Promise.allSettled(places.map((place) => place.open('store'))));
  t.deepEqual(
    again.map(({ status }) => status),
    ['fulfilled', 'rejected', 'rejected'],
  );
});

test('simulated: what is wiped is gone, and nothing beside it', async (t) => {
  const { stores, settle } = makeWorld();
  const [one, other, shared] = [stores.of('n1'), stores.of('n10'), stores.shared('sites/hq', 'n1')];
  const open = () => Promise.all([one, other, shared].map((place) => place.open('data')));
  for (const store of await settle(open())) {
    await settle(store.write([put('a', '1')]));
  }
  stores.crash('');
  stores.wipe('n1');
  const kept = await Promise.all((await settle(open())).map((store) => settle(store.get('a'))));
  t.deepEqual(kept, [undefined, '1', '1']);
});

test('simulated: a store that owners share is freed by the crash of the one that has it open, and of no other', async (t) => {
  const { stores, settle } = makeWorld();
  const [one, other] = ['h1', 'h10'].map((owner) => stores.shared('sites/hq', owner));
  const store = await settle(one!.open('data'));
  await settle(store.write([put('a', '1')]));
  stores.crash('h10');
  await t.throwsAsync(settle(other!.open('data')), { instanceOf: StoreLocked });
  stores.crash('h1');
  const taken = await settle(other!.open('data'));
  t.is(await settle(taken.get('a')), '1');
  stores.crash('h1');
  await t.throwsAsync(settle(one!.open('data')), { instanceOf: StoreLocked });
});

test('simulated: a dead process hears nothing and changes nothing', async (t) => {
  const { clock, stores, settle, advance } = makeWorld({ latencyMs: 5 });
  const store = await settle(stores.open('store'));
  await settle(store.write([put('a', '1'), put('b', '2')]));
  const iteration = store.entries({})[Symbol.asyncIterator]();
  await settle(iteration.next());
  const pending = [store.write([put('c', '3')]), store.get('a'), iteration.next(), store.close()];
  stores.crash('store');
  t.is(clock.pending, 0);
  const late = [store.write([put('d', '4')]), store.get('a'), store.close(), read(store)];
  const reopened = await settle(stores.open('store'));
  await advance(1_000_000);
  const calls = [...pending, ...late].map(watch);
  await idle();
  t.deepEqual(
    calls.filter((call) => call.isSettled),
    [],
  );
  t.deepEqual((await settle(read(reopened))).slice(0, 2), [
    ['a', '1'],
    ['b', '2'],
  ]);
  await t.throwsAsync(
    settle(stores.open('store')),
    { instanceOf: StoreLocked },
    'nor does it free the lock of another',
  );
});

const crashStep = fc.oneof(
  { weight: 4, arbitrary: fc.record({ write: fc.array(change, { maxLength: 4 }) }) },
  { weight: 2, arbitrary: fc.record({ advanceMs: fc.nat(6) }) },
  { weight: 1, arbitrary: fc.record({ latencyMs: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.constantFrom('stall', 'resume') },
);

test('simulated: a crash leaves the first writes, whole, with all that were acknowledged', async (t) => {
  const seen = { kept: 0, lost: 0 };
  const property = fc.asyncProperty(
    fc.nat(),
    fc.array(fc.array(crashStep, { maxLength: 15 }), { maxLength: 4 }),
    async (seed, lives) => {
      const { stores, settle, advance } = makeWorld({ seed });
      let survived: StoreChange[][] = [];
      for (const steps of lives) {
        const store = await settle(stores.open('store'));
        const writes: StoreChange[][] = [];
        const acknowledged: number[] = [];
        for (const step of steps) {
          if (step === 'stall' || step === 'resume') stores[step]('store');
          else if ('advanceMs' in step) await advance(step.advanceMs);
          else if ('latencyMs' in step) stores.setLatency('store', step.latencyMs);
          else {
            const number = writes.push(step.write) - 1;
            store.write(step.write).then(() => acknowledged.push(number));
          }
        }
        await idle();
        const before = acknowledged.length;
        const { keptWrites, lostWrites } = stores.crash('store');
        await advance(100);
        t.is(acknowledged.length, before, 'a dead process hears nothing');
        t.deepEqual(acknowledged, [...acknowledged.keys()], 'acknowledged in order');
        t.is(before + keptWrites + lostWrites, writes.length);
        survived = [...survived, ...writes.slice(0, before + keptWrites)];
        seen.kept += keptWrites;
        seen.lost += lostWrites;
        const model = new Map<string, string>();
        for (const changes of survived) applyTo(model, changes);
        const reopened = await settle(stores.open('store'));
        t.deepEqual(await settle(read(reopened)), readFrom(model));
        stores.crash('store');
      }
    },
  );
  await t.notThrowsAsync(fc.assert(property, { numRuns: 200 }));
  t.true(seen.kept > 100 && seen.lost > 100, 'both happened, and not by exception');
});

test('simulated: the same seed keeps the same writes', async (t) => {
  const crashOften = async (seed: number) => {
    const { stores, settle } = makeWorld({ seed });
    const kept: number[] = [];
    for (let round = 0; round < 20; round++) {
      const store = await settle(stores.open('store'));
      for (let write = 0; write < 10; write++) store.write([put(`${write}`, '')]);
      kept.push(stores.crash('store').keptWrites);
    }
    return kept;
  };
  const kept = await crashOften(7);
  t.deepEqual(await crashOften(7), kept);
  t.notDeepEqual(await crashOften(8), kept);
  t.true(new Set(kept).size > 3);
});
