/** Takes what a damaged master has lost from the copies of its domain data that the same folder holds. */
import type { Row } from '../../src/model/protocol/data.ts';
import type { Store } from '../../src/ports/store.ts';
import { hashOf, storedFile } from './check-contents.ts';
import { RowsCheck } from './check-rows.ts';
import { LevelFiles } from './level-files.ts';
import { ownersIn, type StoreKind, type StorePlace, storesOf, withStore } from './stores.ts';

/** Pieces that are written at once. */
const piecesPerBatch = 32;

/** The copies in a folder whose files are whole. */
export function copiesIn(folder: string, kind: StoreKind): StorePlace[] {
  return ownersIn(folder)
    .flatMap((owner) => storesOf(folder, owner))
    .filter((place) => place.isCopy && place.kind === kind && new LevelFiles(place.path).faults().length === 0);
}

/** Rows come from the copies that are not older than the master. Answers from which. */
export async function restoreRows(master: RowsCheck, copies: readonly StorePlace[]): Promise<string[]> {
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
  row: Row,
  copies: readonly StorePlace[],
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

async function isWholeIn(store: Store, row: Row): Promise<boolean> {
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
