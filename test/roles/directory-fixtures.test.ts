/** The fixtures of a topology: what an empty database begins with, and what a domain begins with that is new in it. */
import test from 'ava';
import { VirtualClock } from '../../sim/ports/clock.ts';
import { SeededRandom } from '../../sim/ports/random.ts';
import { SimulatedStores } from '../../sim/ports/store.ts';
import { ClusterMap } from '../../src/model/cluster-map.ts';
import { fillWithFixtures } from '../../src/roles/directory/initial-data.ts';
import { isPassword } from '../../src/roles/directory/passwords.ts';
import { Database } from '../../src/storage/database.ts';
import { Pace } from '../../src/storage/pace.ts';
import { defaultMap } from '../kit/maps.ts';

const clock = new VirtualClock(Date.UTC(2026, 0, 1));
const random = new SeededRandom(1);

async function open(stores: SimulatedStores, map: ClusterMap, domains = ['root.test']): Promise<Database> {
  const pace = new Pace(clock);
  const database = await Database.open(await stores.open('data'), pace);
  await fillWithFixtures(database, { map, domains, clock, random, pace });
  return database;
}

function newStores(): SimulatedStores {
  return new SimulatedStores({ clock, random: random.stream('faults'), latencyMs: 0 });
}

/** The default topology with these domains only. */
function mapOf(...names: string[]): ClusterMap {
  const { topology } = defaultMap;
  return new ClusterMap({ ...topology, domains: topology.domains.filter(({ name }) => names.includes(name)) });
}

function loginsIn(database: Database, kind: string, domain: string): unknown[] {
  return database
    .table(kind)
    .inOrder(domain)
    .map(({ item }) => item['login']);
}

test('lists show the fixtures in the order of the topology; their passwords are hashed', async (t) => {
  const database = await open(newStores(), defaultMap);
  for (const { name, users, sipusers } of defaultMap.topology.domains) {
    t.deepEqual(
      loginsIn(database, 'user', name),
      users.map(({ login }) => login),
    );
    t.deepEqual(
      loginsIn(database, 'sipuser', name),
      sipusers.map(({ login }) => login),
    );
  }
  const secret = database.table('user').findOne('acme.root.test', 'login', 'admin')?.secret ?? '';
  t.false(secret.includes('admin'));
  t.true(isPassword('admin', secret));
  t.false(isPassword('user', secret));
});

test('a database of a part of the domain tree has the fixtures of that part', async (t) => {
  const database = await open(newStores(), defaultMap, ['acme.root.test']);
  t.deepEqual(loginsIn(database, 'user', 'acme.root.test'), ['admin', 'user']);
  t.deepEqual(loginsIn(database, 'user', 'root.test'), []);
});

test('a domain that is new in the topology begins with its fixtures; what others have become stays', async (t) => {
  const stores = newStores();
  const database = await open(stores, mapOf('root.test', 'acme.root.test'));
  const gone = database.table('user').findOne('acme.root.test', 'login', 'user')!;
  await database.commit([{ gone: { kind: 'user', domain: gone.domain, id: gone.item.id } }]);
  await database.close();
  const again = await open(stores, defaultMap);
  t.deepEqual(loginsIn(again, 'user', 'acme.root.test'), ['admin'], 'what was removed does not come back');
  t.deepEqual(loginsIn(again, 'user', 'globex.root.test'), ['admin', 'user']);
  t.is(again.position?.sequence, 2, 'as a change, which copies follow');
  t.is(again.position?.database, database.position?.database);
  await again.close();
  t.is((await open(stores, defaultMap)).position?.sequence, 2);
});
