/** The stores of a data folder: a folder for each node and each site, and in it one for each store. */
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { WriteTrouble } from '../../src/adapters/disk.ts';
import { LevelStores } from '../../src/adapters/level-store.ts';
import { SystemClock } from '../../src/adapters/system-clock.ts';
import { systemRandom } from '../../src/adapters/system-random.ts';
import { jsonFault } from '../../src/model/json.ts';
import type { Log } from '../../src/ports/log.ts';
import type { Store } from '../../src/ports/store.ts';
import { SimulatedStores, type WorldStores } from '../ports/store.ts';

/** A finding of a check of a data folder. */
export interface Finding {
  /** `damage`: something that was kept is lost or wrong. `note`: worth knowing, and harmless. */
  readonly level: 'damage' | 'note';
  /** The store, by its folder below the data folder: `hq/data-133`. */
  readonly store: string;
  /** The file or the record. Absent: all of the store. */
  readonly at?: string;
  readonly problem: string;
  /** What a repair does about it, and what is lost by that. */
  readonly repair?: string;
}

/** A finding in a line. */
export function findingText({ level, store, at, problem, repair }: Finding, isRepaired: boolean): string {
  const place = at === undefined ? store : `${store}, ${at}`;
  const mended = repair === undefined ? '' : isRepaired ? ` (repaired: ${repair})` : ` (a repair: ${repair})`;
  return `${level}: ${place}: ${problem}${level === 'damage' ? mended : ''}`;
}

/** JSON of a record, or why it is none. */
export function parsedJson(text: string): { value: unknown } | { problem: string } {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { problem: `is not JSON: ${jsonFault(text)}` };
  }
}

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

/**
 * What a store holds: the domain data or a copy of them, with contents of files beside; call records; starts of a node; logouts and
 * switches of sessions; runs of scripts; banned addresses.
 */
export type StoreKind = 'rows' | 'contents' | 'calls' | 'starts' | 'sessions' | 'runs' | 'bans';

export interface StoreLocation {
  /** `hq/data-133`. */
  readonly store: string;
  readonly owner: string;
  readonly name: string;
  readonly path: string;
  readonly kind: StoreKind;
  /** What is lost of it comes again from the master. */
  readonly isCopy: boolean;
}

const kinds: readonly [pattern: RegExp, kind: StoreKind][] = [
  [/^(data-\d+|sdc-\d+-\d+)$/, 'rows'],
  [/^(data-\d+|sdc-\d+-\d+)-files$/, 'contents'],
  [/^callstore-\d+$/, 'calls'],
  [/^node$/, 'starts'],
  [/^ws-\d+$/, 'sessions'],
  [/^scripts-\d+$/, 'runs'],
  [/^bans-\d+$/, 'bans'],
];

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
      const [, kind] = kinds.find(([pattern]) => pattern.test(name)) ?? [];
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
    .filter(({ name }) => !kinds.some(([pattern]) => pattern.test(name)))
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
  return readdirSync(path).some((name) => name === lockName || kinds.some(([pattern]) => pattern.test(name)));
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
