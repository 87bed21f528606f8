/** What every store does, on disk or in memory. */
import type { ExecutionContext, SerialFn } from 'ava';
import fc from 'fast-check';
import {
  type Store,
  type StoreChange,
  StoreClosed,
  StoreLocked,
  type StoreRange,
  type Stores,
  StoreUnwritable,
} from '../../src/ports/store.ts';
import { sized } from '../kit/property.ts';
import { anyCharacter } from '../kit/text.ts';

export interface StoresUnderTest {
  stores: Stores;
  /** Lets time pass until `promise` settles, and settles like it. */
  settle<T>(promise: Promise<T>): Promise<T>;
  /** Lets every write fail from now on, or none. Absent: the disk below has no such switch. */
  fail?(isFailing: boolean): void;
}

type Entry = readonly [key: string, value: string];

export const put = (key: string, value: string): StoreChange => ({ put: key, value });
export const remove = (key: string): StoreChange => ({ delete: key });

export async function read(store: Store, range: StoreRange = {}): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of store.entries(range)) entries.push(entry);
  return entries;
}

/** Puts every key, each with its own name as the value. */
const putAll = (keys: readonly string[]): StoreChange[] => keys.map((key) => put(key, key));

export function storeContract(
  test: SerialFn,
  label: string,
  makeStores: (t: ExecutionContext) => Promise<StoresUnderTest>,
): void {
  /** A test that has one store open, which is closed in the end. */
  const testStore = (
    title: string,
    body: (t: ExecutionContext, store: Store, world: StoresUnderTest) => Promise<void>,
  ) =>
    test(`${label}: ${title}`, async (t) => {
      const world = await makeStores(t);
      const store = await world.settle(world.stores.open('store'));
      await body(t, store, world);
      await world.settle(store.close());
    });

  testStore('what was put is there, what was deleted is not', async (t, store, { settle }) => {
    t.is(await settle(store.get('a')), undefined);
    await settle(store.write([put('a', 'one'), put('b', '')]));
    t.is(await settle(store.get('a')), 'one');
    t.is(await settle(store.get('b')), '');
    await settle(store.write([put('a', 'two'), remove('b'), remove('never there')]));
    t.deepEqual(await settle(read(store)), [['a', 'two']]);
    t.is(await settle(store.get('b')), undefined);
  });

  testStore('the later of two changes to one key wins', async (t, store, { settle }) => {
    await settle(store.write([put('a', '1'), put('a', '2'), put('b', '1'), remove('b'), remove('c'), put('c', '1')]));
    t.deepEqual(await settle(read(store)), [
      ['a', '2'],
      ['c', '1'],
    ]);
  });

  testStore('an empty write changes nothing, and resolves', async (t, store, { settle }) => {
    await settle(store.write([put('a', '1')]));
    t.is(await settle(store.write([])), undefined);
    t.deepEqual(await settle(read(store)), [['a', '1']]);
  });

  testStore('a write holds the changes as they were when it was called', async (t, store, { settle }) => {
    const change = { put: 'a', value: 'called' };
    const changes = [change];
    const writing = store.write(changes);
    change.value = 'meddled with';
    changes.push({ put: 'b', value: 'slipped in' });
    await settle(writing);
    t.deepEqual(await settle(read(store)), [['a', 'called']]);
  });

  testStore('a reader sees all of a write or none of it', async (t, store, { settle }) => {
    const keys = ['a', 'b', 'c', 'd'];
    const writes = Array.from({ length: 20 }, (_, round) => store.write(keys.map((key) => put(key, `${round}`))));
    const reads = writes.map(async (writing, round) => {
      const early = await read(store);
      await writing;
      return [early, await read(store)].every((entries) => new Set(entries.map(([, value]) => value)).size < 2)
        ? 'whole'
        : `torn at ${round}`;
    });
    t.deepEqual(new Set(await settle(Promise.all(reads))), new Set(['whole']));
  });

  testStore(
    'writes that do not wait for each other take effect in the order of the calls',
    async (t, store, { settle }) => {
      const acknowledged: number[] = [];
      const writes = Array.from({ length: 600 }, async (_, number) => {
        await store.write([put('last', `${number}`)]);
        acknowledged.push(number);
        return Number(await store.get('last')) >= number;
      });
      t.deepEqual(new Set(await settle(Promise.all(writes))), new Set([true]));
      t.is(await settle(store.get('last')), '599');
      t.deepEqual(acknowledged, [...acknowledged.keys()]);
    },
  );

  testStore('a range takes in its start and not its end', async (t, store, { settle }) => {
    await settle(store.write(putAll(['a', 'b', 'ba', 'c', 'd'])));
    const keys = async (range: StoreRange) => (await settle(read(store, range))).map(([key]) => key).join(' ');
    t.is(await keys({}), 'a b ba c d');
    t.is(await keys({ from: 'b' }), 'b ba c d');
    t.is(await keys({ to: 'c' }), 'a b ba');
    t.is(await keys({ from: 'b', to: 'c' }), 'b ba');
    t.is(await keys({ from: 'aa', to: 'bb' }), 'b ba');
    t.is(await keys({ from: 'c', to: 'b' }), '');
    t.is(await keys({ from: 'b', to: 'b' }), '');
    t.is(await keys({ from: '', to: '' }), '');
    t.is(await keys({ from: 'e' }), '');
  });

  testStore('a range can be read from its end, and cut short', async (t, store, { settle }) => {
    await settle(store.write(putAll(['a', 'b', 'c', 'd'])));
    const keys = async (range: StoreRange) => (await settle(read(store, range))).map(([key]) => key).join(' ');
    t.is(await keys({ reverse: true }), 'd c b a');
    t.is(await keys({ reverse: true, from: 'b', to: 'd' }), 'c b');
    t.is(await keys({ limit: 2 }), 'a b');
    t.is(await keys({ limit: 2, from: 'b' }), 'b c');
    t.is(await keys({ limit: 2, reverse: true }), 'd c');
    t.is(await keys({ limit: 9 }), 'a b c d');
    t.is(await keys({ limit: 0 }), '');
  });

  testStore('keys are ordered by their UTF-8 bytes', async (t, store, { settle }) => {
    // UTF-16 would put the emoji, whose first half is U+D83D, before U+E000 and U+FFFD.
    const ordered = [
      '',
      '\0',
      '\0a',
      ' ',
      '-',
      '/',
      '0',
      '10',
      '9',
      'A',
      'a',
      'a\0',
      'aa',
      'é',
      '\uD7FF',
      '\uE000',
      '\uFFFD',
      '😀',
      '😀a',
      '\u{10FFFF}',
    ];
    await settle(store.write(putAll(ordered.toReversed())));
    t.deepEqual(
      (await settle(read(store))).map(([key]) => key),
      ordered.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other))),
    );
    t.deepEqual(await settle(read(store, { from: '\uE000', to: '😀a' })), [
      ['\uE000', '\uE000'],
      ['\uFFFD', '\uFFFD'],
      ['😀', '😀'],
    ]);
  });

  testStore('a lone surrogate is stored and looked up as U+FFFD', async (t, store, { settle }) => {
    await settle(store.write([put('k\uD800', 'v\uDC00')]));
    t.deepEqual(await settle(read(store, { from: 'k\uDFFF' })), [['k\uFFFD', 'v\uFFFD']]);
    t.is(await settle(store.get('k\uD801')), 'v\uFFFD');
    await settle(store.write([remove('k\uDABC')]));
    t.deepEqual(await settle(read(store)), []);
  });

  testStore('an iteration shows the store as it was when it was asked for', async (t, store, { settle }) => {
    await settle(store.write(putAll(['a', 'b', 'c'])));
    const entries = store.entries({});
    await settle(store.write([put('a', 'changed'), remove('b'), put('d', 'new')]));
    const seen: Entry[] = [];
    const readOn = async () => {
      for await (const entry of entries) {
        seen.push(entry);
        await store.write([put('c', 'changed too'), put(`after ${entry[0]}`, '')]);
      }
    };
    await settle(readOn());
    t.deepEqual(seen, [
      ['a', 'a'],
      ['b', 'b'],
      ['c', 'c'],
    ]);
  });

  testStore('an iteration can be left before its end', async (t, store, { settle }) => {
    await settle(store.write(putAll(['a', 'b', 'c'])));
    const readFirst = async () => {
      for await (const [key] of store.entries({})) return key;
      return undefined;
    };
    t.is(await settle(readFirst()), 'a');
  });

  testStore('values of a mebibyte come back whole', async (t, store, { settle }) => {
    const values = ['x'.repeat(2 ** 20), JSON.stringify('é😀'.repeat(2 ** 17))];
    await settle(store.write(values.map((value, index) => put(`${index}`, value))));
    t.true((await settle(store.get('0'))) === values[0]);
    t.true((await settle(store.get('1'))) === values[1]);
  });

  testStore('concurrent writes and reads all finish', async (t, store, { settle }) => {
    const keys = Array.from({ length: 200 }, (_, index) => `key-${index}`);
    await settle(
      Promise.all(
        keys.map(async (key) => {
          await store.write([put(key, key)]);
          if ((await store.get(key)) !== key) t.fail(`${key} is not there`);
        }),
      ),
    );
    t.is((await settle(read(store))).length, keys.length);
  });

  testStore('an open store can not be opened a second time', async (t, store, { settle, stores }) => {
    await settle(store.write([put('a', '1')]));
    await t.throwsAsync(settle(stores.open('store')), { instanceOf: StoreLocked, code: 'store_locked' });
    const other = await settle(stores.open('other'));
    t.deepEqual(await settle(read(other)), [], 'stores share nothing');
    await settle(other.close());
    t.is(await settle(store.get('a')), '1', 'the refused opener did no harm');
  });

  test(`${label}: a store that is opened again has everything`, async (t) => {
    const { stores, settle } = await makeStores(t);
    for (let round = 0; round < 5; round++) {
      const store = await settle(stores.open('store'));
      t.is((await settle(read(store))).length, 2 * round);
      await settle(store.write([put(`${round}-x`, 'x'), put(`${round}-y`, 'y')]));
      await settle(store.close());
    }
  });

  test(`${label}: calls after close reject with StoreClosed, except close`, async (t) => {
    const { stores, settle } = await makeStores(t);
    const store = await settle(stores.open('store'));
    await settle(store.write([put('a', '1')]));
    const unread = store.entries({});
    const closing = store.close();
    const isRefused = async (call: Promise<unknown>) =>
      t.throwsAsync(settle(call), { instanceOf: StoreClosed, code: 'store_closed' });
    const tryAll = async () => {
      await isRefused(store.get('a'));
      await isRefused(store.write([put('b', '2')]));
      await isRefused(store.write([]));
      await isRefused(read(store));
    };
    await tryAll();
    await settle(closing);
    await tryAll();
    await isRefused(
      (async () => {
        for await (const _ of unread) t.fail();
      })(),
    );
    await settle(store.close());
    const reopened = await settle(stores.open('store'));
    await settle(store.close());
    t.deepEqual(await settle(read(reopened)), [['a', '1']], 'the old handle has no power over the new one');
    await settle(reopened.close());
  });

  test(`${label}: close waits for the calls under way`, async (t) => {
    const { stores, settle } = await makeStores(t);
    const store = await settle(stores.open('store'));
    await settle(store.write(putAll(['a', 'b', 'c'])));
    const log: string[] = [];
    const noting = async (name: string, call: Promise<unknown>) => log.push(`${name} ${(await call) ?? 'done'}`);
    const iteration = store.entries({})[Symbol.asyncIterator]();
    await settle(iteration.next());
    const calls = [noting('get', store.get('a')), noting('write', store.write([put('d', 'd')]))];
    const closing = noting('close', store.close());
    await t.throwsAsync(settle(stores.open('store')), { instanceOf: StoreLocked });
    await settle(Promise.all(calls));
    for (let step = await settle(iteration.next()); !step.done; step = await settle(iteration.next()))
      log.push(step.value[0]);
    await settle(closing);
    t.deepEqual(log.toSorted(), ['b', 'c', 'close done', 'get a', 'write done']);
    t.is(log.at(-1), 'close done');
    const reopened = await settle(stores.open('store'));
    t.is(await settle(reopened.get('d')), 'd');
    await settle(reopened.close());
  });

  test(`${label}: close right after many writes waits for all of them`, async (t) => {
    const { stores, settle } = await makeStores(t);
    const store = await settle(stores.open('store'));
    const writes = Array.from({ length: 600 }, (_, number) => store.write([put(`${number}`, '')]));
    await settle(store.close());
    await settle(Promise.all(writes));
    const reopened = await settle(stores.open('store'));
    t.is((await settle(read(reopened))).length, 600);
    await settle(reopened.close());
  });

  test(`${label}: a name that could lead elsewhere is refused`, async (t) => {
    const { stores, settle } = await makeStores(t);
    for (const name of ['', '.', '..', '../x', 'a/b', 'a\\b', 'a.b', 'a b', 'a\n', '\0', 'é']) {
      await t.throwsAsync(settle(stores.open(name)), { instanceOf: RangeError }, JSON.stringify(name));
    }
    const store = await settle(stores.open('Call-store_2'));
    await settle(store.close());
  });

  test(`${label}: any sequence of writes leaves what it leaves in a Map`, async (t) => {
    const { stores, settle } = await makeStores(t);
    let runs = 0;
    const property = fc.asyncProperty(fc.array(batch, { maxLength: 12 }), range, async (batches, wanted) => {
      const store = await settle(stores.open(`run-${runs++}`));
      const model = new Map<string, string>();
      const writes: Promise<void>[] = [];
      for (const { changes, isAwaited } of batches) {
        applyTo(model, changes);
        writes.push(store.write(changes));
        if (isAwaited) await settle(Promise.all(writes));
      }
      await settle(Promise.all(writes));
      t.deepEqual(await settle(read(store, wanted)), readFrom(model, wanted));
      for (const [key, value] of model) t.is(await settle(store.get(key)), value);
      await settle(store.close());
    });
    await t.notThrowsAsync(fc.assert(property, { numRuns: sized(15, 60) }));
  });
}

