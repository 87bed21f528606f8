/** Archives of role applications: they are found, checked, stored and unpacked. */
import { createHash } from 'node:crypto';
import type { RoleScope } from '../../cluster/role.ts';
import { archiveName, type PackedFile, roleAppArchive, type StoredArchive } from '../../model/entities/stored-file.ts';
import { FaultError, fault } from '../../model/fault.ts';
import { parseJson } from '../../model/json.ts';
import { limits } from '../../model/limits.ts';
import type { ReplyOf } from '../../model/protocol/catalogue.ts';
import type { EntityCollection } from '../../model/protocol/messages/data.ts';
import type { Expected } from '../../model/protocol/messages/files.ts';
import { bytesIn, filesOf, readZip, type ZipEntry, ZipProblem } from '../../model/zip.ts';
import { Pace } from '../../ports/pace.ts';
import type { ArchiveShares } from '../../roles/ws/shares.ts';
import type { WsParts } from '../../roles/ws/ws.ts';
import type { EntityRead } from '../domain-data.ts';
import { aboutSchema, isAbsolute } from '../web-apps/web-apps.ts';
import { ContentWriter, commitFile, findFile, readFirst, removeFile } from './files.ts';

/** The metadata file in an archive: how the application is listed in `webapps` of a session. */
const metadataName = 'webapp.json';

/** The archive of a role application of a domain. */
export function archiveOf(domain: string, roleapp: string): EntityCollection {
  return { kind: roleAppArchive.kind, domain, parent: roleapp };
}

/** The stored archive, or `undefined`. */
export async function findArchive(
  scope: RoleScope,
  collection: EntityCollection,
): Promise<EntityRead<StoredArchive | undefined>> {
  return (await findFile(scope, collection, archiveName)) as EntityRead<StoredArchive | undefined>;
}

/** Stores an archive and replaces the files of the previous one. Throws `invalid` for an archive that is not valid. */
export async function saveArchive(
  { scope, archives }: Pick<WsParts, 'scope' | 'archives'>,
  collection: EntityCollection,
  { chunks, expects }: { chunks: AsyncIterable<Uint8Array>; expects?: Expected | undefined },
): Promise<StoredArchive> {
  const received = new Reservations(archives.received, collection.domain);
  const unpacked = new Reservations(archives.unpacked, collection.domain);
  try {
    const parts: Uint8Array[] = [];
    for await (const chunk of chunks) {
      received.take(chunk.byteLength, 'are being received');
      parts.push(chunk);
    }
    const zip = Buffer.concat(parts);
    parts.length = 0;
    const entries = filesOf(readZip(zip, limits.archiveFiles));
    unpacked.take(
      entries.reduce((sum, { size }) => sum + size, 0),
      'are being unpacked',
    );
    return await saved(scope, collection, { zip, entries, expects });
  } catch (error) {
    throw error instanceof ZipProblem ? new FaultError(fault('invalid', `archive: ${error.message}`)) : error;
  } finally {
    received.release();
    unpacked.release();
  }
}

/** The reservations of one request. */
class Reservations {
  readonly #shares: ArchiveShares;
  readonly #domain: string;
  #bytes = 0;

  constructor(shares: ArchiveShares, domain: string) {
    this.#shares = shares;
    this.#domain = domain;
  }

  /** Throws `overloaded` when a limit is reached. */
  take(bytes: number, what: string): void {
    if (!this.#shares.take(this.#domain, bytes)) {
      const message = `archive: too many bytes of archives ${what} at once, here or for ${this.#domain}: try again soon`;
      throw new FaultError(fault('overloaded', message), { retryAfterSeconds: 1 });
    }
    this.#bytes += bytes;
  }

  release(): void {
    this.#shares.release(this.#domain, this.#bytes);
    this.#bytes = 0;
  }
}

export function removeArchive(
  scope: RoleScope,
  collection: EntityCollection,
  expects: Expected | undefined,
): Promise<void> {
  return removeFile(scope, collection, { name: archiveName, expects });
}

export type FoundInApp = ReplyOf<'file.find_in_app'>;

/** The file at a path in the role application of a folder; a path that ends with a slash means its `index.html`. */
export function findInApp(
  scope: RoleScope,
  domain: string,
  where: { folder: string; path: string },
): Promise<FoundInApp> {
  const { folder, path } = where;
  const isFolder = path === '' || path.endsWith('/');
  return readFirst(scope, 'file.find_in_app', { domain, folder, path: isFolder ? `${path}index.html` : path });
}

async function saved(
  scope: RoleScope,
  collection: EntityCollection,
  { zip, entries, expects }: { zip: Buffer; entries: readonly ZipEntry[]; expects: Expected | undefined },
): Promise<StoredArchive> {
  const hash = createHash('sha256').update(zip);
  const about = aboutIn(entries);
  const bytes = entries.reduce((sum, { size }) => sum + size, zip.byteLength);
  const writer = new ContentWriter(scope, collection.domain, bytes);
  await writer.write(zip);
  const files = await unpack(entries, writer, new Pace(scope.clock));
  const file = {
    ...{ name: archiveName, size: zip.byteLength, etag: hash.digest('base64url'), files, about },
    ...(await writer.end()),
  };
  return (await commitFile(scope, collection, { file, ...(expects !== undefined && { expects }) })) as StoredArchive;
}

/** The content of the metadata file of an application. (chosen: its name, and that it is in the archive) */
function aboutIn(entries: readonly ZipEntry[]): Record<string, unknown> {
  const entry = entries.find(({ name }) => name === metadataName);
  if (entry === undefined) return {};
  if (entry.size > limits.metadataBytes) {
    throw new ZipProblem(`"${metadataName}": expected at most ${limits.metadataBytes} bytes, got ${entry.size}`);
  }
  const json = parseJson(Buffer.concat([...bytesIn(entry)]).toString(), limits.jsonDepth);
  if (!json.ok) throw new ZipProblem(`"${metadataName}": ${json.fault.message}`);
  const read = aboutSchema.safeParse(json.value);
  if (read.success) {
    const { icon = '' } = read.data;
    if (icon === '' || isAbsolute(icon) || entries.some(({ name }) => name === icon)) return read.data;
    throw new ZipProblem(
      `"${metadataName}": icon: expected a file of the archive or a URL, got ${JSON.stringify(icon)}`,
    );
  }
  const [issue] = read.error.issues;
  throw new ZipProblem(`"${metadataName}": ${issue?.path.join('.')}: ${issue?.message}`);
}

/** Steps of a file, in addition to those of its bytes: also an empty one is work. */
const fileSteps = 2_000;

/** Writes the files of an archive, one after the other. */
export async function unpack(
  entries: readonly ZipEntry[],
  writer: Pick<ContentWriter, 'bytes' | 'write'>,
  pace: Pace,
): Promise<PackedFile[]> {
  const files: PackedFile[] = [];
  for (const entry of entries) {
    const offset = writer.bytes;
    const hash = createHash('sha256');
    for (const bytes of bytesIn(entry)) {
      hash.update(bytes);
      await writer.write(bytes);
      if (pace.isPauseDue()) await pace.pause();
    }
    if (pace.isPauseDue(fileSteps)) await pace.pause();
    files.push([entry.name, offset, entry.size, hash.digest('base64url')]);
  }
  return files;
}
