/** Contents of files at mdc and sdc: written in pieces, read while they are replaced, and collected when they are of no use. */

import { SeededRandom } from '../../../sim/ports/random.ts';
import { SimulatedStores } from '../../../sim/ports/store.ts';
import { VirtualClock } from '../../../sim/ports/virtual-clock.ts';
import { parkingFile, type StoredFile } from '../../../src/model/entities/stored-file.ts';
import { limits } from '../../../src/model/limits.ts';
import { namedUuid } from '../../../src/model/uuid.ts';
import { bytesOf } from '../../kit/http/files.ts';
import { test } from '../../kit/test.ts';
import { acme, DirectoryCluster } from './kit.ts';

const place = { kind: parkingFile.kind, domain: acme };
const { filePieceBytes: pieceBytes, fileGraceMs } = limits;

async function write(cluster: DirectoryCluster, content: string, bytes: Buffer): Promise<void> {
  for (let index = 0; index * pieceBytes < bytes.length; index += 1) {
    const piece = bytes.subarray(index * pieceBytes, (index + 1) * pieceBytes).toString('base64');
    await cluster.good('mdc-133', 'file.write', { domain: acme, content, index, piece });
  }
}

async function commit(cluster: DirectoryCluster, name: string, content: string, bytes: number): Promise<StoredFile> {
  const file = { name, size: bytes, etag: content, content, bytes };
  const body = { ...place, id: namedUuid(content), file };
  return (await cluster.good('mdc-133', 'file.commit', body)).item as StoredFile;
}

async function read(cluster: DirectoryCluster, at: string, content: string, from: number): Promise<Buffer | string> {
  const outcome = await cluster.ask(at, 'file.read', { domain: acme, content, from });
  return outcome.ok ? Buffer.from(outcome.value.piece, 'base64') : outcome.fault.code;
}

/** The keys of the contents in a store of a node that is dead. */
async function contentsIn(stores: SimulatedStores, area: string, name: string): Promise<string[]> {
  const store = await stores.shared(area, 'test').open(name);
  const keys: string[] = [];
  for await (const [key] of store.entries({})) keys.push(key);
  return keys;
}

test('pieces are kept in their order and once each; what was not written is refused', async (t) => {
  const cluster = await DirectoryCluster.start();
  const bytes = bytesOf(pieceBytes + 10);
  const [first, last] = [
    bytes.subarray(0, pieceBytes).toString('base64'),
    bytes.subarray(pieceBytes).toString('base64'),
  ];
  const ask = async (index: number, piece: string) => {
    const outcome = await cluster.ask('mdc-133', 'file.write', { domain: acme, content: 'c1', index, piece });
    return outcome.ok || outcome.fault.code;
  };
  t.is(await ask(1, last), 'overloaded');
  t.is(await ask(0, first), true);
  t.is(await ask(0, first), true);
  t.is(await ask(2, last), 'overloaded');
  t.is(await ask(1, last), true);
  t.is(await ask(2, last), 'overloaded', 'one that is not full was the last');
  const wrong = { name: 'a', size: 1, etag: 'e', content: 'c1', bytes: 1 };
  const refused = await cluster.ask('mdc-133', 'file.commit', { ...place, id: namedUuid('a'), file: wrong });
  t.false(refused.ok);
  await commit(cluster, 'a.wav', 'c1', bytes.length);
  t.true(bytes.subarray(0, pieceBytes).equals((await read(cluster, 'mdc-133', 'c1', 0)) as Buffer));
  t.true(bytes.subarray(pieceBytes + 3).equals((await read(cluster, 'mdc-133', 'c1', pieceBytes + 3)) as Buffer));
  t.is(await read(cluster, 'mdc-133', 'c1', bytes.length), 'unreachable');
});

test('a reader of a file that is replaced can read the old content to its end; then it is deleted', async (t) => {
  const cluster = await DirectoryCluster.start();
  const bytes = bytesOf(pieceBytes * 3);
  await write(cluster, 'old', bytes);
  await commit(cluster, 'a.wav', 'old', bytes.length);
  await write(cluster, 'new', bytesOf(10));
  await cluster.probed.pass(1_000);
  await commit(cluster, 'a.wav', 'new', 10);
  for (let i = 0; i < 3; i += 1) {
    for (const at of ['mdc-133', 'sdc-218']) {
      const piece = (await read(cluster, at, 'old', i * pieceBytes)) as Buffer;
      t.true(bytes.subarray(i * pieceBytes, (i + 1) * pieceBytes).equals(piece), `${at} ${i}`);
    }
    await cluster.probed.pass(fileGraceMs * 0.9);
  }
  await cluster.probed.pass(fileGraceMs * 2.5);
  for (const at of ['mdc-133', 'sdc-218']) {
    t.is(await read(cluster, at, 'old', 0), 'unreachable', at);
    t.is(((await read(cluster, at, 'new', 0)) as Buffer).length, 10, at);
  }
});

