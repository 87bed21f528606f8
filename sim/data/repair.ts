/** Repairs of a data folder: a store made anew of what can be read of it, and lost domain data taken from a copy. */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { levelAt } from '../../src/adapters/disk.ts';
import type { DataRow } from '../../src/model/protocol/messages/data.ts';
import type { Store } from '../../src/ports/store.ts';
import { hashOf, storedFile } from './check-contents.ts';
import { RowsCheck } from './check-rows.ts';
import { LevelFiles } from './level-files.ts';
import type { StoreKind, StoreLocation } from './store-kinds.ts';
import { ownersIn, storesOf, withStore } from './stores.ts';

/** Changes that are written at once. */
const entriesPerBatch = 500;

export interface Salvaged {
  /** Where the damaged store is now. */
  readonly kept: string;
  readonly records: number;
}

/**
 * Makes a store anew of what can be read of one whose files are damaged, which is set aside. Of every key the last change
 * that can be read counts.
 */
export async function salvage(path: string): Promise<Salvaged> {
  const fresh = `${path}.new`;
  rmSync(fresh, { recursive: true, force: true });
  const files = new LevelFiles(path);
  const newest = new Map<string, number>();
  for (const { key, sequence } of files.entries()) {
    if (sequence >= (newest.get(key) ?? 0)) newest.set(key, sequence);
  }
  const database = levelAt(fresh);
  await database.open();
  let records = 0;
  let batch: { type: 'put'; key: string; value: string }[] = [];
  const flush = async () => {
    await database.batch(batch, { sync: true });
    batch = [];
  };
  for (const { key, sequence, value } of files.entries()) {
    if (value === undefined || newest.get(key) !== sequence) continue;
    records += 1;
    batch.push({ type: 'put', key, value });
    if (batch.length >= entriesPerBatch) await flush();
  }
  await flush();
  await database.close();
  const kept = setAside(path);
  renameSync(fresh, path);
  return { kept, records };
}

/** Gives a store another name, which no store has. Answers it. */
export function setAside(path: string): string {
  let number = 1;
  while (existsSync(`${path}.damaged-${number}`)) number += 1;
  const kept = `${path}.damaged-${number}`;
  renameSync(path, kept);
  return kept;
}

/** Pieces that are written at once. */
const piecesPerBatch = 32;

/** The copies in a folder whose files are whole. */
export function copiesIn(folder: string, kind: StoreKind): StoreLocation[] {
  return ownersIn(folder)
    .flatMap((owner) => storesOf(folder, owner))
    .filter((place) => place.isCopy && place.kind === kind && new LevelFiles(place.path).faults().length === 0);
}

/** Takes the rows that a damaged master has lost from the copies in the same folder that are not older than it. Answers from which. */
export async function restoreRows(master: RowsCheck, copies: readonly StoreLocation[]): Promise<string[]> {
  const read: { store: string; rows: RowsCheck }[] = [];
  for (const place of copies) {
    const rows = new RowsCheck(place);
    await withStore(place, (store) => rows.read(store, { isDeep: false }));
    if (!rows.isDamaged) read.push({ store: place.store, rows });
  }
  // The newest comes last, and so counts.
  read.sort((a, b) => (a.rows.sequence ?? 0) - (b.rows.sequence ?? 0));
  return read.flatMap(({ store, rows }) => (master.restore(rows) ? [store] : []));
}

/** The content of a file from the first copy that has it whole. Answers from which, and how many pieces it has. */
export async function restoreContent(
  master: Store,
  row: DataRow,
  copies: readonly StoreLocation[],
): Promise<{ from: string; pieces: number } | undefined> {
  for (const place of copies) {
    let pieces = 0;
    await withStore(place, async (copy) => {
      if (await isWholeIn(copy, row)) pieces = await copyContent(copy, master, storedFile(row).content);
    });
    if (pieces > 0) return { from: place.store, pieces };
  }
  return undefined;
}

async function isWholeIn(store: Store, row: DataRow): Promise<boolean> {
  const { content, bytes, size, etag } = storedFile(row);
  if ((await store.get(`c/${content}`)) !== JSON.stringify({ bytes })) return false;
  return (await hashOf(store, content, size)) === etag;
}

/** The number of bytes comes last: what is counted is there. */
async function copyContent(from: Store, to: Store, content: string): Promise<number> {
  let pieces = 0;
  let batch: { put: string; value: string }[] = [];
  for await (const [key, value] of from.entries({ from: `p/${content}/`, to: `p/${content}0` })) {
    pieces += 1;
    batch.push({ put: key, value });
    if (batch.length < piecesPerBatch) continue;
    await to.write(batch);
    batch = [];
  }
  const extent = (await from.get(`c/${content}`)) ?? '';
  await to.write([...batch, { put: `c/${content}`, value: extent }]);
  return pieces;
}
