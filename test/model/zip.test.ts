/** Zip archives: what is unpacked of a good one, and that everything else is refused before it does harm. */
import assert from 'node:assert';
import fc from 'fast-check';
import { zipSync } from 'fflate';
import { limits } from '../../src/model/limits.ts';
import { bytesIn, filesOf, readZip, ZipProblem } from '../../src/model/zip.ts';
import { type ZipFile, zipOf } from '../kit/data/zips.ts';
import { holds, runs } from '../kit/property.ts';
import { test } from '../kit/test.ts';
import { anyCharacter } from '../kit/text.ts';

const megabyte = 1024 * 1024;

/** All files of an archive, by name. */
function unpacked(zip: Uint8Array): Record<string, Buffer> {
  const files = filesOf(readZip(zip, limits.archiveFiles));
  return Object.fromEntries(files.map((entry) => [entry.name, Buffer.concat([...bytesIn(entry)])]));
}

const plain: ZipFile = { name: 'index.html', content: 'hello' };

test('files come out as they went in, deflated or stored, in folders, and beside a comment', (t) => {
  const files: ZipFile[] = [
    plain,
    { name: 'js/', isStored: true, mode: 0o040755 },
    { name: 'js/app.js', content: 'x'.repeat(100_000) },
    { name: 'bilder/größe.png', content: Buffer.from([0, 255]), isStored: true },
    { name: 'empty' },
  ];
  const found = unpacked(zipOf(files, { comment: 'of the packer' }));
  t.deepEqual(Object.keys(found), ['index.html', 'js/app.js', 'bilder/größe.png', 'empty']);
  t.is(found['js/app.js']?.length, 100_000);
  t.deepEqual([...(found['bilder/größe.png'] ?? [])], [0, 255]);
  t.deepEqual(unpacked(zipOf([])), {});
});

test('any archive that fflate makes is read', async (t) => {
  const name = fc.stringMatching(/^[a-z0-9]{1,8}(\/[a-z0-9]{1,8}){0,2}\.x$/);
  const content = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.nat(200_000).map((n) => new Uint8Array(n).fill(7)),
  );
  const files = fc.dictionary(name, content, { maxKeys: 8 });
  await holds(
    t,
    fc.property(files, fc.constantFrom(0, 6, 9), (given, level) => {
      const found = unpacked(zipSync(given, { level: level as 0 | 6 | 9 }));
      assert.deepEqual(Object.keys(found).sort(), Object.keys(given).sort());
      for (const [path, bytes] of Object.entries(given)) assert.ok(found[path]?.equals(bytes), path);
    }),
    { numRuns: runs(7) },
  );
});

test('whatever byte of an archive is another one, it is refused or comes out as it was', async (t) => {
  const zip = zipOf([
    plain,
    { name: 'a/b.js', content: 'abc'.repeat(50) },
    { name: 'c', content: 'c', isStored: true },
  ]);
  const before = unpacked(zip);
  await holds(
    t,
    fc.property(fc.nat(zip.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const other = Buffer.from(zip);
      other[at] = (other[at] as number) ^ change;
      try {
        const found = unpacked(other);
        for (const [path, bytes] of Object.entries(found))
          assert.ok(before[path] === undefined || before[path].equals(bytes));
      } catch (error) {
        assert.ok(error instanceof ZipProblem, String(error));
      }
    }),
    { numRuns: runs(100) },
  );
});

test('a part of an archive is none', (t) => {
  const zip = zipOf([plain]);
  for (let bytes = 0; bytes < zip.length; bytes += 1) {
    t.throws(() => unpacked(zip.subarray(0, bytes)), { instanceOf: ZipProblem });
    if (bytes > 0) t.throws(() => unpacked(zip.subarray(bytes)), { instanceOf: ZipProblem });
  }
});

const bomb = Buffer.alloc(4 * megabyte);

