/** The data of a domain replaced by those of a document, in one change, or not at all. */

import type { ReadRow } from '../../model/entities/document.ts';
import { childrenOf, entities, entityOf, isFileKind } from '../../model/entities/entities.ts';
import type { EntityItem } from '../../model/entities/entity.ts';
import { limits } from '../../model/limits.ts';
import type { DataRow, DataRowChange } from '../../model/protocol/data.ts';
import type { RandomStream } from '../../ports/random.ts';
import type { Database } from '../../storage/database.ts';
import { scopeOf } from '../../storage/table.ts';
import { hashedPassword, usualCost } from './passwords.ts';

/** The changes that make the rows of `domain` those that were read; or what stands against it. */
export function importChanges(
  database: Database,
  domain: string,
  { read, salts }: { read: readonly ReadRow[]; salts: RandomStream },
): { changes: DataRowChange[] } | { problem: string } {
  const rows = read.map(({ row, newSecret }) =>
    newSecret === undefined ? row : { ...row, secret: hashedPassword(newSecret, salts.bytes(16), usualCost) },
  );
  if (rows.length > limits.dataRows)
    return { problem: `expected at most ${limits.dataRows} items, got ${rows.length}` };
  const problem = clashIn(rows) ?? foreignIn(database, domain, rows) ?? orphanIn(rows) ?? crowdIn(rows);
  if (problem !== undefined) return { problem };
  const kept = new Set(rows.map(({ kind, item }) => `${kind}/${item.id}`));
  const gone = [...database.rows()].filter((row) => row.domain === domain && !isKept(row, kept));
  return {
    changes: [
      ...gone.map(({ kind, item }) => ({ gone: { kind, domain, id: item.id } })),
      ...rows.map((row) => ({ put: row })),
    ],
  };
}

/** A document has no files: they stay, but for those of what goes. */
function isKept({ kind, parent, item }: DataRow, kept: ReadonlySet<string>): boolean {
  if (!isFileKind(kind)) return kept.has(`${kind}/${item.id}`);
  return parent === undefined || kept.has(`${entityOf(kind).parent?.kind}/${parent}`);
}

/** Two rows with one id, or one value that must be unique. */
function clashIn(rows: readonly DataRow[]): string | undefined {
  const taken = new Set<string>();
  for (const row of rows) {
    const unique = entities.find(({ kind }) => kind === row.kind)?.unique ?? [];
    const names = [`${row.kind} id ${row.item.id}`];
    for (const name of unique)
      if (row.item[name] !== '') names.push(`${row.kind} ${name} ${JSON.stringify(row.item[name])} in ${scopeOf(row)}`);
    for (const name of names) {
      if (taken.has(name)) return `${name}: there are two`;
      taken.add(name);
    }
  }
  return undefined;
}

/** Items of one kind that are too much together. */
function crowdIn(rows: readonly DataRow[]): string | undefined {
  for (const { kind, nouns, together } of entities) {
    const problem = together?.(rows.filter((row) => row.kind === kind).map(({ item }) => item as EntityItem));
    if (problem !== undefined) return `${nouns}: ${problem}`;
  }
  return undefined;
}

function foreignIn(database: Database, domain: string, rows: readonly DataRow[]): string | undefined {
  const taken = rows.find(({ kind, item }) => (database.table(kind).get(item.id)?.domain ?? domain) !== domain);
  return taken && `${taken.kind} id ${taken.item.id} is taken in another domain`;
}

function orphanIn(rows: readonly DataRow[]): string | undefined {
  const ids = new Set(rows.map(({ kind, item }) => `${kind}/${item.id}`));
  for (const parent of entities) {
    for (const { kind } of childrenOf(parent)) {
      const orphan = rows.find((row) => row.kind === kind && !ids.has(`${parent.kind}/${row.parent}`));
      if (orphan !== undefined)
        return `${kind} id ${orphan.item.id}: no ${parent.noun} with id ${JSON.stringify(orphan.parent)}`;
    }
  }
  return undefined;
}
