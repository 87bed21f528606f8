/** A database of domain data: nothing acknowledged is lost, nothing is half there, whenever its process dies. */
import assert from 'node:assert';
import fc from 'fast-check';
import { SeededRandom } from '../../sim/ports/random.ts';
import { SimulatedStores } from '../../sim/ports/store.ts';
import { VirtualClock } from '../../sim/ports/virtual-clock.ts';
import { limits } from '../../src/model/limits.ts';
import type { DataRowChange } from '../../src/model/protocol/messages/data.ts';
import { Pace } from '../../src/ports/pace.ts';
import { type Store, type StoreChange, StoreClosed, type StoreRange, StoreUnwritable } from '../../src/ports/store.ts';
import { Database } from '../../src/storage/database.ts';
import { holds, runs } from '../kit/property.ts';
import { test } from '../kit/test.ts';
import { acme, settle, sipUserRow } from './rows.ts';

class Disk {
  readonly clock = new VirtualClock(0);
  readonly stores: SimulatedStores;

  constructor(seed = 1, latencyMs = 1) {
    this.stores = new SimulatedStores({
      clock: this.clock,
      random: new SeededRandom(seed).stream('faults'),
      latencyMs,
    });
  }

  settle<T>(promise: Promise<T>): Promise<T> {
    return settle(this.clock, promise);
  }

  /** Opens the database; one that is empty is filled with nothing. */
  async open(): Promise<Database> {
    const pace = new Pace(this.clock);
    const database = await this.settle(Database.open(await this.stores.open('data'), pace));
    if (database.position === undefined) await this.settle(database.refill([], { database: 'one', sequence: 0 }, pace));
    return database;
  }
}

const quiet = () => {};

/** What a database shows: numbers and names of its SIP users. */
function shown(database: Database): string[] {
  return [...database.rows()].map(({ item }) => `${item['login']}=${item['name']}`).sort();
}

interface Step {
  readonly number: number;
  /** Absent: the row goes. */
  readonly name?: string;
}

function changeOf({ number, name }: Step): DataRowChange {
  const row = sipUserRow(number, { name });
  return name === undefined ? { gone: { kind: 'sipuser', domain: acme, id: row.item.id } } : { put: row };
}

/** The states that a series of changes goes through, the first being empty. */
function statesOf(series: readonly (readonly Step[])[]): string[][] {
  const rows = new Map<number, string>();
  const states: string[][] = [[]];
  for (const steps of series) {
    for (const { number, name } of steps) {
      if (name === undefined) rows.delete(number);
      else rows.set(number, name);
    }
    states.push([...rows].map(([number, name]) => `${number}=${name}`).sort());
  }
  return states;
}

const step = fc.record(
  { number: fc.integer({ min: 0, max: 6 }), name: fc.constantFrom('a', 'b') },
  { requiredKeys: ['number'] },
);
const seriesOfSteps = fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { maxLength: 25 }) as fc.Arbitrary<
  Step[][]
>;

test('a process that dies at any moment has lost nothing acknowledged, and half of nothing is there', async (t) => {
  await holds(
    t,
    fc.asyncProperty(seriesOfSteps, fc.nat({ max: 30 }), fc.nat(), async (series, crashAt, seed) => {
      const disk = new Disk(seed);
      const database = await disk.open();
      let acknowledged = 0;
      void (async () => {
        for (const steps of series) acknowledged = await database.commit(steps.map(changeOf), quiet);
      })();
      for (let i = 0; i < crashAt; i += 1) {
        await new Promise((resolve) => setImmediate(resolve));
        disk.clock.runNext();
      }
      const seen = shown(database);
      disk.stores.crash('');
      const again = await disk.open();
      const { sequence = -1 } = again.position ?? {};
      const states = statesOf(series);
      assert.ok(sequence >= acknowledged, `${sequence} of ${acknowledged} acknowledged`);
      assert.deepEqual(shown(again), states[sequence]);
      assert.ok(
        states.slice(0, sequence + 1).some((state) => state.join() === seen.join()),
        'what was seen was durable',
      );
    }),
    { numRuns: runs(8) },
  );
});

test('the changes since any moment lead from the state of then to that of now', async (t) => {
  await holds(
    t,
    fc.asyncProperty(seriesOfSteps, fc.boolean(), async (series, isReopened) => {
      const disk = new Disk(1, 0);
      let database = await disk.open();
      for (const steps of series) await database.commit(steps.map(changeOf), quiet);
      if (isReopened) {
        disk.stores.crash('');
        database = await disk.open();
      }
      const states = statesOf(series);
      for (const [sequence, state] of states.entries()) {
        const changes = database.changesSince(sequence) ?? [];
        const rows = new Map(state.map((text) => [text.split('=')[0]!, text]));
        for (const change of changes) {
          if ('put' in change)
            rows.set(String(change.put.item['login']), `${change.put.item['login']}=${change.put.item['name']}`);
          else for (let n = 0; n <= 6; n += 1) if (sipUserRow(n).item.id === change.gone.id) rows.delete(String(n));
        }
        assert.deepEqual([...rows.values()].sort(), states.at(-1));
      }
      assert.equal(database.changesSince(states.length), undefined, 'no position is ahead of the last change');
    }),
  );
});

