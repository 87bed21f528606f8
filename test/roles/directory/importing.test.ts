/** The data of a domain from a document: all of it, or nothing and the reason. */

import { SeededRandom } from '../../../sim/ports/random.ts';
import { SimulatedStores } from '../../../sim/ports/store.ts';
import { VirtualClock } from '../../../sim/ports/virtual-clock.ts';
import { type DomainDocument, documentOf, domainDocumentSchema, rowsOf } from '../../../src/model/entities/document.ts';
import { Pace } from '../../../src/ports/pace.ts';
import { fillWithFixtures, importChanges } from '../../../src/roles/directory/initial-data.ts';
import { isPassword } from '../../../src/roles/directory/passwords.ts';
import { Contents } from '../../../src/storage/contents.ts';
import { Database } from '../../../src/storage/database.ts';
import { defaultMap as map } from '../../kit/maps.ts';
import { test } from '../../kit/test.ts';

const acme = 'acme.root.test';
const random = new SeededRandom(1);
const someId = '0d4f1c9e-8a55-4c3f-9a6b-0a2f6d1e7b11';

async function open(): Promise<Database> {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const stores = new SimulatedStores({ clock, random: random.stream('faults'), latencyMs: 0 });
  const pace = new Pace(clock);
  const database = await Database.open(await stores.open('data'), pace);
  const contents = await Contents.open(await stores.open('contents'), clock, pace);
  await fillWithFixtures(database, { map, domains: ['root.test'], contents, clock, random, pace });
  return database;
}

/** What stands against a document, or nothing: then it is in the database. */
async function problemOf(database: Database, document: unknown): Promise<string | undefined> {
  const read = domainDocumentSchema.safeParse(document);
  if (!read.success) return `${read.error.issues[0]?.path.join('.')}: ${read.error.issues[0]?.message}`;
  const rows = rowsOf(read.data, 0);
  if ('problem' in rows) return rows.problem;
  const made = importChanges(database, read.data.domain, { read: rows.rows, salts: random.stream('ids') });
  if ('problem' in made) return made.problem;
  await database.commit(made.changes);
  return undefined;
}

function copy(document: DomainDocument): DomainDocument {
  return JSON.parse(JSON.stringify(document)) as DomainDocument;
}

test('every domain of the topology goes out and comes in as it was', async (t) => {
  const database = await open();
  for (const domain of map.domains.keys()) {
    const before = copy(documentOf(domain, database.rows()));
    t.true((before.items['user'] ?? []).length > 0);
    t.is(await problemOf(database, before), undefined);
    t.deepEqual(copy(documentOf(domain, database.rows())), before);
  }
});

test('a document may bring new passwords, hashed ones, and leave items out', async (t) => {
  const database = await open();
  const { items, ...head } = copy(documentOf(acme, database.rows()));
  const [admin] = items['user']!;
  const user = [admin, { id: someId, name: 'Ann', login: 'ann', pwd: 'new' }];
  t.is(await problemOf(database, { ...head, items: { user } }), undefined);
  const secretOf = (login: string) => database.table('user').findOne(acme, 'login', login)?.secret ?? '';
  t.true(isPassword('new', secretOf('ann')));
  t.true(isPassword('admin', secretOf('admin')));
  t.false(isPassword('*', secretOf('admin')));
  t.is(database.table('user').findOne(acme, 'login', 'user'), undefined);
  t.is(database.table('sipuser').inOrder(acme).length, 0);
  t.is(database.table('sipuser').inOrder('globex.root.test').length, 10);
});

test('a fault of a document is reported with its place, and changes nothing', async (t) => {
  const database = await open();
  const sound = copy(documentOf(acme, database.rows()));
  const [first, second] = sound.items['user']!;
  const users = (...user: unknown[]) => ({ ...sound, items: { user } });
  const meeting = { id: someId, timestartutc: '2030-01-01T09:00:00Z', topology_mode: 'direct' };
  const bob = { id: someId, parent: someId, number: '1', topology_type: 'speaker' };
  const wrong: [document: unknown, message: RegExp][] = [
    [[], /expected object/],
    [{ ...sound, format: 'other' }, /^format: expected "strowger-domain-1"/],
    [{ ...sound, items: { nosuch: [] } }, /^items\.nosuch/],
    [users({ ...first, id: 'x' }), /^items\.user\.0\.id: expected a uuid/],
    [users(first, { ...second, login: 'a b' }), /^items\.user\.1\.login: expected 1 to 100 characters/],
    [users({ ...first, nosuch: 1 }), /^items\.user\.0\..*nosuch/],
    [users({ ...first, ext: { ct: 'x', lwt: 'y' } }), /^items\.user\.0\.ext\.ct/],
    [users({ ...first, secret: undefined }), /^items\.user\.0\.secret: expected one, or pwd/],
    [users({ ...first, parent: someId }), /^items\.user\.0\.parent/],
    [users(first, { ...second, login: first!['login'] }), /^user login "admin" in acme\.root\.test: there are two$/],
    [users(first, { ...second, id: first!.id }), /^user id .*: there are two$/],
    [{ ...sound, domain: 'root.test' }, /^\w+ id \S+ is taken in another domain$/],
    [{ ...sound, items: { participant: [bob] } }, /^participant id .*: no selector meeting with id/],
    [
      { ...sound, items: { selector: [meeting], participant: [{ ...bob, parent: undefined }] } },
      /^items\.participant\.0\.parent/,
    ],
    [
      { ...sound, items: { sipuser: [{ ...sound.items['sipuser']![0]!, opts: { minexpires: 9_999 } }] } },
      /opts\.minexpires: expected at most/,
    ],
  ];
  for (const [document, message] of wrong) t.regex((await problemOf(database, document)) ?? 'none', message);
  t.deepEqual(copy(documentOf(acme, database.rows())), sound);
});

test('border rules with an expression that is not taken, or too many of them, are refused whole', async (t) => {
  const database = await open();
  const { items, ...head } = copy(documentOf('root.test', database.rows()));
  const rule = (n: number, more: object) => ({
    id: `0d4f1c9e-8a55-4c3f-9a6b-0a2f6d1e${7000 + n}`,
    action: 'deny',
    ...more,
  });
  const given = (borderrule: object[]) => problemOf(database, { ...head, items: { ...items, borderrule } });
  t.is(
    await given([rule(0, { username: '/a/' }), rule(1, { domain: '/(?=a)/' })]),
    'items.borderrule.1.domain: expected a regular expression without look-ahead ("(?=" at 1)',
  );
  const large = Array.from({ length: 8 }, (_, n) => rule(n, { username: '/^(a|b){80}$/' }));
  t.regex((await given(large)) ?? '', /^border rules: expected regular expressions of at most 4000 steps/);
  t.is(await given(large.slice(4)), undefined);
});