const attacks: readonly (readonly [what: string, zip: () => Buffer, why: RegExp])[] = [
  ...['../up', 'a/../../up', '..', './a', 'a//b', 'a/./b'].map(
    (name) => [`the path ${name}`, () => zipOf([{ name }]), /without empty parts, \. and \.\.$/] as const,
  ),
  ...['/etc/passwd', 'C:/windows', 'c:evil'].map(
    (name) => [`the path ${name}`, () => zipOf([{ name }]), /a path within the archive$/] as const,
  ),
  ['a backslash', () => zipOf([{ name: '..\\up' }]), /no \\$/],
  ['a NUL in a name', () => zipOf([{ name: 'a\0.html' }]), /control characters/],
  ['a line end in a name', () => zipOf([{ name: 'a\n' }]), /control characters/],
  [
    'too many folders within each other',
    () => zipOf([{ name: `${'a/'.repeat(limits.archiveFolders)}b` }]),
    /at most 32 folders within each other$/,
  ],
  ['an empty name', () => zipOf([{ name: '' }]), /without empty parts/],
  ['a name that is no UTF-8', () => zipOf([{ name: Buffer.from([0xff, 0x61]) }]), /names in UTF-8/],
  ['a symbolic link', () => zipOf([{ name: 'a', content: '/etc/passwd', mode: 0o120777 }]), /"a": a symbolic link/],
  ['a device', () => zipOf([{ name: 'a', mode: 0o020666 }]), /neither a file nor a folder/],
  ['one name twice', () => zipOf([plain, plain]), /"index\.html": appears twice/],
  ['a folder with bytes', () => zipOf([{ name: 'a/', content: 'x', isStored: true }]), /a folder with bytes/],
  ['encryption', () => zipOf([{ ...plain, flags: 0x801 }]), /encrypted/],
  ['another method', () => zipOf([{ ...plain, method: 12 }]), /stored or deflated, got method 12/],
  [
    'too many files',
    () => zipOf(Array.from({ length: 1_001 }, (_, i) => ({ name: `${i}` }))),
    /at most 1000 files, got 1001/,
  ],
  [
    'a file that is too large',
    () => zipOf([{ ...plain, size: limits.unpackedFileBytes + 1 }]),
    /at most \d+ bytes, got/,
  ],
  [
    'files that are too large together',
    () => zipOf(Array.from({ length: 4 }, (_, i) => ({ name: `${i}`, size: limits.unpackedFileBytes }))),
    /bytes unpacked/,
  ],
  [
    'names that are too long together',
    () => zipOf(Array.from({ length: 500 }, (_, i) => ({ name: `${'n'.repeat(300)}${i}` }))),
    /names of at most/,
  ],
  ['a bomb', () => zipOf([{ name: 'bomb', content: bomb }]), /at most 200 times as many/],
  [
    'a bomb that says it is small',
    () => zipOf([{ name: 'bomb', content: bomb, size: 1_000 }]),
    /has more bytes than the 1000/,
  ],
  [
    'a stored file that says it is small',
    () => zipOf([{ name: 'a', content: 'abcdef', isStored: true, size: 3 }]),
    /more bytes than the 3/,
  ],
  ['a file that says it is large', () => zipOf([{ ...plain, size: 6 }]), /expected 6 bytes, got 5/],
  ['another checksum', () => zipOf([{ ...plain, crc: 1 }]), /CRC-32/],
  [
    'a head with another name',
    () => zipOf([{ ...plain, localName: 'index.htmx' }]),
    /differs from the central directory/,
  ],
  ['a head with another size', () => zipOf([{ ...plain, localSize: 4 }]), /differs from the central directory/],
  [
    'files over the same bytes',
    () => zipOf([plain, { ...plain, name: 'other.html', sharesWith: 0 }]),
    /overlaps|differs from/,
  ],
  ['the same entry many times', () => zipOf([plain, { ...plain, sharesWith: 0 }]), /overlaps/],
  ['bytes beyond the archive', () => zipOf([{ ...plain, packedBytes: 5_000 }]), /beyond the archive/],
  [
    'bytes that are not deflated',
    () => zipOf([{ name: 'a', content: 'not deflated', isStored: true, method: 8 }]),
    /damaged/,
  ],
  ['more entries than there are', () => zipOf([plain], { count: 2 }), /damaged/],
  ['fewer entries than there are', () => zipOf([plain, { name: 'b' }], { count: 1 }), /damaged/],
  ['a directory elsewhere', () => zipOf([plain], { start: 0 }), /damaged/],
  ['bytes in front', () => Buffer.concat([Buffer.from('#!/bin/sh\n'), zipOf([plain])]), /damaged/],
  ['bytes behind', () => Buffer.concat([zipOf([plain]), Buffer.from('x')]), /expected a zip archive/],
  ['a part of several', () => zipOf([plain], { disk: 1 }), /one part/],
  ['zip64', () => zipOf([plain], { start: 0xffff_ffff }), /zip64/],
  ['no archive', () => Buffer.from('hello'), /expected a zip archive/],
];

