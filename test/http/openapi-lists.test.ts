/** Every list of the interface, as its document names them, is filtered, cut, sorted, masked, flattened and counted alike. */

import { WalkedInterface } from '../../sim/docs/examples/walked-interface.ts';
import type { Document } from '../../src/http/openapi/document.ts';
import { type ListedOperation, operationsIn } from '../../src/http/openapi/operations.ts';
import { scopedTest } from '../kit/scoped.ts';

const test = scopedTest();

type Row = Record<string, unknown>;

const walked = new WalkedInterface();
let lists: readonly ListedOperation[];

test.before(async () => {
  await walked.start();
  await walked.fill();
  const { text } = await walked.ask({ method: 'GET', path: '/openapi.json' });
  const isList = ({ operation }: ListedOperation) => operation.parameters.some(({ name }) => name === 'filter');
  lists = operationsIn(JSON.parse(text) as Document).filter(isList);
});

test.after(() => walked.world.stop());

/** Asks a list, and gives what it has. */
async function ask<T = Row[]>(
  { path, operation }: ListedOperation,
  query: Readonly<Record<string, unknown>>,
): Promise<T> {
  const isMaster = operation['x-strowger-access'].includes('master domain') || path.includes('{domain_id}');
  const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(walked.ids.get(name) ?? ''));
  const texts = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  const asked = { method: 'GET', path: `${target}?${new URLSearchParams(texts)}` };
  const { status, text } = await walked.ask({ ...asked, token: isMaster ? walked.master : walked.acme });
  if (status !== 200) throw new Error(`${asked.path}: ${status} ${text}`);
  return JSON.parse(text) as T;
}

test('there is something in every list', async (t) => {
  t.true(lists.length > 25);
  for (const list of lists) t.true((await ask(list, {})).length > 0, list.path);
});

test('every list takes all parameters of lists', (t) => {
  const wanted = ['filter', 'mask', 'offset', 'limit', 'order', 'flat', 'countonly'];
  for (const { path, operation } of lists) {
    const names = operation.parameters.map(({ name }) => name);
    t.deepEqual(
      wanted.filter((name) => !names.includes(name)),
      [],
      path,
    );
  }
});

test('a count is that of the list, whatever part of it is asked for', async (t) => {
  for (const list of lists) {
    const { length } = await ask(list, {});
    t.deepEqual(await ask<unknown>(list, { countonly: true, limit: 1, offset: 1 }), { count: length }, list.path);
  }
});

test('pages one after the other are the list', async (t) => {
  for (const list of lists) {
    const mask = ['id', 'name', 'dialogid', 'confid', 'participantid', 'inviteid', 'srvidx'].join();
    const whole = await ask(list, { mask });
    const first = await ask(list, { mask, limit: 1 });
    t.deepEqual([...first, ...(await ask(list, { mask, offset: 1 }))], whole, list.path);
    t.deepEqual(await ask(list, { offset: whole.length }), [], list.path);
    t.deepEqual(await ask(list, { limit: 0 }), [], list.path);
  }
});

/** A field with a single value, which is not empty if there is such a field. */
function plainField(rows: readonly Row[]): [name: string, value: unknown] {
  const all = Object.entries(rows.at(-1) ?? {});
  const found = all.find(([, value]) => typeof value === 'string' && value !== '') ?? all[0];
  if (found === undefined) throw new Error('no field');
  return found;
}

test('a filter leaves what fits, by equality and by expression', async (t) => {
  for (const list of lists) {
    const rows = await ask(list, {});
    const [name, value] = plainField(rows);
    const fits = rows.filter((row) => row[name] === value);
    for (const filter of [{ [name]: value }, ['==', ['property', name], value]]) {
      t.deepEqual(await ask<unknown>(list, { countonly: 1, filter: JSON.stringify(filter) }), { count: fits.length });
    }
    t.deepEqual(await ask(list, { filter: JSON.stringify({ [name]: 'nothing is so' }) }), [], list.path);
  }
});

test('a mask leaves the fields that it names', async (t) => {
  for (const list of lists) {
    const [name] = plainField(await ask(list, {}));
    for (const row of await ask(list, { mask: `${name},nothing` })) t.deepEqual(Object.keys(row), [name], list.path);
  }
});

test('an order sorts, both ways', async (t) => {
  for (const list of lists) {
    const [name] = plainField(await ask(list, {}));
    const sorted = async (order: unknown) =>
      (await ask(list, { order: JSON.stringify(order), mask: name })).map((row) => row[name]);
    const up = await sorted([name]);
    t.deepEqual(await sorted([{ [name]: 'desc' }]), up.toReversed(), `${list.path} ${name}`);
  }
});

test('a flat list has no object in it', async (t) => {
  for (const list of lists) {
    for (const row of await ask(list, { flat: true })) {
      const objects = Object.values(row).filter(
        (value) => value?.constructor === Object && Object.keys(value).length > 0,
      );
      t.deepEqual(objects, [], list.path);
    }
  }
});
