/**
 * Damaged data folders: bits are flipped, files cut, deleted, swapped and replaced. A cluster never starts on what it can't
 * read, a repair leaves a folder that is whole, and no row is ever there that was not written.
 */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { checkFolder, takeFolder } from '../../sim/data/check.ts';
import { markerName } from '../../sim/data/folder.ts';
import { areSame, makeDataFolder, rowsIn } from '../kit/data/data-folder.ts';
import { holds, runs } from '../kit/property.ts';
import { test } from '../kit/test.ts';
import { makeFolder } from '../topology/edits.ts';
import { smallMap } from '../topology/small.ts';

const files = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/^(LOCK|LOG|LOG\.old)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();

interface Damage {
  readonly kind: 'flip' | 'cut' | 'delete' | 'swap' | 'garble' | 'empty' | 'folder';
  /** Which file and which place in it, as fractions. */
  readonly file: number;
  readonly other: number;
  readonly place: number;
  readonly bit: number;
}

// Not fc.double, which mostly draws what is next to 0.
const fraction = fc.nat(9_999).map((value) => value / 10_000);
const damage: fc.Arbitrary<Damage> = fc.record({
  kind: fc.constantFrom('flip', 'flip', 'flip', 'cut', 'delete', 'swap', 'garble', 'empty', 'folder'),
  file: fraction,
  other: fraction,
  place: fraction,
  bit: fc.nat(7),
});

/** Does the damage; answers whether a write that never ended could look like it. */
function inflict(folder: string, { kind, file, other, place, bit }: Damage): boolean {
  const all = files(folder).filter((path) => statSync(path).size > 0);
  const path = all[Math.floor(file * all.length)] as string;
  const second = all[Math.floor(other * all.length)] as string;
  const bytes = readFileSync(path);
  const at = Math.floor(place * bytes.length);
  if (kind === 'flip') bytes[at] = (bytes[at] as number) ^ (1 << bit);
  if (kind === 'garble') bytes.fill(0xa5, at, Math.min(at + 64, bytes.length));
  if (kind === 'flip' || kind === 'garble') writeFileSync(path, bytes);
  if (kind === 'cut') writeFileSync(path, bytes.subarray(0, at));
  if (kind === 'empty') writeFileSync(path, '');
  if (kind === 'delete' || kind === 'folder') rmSync(path);
  if (kind === 'folder') mkdirSync(path);
  if (kind === 'swap' && path !== second) {
    renameSync(path, `${path}.tmp`);
    renameSync(second, path);
    renameSync(`${path}.tmp`, second);
  }
  return kind === 'swap' || ((kind === 'cut' || kind === 'empty') && /\.log$|MANIFEST/.test(path));
}

test('a damaged folder is refused or read rightly, and whole after a repair', async (t) => {
  const root = makeFolder(t);
  const made = await makeDataFolder(join(root, 'made'));
  const seen = { refused: 0, read: 0, repaired: 0 };
  let count = 0;
  const take = async (folder: string) =>
    (await takeFolder({ folder, map: smallMap(), command: 'test' })).release().then(() => rowsIn(folder));
  const property = fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 3 }), async (damages) => {
    const folder = join(root, `run-${count++}`);
    cpSync(made.folder, folder, { recursive: true });
    let isLikeUnended = false;
    for (const each of damages) isLikeUnended = inflict(folder, each) || isLikeUnended;
    const assertWritten = (rows: readonly string[]) => {
      for (const row of rows) assert.ok(made.written.has(row), `was never written: ${row}`);
    };
    try {
      const rows = await take(folder);
      seen.read += 1;
      assertWritten(rows);
      if (!isLikeUnended) assert.ok(areSame(rows, made.latest), 'all of it, or a refusal');
    } catch (error) {
      if (!(error instanceof Error) || error instanceof assert.AssertionError) throw error;
      seen.refused += 1;
      assert.ok(error.message.includes(folder), `names the folder: ${error.stack}`);
    }
    // A marker that is wrong is for its owner to mend.
    const repaired = await checkFolder(folder, { isRepair: true }).catch((error: Error) => {
      assert.ok(error.message.includes(folder), error.stack);
      return undefined;
    });
    if (repaired !== undefined) {
      seen.repaired += 1;
      const { findings } = await checkFolder(folder, { isRepair: false });
      assert.deepEqual(
        findings.filter(({ level }) => level === 'damage'),
        [],
      );
      cpSync(join(made.folder, markerName), join(folder, markerName));
      assertWritten(await take(folder));
    }
    rmSync(folder, { recursive: true });
  });
  const uncovered = () => (['refused', 'repaired'] as const).filter((outcome) => seen[outcome] === 0);
  await holds(t, property, { numRuns: runs(2), uncovered });
  t.log(seen);
});
