/**
 * The key layout of a database of domain data, in one store:
 *
 * | key | value |
 * |---|---|
 * | `about` | which database it is, the generation of rows that counts, the last change |
 * | `r/<generation>/<kind>/<created>/<id>` | a row; they are read in the order of lists |
 * | `l/<sequence>` | what a change has touched; only the last ones are kept |
 *
 * A change writes its rows, its line of the log and `about` in one batch. To replace all rows, those of a new generation are
 * written first; then `about` makes them count, and the old ones go.
 */
import type { DataRow } from '../model/protocol/messages/data.ts';
import type { StoreRange } from '../ports/store.ts';

export const aboutKey = 'about';

/** The name of the store that the instances of an mdc group share. */
export function storeNameOf({
  group,
  srvidx,
}: {
  readonly group: number | undefined;
  readonly srvidx: number;
}): string {
  return `data-${group ?? srvidx}`;
}

/** The name of the store of the contents of files beside a database. */
export function contentsNameOf(name: string): string {
  return `${name}-files`;
}

const sequenceDigits = 15;
/** What follows `/` in the order of bytes. */
const afterSlash = '0';

export function rowKey(generation: number, { kind, item }: DataRow): string {
  return `r/${generation}/${kind}/${item.ext.ct}/${item.id}`;
}

export function rowsOf(generation: number): StoreRange {
  return { from: `r/${generation}/`, to: `r/${generation}${afterSlash}` };
}

export const allRows: StoreRange = { from: 'r/', to: `r${afterSlash}` };

/** Whether a row belongs to a generation. */
export function isOf(generation: number, key: string): boolean {
  return key.startsWith(`r/${generation}/`);
}

export function logKey(sequence: number): string {
  return `l/${String(sequence).padStart(sequenceDigits, '0')}`;
}

export const allLog: StoreRange = { from: 'l/', to: `l${afterSlash}` };

export function sequenceIn(key: string): number {
  return Number(key.slice(2));
}
