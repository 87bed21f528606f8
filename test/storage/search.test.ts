/** Lists of many rows: what the collection engine would give, in slices, and by an index where there is one. */
import assert from 'node:assert';
import fc from 'fast-check';
import { VirtualClock } from '../../sim/ports/virtual-clock.ts';
import { parseCollectionQuery } from '../../src/model/collection/query.ts';
import { itemSteps } from '../../src/model/collection/slices.ts';
import { entityOf } from '../../src/model/entities/entities.ts';
import { limits } from '../../src/model/limits.ts';
import type { Clock } from '../../src/ports/clock.ts';
import { search } from '../../src/storage/search.ts';
import { Table } from '../../src/storage/table.ts';
import { applyAtOnce } from '../kit/at-once.ts';
import { holds, runs } from '../kit/property.ts';
import { test } from '../kit/test.ts';
import { acme, settle, sipUserRow } from './rows.ts';

const entity = entityOf('sipuser');
type Params = [string, string][];

/** Virtual time that also advances by so much at each reading, and counts the readings. */
class BusyClock extends VirtualClock {
  readings = 0;
  #spentMs = 0;
  readonly #perReadingMs: number;

  constructor(perReadingMs: number) {
    super(0);
    this.#perReadingMs = perReadingMs;
  }

  override now(): number {
    this.readings += 1;
    this.#spentMs += this.#perReadingMs;
    return super.now() + this.#spentMs;
  }
}

function tableOf(count: number, more: (number: number) => Record<string, unknown> = () => ({})): Table {
  const table = new Table(entity);
  for (let number = 0; number < count; number += 1) table.add(sipUserRow(number, more(number)));
  table.sort();
  return table;
}

function ask(table: Table, clock: Clock, params: Params, untilMs = Infinity) {
  const query = parseCollectionQuery(params, entity.shape);
  if (!query.ok) throw new Error(query.fault.message);
  return search(table, acme, { query: query.value, params, isAdmin: true, untilMs }, clock);
}

const names = fc.constantFrom('login', 'name', 'phonenumber', 'opts.trunks', 'iduser', 'id');
const equality = fc.tuple(names, fc.constantFrom<unknown>('1', '2', 'a', 'b', -1, 3, 'none'));
const filters = fc.oneof(
  equality.map(([name, value]) => ({ [name]: value })),
  equality.map(([name, value]) => ['==', ['property', name], value]),
  fc
    .tuple(equality, equality)
    .map(([[a, x], [b, y]]) => ['&&', ['==', x, ['property', a]], ['!=', ['property', b], y]]),
  fc
    .tuple(equality, equality)
    .map(([[a, x], [b, y]]) => ['||', ['==', ['property', a], x], ['==', ['property', b], y]]),
);
const orders = fc.array(
  fc.oneof(names, fc.record({ 'ext.ct': fc.constant('desc') }), fc.record({ name: fc.constant('desc') })),
  {
    maxLength: 3,
  },
);
const queries = fc.record(
  {
    filter: filters.map((filter) => JSON.stringify(filter)),
    order: orders.map((order) => JSON.stringify(order)),
    offset: fc.nat({ max: 12 }).map(String),
    limit: fc.nat({ max: 12 }).map(String),
    mask: fc.constantFrom('id', 'login,ext.ct'),
    countonly: fc.constantFrom('true', 'false'),
  },
  { requiredKeys: [] },
);

test('any query gives what the collection engine gives for all rows', async (t) => {
  await holds(
    t,
    fc.asyncProperty(
      queries,
      fc.array(fc.tuple(fc.constantFrom('a', 'b'), fc.integer({ min: -1, max: 3 })), { maxLength: 12 }),
      async (texts, rows) => {
        const params = Object.entries(texts) as Params;
        const table = tableOf(rows.length, (number) => ({
          name: rows[number]![0],
          opts: { trunks: rows[number]![1] },
        }));
        const clock = new VirtualClock(0);
        const found = await settle(clock, ask(table, clock, params));
        assert.ok(found.ok);
        const query = parseCollectionQuery(params, entity.shape);
        assert.ok(query.ok);
        const items = table.inOrder(acme).map(({ item }) => item as never);
        const expected = applyAtOnce(items, query.value, entity.shape);
        const { items: page, count } = found.value;
        assert.deepEqual(count === undefined ? page : { count }, expected);
      },
    ),
    { numRuns: runs(15) },
  );
});

const many = 20_000;
const table = tableOf(many, (number) => ({ name: `name ${number % 7}` }));

test('a key, a page in the default order and the newest do not depend on how many rows there are', async (t) => {
  for (const params of [
    [['filter', '{"login":"17777"}']],
    [['filter', '["&&",["==",["property","name"],"name 4"],["==",["property","phonenumber"],"17777"]]']],
    [
      ['offset', '15000'],
      ['limit', '10'],
    ],
    [
      ['order', '[{"ext.ct":"desc"}]'],
      ['limit', '10'],
    ],
    [['countonly', 'true']],
  ] as Params[]) {
    const clock = new BusyClock(0);
    const found = await ask(table, clock, params);
    t.true(found.ok && found.value.items.length <= 10);
    t.true(clock.readings < 10, `${JSON.stringify(params)}: ${clock.readings} steps`);
  }
});

test('a search of all rows makes pauses: after so many of them, and after so much time', async (t) => {
  for (const params of [
    [
      ['filter', '{"name":"name 3"}'],
      ['limit', '10000'],
    ],
    [
      ['order', 'name'],
      ['limit', '10000'],
    ],
  ] as Params[]) {
    const still = new VirtualClock(0);
    const pauses = await pausesOf(still, ask(table, still, params));
    t.true(pauses >= Math.floor((many * itemSteps) / limits.sliceSteps), `${pauses}`);
    const busy = new BusyClock(limits.sliceMs);
    t.true((await pausesOf(busy, ask(table, busy, params))) >= many / 50, 'a few rows take as long as a slice may');
  }
});

/** How often a search set a timer to let others have their turn. */
async function pausesOf(clock: VirtualClock, promise: Promise<unknown>): Promise<number> {
  let pauses = 0;
  let isSettled = false;
  void promise.then(() => {
    isSettled = true;
  });
  while (!isSettled) {
    await new Promise((resolve) => setImmediate(resolve));
    if (clock.runNext()) pauses += 1;
  }
  return pauses;
}

test('a search that is not done in time says so', async (t) => {
  for (const params of [
    [
      ['filter', '{"name":"name 3"}'],
      ['limit', '10000'],
    ],
    [
      ['order', 'name'],
      ['limit', '10000'],
    ],
  ] as Params[]) {
    const clock = new BusyClock(1);
    const found = await settle(clock, ask(table, clock, params, 500));
    t.false(found.ok);
    if (!found.ok) {
      t.is(found.fault.code, 'timeout');
      t.regex(found.fault.message, /^the list was not done in time: 20000 items, .*; name a key in the filter$/);
    }
  }
});

test('a search shows one moment, whatever changes while it is under way', async (t) => {
  const clock = new VirtualClock(0);
  const changing = tableOf(6_000, () => ({ name: 'a' }));
  const searching = ask(changing, clock, [
    ['filter', '{"name":"a"}'],
    ['limit', '10000'],
  ]);
  for (let number = 0; number < 3_000; number += 1) changing.drop(sipUserRow(number * 2).item.id);
  const found = await settle(clock, searching);
  t.true(found.ok && found.value.items.length === 6_000);
});
