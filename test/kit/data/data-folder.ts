/** A data folder as a cluster of two sites leaves it: rows and files at the master, a copy, call records, runs of scripts, lives of a node. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { takeFolder } from '../../../sim/data/check.ts';
import { SeededRandom } from '../../../sim/ports/random.ts';
import { LevelStores } from '../../../src/adapters/level-store.ts';
import { systemClock } from '../../../src/adapters/system-clock.ts';
import { Incarnations } from '../../../src/cluster/membership/incarnations.ts';
import type { RoleScope } from '../../../src/cluster/role.ts';
import { entityOf } from '../../../src/model/entities/entities.ts';
import { createdItem } from '../../../src/model/entities/item.ts';
import type { DataRow } from '../../../src/model/protocol/messages/data.ts';
import { recordOf } from '../../../src/model/recording/call-record.ts';
import type { Component } from '../../../src/model/script/component.ts';
import { namedUuid } from '../../../src/model/uuid.ts';
import { Pace } from '../../../src/ports/pace.ts';
import { BanStore } from '../../../src/roles/ban-store.ts';
import { CallRecords } from '../../../src/roles/callstore/call-records.ts';
import type { RunRecord } from '../../../src/scripts/run-record.ts';
import { RunStore } from '../../../src/scripts/run-store.ts';
import { Contents } from '../../../src/storage/contents.ts';
import { Database } from '../../../src/storage/database.ts';
import { sipUserRow } from '../../storage/rows.ts';
import { smallMap } from '../../topology/small.ts';
import { silentLog } from '../quiet.ts';

export const acme = 'acme.root.test';
const atMs = Date.parse('2030-01-01T00:00:00Z');

export interface MadeFolder {
  readonly folder: string;
  /** Every row ever written, as JSON, and the rows of the final state. */
  readonly written: ReadonlySet<string>;
  readonly latest: ReadonlySet<string>;
}

/** `size`: how many rows, calls and files there are. */
export async function makeDataFolder(folder: string, size = 40): Promise<MadeFolder> {
  const locks = await takeFolder({ folder, map: smallMap(), command: 'test' });
  const written = new Set<string>();
  const east = new LevelStores(join(folder, 'east'));
  const { latest, sequence } = await makeRows(east, size, written);
  await makeCopy(new LevelStores(join(folder, 'w1')), latest, sequence);
  await makeCalls(new LevelStores(join(folder, 'w1')), size);
  await makeRuns(east);
  await makeSessionChanges(new LevelStores(join(folder, 'e1')));
  await makeBans(new LevelStores(join(folder, 'e1')));
  await Incarnations.begin({ stores: new LevelStores(join(folder, 'e1')), clock: systemClock, log: silentLog });
  await locks.release();
  return { folder, written, latest: new Set(latest.map((row) => JSON.stringify(row))) };
}

async function makeRows(stores: LevelStores, size: number, written: Set<string>) {
  const pace = new Pace(systemClock);
  let database = await Database.open(await stores.open('data-14'), pace);
  const contentStore = await stores.open('data-14-files');
  const contents = await Contents.open(contentStore, systemClock, pace);
  await database.refill([], { database: namedUuid('database'), sequence: 0, filled: ['root.test', acme] }, pace);
  const latest = new Map<string, DataRow>();
  const put = async (row: DataRow) => {
    await database.commit([{ put: row }]);
    written.add(JSON.stringify(row));
    latest.set(row.item.id, row);
  };
  for (let number = 0; number < size; number += 1) {
    await put(sipUserRow(number, { name: `first ${number} ${'x'.repeat((number * 20) % 900)}` }, atMs + number));
    if (number % 3 === 0) await put(sipUserRow(number, { name: `second ${number}` }, atMs + number));
    if (number % 10 === 0) await put(await fileRow(contents, number));
    // Some of it is in tables, the rest in a log.
    if (number === Math.floor(size / 2)) {
      await database.close();
      database = await Database.open(await stores.open('data-14'), pace);
    }
  }
  const sequence = database.position?.sequence ?? 0;
  await database.close();
  await contentStore.close();
  return { latest: [...latest.values()], sequence };
}

