/** `strowger export` and `import`: an exported document can be imported, and an invalid document is refused with the reason. */

import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { LevelStores } from '../../src/adapters/level-store.ts';
import { systemClock } from '../../src/adapters/system-clock.ts';
import { Pace } from '../../src/ports/pace.ts';
import { Database } from '../../src/storage/database.ts';
import { test } from '../kit/test.ts';
import { makeFolder, writeFile } from '../topology/edits.ts';
import { smallYaml } from '../topology/small.ts';
import { strowger } from './in-process.ts';

const acme = 'acme.root.test';

interface Document {
  format: string;
  domain: string;
  items: Record<string, Record<string, unknown>[]>;
}

interface Place {
  readonly folder: string;
  readonly args: readonly string[];
}

const admin = { id: '5b7a3f7e-2c64-4b0e-9d0c-6a4f1f0f5c21', name: 'Admin', login: 'admin', pwd: 'admin' };

/** A folder with data of its own; import makes it. */
async function place(t: ExecutionContext): Promise<Place> {
  const folder = makeFolder(t);
  const here = { folder, args: ['--data', join(folder, 'data'), '--topology', writeFile(t, 'small.yaml', smallYaml)] };
  const { code, err } = await imported(t, here, {
    format: 'strowger-domain-1',
    domain: 'root.test',
    items: { user: [admin] },
  });
  t.is(code, 0, err);
  return here;
}

async function exported(t: ExecutionContext, { args }: Place, domain = acme): Promise<Document> {
  const { code, out, err } = await strowger(t, 'export', domain, ...args);
  t.is(code, 0, err);
  return JSON.parse(out) as Document;
}

function imported(t: ExecutionContext, { folder, args }: Place, document: unknown) {
  const file = join(folder, 'domain.json');
  writeFileSync(file, typeof document === 'string' ? document : JSON.stringify(document));
  return strowger(t, 'import', file, ...args);
}

test('a domain goes out and comes in as it was, with what was added and without what was left out', async (t) => {
  const here = await place(t);
  const before = await exported(t, here);
  t.deepEqual(Object.keys(before.items).sort(), ['sipuser', 'user']);
  t.regex(String(before.items['user']![0]!['secret']), /^scrypt\$/);
  t.false(JSON.stringify(before.items['user']).includes('"admin/admin"'));
  const again = await imported(t, here, before);
  t.is(again.out, `${acme}: 4 items, 0 of before are gone\n`, again.err);
  t.deepEqual(await exported(t, here), before);
  const meeting = '0d4f1c9e-8a55-4c3f-9a6b-0a2f6d1e7b11';
  const changed: Document = {
    ...before,
    items: {
      user: [...before.items['user']!.slice(0, 1), { id: meeting, name: 'Ann', login: 'ann', pwd: 'new' }],
      selector: [{ id: meeting, timestartutc: '2030-01-01T09:00:00Z', topology_mode: 'direct' }],
      participant: [{ id: meeting, parent: meeting, number: '1', topology_type: 'speaker' }],
    },
  };
  const { out, err } = await imported(t, here, changed);
  t.is(out, `${acme}: 4 items, 3 of before are gone\n`, err);
  const after = await exported(t, here);
  t.deepEqual(Object.keys(after.items).sort(), ['participant', 'selector', 'user']);
  const ann = after.items['user']!.find((user) => user['login'] === 'ann')!;
  t.is(ann['pwd'], '*');
  t.regex(String(ann['secret']), /^scrypt\$/);
  t.deepEqual((await exported(t, here, 'root.test')).items['user']!.length, 1, 'another domain is as it was');
});

test('an invalid document is refused in one line, and changes nothing', async (t) => {
  const here = await place(t);
  const sound = await exported(t, here);
  const wrong: [document: unknown, message: RegExp][] = [
    [
      `${'['.repeat(65)}${']'.repeat(65)}`,
      /^strowger: \S*domain\.json: expected JSON nested at most 64 deep, got deeper\n$/,
    ],
    ['{', /^strowger: \S*domain\.json: .*JSON.*\n$/],
    [
      { ...sound, domain: 'nowhere.test' },
      /^strowger: no domain named "nowhere\.test"; expected one of root\.test, acme\.root\.test\n$/,
    ],
    [{ ...sound, domain: 'root.test' }, /^strowger: \S*domain\.json: .* is taken in another domain\n$/],
  ];
  for (const [document, message] of wrong) {
    const { code, out, err } = await imported(t, here, document);
    t.true(code === 1 || code === 64, `${code}`);
    t.is(out, '');
    t.regex(err, message);
  }
  t.deepEqual(await exported(t, here), sound);
});

test('a folder that a cluster runs on is left alone', async (t) => {
  const here = await place(t);
  const before = await exported(t, here);
  const store = await new LevelStores(join(here.folder, 'data', 'east')).open('data-14');
  const database = await Database.open(store, new Pace(systemClock));
  t.is(database.size, 5);
  const results = [await strowger(t, 'export', acme, ...here.args), await imported(t, here, before)];
  await store.close();
  for (const { code, out, err } of results) {
    t.is(code, 1);
    t.is(out, '');
    t.regex(err, /data is in use by another process: it holds the lock \S+data-14\/LOCK; stop it first/);
  }
  t.deepEqual(await exported(t, here), before);
});

test('export refuses a folder that is missing or has no data of the domain, and makes nothing; import makes it', async (t) => {
  const folder = makeFolder(t);
  const topology = writeFile(t, 'small.yaml', smallYaml);
  const none = join(folder, 'nope');
  const missing = await strowger(t, 'export', acme, '--topology', topology, '--data', none);
  const refused = `strowger: --data: expected an existing folder, got "${none}"\n`;
  t.deepEqual(missing, { code: 64, out: '', err: refused });
  t.false(existsSync(none));
  const empty = await strowger(t, 'export', acme, '--topology', topology, '--data', folder);
  const expected = `has no data of ${acme} (east/data-14): expected a folder of \`serve --data\``;
  t.deepEqual(empty, { code: 1, out: '', err: `strowger: data folder ${folder} ${expected}\n` });
  t.deepEqual(readdirSync(folder), []);
  t.regex((await strowger(t, 'import', '--help')).out, /a missing one is\s+made/);
});
