/** Data folders: the cluster of one, the process that uses it, the damage in it; each is reported at the start, with folder, cause and advice. */

import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { checkFolder, takeFolder } from '../../sim/data/check.ts';
import { folderProblem } from '../../sim/data/folder.ts';
import { lockName, storesIn } from '../../sim/data/stores.ts';
import { LevelStores } from '../../src/adapters/level-store.ts';
import type { StoreChange } from '../../src/ports/store.ts';
import { areSame, makeDataFolder, rowsIn } from '../kit/data/data-folder.ts';
import { silentLog } from '../kit/quiet.ts';
import { test } from '../kit/test.ts';
import { makeFolder } from '../topology/edits.ts';
import { smallMap } from '../topology/small.ts';

const take = (folder: string) => takeFolder({ folder, map: smallMap(), command: 'test' });

/** A file of a store, by how its name ends. */
function fileOf(folder: string, store: string, end: RegExp): string {
  const name = readdirSync(join(folder, store)).find((each) => end.test(each));
  if (name === undefined) throw new Error(`${store} has no ${end}`);
  return join(folder, store, name);
}

function edit(file: string, change: (bytes: Buffer) => Buffer | string): void {
  writeFileSync(file, change(readFileSync(file)));
}

const flipped = (bytes: Buffer) => {
  const at = Math.floor(bytes.length / 3);
  bytes[at] = (bytes[at] as number) ^ 1;
  return bytes;
};

async function write(folder: string, store: string, changes: StoreChange[]): Promise<void> {
  const [owner = '', name = ''] = store.split('/');
  const open = await new LevelStores(join(folder, owner)).open(name);
  await open.write(changes);
  await open.close();
}

interface Row {
  readonly title: string;
  readonly damage: (folder: string) => void | Promise<void>;
  readonly message: RegExp;
}

/** What a start says of a folder that it can't use. */
const refusals: readonly Row[] = [
  {
    title: 'a table with a flipped bit',
    damage: (f) => edit(fileOf(f, 'east/data-14', /ldb$/), flipped),
    message: /east\/data-14, \d+\.ldb: .*data check/s,
  },
  {
    title: 'a log with a flipped bit',
    damage: (f) => edit(fileOf(f, 'east/data-14', /\.log$/), flipped),
    message: /east\/data-14, \d+\.log: no valid record at byte \d+/,
  },
  {
    title: 'a table that was cut',
    damage: (f) => edit(fileOf(f, 'east/data-14', /ldb$/), (bytes) => bytes.subarray(0, 100)),
    message: /east\/data-14, \d+\.ldb: has 100 bytes, expected \d+/,
  },
  {
    title: 'a table that is missing',
    damage: (f) => rmSync(fileOf(f, 'east/data-14', /ldb$/)),
    message: /\d+\.ldb: is missing/,
  },
  {
    title: 'a log that is missing',
    damage: (f) => rmSync(fileOf(f, 'w1/callstore-24', /\.log$/)),
    message: /w1\/callstore-24, \d+\.log: is missing/,
  },
  {
    title: 'a manifest that is missing',
    damage: (f) => rmSync(fileOf(f, 'w1/sdc-23-14', /MANIFEST/)),
    message: /w1\/sdc-23-14, MANIFEST-\d+: is missing/,
  },
  {
    title: 'a garbled manifest',
    damage: (f) => edit(fileOf(f, 'e1/node', /MANIFEST/), flipped),
    message: /e1\/node, MANIFEST-\d+: is damaged/,
  },
  {
    title: 'CURRENT that is missing',
    damage: (f) => rmSync(join(f, 'east/data-14/CURRENT')),
    message: /east\/data-14, CURRENT: is missing/,
  },
  {
    title: 'a store of scripts with a garbled CURRENT',
    damage: (f) => writeFileSync(join(f, 'east/scripts-11/CURRENT'), 'x'),
    message: /scripts-11, CURRENT: names no manifest/,
  },
  {
    title: 'CURRENT that is garbled',
    damage: (f) => writeFileSync(join(f, 'east/data-14/CURRENT'), 'x'),
    message: /CURRENT: names no manifest/,
  },
  {
    title: 'a file in place of a store',
    damage: (f) => {
      rmSync(join(f, 'east/data-14'), { recursive: true });
      writeFileSync(join(f, 'east/data-14'), '');
    },
    message: /east\/data-14 is a file: expected the folder of a store/,
  },
  {
    title: 'a file in place of the folder of a node',
    damage: (f) => {
      rmSync(join(f, 'w1'), { recursive: true });
      writeFileSync(join(f, 'w1'), '');
    },
    message: /w1 is a file: expected the folder of w1/,
  },
  {
    title: 'a store of another kind',
    damage: (f) => {
      rmSync(join(f, 'east/data-14'), { recursive: true });
      cpSync(join(f, 'east/data-14-files'), join(f, 'east/data-14'), { recursive: true });
    },
    message: /east\/data-14, .*has an unknown key/,
  },
  {
    title: 'a record that is no JSON',
    damage: (f) => write(f, 'east/data-14', [{ put: 'about', value: '{' }]),
    message: /east\/data-14, about: /,
  },
  {
    title: 'another cluster',
    damage: (f) => edit(join(f, 'strowger-data.json'), (bytes) => String(bytes).replace('small', 'other')),
    message:
      /belongs to another cluster: its cluster is "other", that of the topology is "small"; use another folder or, if the topology was renamed/,
  },
  {
    title: 'another format',
    damage: (f) => edit(join(f, 'strowger-data.json'), (bytes) => String(bytes).replace('"format":1', '"format":2')),
    message: /has format 2, this version of strowger reads format 1/,
  },
  {
    title: 'a garbled marker',
    damage: (f) => writeFileSync(join(f, 'strowger-data.json'), '{"format":1}'),
    message: /strowger-data\.json: cluster: expected/,
  },
  {
    title: 'data of another cluster without a marker',
    damage: (f) => {
      for (const owner of ['e1', 'east', 'w1', 'w2', 'west'])
        if (existsSync(join(f, owner))) renameSync(join(f, owner), join(f, `x${owner}`));
      rmSync(join(f, 'strowger-data.json'));
    },
    message: /is not one of this cluster: it holds data of xe1, .* topology "small"/,
  },
  {
    title: 'files that are no data',
    damage: (f) => {
      for (const name of readdirSync(f)) rmSync(join(f, name), { recursive: true });
      writeFileSync(join(f, 'letter.txt'), '');
    },
    message: /is not one of this cluster: it holds letter\.txt/,
  },
];