async function fileRow(contents: Contents, number: number): Promise<DataRow> {
  const bytes = Buffer.alloc(1_000 + 10_000 * (number % 40), `sound ${number} `);
  const content = namedUuid(`content ${number}`);
  for (let at = 0; at < bytes.length; at += 128 * 1024) {
    await contents.append(content, bytes.subarray(at, at + 128 * 1024).toString('base64'));
  }
  const given = {
    ...{ name: `sound-${number}.wav`, size: bytes.length, bytes: bytes.length, content },
    ...{ last_modified: '2030-01-01 00:00:00', etag: createHash('sha256').update(bytes).digest('base64url') },
  };
  const item = createdItem(entityOf('parkingfile'), namedUuid(`file ${number}`), { given, atMs: atMs + number });
  return { kind: 'parkingfile', domain: acme, item };
}

async function makeCopy(stores: LevelStores, rows: readonly DataRow[], sequence: number): Promise<void> {
  const pace = new Pace(systemClock);
  const database = await Database.open(await stores.open('sdc-23-14'), pace);
  await database.refill(rows, { database: namedUuid('database'), sequence, filled: [acme] }, pace);
  await database.close();
}

async function makeCalls(stores: LevelStores, size: number): Promise<void> {
  const scope = { clock: systemClock, random: new SeededRandom(1), log: silentLog, crash: fail };
  const store = await stores.open('callstore-24');
  const records = new CallRecords(scope as unknown as RoleScope, async () => store);
  for (let number = 0; number < size; number += 1) {
    const times = { startts: atMs, answerts: atMs + 5, endts: atMs + number };
    const names = { inviteid: `i-${number}`, dialogid: `d-${number}`, acallid: `a-${number}`, site: 'west' };
    const ends = { from: '<sip:1@a>', to: '<sip:2@a>', type: 'bye', status: null, reason: '' };
    await records.put(recordOf({ ...names, ...times, ...ends, participations: [], domains: [acme, 'root.test'] }));
  }
  records.stop();
  await store.close();
}

async function makeRuns(stores: LevelStores): Promise<void> {
  const start = { name: 'start', type: 'start' } as Component;
  const record: RunRecord = {
    ...{ id: 'run-1', kind: 'svcscript', domain: acme, code: 'desk', requester: { by: 'api' }, params: [] },
    ...{ startedMs: atMs, untilMs: atMs + 60_000, scripts: { desk: [start] } },
    ...{ frames: [{ code: 'desk', position: 'start', variables: {} }], passed: 0, steps: [], status: 'running' },
  };
  const runs = new RunStore({ clock: systemClock }, stores, 'scripts-11');
  await runs.put(record.id, JSON.stringify(record), [[acme, { visits: 3 }]]);
  await runs.close();
}

async function makeBans(stores: LevelStores): Promise<void> {
  const scope = { clock: systemClock, crash: fail, instance: { srvidx: 11 } };
  const bans = new BanStore(scope as unknown as RoleScope, stores);
  await bans.store({ ip: '10.9.9.9', untilMs: atMs });
  await bans.stop();
}

async function makeSessionChanges(stores: LevelStores): Promise<void> {
  const store = await stores.open('ws-11');
  const closed = { type: 'closed', key: 'k', user: 'u', openedMs: atMs };
  await store.write([{ put: 'closed/k', value: JSON.stringify(closed) }]);
  await store.close();
}

function fail(error: unknown): never {
  throw error;
}

/** The rows at the master, as JSON. */
export async function rowsIn(folder: string): Promise<string[]> {
  const database = await Database.open(
    await new LevelStores(join(folder, 'east')).open('data-14'),
    new Pace(systemClock),
  );
  const rows = Array.from(database.rows(), (row) => JSON.stringify(row));
  await database.close();
  return rows;
}

/** Whether rows are the same, in any order. */
export function areSame(rows: Iterable<string>, others: Iterable<string>): boolean {
  return [...rows].sort().join() === [...others].sort().join();
}