/** What a store does on a disk that is full for a while, or whose writes fail. */
export function fullDiskContract(
  test: SerialFn,
  label: string,
  makeStores: (t: ExecutionContext) => Promise<Required<StoresUnderTest>>,
): void {
  test(`${label}: reads go on while writes fail, and writing recovers by itself`, async (t) => {
    const { stores, settle, fail } = await makeStores(t);
    const store = await settle(stores.open('store'));
    await settle(store.write([put('a', '1'), put('b', '1')]));
    const unread = store.entries({});
    fail(true);
    for (let round = 0; round < 3; round += 1) {
      await t.throwsAsync(settle(store.write([put('a', '2'), remove('b'), put('c', '2')])), {
        instanceOf: StoreUnwritable,
        code: 'store_unwritable',
      });
      t.is(await settle(store.get('a')), '1');
      t.deepEqual(await settle(read(store)), [
        ['a', '1'],
        ['b', '1'],
      ]);
    }
    fail(false);
    await settle(store.write([put('d', '3')]));
    const left: Entry[] = [
      ['a', '1'],
      ['b', '1'],
      ['d', '3'],
    ];
    t.deepEqual(await settle(read(store)), left, 'what was refused did not happen');
    const before: Entry[] = [];
    const readAll = async () => {
      for await (const entry of unread) before.push(entry);
    };
    await settle(readAll());
    t.deepEqual(before[0], ['a', '1'], 'an iteration from before can be read');
    await settle(store.close());
    const reopened = await settle(stores.open('store'));
    t.deepEqual(await settle(read(reopened)), left);
    await settle(reopened.close());
  });

  test(`${label}: of writes that are under way when one fails all later ones fail`, async (t) => {
    const { stores, settle, fail } = await makeStores(t);
    const store = await settle(stores.open('store'));
    fail(true);
    const writes = Array.from({ length: 600 }, (_, number) => store.write([put(`${number}`, '')]));
    const settled = await settle(Promise.allSettled(writes));
    fail(false);
    t.true(settled.every(({ status }) => status === 'rejected'));
    await settle(store.write([put('last', '')]));
    t.deepEqual(await settle(read(store)), [['last', '']]);
    await settle(store.close());
  });

  test(`${label}: an iteration that writes on its way ends, whatever the disk does`, async (t) => {
    const { stores, settle, fail } = await makeStores(t);
    const store = await settle(stores.open('store'));
    await settle(store.write(putAll(['a', 'b', 'c'])));
    const outcomes: string[] = [];
    const readOn = async () => {
      for await (const [key] of store.entries({})) {
        fail(key === 'a');
        outcomes.push(await store.write([put(`after ${key}`, '')]).then(...outcome));
      }
      outcomes.push(await store.write([put('after all', '')]).then(...outcome));
    };
    await settle(readOn());
    t.is(outcomes[0], 'StoreUnwritable');
    t.is(outcomes.at(-1), 'written');
    await settle(store.close());
  });

  test(`${label}: whenever writes fail, what was acknowledged is there and what was refused is not`, async (t) => {
    const { stores, settle, fail } = await makeStores(t);
    let runs = 0;
    const step = fc.oneof({ weight: 4, arbitrary: batch }, { weight: 1, arbitrary: fc.boolean() });
    const property = fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      fail(false);
      const name = `run-${runs++}`;
      const store = await settle(stores.open(name));
      const model = new Map<string, string>();
      const writes: Promise<void>[] = [];
      for (const one of steps) {
        if (typeof one === 'boolean') {
          await settle(Promise.all(writes));
          fail(one);
          continue;
        }
        const { changes, isAwaited } = one;
        writes.push(
          store.write(changes).then(
            () => applyTo(model, changes),
            (error: unknown) => t.true(error instanceof StoreUnwritable),
          ) as Promise<void>,
        );
        if (isAwaited) await settle(Promise.all(writes));
      }
      await settle(Promise.all(writes));
      t.deepEqual(await settle(read(store)), readFrom(model));
      fail(false);
      await settle(store.write([put('end', '')]));
      model.set('end', '');
      await settle(store.close());
      const reopened = await settle(stores.open(name));
      t.deepEqual(await settle(read(reopened)), readFrom(model));
      await settle(reopened.close());
    });
    await t.notThrowsAsync(fc.assert(property, { numRuns: sized(10, 40) }));
  });
}

