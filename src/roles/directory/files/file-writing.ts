/**
 * Changes of files at mdc. A content is written piece by piece, durable and not visible; the row that names it makes a
 * file of it, in one change of the domain data, like all of them.
 */

import type { RoleScope } from '../../../cluster/role.ts';
import type { Envelope } from '../../../model/cluster/envelope.ts';
import type { StoredFile } from '../../../model/entities/stored-file.ts';
import { done, type Fault, failed, fault, type Outcome } from '../../../model/fault.ts';
import { limits } from '../../../model/limits.ts';
import type { BodyOf, ReplyOf } from '../../../model/protocol/catalogue.ts';
import type { DataRow } from '../../../model/protocol/messages/data.ts';
import { type Expected, isExpected } from '../../../model/protocol/messages/files.ts';
import { isoTime, plainTime, timeOf } from '../../../model/time.ts';
import { StoreClosed, StoreUnwritable } from '../../../ports/store.ts';
import type { Contents } from '../../../storage/contents.ts';
import type { Database } from '../../../storage/database.ts';
import { collectionKeyOf } from '../../../storage/table.ts';
import { missingParent } from '../reads.ts';
import { type Made, unwritableFault, type Writer } from '../writer.ts';
import { contentBytes, type FileKeeper, FileRoom } from './file-contents.ts';
import { fileIn, fileRows, findFile } from './file-index.ts';

export interface FileWriterOptions {
  readonly scope: RoleScope;
  readonly database: Database;
  readonly contents: Contents;
  readonly writer: Writer;
  readonly keeper: FileKeeper;
}

const pieceChars = Math.ceil(limits.filePieceBytes / 3) * 4;

export class FileWriter {
  readonly #options: FileWriterOptions;
  /** Contents that are being written. One that nothing was added to for a while does not count. */
  readonly #uploads = new Map<string, { readonly domain: string }>();
  readonly #room: FileRoom;
  /** The last contents of which files were made: a message that comes twice must not bring back what was replaced since. */
  readonly #made = new Set<string>();

  constructor(options: FileWriterOptions) {
    this.#options = options;
    this.#room = new FileRoom(options.database, options.contents);
  }

