/** Contents of files in a store whose writes fail. */
import { VirtualClock } from '../../sim/ports/virtual-clock.ts';
import { limits } from '../../src/model/limits.ts';
import { Pace } from '../../src/ports/pace.ts';
import { type Store, type StoreChange, StoreUnwritable } from '../../src/ports/store.ts';
import { Contents } from '../../src/storage/contents.ts';
import { test } from '../kit/test.ts';

/** A store in memory that is full after its first writes. */
function storeFor(writes: number): Store {
  const values = new Map<string, string>();
  let left = writes;
  return {
    get: (key) => Promise.resolve(values.get(key)),
    entries: async function* () {},
    close: () => Promise.resolve(),
    write: async (changes: readonly StoreChange[]) => {
      await Promise.resolve();
      if (left === 0) throw new StoreUnwritable('contents', 'no space left on device');
      left -= 1;
      for (const change of changes) if ('put' in change) values.set(change.put, change.value);
    },
  };
}

// Seed 32334 of the campaign: the instance that was asked for the piece crashed.
test('a piece that is read while its write fails is not there, and those before it are', async (t) => {
  const clock = new VirtualClock(0);
  const contents = await Contents.open(storeFor(1), clock, new Pace(clock));
  const piece = Buffer.alloc(limits.filePieceBytes, 1).toString('base64');
  await contents.append('a', piece);
  const writing = contents.append('a', piece);
  const [before, behind] = [contents.read('a', 0), contents.read('a', limits.filePieceBytes)];
  await t.throwsAsync(writing, { instanceOf: StoreUnwritable });
  t.is((await before)?.length, limits.filePieceBytes);
  t.is(await behind, undefined);
  t.is(contents.bytesOf('a'), limits.filePieceBytes);
});
