/** The files of a level database: every bit that flips in one that counts is found, and what can be read is what was written. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { Level } from 'level';
import { crc32c, unsnapped } from '../../sim/data/level-bytes.ts';
import { LevelFiles } from '../../sim/data/level-files.ts';
import { holds, runs } from '../kit/property.ts';
import { test } from '../kit/test.ts';
import { makeFolder } from '../topology/edits.ts';

/** What level has in Node and does not declare. */
interface ClassicLevelLike {
  compactRange(start: string, end: string): Promise<void>;
}

/** A database with tables, also compacted ones, and a log; and what is in it. */
async function makeDatabase(path: string): Promise<Map<string, string>> {
  const model = new Map<string, string>();
  for (let round = 0; round < 4; round += 1) {
    const database = new Level(path);
    await database.open();
    for (let number = 0; number < 300; number += 1) {
      const [put, removed] = [`key ${(number * 7 + round) % 500}`, `key ${(number * 3) % 400}`];
      const value = `${round} ${'x'.repeat(number)} ${number % 7 === 0 ? crc32c(Buffer.from(put), 0, 3) : ''}`;
      await database.batch([
        { type: 'put', key: put, value },
        { type: 'del', key: removed },
      ]);
      model.set(put, value);
      if (put !== removed) model.delete(removed);
      else model.delete(put);
    }
    if (round === 2) await (database as unknown as ClassicLevelLike).compactRange('a', 'z');
    await database.close();
  }
  return model;
}

test('CRC-32C of texts is that of the standard', (t) => {
  t.is(crc32c(Buffer.from('123456789'), 0, 9), 0xe3069283);
  t.is(crc32c(Buffer.alloc(32), 0, 32), 0x8a9136aa);
});

test('what snappy has made smaller is as it was, copies that overlap as well', (t) => {
  // "abc" as it is, then nine bytes from three before.
  const packed = Buffer.from([12, 0x08, 0x61, 0x62, 0x63, 0x15, 0x03]);
  t.is(unsnapped(packed).toString(), 'abcabcabcabc');
});

test('the entries of the files are those of the database, the last change of a key counts', async (t) => {
  const path = join(makeFolder(t), 'database');
  const model = await makeDatabase(path);
  const files = new LevelFiles(path);
  const newest = new Map<string, { sequence: number; value: string | undefined }>();
  for (const { key, sequence, value } of files.entries()) {
    if (sequence > (newest.get(key)?.sequence ?? -1)) newest.set(key, { sequence, value });
  }
  const read = [...newest].flatMap(([key, { value }]): [string, string][] =>
    value === undefined ? [] : [[key, value]],
  );
  t.deepEqual(new Map(read.sort()), new Map([...model].sort()));
  t.deepEqual(files.faults(), []);
});

test('a bit that flips in a file that counts is found', async (t) => {
  const path = join(makeFolder(t), 'database');
  await makeDatabase(path);
  const names = readdirSync(path).filter(
    (name) => /ldb$|log$|MANIFEST|CURRENT/.test(name) && statSync(join(path, name)).size > 0,
  );
  const property = fc.property(fc.nat(names.length - 1), fc.nat(), fc.nat(7), (index, place, bit) => {
    const file = join(path, names[index] as string);
    const whole = readFileSync(file);
    const bytes = Buffer.from(whole);
    const at = place % bytes.length;
    bytes[at] = (bytes[at] as number) ^ (1 << bit);
    writeFileSync(file, bytes);
    const faults = new LevelFiles(path).faults();
    writeFileSync(file, whole);
    assert.ok(faults.length > 0, `${names[index]} at ${at} of ${whole.length}`);
  });
  await holds(t, property, { numRuns: runs(10) });
});

test('a log whose last record was cut off is whole: its write never ended', async (t) => {
  const path = join(makeFolder(t), 'database');
  const database = new Level(path);
  await database.open();
  for (let number = 0; number < 50; number += 1) await database.put(`${number}`, 'x'.repeat(100));
  await database.close();
  const file = join(path, readdirSync(path).find((name) => name.endsWith('.log')) as string);
  const whole = readFileSync(file);
  for (const cut of [1, 50, 100]) {
    writeFileSync(file, whole.subarray(0, whole.length - cut));
    t.deepEqual(new LevelFiles(path).faults(), []);
  }
});
