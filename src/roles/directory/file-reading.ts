/** What mdc and sdc answer alike of files: which there are, and the bytes of those whose content is here. */

import type { Handlers, RoleScope } from '../../cluster/role.ts';
import type { ItemOf } from '../../model/entities/entity.ts';
import type { roleApp } from '../../model/entities/role-app.ts';
import type { StoredArchive } from '../../model/entities/stored-file.ts';
import { done, failed, fault, type Outcome } from '../../model/fault.ts';
import type { BodyOf, ReplyOf } from '../../model/protocol/catalogue.ts';
import { timeOf } from '../../model/time.ts';
import { appsIn, findApp, findFile, packedFilesOf } from './file-rows.ts';
import { ageOf, type Held, type Holder, withData } from './held.ts';

type FileAsk = 'file.apps' | 'file.find' | 'file.find_in_app' | 'file.read';
type FileReadingHandlers = Pick<Handlers<'mdc'> & Handlers<'sdc'>, FileAsk>;

export function fileReadingHandlers(scope: RoleScope, holder: Holder): FileReadingHandlers {
  const { address } = scope.instance;
  return {
    'file.apps': (body) => withData(scope, holder, body.domain, (held) => apps(held, body)),
    'file.find': (body) => withData(scope, holder, body.domain, (held) => find(held, body)),
    'file.find_in_app': (body) => withData(scope, holder, body.domain, (held) => findInApp(held, body)),
    'file.read': (body) => withData(scope, holder, body.domain, (held) => read(held, address, body)),
  };
}

function apps({ database }: Held, { domain }: BodyOf<'file.apps'>): Outcome<ReplyOf<'file.apps'>> {
  const found = appsIn(database, domain).map(({ app, archive }) => {
    const { folder, title, roles } = app.item as unknown as ItemOf<typeof roleApp>;
    return { folder, title, roles: [...roles], about: (archive.item as unknown as StoredArchive).about ?? {} };
  });
  return done({ apps: found });
}

function find(held: Held, { name, ...place }: BodyOf<'file.find'>): Outcome<ReplyOf<'file.find'>> {
  const row = findFile(held.database, place, name);
  return done({ ...(row !== undefined && { item: row.item }), ...ageOf(held) });
}

function findInApp(
  held: Held,
  { domain, folder, path }: BodyOf<'file.find_in_app'>,
): Outcome<ReplyOf<'file.find_in_app'>> {
  const found = findApp(held.database, domain, folder);
  if (found === undefined) return done({ isFolder: false, ...ageOf(held) });
  const { archive } = found;
  const app = { roles: [...found.roles] };
  if (archive === undefined) return done({ app, isFolder: false, ...ageOf(held) });
  const files = packedFilesOf(archive);
  const file = files.get(path);
  const isFolder = file === undefined && files.has(`${path}/index.html`);
  if (file === undefined) return done({ app, isFolder, ...ageOf(held) });
  const [, offset, size, etag] = file;
  const content = String(archive.item['content']);
  const modifiedMs = timeOf(archive.item.ext.lwt);
  return done({ app, isFolder, file: { content, offset, size, etag, modifiedMs }, ...ageOf(held) });
}

async function read(
  { contents }: Held,
  address: string,
  { content, from }: BodyOf<'file.read'>,
): Promise<Outcome<ReplyOf<'file.read'>>> {
  const piece = await contents.read(content, from);
  // Whoever has the row knows that there is a content: another instance is asked for it.
  if (piece === undefined) return failed(fault('unreachable', `${address} does not have this content`));
  return done({ piece: Buffer.from(piece).toString('base64') });
}
