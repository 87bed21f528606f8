/**
 * Files as rows of the domain data: the fields of a file without its content, which is stored in pieces elsewhere. They are
 * replicated like all domain data, but are not entities of the interface: they have routes of their own.
 */
import { z } from 'zod';
import { limits } from '../limits.ts';
import { fileEntrySchema } from '../shapes/file-shapes.ts';
import { type Entity, entity, type ItemOf } from './entity.ts';
import { field, integer, text } from './field.ts';
import { roleApp } from './role-app.ts';

const common = {
  name: text({ least: 1, most: limits.fileNameChars, does: 'Name of the file' }),
  size: integer({ least: 0, most: limits.fileBytes, does: 'Size in bytes' }),
  last_modified: text({ does: 'When the file was last written, as `YYYY-MM-DD hh:mm:ss`, UTC' }),
  etag: text({ does: 'Hash of the bytes' }),
  content: text({ does: 'Id of the content, which never changes' }),
  bytes: integer({ least: 0, most: limits.archiveBytes + limits.unpackedBytes, does: 'Size of the content in bytes' }),
};

/** The lists show entries of a folder, so a query may not name what they hide, such as the id of a content. (chosen) */
function listedAsEntries<E extends Entity>(file: E): E {
  return { ...file, shape: { ...file.shape, item: fileEntrySchema } };
}

/** A sound file for parking. (documented) */
export const parkingFile = listedAsEntries(
  entity({
    kind: 'parkingfile',
    noun: 'parking file',
    nouns: 'parking files',
    path: '/rest/v1/fs/targets/parking',
    domain: 'any',
    fields: common,
    list: ['name', 'size', 'last_modified'],
    lookup: ['name'],
    unique: ['name'],
    operations: {},
  }),
);
export type StoredFile = ItemOf<typeof parkingFile>;

/** A sound file for meetings. (its address public, its operations chosen) */
export const selectorFile = listedAsEntries(
  entity({
    kind: 'selectorfile',
    noun: 'file of meetings',
    nouns: 'files of meetings',
    path: '/rest/v1/fs/targets/selector',
    domain: 'any',
    fields: common,
    list: ['name', 'size', 'last_modified'],
    lookup: ['name'],
    unique: ['name'],
    operations: {},
  }),
);

/** How scripts and meetings address sound files: by category. (public) */
export const soundAddresses = {
  ':SYNC_COMMON/parking/': parkingFile.kind,
  ':SYNC_DOMAIN_DATA/selector/': selectorFile.kind,
} as const;

/** The file that a text addresses; a name without a category is one of `otherwise`. */
export function soundFileAt(text: string, otherwise: string): { readonly kind: string; readonly name: string } {
  const found = Object.entries(soundAddresses).find(([address]) => text.startsWith(address));
  if (found === undefined) return { kind: otherwise, name: text };
  const [address, kind] = found;
  return { kind, name: text.slice(address.length) };
}

const packedSchema = z.tuple([z.string(), z.int(), z.int(), z.string()]);
/** A file of an archive: path, offset in the content, size and hash. */
export type PackedFile = z.infer<typeof packedSchema>;

/** The archive of a role application; its unpacked files follow it in the same content. */
export const roleAppArchive = entity({
  kind: 'roleapparchive',
  noun: 'archive',
  nouns: 'archives',
  path: `${roleApp.path}/:roleapp_id/attachment`,
  domain: 'any',
  parent: { kind: roleApp.kind, param: 'roleapp_id' },
  fields: {
    ...common,
    files: field(z.array(packedSchema), { does: 'Files of the archive' }),
    about: field(z.record(z.string(), z.unknown()), { does: 'Contents of its metadata file' }),
  },
  lookup: ['name'],
  unique: ['name'],
  operations: {},
});
export type StoredArchive = ItemOf<typeof roleAppArchive>;

/** The name of every archive row. */
export const archiveName = 'archive';
