/** Entities by declaration: whatever is declared, its schemas, its items and its lists fit together. */
import assert from 'node:assert';
import fc from 'fast-check';
import { z } from 'zod';
import { readProperty } from '../../src/model/collection/property.ts';
import { childrenOf, entities, entityOf } from '../../src/model/entities/entities.ts';
import type { Entity, EntityItem } from '../../src/model/entities/entity.ts';
import { type Fields, isGroup } from '../../src/model/entities/field.ts';
import { createdItem, patchedItem, shownTo } from '../../src/model/entities/item.ts';
import { holds } from '../kit/property.ts';
import { test } from '../kit/test.ts';

const id = '0d4f1c9e-8a55-4c3f-9a6b-0a2f6d1e7b11';

/** What a create needs at least. */
const least: Readonly<Record<string, Record<string, unknown>>> = {
  user: { name: 'Ann', login: 'ann', pwd: 'x' },
  roleapp: { folder: 'desk' },
  chatcampaign: { code: 'sales' },
  recordrule: {},
  sipuser: { login: '1', pwd: 'x' },
  selector: { timestartutc: '2030-01-01T09:00:00Z', topology_mode: 'direct' },
  participant: { number: '1', topology_type: 'speaker' },
  svcscript: { code: 'hello', components: [{ name: 'start', type: 'start' }] },
  ivrscript: { code: 'hello', components: [{ name: 'start', type: 'start' }] },
  integrationchannel: { code: 'crm', token_local: 'a-token-of-the-crm' },
  contactgroup: { code: 'sales' },
  borderrule: { action: 'drop' },
};

function newItem(entity: Entity, atMs = 0): EntityItem {
  return createdItem(entity, id, { given: entity.create.parse(least[entity.kind]), atMs });
}

/** The dotted names of fields that a client sets. */
function settable(fields: Fields, prefix = ''): string[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    if (isGroup(field)) return settable(field.fields, `${prefix}${name}.`);
    return field.mode === 'out' ? [] : [`${prefix}${name}`];
  });
}

/** What a client would give to have such values. */
function inputs(fields: Fields, values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]): [string, unknown][] => {
      if (isGroup(field)) return [[name, inputs(field.fields, values[name] as Record<string, unknown>)]];
      return field.mode === 'out' ? [] : [[name, values[name]]];
    }),
  );
}

function at(name: string, value: unknown): Record<string, unknown> {
  const [first = '', ...rest] = name.split('.');
  return { [first]: rest.length === 0 ? value : at(rest.join('.'), value) };
}

for (const entity of entities) {
  const { kind } = entity;

  test(`${kind}: an item has every declared field, and list names are names of it`, (t) => {
    const item = newItem(entity);
    t.deepEqual(Object.keys(item), ['id', ...Object.keys(entity.fields), 'ext']);
    for (const name of [...(entity.list ?? []), ...entity.unique, ...entity.lookup, ...(entity.indexed ?? [])]) {
      t.not(readProperty(item, name.split('.')), undefined, name);
    }
    for (const right of Object.values(entity.names ?? {}))
      t.not(readProperty(item, right.split('.')), undefined, right);
    for (const name of entity.lookup) t.true(name === 'id' || entity.unique.includes(name), `${name} has an index`);
    t.is(entity.lookup.length > 0, entity.operations.lookup !== undefined);
  });

  test(`${kind}: its schemas can be published`, (t) => {
    for (const schema of [entity.create, entity.patch]) {
      const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as {
        additionalProperties?: boolean;
      };
      t.is(json.additionalProperties, false);
    }
  });

  test(`${kind}: what a create made can be given to a create again, and comes out the same`, (t) => {
    const item = newItem(entity);
    const given = { ...inputs(entity.fields, item), ...('pwd' in item && { pwd: 'x' }) };
    t.deepEqual(createdItem(entity, id, { given: entity.create.parse({ ...given, id }), atMs: 0 }), item);
    t.deepEqual(patchedItem(entity, item, { patch: {}, atMs: 9 }), item);
  });

  test(`${kind}: a patch of one field changes that field and lwt, and nothing else`, async (t) => {
    const item = newItem(entity, 5);
    const values = fc.constantFrom<unknown>(
      '',
      'x',
      '7',
      'drop',
      'speaker',
      'topology',
      0,
      1,
      -1,
      30,
      true,
      false,
      [],
      ['a'],
      [{ b: 1 }],
      id,
    );
    await holds(
      t,
      fc.property(fc.constantFrom(...settable(entity.fields)), values, fc.nat({ max: 10 }), (name, value, atMs) => {
        const read = entity.patch.safeParse(at(name, value));
        if (!read.success) return;
        const patched = patchedItem(entity, item, { patch: read.data, atMs });
        const shown = name === 'pwd' && entity.secrets?.['pwd'] === 'masked' ? '*' : value;
        assert.deepEqual(readProperty(patched, name.split('.')), shown);
        for (const other of settable(entity.fields).filter((each) => each !== name)) {
          assert.deepEqual(readProperty(patched, other.split('.')), readProperty(item, other.split('.')), other);
        }
        assert.equal(patched.ext.ct, item.ext.ct);
        assert.ok(patched === item || patched.ext.lwt > item.ext.lwt);
        assert.equal(patched.id, id);
      }),
    );
  });
}

