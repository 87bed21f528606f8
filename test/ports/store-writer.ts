/**
 * A process that writes to a store until it is killed, and prints the number of each write that was acknowledged.
 * The store test starts it: `node store-writer.js <directory> <store> <first number>`.
 */
import { LevelStores } from '../../src/adapters/level-store.ts';

const [directory = '', name = '', first = '0'] = process.argv.slice(2);
const store = await new LevelStores(directory).open(name);
let next = Number(first);

/** Two keys a write, so that a torn one would show. */
async function writeForEver(): Promise<never> {
  for (;;) {
    const number = next++;
    const key = String(number).padStart(8, '0');
    const value = 'x'.repeat(1 + ((number * 997) % 5_000));
    await store.write([
      { put: `${key}-x`, value },
      { put: `${key}-y`, value },
    ]);
    process.stdout.write(`${number}\n`);
  }
}

// Several at a time, so that a kill strikes while some write is under way.
await Promise.all(Array.from({ length: 8 }, writeForEver));
