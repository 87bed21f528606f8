/** The files of an archive, as they are unpacked. */

import { VirtualClock } from '../../sim/ports/virtual-clock.ts';
import { limits } from '../../src/model/limits.ts';
import { filesOf, readZip } from '../../src/model/zip.ts';
import { Pace } from '../../src/ports/pace.ts';
import { unpack } from '../../src/services/files/archives.ts';
import { zipOf } from '../kit/data/zips.ts';
import { test } from '../kit/test.ts';

for (const [what, content] of [
  ['empty', ''],
  ['tiny', 'x'],
] as const) {
  test(`others have their turn while as many ${what} files as there may be are unpacked`, async (t) => {
    const clock = new VirtualClock(0);
    const files = Array.from({ length: limits.archiveFiles }, (_, n) => ({ name: `${n}`, content }));
    const entries = filesOf(readZip(zipOf(files), limits.archiveFiles));
    const writer = {
      bytes: 0,
      write: async (chunk: Uint8Array) => {
        writer.bytes += chunk.byteLength;
      },
    };
    let isOver = false;
    const unpacking = unpack(entries, writer, new Pace(clock)).finally(() => {
      isOver = true;
    });
    let turns = 0;
    while (!isOver) {
      if (clock.runNext()) turns += 1;
      await new Promise((resolve) => setImmediate(resolve));
    }
    const packed = await unpacking;
    t.deepEqual(
      packed.map(([name, offset, size]) => [name, offset, size]),
      files.map(({ name }, n) => [name, n * content.length, content.length]),
    );
    t.true(turns >= 9, `${turns} turns`);
  });
}
