/** The folder of samples: on disk and simulated, by one suite. */
import { mkdtempSync } from 'node:fs';
import { mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { SimulatedSamples } from '../../sim/ports/samples.ts';
import { DiskSamples } from '../../src/adapters/disk-samples.ts';
import type { Sample } from '../../src/model/sample.ts';
import type { SampleFolder } from '../../src/ports/samples.ts';
import { test } from '../kit/test.ts';

interface Changeable {
  readonly folder: SampleFolder;
  write(sample: Sample): Promise<void>;
  remove(name: string): Promise<void>;
}

function simulated(): Changeable {
  const folder = new SimulatedSamples({ samplesDir: '/samples', samples: [] });
  return {
    folder,
    write: async (sample) => folder.write(sample),
    remove: async (name) => folder.remove(name),
  };
}

function onDisk(t: ExecutionContext): Changeable {
  const path = scratchFolder(t);
  return {
    folder: new DiskSamples(path),
    write: async ({ name, bytes, changedMs }) => {
      const file = join(path, `${name}.wav`);
      await writeFile(file, Buffer.alloc(bytes));
      await utimes(file, changedMs / 1_000, changedMs / 1_000);
    },
    remove: (name) => rm(join(path, `${name}.wav`)),
  };
}

function scratchFolder(t: ExecutionContext): string {
  const path = mkdtempSync(join(tmpdir(), 'strowger-'));
  t.teardown(() => rm(path, { recursive: true, force: true }));
  return path;
}

const busy: Sample = { name: 'busy', bytes: 3, changedMs: 1_700_000_000_000 };
const off: Sample = { name: 'off', bytes: 0, changedMs: 1_700_000_001_000 };

for (const [kind, make] of [
  ['simulated', simulated],
  ['on disk', onDisk],
] as const) {
  test(`samples ${kind}: the list has each sample with its size and time, by name, and follows changes`, async (t) => {
    const { folder, write, remove } = make(t);
    t.deepEqual(await folder.list(), []);
    await write(off);
    await write(busy);
    t.deepEqual(await folder.list(), [busy, off]);
    await write({ ...busy, bytes: 4 });
    t.deepEqual(await folder.list(), [{ ...busy, bytes: 4 }, off]);
    await remove('busy');
    t.deepEqual(await folder.list(), [off]);
  });
}

test('samples on disk: other files and folders are no samples, and a missing folder is empty', async (t) => {
  const path = scratchFolder(t);
  await writeFile(join(path, 'notes.txt'), 'x');
  await mkdir(join(path, 'folder.wav'));
  t.deepEqual(await new DiskSamples(path).list(), []);
  t.deepEqual(await new DiskSamples(join(path, 'missing')).list(), []);
  await t.throwsAsync(new DiskSamples(join(path, 'notes.txt')).list(), { code: 'ENOTDIR' });
});
