/** A table does what a list of rows does, only faster. */
import assert from 'node:assert';
import fc from 'fast-check';
import { entityOf } from '../../src/model/entities/entities.ts';
import type { DataRow } from '../../src/model/protocol/messages/data.ts';
import { Table } from '../../src/storage/table.ts';
import { holds } from '../kit/property.ts';
import { test } from '../kit/test.ts';
import { acme, sipUserRow } from './rows.ts';

const steps = fc.array(
  fc.record({
    number: fc.integer({ min: 0, max: 12 }),
    isPut: fc.boolean(),
    /** Two rows may have one login for a moment, as copies may. */
    login: fc.constantFrom('a', 'b', 'c'),
    iduser: fc.constantFrom('u1', 'u2'),
    domain: fc.constantFrom(acme, 'globex.root.test'),
    atMs: fc.integer({ min: 0, max: 3 }),
  }),
  { maxLength: 60 },
);

function inOrder(rows: Iterable<DataRow>): string[] {
  return [...rows].map(({ item }) => `${item.ext.ct} ${item.id}`).sort();
}

function keysOf(rows: readonly DataRow[]): string[] {
  return rows.map(({ item }) => `${item.ext.ct} ${item.id}`);
}

test('whatever is put and dropped, rows are found by id, by each indexed field, and in order', async (t) => {
  await holds(
    t,
    fc.property(steps, (all) => {
      const table = new Table(entityOf('sipuser'));
      const model = new Map<string, DataRow>();
      for (const { number, isPut, login, iduser, domain, atMs } of all) {
        const row = { ...sipUserRow(number, { login, iduser, phonenumber: '' }, atMs), domain };
        if (isPut) {
          table.put(row);
          model.set(row.item.id, row);
        } else {
          table.drop(row.item.id);
          model.delete(row.item.id);
        }
      }
      assert.equal(table.size, model.size);
      for (const [id, row] of model) assert.equal(table.get(id), row);
      for (const domain of [acme, 'globex.root.test']) {
        const there = [...model.values()].filter((row) => row.domain === domain);
        assert.deepEqual(keysOf([...table.inOrder(domain)]), inOrder(there));
        for (const [name, values] of [
          ['login', ['a', 'b', 'c']],
          ['iduser', ['u1', 'u2']],
        ] as const) {
          for (const value of values) {
            const found = there.filter(({ item }) => item[name] === value);
            assert.deepEqual(keysOf(table.find(domain, name, value)), inOrder(found));
            assert.equal(table.findOne(domain, name, value) !== undefined, found.length > 0);
          }
        }
      }
      assert.deepEqual(keysOf([...table.all()]).sort(), inOrder(model.values()));
    }),
  );
});

test('rows added in any order and sorted equal rows that were put', async (t) => {
  await holds(
    t,
    fc.property(
      fc.uniqueArray(fc.tuple(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 3 })), {
        selector: ([n]) => n,
      }),
      (all) => {
        const rows = all.map(([number, atMs]) => sipUserRow(number, {}, atMs));
        const added = new Table(entityOf('sipuser'));
        for (const row of rows) added.add(row);
        added.sort();
        const put = new Table(entityOf('sipuser'));
        for (const row of rows) put.put(row);
        assert.deepEqual(keysOf([...added.inOrder(acme)]), keysOf([...put.inOrder(acme)]));
      },
    ),
  );
});

test('the newest come first, those of one moment by id', async (t) => {
  await holds(
    t,
    fc.property(
      fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 20 }),
      fc.integer({ min: 1, max: 25 }),
      (times, most) => {
        const table = new Table(entityOf('sipuser'));
        for (const [number, atMs] of times.entries()) table.put(sipUserRow(number, {}, atMs));
        const expected = [...table.inOrder(acme)].sort((a, b) =>
          a.item.ext.ct === b.item.ext.ct ? (a.item.id < b.item.id ? -1 : 1) : a.item.ext.ct < b.item.ext.ct ? 1 : -1,
        );
        assert.deepEqual(table.newestFirst(acme, most).slice(0, most), expected.slice(0, most));
      },
    ),
  );
});