for (const [what, zip, why] of attacks) {
  test(`an archive is refused for ${what}`, (t) => {
    const error = t.throws(() => unpacked(zip()), { instanceOf: ZipProblem });
    t.regex(error?.message ?? '', why);
  });
}

test('a bomb that lies is given up at the first bytes too many', (t) => {
  const [entry] = readZip(zipOf([{ name: 'bomb', content: Buffer.alloc(30 * megabyte), size: 10 }]), 1);
  let bytes = 0;
  t.throws(() => {
    for (const chunk of bytesIn(entry!)) bytes += chunk.byteLength;
  });
  t.true(bytes <= 10, `${bytes}`);
});

/** A file as an attacker packs it: its heads say whatever passes a check. */
const hostileFile: fc.Arbitrary<ZipFile> = fc
  .record(
    {
      name: fc.oneof(
        fc.constantFrom('a', 'b', '../a', '/a', 'a/../b', 'C:\\a', 'a\0', '', 'a/', `${'d/'.repeat(40)}x`),
        fc.string({ unit: anyCharacter, maxLength: 20 }),
      ),
      content: fc.oneof(
        { weight: 15, arbitrary: fc.string({ maxLength: 20 }) },
        { weight: 1, arbitrary: fc.integer({ min: 0, max: 3 * megabyte }).map((bytes) => Buffer.alloc(bytes)) },
      ),
      isStored: fc.boolean(),
      size: fc.oneof(fc.nat(100), fc.constantFrom(limits.unpackedFileBytes, limits.unpackedBytes, 0xffff_fffe)),
      packedBytes: fc.nat(5_000),
      flags: fc.constantFrom(0x800, 0x801, 0x808),
      method: fc.constantFrom(0, 8, 12),
      mode: fc.constantFrom(0o100644, 0o120777, 0o040755),
      sharesWith: fc.constant(0),
    },
    { requiredKeys: ['name', 'content'] },
  )
  .map(({ sharesWith, ...file }) => ({ ...file, ...(sharesWith !== undefined && { sharesWith }) }) as ZipFile);

test('of whatever archive, what comes out is within the limits and in the archive, or it is refused with words', async (t) => {
  const end = fc.record(
    { count: fc.nat(70_000), size: fc.nat(5_000), start: fc.nat(5_000), disk: fc.nat(1), comment: fc.constant('x') },
    { requiredKeys: [] },
  );
  await holds(
    t,
    fc.property(hostileFile, fc.array(hostileFile, { maxLength: 6 }), end, (first, others, given) => {
      const { sharesWith: _, ...plainFirst } = first;
      const zip = zipOf([plainFirst, ...others], {
        ...given,
        count: Math.min(given.count ?? 1 + others.length, 0xffff),
      });
      let bytes = 0;
      try {
        for (const entry of filesOf(readZip(zip, limits.archiveFiles))) {
          assert.doesNotMatch(entry.name, /(^|\/)\.\.?(\/|$)|^\/|\\|\0/);
          for (const chunk of bytesIn(entry)) bytes += chunk.byteLength;
        }
      } catch (error) {
        assert.ok(error instanceof ZipProblem, String(error));
      }
      assert.ok(bytes <= Math.max(megabyte, zip.length * limits.archiveRatio), `${bytes} of ${zip.length}`);
    }),
    { numRuns: runs(13) },
  );
});