test('an upload that was not committed is collected, also after a restart of mdc', async (t) => {
  const cluster = await DirectoryCluster.start({}, disks());
  await write(cluster, 'left', bytesOf(pieceBytes));
  await write(cluster, 'kept', bytesOf(5));
  await commit(cluster, 'a.wav', 'kept', 5);
  const next = await restarted(cluster);
  await write(next, 'later', bytesOf(5));
  await next.probed.pass(fileGraceMs * 3);
  for (const content of ['left', 'later']) t.is(await read(next, 'mdc-133', content, 0), 'unreachable', content);
  t.is(((await read(next, 'mdc-133', 'kept', 0)) as Buffer).length, 5);
  next.stores.crash('');
  t.deepEqual(await contentsIn(next.stores, 'sites/hq', 'data-133-files'), ['c/kept', 'p/kept/000000']);
  t.deepEqual(await contentsIn(next.stores, 'n1', 'sdc-218-133-files'), ['c/kept', 'p/kept/000000']);
});

test('an sdc that was gone fetches what it lacks, from where it was interrupted', async (t) => {
  const cluster = await DirectoryCluster.start({}, disks());
  const bytes = bytesOf(pieceBytes * 6);
  await write(cluster, 'c1', bytes);
  await commit(cluster, 'a.wav', 'c1', bytes.length);
  await cluster.probed.pass(30);
  t.is(await read(cluster, 'sdc-318', 'c1', 5 * pieceBytes), 'unreachable', 'not there yet');
  const next = await restarted(cluster);
  await next.probed.pass(3_000);
  for (const at of ['sdc-218', 'sdc-318']) {
    t.true(bytes.subarray(5 * pieceBytes).equals((await read(next, at, 'c1', 5 * pieceBytes)) as Buffer), at);
  }
  next.stores.crash('');
  t.is((await contentsIn(next.stores, 'n2', 'sdc-229-133-files')).length, 7, 'a copy that stands by has it too');
});

test('a message that comes late once more does not bring back what was replaced', async (t) => {
  const cluster = await DirectoryCluster.start();
  await write(cluster, 'old', bytesOf(10, 1));
  await commit(cluster, 'a.wav', 'old', 10);
  await commit(cluster, 'a.wav', 'old', 10);
  await write(cluster, 'new', bytesOf(10, 2));
  await commit(cluster, 'a.wav', 'new', 10);
  await t.throwsAsync(commit(cluster, 'a.wav', 'old', 10), { message: /made before/ });
  const { item } = await cluster.good('sdc-218', 'file.find', { ...place, name: 'a.wav' });
  t.is(item?.['content'], 'new');
});

test('a domain has at most so many files', async (t) => {
  const cluster = await DirectoryCluster.start();
  const all = Array.from({ length: limits.domainFiles }, (_, i) => commit(cluster, `${i}.wav`, `c${i}`, 0));
  await Promise.all(all);
  const file = { name: 'more.wav', size: 0, etag: 'e', content: 'more', bytes: 0 };
  const outcome = await cluster.ask('mdc-133', 'file.commit', { ...place, id: namedUuid('more'), file });
  t.like(outcome, { ok: false, fault: { code: 'too_large' } });
  await commit(cluster, '7.wav', 'again', 0);
  await cluster.good('mdc-133', 'file.remove', { ...place, name: '8.wav' });
  await commit(cluster, 'more.wav', 'more', 0);
});

/** Disks that outlive a cluster, and its clock. */
function disks(): SimulatedStores {
  return new SimulatedStores({
    clock: new VirtualClock(0),
    random: new SeededRandom(1).stream('faults'),
    latencyMs: 0,
  });
}

/** The same stores under a new cluster, after the death of all. */
async function restarted({ stores }: DirectoryCluster): Promise<DirectoryCluster> {
  stores.crash('');
  return DirectoryCluster.start({}, stores);
}

test('contents have room for a domain, and in all: past it they are refused before they are written', async (t) => {
  const cluster = await DirectoryCluster.start();
  const largest = limits.archiveBytes + limits.unpackedBytes;
  const piece = bytesOf(pieceBytes).toString('base64');
  const begin = async (domain: string, content: string, bytes = largest) => {
    const outcome = await cluster.ask('mdc-133', 'file.write', { domain, content, index: 0, piece, bytes });
    return outcome.ok ? 'written' : outcome.fault;
  };
  const most = Math.floor((limits.domainFileBytes + largest) / largest);
  for (let n = 0; n < most; n += 1) t.is(await begin(acme, `acme-${n}`), 'written');
  const full = await begin(acme, 'acme-more');
  t.like(full, { code: 'overloaded' });
  t.regex(
    JSON.stringify(full),
    /files of acme\.root\.test: .* with files that are being written or removed: try again later/,
  );
  // Another domain is not affected.
  t.is(await begin('globex.root.test', 'globex-0'), 'written');
  const alone = await begin(acme, 'acme-alone', limits.domainFileBytes + largest + 1);
  t.like(alone, { code: 'too_large' });
  // What no file was made of goes, and leaves its room.
  await cluster.probed.pass(3 * fileGraceMs);
  t.is(await begin(acme, 'acme-later'), 'written');
});
