/** The files of the domain data: found by their names, and what mdc and sdc answer of them. */
import type { Handlers, RoleScope } from '../../../cluster/role.ts';
import { fileKinds, isFileKind } from '../../../model/entities/entities.ts';
import type { ItemOf } from '../../../model/entities/entity.ts';
import { roleApp } from '../../../model/entities/role-app.ts';
import {
  archiveName,
  type PackedFile,
  roleAppArchive,
  type StoredArchive,
  type StoredFile,
} from '../../../model/entities/stored-file.ts';
import { done, failed, fault, type Outcome } from '../../../model/fault.ts';
import type { BodyOf, ReplyOf } from '../../../model/protocol/catalogue.ts';
import type { DataRow, DataRowChange } from '../../../model/protocol/messages/data.ts';
import { timeOf } from '../../../model/time.ts';
import type { Database } from '../../../storage/database.ts';
import { collectionKeyOf } from '../../../storage/table.ts';
import { ageOf, type DomainData, type DomainDataProvider, withData } from '../reads.ts';

export interface FileLocation {
  readonly kind: string;
  readonly domain: string;
  readonly parent?: string | undefined;
}

/** What is kept of a file beside its content. */
export function fileIn({ item }: DataRow): StoredFile {
  return item as unknown as StoredFile;
}

export function findFile(database: Database, collection: FileLocation, name: string): DataRow | undefined {
  return database.table(collection.kind).findOne(collectionKeyOf(collection), 'name', name);
}

/** The role application of a folder, and its archive, if it has one. */
export function findApp(database: Database, domain: string, folder: string) {
  const app = database.table(roleApp.kind).findOne(domain, 'folder', folder);
  if (app === undefined) return undefined;
  const collection = { kind: roleAppArchive.kind, domain, parent: app.item.id };
  return { roles: app.item['roles'] as readonly string[], archive: findFile(database, collection, archiveName) };
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

type FileAsk = 'file.apps' | 'file.find' | 'file.find_in_app' | 'file.read';
type FileReadingHandlers = Pick<Handlers<'mdc'> & Handlers<'sdc'>, FileAsk>;

/** What mdc and sdc answer alike of files: which there are, and the bytes of those whose content is here. */
export function fileReadingHandlers(scope: RoleScope, provider: DomainDataProvider): FileReadingHandlers {
  const { address } = scope.instance;
  return {
    'file.apps': (body) => withData(scope, provider, body.domain, (data) => apps(data, body)),
    'file.find': (body) => withData(scope, provider, body.domain, (data) => find(data, body)),
    'file.find_in_app': (body) => withData(scope, provider, body.domain, (data) => findInApp(data, body)),
    'file.read': (body) => withData(scope, provider, body.domain, (data) => read(data, address, body)),
  };
}

function apps({ database }: DomainData, { domain }: BodyOf<'file.apps'>): Outcome<ReplyOf<'file.apps'>> {
  const found = appsIn(database, domain).map(({ app, archive }) => {
    const { folder, title, roles } = app.item as unknown as ItemOf<typeof roleApp>;
    return { folder, title, roles: [...roles], about: (archive.item as unknown as StoredArchive).about ?? {} };
  });
  return done({ apps: found });
}

function find(data: DomainData, { name, ...collection }: BodyOf<'file.find'>): Outcome<ReplyOf<'file.find'>> {
  const row = findFile(data.database, collection, name);
  return done({ ...(row !== undefined && { item: row.item }), ...ageOf(data) });
}

function findInApp(
  data: DomainData,
  { domain, folder, path }: BodyOf<'file.find_in_app'>,
): Outcome<ReplyOf<'file.find_in_app'>> {
  const found = findApp(data.database, domain, folder);
  if (found === undefined) return done({ isFolder: false, ...ageOf(data) });
  const { archive } = found;
  const app = { roles: [...found.roles] };
  if (archive === undefined) return done({ app, isFolder: false, ...ageOf(data) });
  const files = packedFilesOf(archive);
  const file = files.get(path);
  const isFolder = file === undefined && files.has(`${path}/index.html`);
  if (file === undefined) return done({ app, isFolder, ...ageOf(data) });
  const [, offset, size, etag] = file;
  const content = String(archive.item['content']);
  const modifiedMs = timeOf(archive.item.ext.lwt);
  return done({ app, isFolder, file: { content, offset, size, etag, modifiedMs }, ...ageOf(data) });
}

async function read(
  { contents }: DomainData,
  address: string,
  { content, from }: BodyOf<'file.read'>,
): Promise<Outcome<ReplyOf<'file.read'>>> {
  const piece = await contents.read(content, from);
  // An instance that has the row knows that there is a content: the client asks another one for it.
  if (piece === undefined) return failed(fault('unreachable', `${address} does not have this content`));
  return done({ piece: Buffer.from(piece).toString('base64') });
}