test('a password is masked where it is a secret, and hidden from all but administrators where it is not', (t) => {
  const user = newItem(entityOf('user'));
  t.is(user['pwd'], '*');
  const sipUser = newItem(entityOf('sipuser'));
  t.is(shownTo(entityOf('sipuser'), true)(sipUser)['pwd'], 'x');
  t.false('pwd' in shownTo(entityOf('sipuser'), false)(sipUser));
});

test('a new password moves lwt, though it is not shown; the mask in its place does not', (t) => {
  const entity = entityOf('user');
  const user = newItem(entity, 5);
  t.is(patchedItem(entity, user, { patch: entity.patch.parse({ pwd: '*' }), atMs: 9 }), user);
  const changed = patchedItem(entity, user, { patch: entity.patch.parse({ pwd: 'y' }), atMs: 9 });
  t.is(changed['pwd'], '*');
  t.true(changed.ext.lwt > user.ext.lwt);
});

test('lwt moves forward within one millisecond, and when the clock is behind', (t) => {
  const entity = entityOf('recordrule');
  const first = newItem(entity, 1_000);
  const second = patchedItem(entity, first, { patch: { priority: 1 }, atMs: 1_000 });
  const third = patchedItem(entity, second, { patch: { priority: 2 }, atMs: 10 });
  t.deepEqual(
    [first, second, third].map(({ ext }) => ext.lwt.slice(-4)),
    ['000Z', '001Z', '002Z'],
  );
});

test('participants belong to meetings, archives to role applications, and nothing else to anything', (t) => {
  t.deepEqual(
    entities
      .map((entity) => [entity.kind, childrenOf(entity).map(({ kind }) => kind)])
      .filter(([, all]) => all!.length > 0),
    [
      ['roleapp', ['roleapparchive']],
      ['selector', ['participant', 'selectortopology']],
    ],
  );
});

const period = { days: [1, 7], from: '08:00', to: '24:00' };

/** Values at the bounds of a field: valid ones and invalid ones. */
const bounds: readonly [kind: string, name: string, good: unknown[], bad: unknown[]][] = [
  ['user', 'name', ['x'.repeat(1_000), 'Ä b'], ['', 'x'.repeat(1_001), 5]],
  ['user', 'login', ['x'.repeat(100), 'a_-.~!9'], ['', 'x'.repeat(101), 'a b', 'ä', '*']],
  ['user', 'pwd', ['x'.repeat(100)], ['', 'a b', '*']],
  ['user', 'timezone', ['default', -12, 12, 5.75], [12.5, -13, '3', null]],
  ['sipuser', 'timezone', ['default', '', '0', '-12', '+5.75'], ['13', '12.5', 'MSK', 3]],
  ['sipuser', 'opts.modextin', ['', '+49/0', '/9', '00/+,0/+49,XXX/'], ['+49', 'a/b', '0/1;2/3', '0/X', '0/1,']],
  ['user', 'opts.roles', [[], ['admin']], [[''], ['x'.repeat(101)], 'admin', Array(101).fill('a')]],
  ['borderrule', 'remoteipmask', ['', '10.0.0.1', '10.0.0.0/8', '10.0.0.1+5'], ['10.0.0', '10.0.0.0/33', 'x']],
  [
    'borderrule',
    'useragent',
    ['', 'Phone 1', '/^Phone/', '('],
    ['/(/', '/(?=a)/', '/(a)\\1/', '/(a{99}){99}/', 'x'.repeat(501)],
  ],
  ['borderrule', 'action', ['allow', 'deny', 'drop'], ['', 'reject']],
  ['borderrule', 'enabled', [0, 1], [2, true, '1']],
  ['roleapp', 'folder', ['desk', 'a.b', '..a'], ['', '.', '..', 'a/b', 'a b', 'x'.repeat(101)]],
  ['recordrule', 'dir', ['', 'incoming', 'inner', 'outgoing'], ['out']],
  [
    'recordrule',
    'periods',
    [[], [period]],
    [{}, [5], [{ from: '08:00' }], [{ ...period, to: period.from }], Array(101).fill(period)],
  ],
  ['recordrule', 'schedule', ['all', 'work'], ['', 'night']],
  ['recordrule', 'storageruleid', [id.toUpperCase()], ['', 'x', `${id}0`]],
  ['sipuser', 'opts.trunks', [-1, 0, 10_000], [-2, 1.5, '1']],
  ['sipuser', 'lic.devices', [0, 2], [-1, null]],
  ['sipuser', 'phonenumber', ['', '+49 30'.replace(' ', '')], ['1 2', 'a@b']],
  [
    'selector',
    'timestartutc',
    ['2020-02-29T00:00:00Z', '2030-01-01T09:00:00.123Z'],
    ['2030-01-01', '2021-02-29T00:00:00Z', 5],
  ],
  ['selector', 'topology_mode', ['topology', 'abonent', 'direct'], ['']],
  ['participant', 'topology_type', ['listener', 'speaker', 'assistant'], ['talker']],
  ['participant', 'number', ['1001', 'group#A1'], ['', 'a b']],
];

for (const [kind, name, good, bad] of bounds) {
  test(`${kind}.${name} takes what is within its bounds, and nothing else`, (t) => {
    const schema = entityOf(kind).create;
    const given = (value: unknown) => ({ ...least[kind], ...at(name, value) });
    for (const value of good) t.true(schema.safeParse(given(value)).success, JSON.stringify(value));
    for (const value of bad) t.false(schema.safeParse(given(value)).success, JSON.stringify(value).slice(0, 50));
  });
}
