/** How much domain data there are, by domain: the number of rows, and a sum that differs where a row does. */
import type { DataRowChange } from '../../model/protocol/data.ts';
import type { Database } from '../../storage/database.ts';

type Row = Extract<DataRowChange, { put: unknown }>['put'];

/** `rows <domain>` and `stamp <domain>`. Looks at every row. */
export function figuresOf(database: Database): Map<string, number> {
  const figures = new Map<string, number>();
  const add = (name: string, value: number) => figures.set(name, (figures.get(name) ?? 0) + value);
  for (const row of database.rows()) {
    add(`rows ${row.domain}`, 1);
    add(`stamp ${row.domain}`, stampOf(row));
  }
  return figures;
}

/** FNV-1a over what tells one state of an item from another. */
function stampOf({ item: { id, ext } }: Row): number {
  let hash = 0x811c9dc5;
  for (const letter of `${id} ${ext.lwt}`) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193);
  return hash >>> 0;
}