test('a folder that can not be used is refused, with folder, cause and advice', async (t) => {
  const root = makeFolder(t);
  const { folder: made } = await makeDataFolder(join(root, 'made'));
  for (const [index, { title, damage, message }] of refusals.entries()) {
    const folder = join(root, String(index));
    cpSync(made, folder, { recursive: true });
    await damage(folder);
    const error = await t.throwsAsync(take(folder), { message }, title);
    t.true(error?.message.includes(folder), title);
    t.regex(error?.message ?? '', /data check|use |expected/, title);
  }
});

test('a file in place of the folder is refused', async (t) => {
  const file = join(makeFolder(t), 'data');
  writeFileSync(file, '');
  await t.throwsAsync(take(file), { message: /can't be used: it is a file: use another folder/ });
  await t.throwsAsync(take(join(file, 'below')), { message: /can't be made: a part of its path is a file/ });
});

test('an error of the file system is reported with its cause and a remedy', (t) => {
  const words: [code: string, message: RegExp][] = [
    ['EACCES', /permission denied/],
    ['EROFS', /the file system is read-only/],
    ['ENOSPC', /no space left/],
  ];
  for (const [code, message] of words) {
    const error = folderProblem('/data', 'written', Object.assign(new Error('x'), { code }));
    t.regex(error.message, /^data folder \/data can't be written: /);
    t.regex(error.message, message);
    t.regex(error.message, /or use another folder/);
  }
});

test('a folder that can not be written is refused', async (t) => {
  // Permissions do not restrict root.
  const folder = join(makeFolder(t), 'data');
  mkdirSync(folder, { mode: 0o500 });
  const taking = take(folder).then((locks) => locks.release());
  if (process.getuid?.() === 0) await t.notThrowsAsync(taking);
  else await t.throwsAsync(taking, { message: /permission denied/ });
  chmodSync(folder, 0o700);
});

test('a folder whose marker another node is writing is marked', async (t) => {
  const folder = makeFolder(t);
  const unfinished = 'strowger-data.json.748.tmp';
  writeFileSync(join(folder, unfinished), '{"format":');
  const taken = await take(folder);
  t.teardown(() => taken.release());
  t.true(existsSync(join(folder, 'strowger-data.json')));
  t.true(existsSync(join(folder, unfinished)));
});

test('a folder from before there were markers is marked, and has all its data', async (t) => {
  const { folder, latest } = await makeDataFolder(join(makeFolder(t), 'data'));
  rmSync(join(folder, 'strowger-data.json'));
  await (await take(folder)).release();
  t.deepEqual(JSON.parse(readFileSync(join(folder, 'strowger-data.json'), 'utf8')), {
    format: 1,
    cluster: 'small',
    masterDomain: 'root.test',
  });
  t.true(areSame(await rowsIn(folder), latest));
});

test('a folder in use is refused with its lock and its process', async (t) => {
  const { folder } = await makeDataFolder(join(makeFolder(t), 'data'), 3);
  const locks = await take(folder);
  const message = new RegExp(
    `is in use by process ${process.pid} \\(strowger test\\): it holds the lock \\S+/LOCK; stop it`,
  );
  await t.throwsAsync(take(folder), { message });
  await t.throwsAsync(checkFolder(folder, { isRepair: true }), { message });
  await locks.release();
  await (await take(folder)).release();
});

test('a store that an older version has open is in use as well', async (t) => {
  const { folder } = await makeDataFolder(join(makeFolder(t), 'data'), 3);
  const store = await new LevelStores(join(folder, 'east')).open('data-14');
  const message = /is in use by another process: it holds the lock \S+data-14\/LOCK/;
  await t.throwsAsync(take(folder), { message });
  await t.throwsAsync(checkFolder(folder, { isRepair: false }), { message });
  await store.close();
});

test('a folder of unknown purpose among the stores is named', async (t) => {
  const { folder } = await makeDataFolder(join(makeFolder(t), 'data'), 3);
  mkdirSync(join(folder, 'east/queues-3'));
  const { findings } = await checkFolder(folder, { isRepair: false });
  t.deepEqual(findings, [
    { level: 'note', store: 'east/queues-3', problem: 'is not a store of this version, and was not checked' },
  ]);
});

test('what is wiped is gone, except the lock, its holder and the stores of others', async (t) => {
  const { folder } = await makeDataFolder(join(makeFolder(t), 'data'), 3);
  const use = { folder, map: smallMap(), isShared: true };
  const held = await takeFolder({ ...use, nodes: ['w1'], command: 'node w1' });
  const others = readdirSync(join(folder, 'east'));
  const stores = storesIn(folder, silentLog);
  stores.wipe('w1');
  stores.wipe('w3');
  t.deepEqual(readdirSync(join(folder, 'w1')).toSorted(), ['holder.json', lockName]);
  t.deepEqual(readdirSync(join(folder, 'east')), others);
  await t.throwsAsync(takeFolder({ ...use, nodes: ['w1'], command: 'node w1' }), { message: /strowger node w1/ });
  await held.release();
});

test('two nodes share a folder, each with its own stores', async (t) => {
  const { folder } = await makeDataFolder(join(makeFolder(t), 'data'), 3);
  const use = { folder, map: smallMap(), isShared: true };
  const one = await takeFolder({ ...use, nodes: ['w1'], command: 'node w1' });
  const other = await takeFolder({ ...use, nodes: ['w2'], command: 'node w2' });
  await t.throwsAsync(takeFolder({ ...use, nodes: ['w1'], command: 'node w1' }), { message: /strowger node w1/ });
  await other.release();
  await one.release();
});

/** What a check finds in records, what a repair leaves. */
const faults: readonly { title: string; store: string; changes: StoreChange[]; at: string; problem: RegExp }[] = [
  {
    title: 'a row that is no JSON',
    store: 'east/data-14',
    changes: [{ put: 'r/1/sipuser/2030/x', value: '{' }],
    at: 'r/1/sipuser/2030/x',
    problem: /is not JSON/,
  },
  {
    title: 'a row of an unknown kind',
    store: 'east/data-14',
    changes: [{ put: 'r/1/x/2030/x', value: '{"kind":"x"}' }],
    at: 'r/1/x/2030/x',
    problem: /kind: /,
  },
  {
    title: 'an unknown key',
    store: 'east/data-14',
    changes: [{ put: 'zzz', value: '' }],
    at: 'zzz',
    problem: /unknown key/,
  },
  {
    title: 'a gap in the log',
    store: 'east/data-14',
    changes: [{ delete: 'l/000000000000007' }],
    at: 'l/000000000000008',
    problem: /has a gap: 8 comes after 6/,
  },
  {
    title: 'a log that ends too early',
    store: 'east/data-14',
    changes: [{ put: 'l/000000000000999', value: '[]' }],
    at: 'l/000000000000999',
    problem: /gap|ends with change 999/,
  },
  {
    title: 'about is missing',
    store: 'east/data-14',
    changes: [{ delete: 'about' }],
    at: 'about',
    problem: /is missing/,
  },
  {
    title: 'a content that is not JSON',
    store: 'east/data-14-files',
    changes: [{ put: 'c/x', value: 'x' }],
    at: 'c/x',
    problem: /is not the length/,
  },
  {
    title: 'a piece that belongs to nothing',
    store: 'east/data-14-files',
    changes: [{ put: 'p/x/000000', value: 'eHg=' }],
    at: 'p/x',
    problem: /pieces of a content that is not there/,
  },
  {
    title: 'a call without its index',
    store: 'w1/callstore-24',
    changes: [{ delete: 'r/i-3' }],
    at: 'r/i-3',
    problem: /is missing/,
  },
  {
    title: 'an index without its call',
    store: 'w1/callstore-24',
    changes: [{ put: 'r/i-999', value: '999 x' }],
    at: 'r/i-999',
    problem: /leads to a record that is not there/,
  },
  {
    title: 'a run of a script that is no JSON',
    store: 'east/scripts-11',
    changes: [{ put: 'run/run-1', value: '{' }],
    at: 'run/run-1',
    problem: /is not JSON/,
  },
  {
    title: 'a run without a position',
    store: 'east/scripts-11',
    changes: [{ put: 'run/run-2', value: '{"id":"run-2"}' }],
    at: 'run/run-2',
    problem: /kind: /,
  },
  {
    title: 'global variables that are no object',
    store: 'east/scripts-11',
    changes: [{ put: 'global/acme.root.test', value: '3' }],
    at: 'global/acme.root.test',
    problem: /expected record/,
  },
  {
    title: 'a ban without an end',
    store: 'e1/bans-11',
    changes: [{ put: '10.9.9.8', value: '{"ip":"10.9.9.8"}' }],
    at: '10.9.9.8',
    problem: /untilMs: /,
  },
  {
    title: 'a logout under the key of another session',
    store: 'e1/ws-11',
    changes: [{ put: 'closed/x', value: '{"type":"closed","key":"k","user":"u","openedMs":1}' }],
    at: 'closed/x',
    problem: /unknown key/,
  },
  {
    title: 'a node that counts in words',
    store: 'e1/node',
    changes: [{ put: 'epoch', value: 'many' }],
    at: 'epoch',
    problem: /is not valid/,
  },
];

/** The first fault of each store, the second of each, and so on: one check finds what is wrong in several stores. */
const placeOf = (fault: (typeof faults)[number]) => faults.filter(({ store }) => store === fault.store).indexOf(fault);
const rounds = [...new Set(faults.map(placeOf))].map((place) => faults.filter((fault) => placeOf(fault) === place));

test('a check finds what is wrong in records, by key, and a repair mends it', async (t) => {
  const root = makeFolder(t);
  const { folder: made, latest } = await makeDataFolder(join(root, 'made'));
  t.deepEqual((await checkFolder(made, { isRepair: false })).findings, []);
  for (const [index, round] of rounds.entries()) {
    const folder = join(root, String(index));
    cpSync(made, folder, { recursive: true });
    for (const { store, changes } of round) await write(folder, store, changes);
    const { findings } = await checkFolder(folder, { isRepair: false });
    for (const { title, store, at, problem } of round) {
      const found = findings.find((each) => each.level === 'damage' && each.store === store && each.at === at);
      t.regex(found?.problem ?? '', problem, `${title}: ${JSON.stringify(findings)}`);
    }
    const titles = round.map(({ title }) => title).join(', ');
    t.true((await checkFolder(folder, { isRepair: true })).isRepaired, titles);
    t.deepEqual((await checkFolder(folder, { isRepair: false })).findings, [], titles);
    t.is((await rowsIn(folder)).length, latest.size, titles);
  }
});

test('a file whose content is missing or another is removed by a repair; a copy fetches it again', async (t) => {
  const { folder, latest } = await makeDataFolder(join(makeFolder(t), 'data'), 12);
  const store = await new LevelStores(join(folder, 'east')).open('data-14-files');
  const pieces: string[] = [];
  for await (const [key] of store.entries({ from: 'p/', to: 'p0' })) pieces.push(key);
  const [piece = ''] = pieces;
  await store.write([{ put: piece, value: Buffer.alloc(1_000, 'other').toString('base64') }]);
  await store.close();
  const { findings } = await checkFolder(folder, { isRepair: true });
  const [damage] = findings.filter(({ level }) => level === 'damage');
  t.regex(damage?.problem ?? '', /the content of file "sound-\d+\.wav" of acme\.root\.test has another hash or length/);
  t.is((await rowsIn(folder)).length, latest.size - 1);
  t.deepEqual(
    (await checkFolder(folder, { isRepair: false })).findings.filter(({ level }) => level === 'damage'),
    [],
  );
});

test('a table that is damaged loses what is in its blocks and nothing else, and the damaged store is kept', async (t) => {
  const { folder, written, latest } = await makeDataFolder(join(makeFolder(t), 'data'), 400);
  rmSync(join(folder, 'w1', 'sdc-23-14'), { recursive: true });
  edit(fileOf(folder, 'east/data-14', /ldb$/), flipped);
  const { findings, isRepaired } = await checkFolder(folder, { isRepair: true });
  t.true(isRepaired);
  t.regex(findings[0]?.problem ?? '', /^the block (up to|after) key .* has another checksum at byte \d+$/);
  const rows = await rowsIn(folder);
  t.true(rows.length > latest.size * 0.9 && rows.every((row) => written.has(row)), `${rows.length} of ${latest.size}`);
  t.true(existsSync(join(folder, 'east', 'data-14.damaged-1')));
});

test('what a damaged master has lost comes from a copy in the folder: rows, and contents of files', async (t) => {
  const { folder, latest } = await makeDataFolder(join(makeFolder(t), 'data'), 40);
  // The copy has fetched the contents.
  cpSync(join(folder, 'east', 'data-14-files'), join(folder, 'w1', 'sdc-23-14-files'), { recursive: true });
  for (const store of ['east/data-14', 'east/data-14-files']) edit(fileOf(folder, store, /\.log$/), flipped);
  const { findings } = await checkFolder(folder, { isRepair: true });
  const taken = findings.flatMap(({ problem }) => (/taken from the copy (\S+)/.exec(problem) ?? []).slice(1));
  t.deepEqual([...new Set(taken)].sort(), ['w1/sdc-23-14', 'w1/sdc-23-14-files']);
  t.true(areSame(await rowsIn(folder), latest), 'all of it');
  t.deepEqual(
    (await checkFolder(folder, { isRepair: false })).findings.filter(({ level }) => level === 'damage'),
    [],
  );
});

test('a master that has lost rows has another identity, so that copies fetch all of it', async (t) => {
  const { folder } = await makeDataFolder(join(makeFolder(t), 'data'), 400);
  const idOf = async () => {
    const store = await new LevelStores(join(folder, 'east')).open('data-14');
    const { database } = JSON.parse((await store.get('about')) ?? '{}') as { database: string };
    await store.close();
    return database;
  };
  const before = await idOf();
  edit(fileOf(folder, 'east/data-14', /ldb$/), flipped);
  await checkFolder(folder, { isRepair: true });
  t.not(await idOf(), before);
});

test('a copy that is damaged is set aside, and nothing is lost', async (t: ExecutionContext) => {
  const { folder, latest } = await makeDataFolder(join(makeFolder(t), 'data'), 12);
  rmSync(fileOf(folder, 'w1/sdc-23-14', /MANIFEST/));
  const { findings } = await checkFolder(folder, { isRepair: true });
  t.regex(findings[0]?.repair ?? '', /the copy is set aside as .*damaged-1, and fetched again from the master/);
  t.false(existsSync(join(folder, 'w1', 'sdc-23-14')));
  t.true(areSame(await rowsIn(folder), latest));
});