const outcome = [() => 'written', (error: unknown) => (error instanceof Error ? error.name : String(error))] as const;

const text = fc.string({ unit: anyCharacter, maxLength: 3 });
/** Few keys, so that changes meet; among them the ones that UTF-16 and UTF-8 order differently. */
const key = fc.oneof(fc.constantFrom('', '\0', 'a', 'aa', 'b', 'é', '\uE000', '\uFFFD', '😀', '😀a'), text);
export const change: fc.Arbitrary<StoreChange> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ put: key, value: text }) },
  { weight: 1, arbitrary: fc.record({ delete: key }) },
);
const batch = fc.record({ changes: fc.array(change, { maxLength: 6 }), isAwaited: fc.boolean() });
const range: fc.Arbitrary<StoreRange> = fc.record(
  { from: key, to: key, limit: fc.nat(8), reverse: fc.boolean() },
  { requiredKeys: [] },
);

export function applyTo(model: Map<string, string>, changes: readonly StoreChange[]): void {
  for (const one of changes) {
    if ('put' in one) model.set(one.put, one.value);
    else model.delete(one.delete);
  }
}

export function readFrom(model: ReadonlyMap<string, string>, { from, to, limit, reverse }: StoreRange = {}): Entry[] {
  const order = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));
  const entries = [...model]
    .filter(([key]) => (from === undefined || order(key, from) >= 0) && (to === undefined || order(key, to) < 0))
    .sort(([one], [other]) => order(one, other));
  if (reverse) entries.reverse();
  return entries.slice(0, limit);
}
