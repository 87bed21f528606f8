/** The stores of a data folder: a folder for each node and each site, and in it one for each store. */
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { WriteTrouble } from '../../src/adapters/disk.ts';
import { LevelStores } from '../../src/adapters/level-store.ts';
import { SystemClock } from '../../src/adapters/system-clock.ts';
import { systemRandom } from '../../src/adapters/system-random.ts';
import type { Log } from '../../src/ports/log.ts';
import type { Store } from '../../src/ports/store.ts';
import { SimulatedStores, type WorldStores } from '../ports/store.ts';
import { kindOf, type StoreLocation } from './store-kinds.ts';

/** Stores below a folder, one folder a node and one a site; or in memory. */
export function storesIn(folder: string | undefined, log: Log): WorldStores {
  if (folder === undefined)
    return new SimulatedStores({ clock: new SystemClock(), random: systemRandom.stream('faults'), latencyMs: 0 });
  const trouble = new WriteTrouble(log);
  return {
    of: (owner) => new LevelStores(join(folder, owner), { trouble }),
    wipe: (owner) => wipeStores(folder, owner),
  };
}

/** Removes the stores of an owner. The lock, and who holds it, stay: that process may start the owner again. */
export function wipeStores(folder: string, owner: string): void {
  const path = join(folder, owner);
  if (!existsSync(path)) return;
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory() && entry.name !== lockName)
      rmSync(join(path, entry.name), { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The name of the database that a process holds open while it uses the stores of a node. */
export const lockName = 'lock';

/** The stores of an owner. Throws where one of them is not a folder. */
export function storesOf(folder: string, owner: string): StoreLocation[] {
  const path = join(folder, owner);
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) throw new Error(`${path} is a file: expected the folder of ${owner}`);
  return readdirSync(path)
    .sort()
    .flatMap((name): StoreLocation[] => {
      const kind = kindOf(name);
      if (kind === undefined) return [];
      const place = {
        store: `${owner}/${name}`,
        owner,
        name,
        path: join(path, name),
        kind,
        isCopy: name.startsWith('sdc-'),
      };
      if (!statSync(place.path).isDirectory())
        throw new Error(`${place.path} is a file: expected the folder of a store`);
      return [place];
    });
}

/** Folders among the stores of an owner that this version does not know: `east/queues-3`. */
export function unknownStoresIn(folder: string, owner: string): string[] {
  return readdirSync(join(folder, owner), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== lockName && !setAsidePattern.test(entry.name))
    .filter(({ name }) => kindOf(name) === undefined)
    .map(({ name }) => `${owner}/${name}`)
    .sort();
}

/** What a repair has set aside. */
const setAsidePattern = /\.damaged-\d+$/;

/** Nodes and sites that have a folder with stores. */
export function ownersIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && hasStores(join(folder, entry.name)))
    .map(({ name }) => name)
    .sort();
}

function hasStores(path: string): boolean {
  return readdirSync(path).some((name) => name === lockName || kindOf(name) !== undefined);
}

/** Opens a store for as long as `work` takes. */
export async function withStore({ path, name }: StoreLocation, work: (store: Store) => Promise<void>): Promise<void> {
  const store = await new LevelStores(dirname(path)).open(name).catch((error: Error) => {
    throw new Error(`${path}: ${error.message}`);
  });
  try {
    await work(store);
  } finally {
    await store.close();
  }
}