test('the log keeps the last changes only; a position before them gets none', async (t) => {
  const disk = new Disk(1, 0);
  const database = await disk.open();
  const beyond = 5;
  for (let i = 0; i < limits.dataLogChanges + beyond; i += 1)
    await database.commit([changeOf({ number: i % 3, name: 'a' })], quiet);
  t.is(database.changesSince(beyond - 1), undefined);
  t.is(database.changesSince(beyond)?.length, 3);
  disk.stores.crash('');
  const again = await disk.open();
  t.is(again.changesSince(beyond - 1), undefined);
  t.is(again.changesSince(beyond)?.length, 3);
  t.deepEqual(again.changesSince(limits.dataLogChanges + beyond), []);
});

test('a refill replaces all rows at one moment, or not at all, whenever its process dies', async (t) => {
  await holds(
    t,
    fc.asyncProperty(fc.nat({ max: 1_200 }), fc.nat({ max: 20 }), fc.nat(), async (count, crashAt, seed) => {
      const disk = new Disk(seed);
      const database = await disk.open();
      await disk.settle(database.commit([changeOf({ number: 5_000, name: 'old' })], quiet));
      const rows = Array.from({ length: count }, (_, number) => sipUserRow(number, { name: 'new' }));
      const old = shown(database);
      void database.refill(rows, { database: 'two', sequence: 9 }, new Pace(disk.clock));
      for (let i = 0; i < crashAt; i += 1) {
        await new Promise((resolve) => setImmediate(resolve));
        disk.clock.runNext();
      }
      disk.stores.crash('');
      const again = await disk.open();
      const isNew = again.position?.database === 'two';
      assert.deepEqual(shown(again), isNew ? rows.map(({ item }) => `${item['login']}=new`).sort() : old);
      assert.equal(again.position?.sequence, isNew ? 9 : 1);
      const store = disk.stores;
      disk.stores.crash('');
      const left = await store.open('data');
      let kept = 0;
      for await (const _ of left.entries({ from: 'r/', to: 'r0' })) kept += 1;
      assert.equal(kept, again.size, 'nothing of the other generation is left');
    }),
    { numRuns: runs(4) },
  );
});

test('a change to a database that was closed is refused, and did not happen', async (t) => {
  const disk = new Disk();
  const database = await disk.open();
  await disk.settle(database.close());
  await t.throwsAsync(database.commit([changeOf({ number: 1, name: 'a' })], quiet), { instanceOf: StoreClosed });
  t.deepEqual(shown(database), []);
  t.deepEqual(shown(await disk.open()), []);
});

/** A store whose writes begin when they are let, or fail. */
class GatedStore implements Store {
  readonly writes: { readonly begin: () => void; readonly fail: () => void }[] = [];
  isOpen = true;
  readonly #inner: Store;

  constructor(inner: Store) {
    this.#inner = inner;
  }

  get(key: string) {
    return this.#inner.get(key);
  }

  entries(range: StoreRange) {
    return this.#inner.entries(range);
  }

  close() {
    return this.#inner.close();
  }

  async write(changes: readonly StoreChange[]): Promise<void> {
    if (!this.isOpen)
      await new Promise<void>((begin, reject) => {
        this.writes.push({ begin, fail: () => reject(new StoreUnwritable('data', 'no space left on device')) });
      });
    return this.#inner.write(changes);
  }
}

test('a copy that follows while an earlier write is under way, and fails, has both in its store', async (t) => {
  const disk = new Disk();
  const inner = await disk.stores.open('data');
  const store = new GatedStore(inner);
  const pace = new Pace(disk.clock);
  const database = await disk.settle(Database.open(store, pace));
  await disk.settle(database.refill([], { database: 'one', sequence: 0 }, pace));
  store.isOpen = false;
  const followed = [
    database.follow([changeOf({ number: 1, name: 'a' }), changeOf({ number: 2, name: 'b' })], {
      database: 'one',
      sequence: 1,
    }),
    database.follow([changeOf({ number: 1 })], { database: 'one', sequence: 2 }),
  ];
  store.writes[0]?.fail();
  await Promise.resolve();
  store.isOpen = true;
  for (const { begin } of store.writes.slice(1)) begin();
  await disk.settle(Promise.all(followed));
  await disk.settle(database.follow([changeOf({ number: 3, name: 'c' })], { database: 'one', sequence: 3 }));
  t.deepEqual(shown(database), ['2=b', '3=c']);
  await disk.settle(database.close());
  const again = await disk.open();
  t.deepEqual(shown(again), shown(database));
  t.is(again.position?.sequence, 3);
});
