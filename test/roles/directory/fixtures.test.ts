/** The fixtures of a topology: what an empty database begins with, and what a domain begins with that is new in it. */
import { hash } from 'node:crypto';
import { SeededRandom } from '../../../sim/ports/random.ts';
import { SimulatedStores } from '../../../sim/ports/store.ts';
import { VirtualClock } from '../../../sim/ports/virtual-clock.ts';
import { ClusterMap } from '../../../src/model/cluster/cluster-map.ts';
import type { StoredFile } from '../../../src/model/entities/stored-file.ts';
import { Pace } from '../../../src/ports/pace.ts';
import { fillWithFixtures } from '../../../src/roles/directory/initial-data.ts';
import { isPassword } from '../../../src/roles/directory/passwords.ts';
import { Contents } from '../../../src/storage/contents.ts';
import { Database } from '../../../src/storage/database.ts';
import { pitchOf, readWav } from '../../kit/data/wav.ts';
import { defaultMap } from '../../kit/maps.ts';
import { test } from '../../kit/test.ts';

const clock = new VirtualClock(Date.UTC(2026, 0, 1));
const random = new SeededRandom(1);

async function open(stores: SimulatedStores, map: ClusterMap, domains = ['root.test']): Promise<Database> {
  const pace = new Pace(clock);
  const database = await Database.open(await stores.open('data'), pace);
  const files = await stores.open('contents');
  const contents = await Contents.open(files, clock, pace);
  await fillWithFixtures(database, { map, domains, contents, clock, random, pace });
  await files.close();
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

test('parking files of the topology are there from the start, as files; one that is removed does not come back', async (t) => {
  const stores = newStores();
  const database = await open(stores, defaultMap);
  const files = () => database.table('parkingfile').inOrder('acme.root.test');
  t.deepEqual(
    files().map(({ item }) => item['name']),
    ['wait.wav', 'beep.wav', 'return.wav'],
  );
  const [wait] = files();
  const store = await stores.open('contents');
  const contents = await Contents.open(store, clock, new Pace(clock));
  const { content, size, etag } = wait!.item as unknown as StoredFile;
  const bytes = (await contents.read(content, 0))!;
  t.is(bytes.length, size);
  t.is(hash('sha256', bytes, 'base64url'), etag);
  const wav = readWav(bytes);
  t.deepEqual([wav.ms, wav.rate, wav.channels], [1_000, 8_000, 1]);
  t.true(Math.abs(pitchOf(wav, 0) - 425) < 10);
  await store.close();
  await database.commit([{ gone: { kind: 'parkingfile', domain: 'acme.root.test', id: wait!.item.id } }]);
  await database.close();
  const again = await open(stores, defaultMap);
  t.is(again.table('parkingfile').inOrder('acme.root.test').length, 2);
});
