/** Makes a store anew of what can be read of one whose files are damaged; the damaged one is set aside. */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { Level } from 'level';
import { LevelFiles } from './level-files.ts';

/** Changes that are written at once. */
const entriesPerBatch = 500;

export interface Salvaged {
  /** Where the damaged store is now. */
  readonly kept: string;
  readonly records: number;
}

/** Of every key the last change that can be read counts. */
export async function salvage(path: string): Promise<Salvaged> {
  const fresh = `${path}.new`;
  rmSync(fresh, { recursive: true, force: true });
  const files = new LevelFiles(path);
  const newest = new Map<string, number>();
  for (const { key, sequence } of files.entries()) {
    if (sequence >= (newest.get(key) ?? 0)) newest.set(key, sequence);
  }
  const database = new Level(fresh);
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
