/** The rows of files in the domain data: found by their names, and which contents they need. */

import { fileKinds, isFileKind } from '../../model/entities/entities.ts';
import { roleApp } from '../../model/entities/role-app.ts';
import {
  archiveName,
  type PackedFile,
  roleAppArchive,
  type StoredArchive,
  type StoredFile,
} from '../../model/entities/stored-file.ts';
import type { DataRow, DataRowChange } from '../../model/protocol/data.ts';
import type { Database } from '../../storage/database.ts';
import { scopeOf } from '../../storage/table.ts';

export interface FilePlace {
  readonly kind: string;
  readonly domain: string;
  readonly parent?: string | undefined;
}

/** What is kept of a file beside its content. */
export function fileIn({ item }: DataRow): StoredFile {
  return item as unknown as StoredFile;
}

export function findFile(database: Database, place: FilePlace, name: string): DataRow | undefined {
  return database.table(place.kind).findOne(scopeOf(place), 'name', name);
}

/** The role application of a folder, and its archive, if it has one. */
export function findApp(database: Database, domain: string, folder: string) {
  const app = database.table(roleApp.kind).findOne(domain, 'folder', folder);
  if (app === undefined) return undefined;
  const place = { kind: roleAppArchive.kind, domain, parent: app.item.id };
  return { roles: app.item['roles'] as readonly string[], archive: findFile(database, place, archiveName) };
}

/** The role applications of a domain that have a page, in the order in which they were made. */
export function appsIn(database: Database, domain: string): { app: DataRow; archive: DataRow }[] {
  return database
    .table(roleApp.kind)
    .inOrder(domain)
    .flatMap((app) => {
      const archive = findFile(database, { kind: roleAppArchive.kind, domain, parent: app.item.id }, archiveName);
      return archive !== undefined && packedFilesOf(archive).has('index.html') ? [{ app, archive }] : [];
    });
}

/** What `find` has made of archives: rows never change. */
const indexes = new WeakMap<DataRow, ReadonlyMap<string, PackedFile>>();

/** The files of an archive, by their paths. */
export function packedFilesOf(archive: DataRow): ReadonlyMap<string, PackedFile> {
  const known = indexes.get(archive);
  if (known !== undefined) return known;
  const { files } = archive.item as unknown as StoredArchive;
  const index = new Map(files.map((file) => [file[0], file]));
  indexes.set(archive, index);
  return index;
}

/** The rows of all files of a domain, or of all domains. */
export function* fileRows(database: Database, domain?: string): Generator<DataRow> {
  for (const { kind } of fileKinds) {
    for (const row of database.table(kind).all()) if (domain === undefined || row.domain === domain) yield row;
  }
}

export function concernsFiles(changes: readonly DataRowChange[] | 'all'): boolean {
  return (
    changes === 'all' || changes.some((change) => isFileKind('put' in change ? change.put.kind : change.gone.kind))
  );
}