  async write(body: BodyOf<'file.write'>): Promise<Outcome<ReplyOf<'file.write'>>> {
    const { contents } = this.#options;
    const { content, index, piece } = body;
    const refusal = this.#refusalOf(body);
    if (refusal !== undefined) return failed(refusal);
    this.#options.keeper.began();
    try {
      // One that came before is durable soon, if it is not yet.
      await (index < contents.piecesOf(content) ? contents.settled(content) : contents.append(content, piece));
      return done({});
    } catch (error) {
      if (error instanceof StoreClosed) return failed(this.#cutOff());
      if (error instanceof StoreUnwritable) return failed(unwritableFault(this.#options.scope.instance));
      throw error;
    }
  }

  commit(body: BodyOf<'file.commit'>, envelope: Envelope): Promise<Outcome<ReplyOf<'file.commit'>>> {
    return this.#options.writer.inTurn(envelope, () => this.#committed(body));
  }

  remove(body: BodyOf<'file.remove'>, envelope: Envelope): Promise<Outcome<ReplyOf<'file.remove'>>> {
    return this.#options.writer.inTurn(envelope, () => this.#removed(body));
  }

  #refusalOf({ domain, content, index, piece, bytes }: BodyOf<'file.write'>): Fault | undefined {
    const { contents } = this.#options;
    const pieces = contents.piecesOf(content);
    if (index < pieces) return undefined;
    if (index > pieces || contents.isEnded(content)) return this.#cutOff();
    if (piece.length > pieceChars || contents.bytesOf(content) >= contentBytes)
      return fault('too_large', `file: expected at most ${contentBytes} bytes, in pieces of ${limits.filePieceBytes}`);
    const more = Buffer.byteLength(piece, 'base64');
    if (index > 0) return this.#room.refusal({ domain, content, more });
    return this.#beginning(content, { domain, expected: Math.max(more, bytes ?? 0) });
  }

  /** Notes an upload, unless there are too many that go on. */
  #beginning(content: string, upload: { domain: string; expected: number }): Fault | undefined {
    const { contents, scope } = this.#options;
    const sinceMs = scope.clock.now() - limits.requestTimeMs;
    for (const id of this.#uploads.keys()) if ((contents.usedMsOf(id) ?? 0) < sinceMs) this.#uploads.delete(id);
    const { domain, expected } = upload;
    const own = [...this.#uploads.values()].filter((each) => each.domain === domain).length;
    if (this.#uploads.size >= limits.uploads || own >= limits.uploadsOfDomain) {
      const most = `${limits.uploads} uploads, or ${limits.uploadsOfDomain} of ${domain}`;
      return fault('overloaded', `${scope.instance.address}: ${most}, are under way: try again soon`);
    }
    const refusal = this.#room.refusal({ domain, content, more: expected });
    if (refusal !== undefined) return refusal;
    this.#room.begin(content, upload);
    this.#uploads.set(content, upload);
    return undefined;
  }

  #committed({ id, file, expects, ...collection }: BodyOf<'file.commit'>): Outcome<Made<ReplyOf<'file.commit'>>> {
    const { database, contents, scope } = this.#options;
    const missing = missingParent(this.#options, collection);
    if (missing !== undefined) return missing;
    const before = findFile(database, collection, file.name);
    // The same message once more.
    if (before !== undefined && fileIn(before).content === file.content) return unchanged(before);
    if (this.#made.has(file.content)) return failed(fault('changed', `${JSON.stringify(file.name)} was made before`));
    if (contents.bytesOf(file.content) !== file.bytes) return failed(this.#cutOff());
    const refusal = unexpected(before, file.name, expects) ?? this.#tooMuch(collection, file, before);
    if (refusal !== undefined) return failed(refusal);
    const nowMs = scope.clock.now();
    const at = isoTime(before === undefined ? nowMs : Math.max(nowMs, timeOf(before.item.ext.lwt) + 1));
    const ext = { ct: before?.item.ext.ct ?? at, lwt: at };
    const item = { id: before?.item.id ?? id, ...file, last_modified: plainTime(timeOf(at)), ext };
    this.#note(file.content);
    return done({ changes: [{ put: { ...collection, item } }], reply: { item } });
  }

  #note(content: string): void {
    this.#options.contents.touch(content);
    this.#uploads.delete(content);
    const [oldest] = this.#made;
    if (oldest !== undefined && this.#made.size >= limits.domainFiles) this.#made.delete(oldest);
    this.#made.add(content);
  }

  #removed({ name, expects, ...collection }: BodyOf<'file.remove'>): Outcome<Made<ReplyOf<'file.remove'>>> {
    const row = findFile(this.#options.database, collection, name);
    if (row === undefined) return failed(fault('not_found', `no file named ${JSON.stringify(name)}`));
    const refusal = unexpected(row, name, expects);
    if (refusal !== undefined) return failed(refusal);
    const { kind, domain, item } = row;
    return done({ changes: [{ gone: { kind, domain, id: item.id } }], reply: {} });
  }

  #tooMuch(
    collection: { kind: string; domain: string },
    file: { bytes: number },
    before: DataRow | undefined,
  ): Fault | undefined {
    const { database } = this.#options;
    if (before === undefined && database.size >= limits.dataRows)
      return fault('too_large', `${limits.dataRows} items are kept`);
    const isFull =
      before === undefined &&
      database.table(collection.kind).inOrder(collectionKeyOf(collection)).length >= limits.domainFiles;
    if (isFull) return fault('too_large', `${collection.domain} has ${limits.domainFiles} files: expected no more`);
    let bytes = file.bytes;
    for (const row of fileRows(database, collection.domain)) if (row !== before) bytes += fileIn(row).bytes;
    if (bytes <= limits.domainFileBytes) return undefined;
    return fault('too_large', `files of ${collection.domain}: expected at most ${limits.domainFileBytes} bytes in all`);
  }

  /** The upload began at another mdc, or took too long between two pieces. */
  #cutOff(): Fault {
    return fault(
      'overloaded',
      `${this.#options.scope.instance.address}: the upload was cut off, and nothing of it is kept`,
    );
  }
}

function unchanged({ item }: DataRow): Outcome<Made<{ item: DataRow['item'] }>> {
  return done({ changes: [], reply: { item } });
}

/** Why a file is not what the request expects. */
function unexpected(row: DataRow | undefined, name: string, expects: Expected | undefined): Fault | undefined {
  if (expects === undefined) return undefined;
  const file: StoredFile | undefined = row && fileIn(row);
  if (isExpected(file, expects)) return undefined;
  const state = file === undefined ? 'is not there' : 'is there, and not as expected';
  return fault('changed', `${JSON.stringify(name)} ${state}`);
}
