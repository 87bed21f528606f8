/**
 * Files: written at the mdc that serves the domain; read from the copy of this site if it has the content, else from the
 * mdc. A file exists completely under its name or not at all.
 */
import { createHash } from 'node:crypto';
import { askInTurn, unreachableFault } from '../../cluster/messaging/ask-in-order.ts';
import { deadlineOf, timesOf, withDeadline } from '../../cluster/messaging/deadline.ts';
import type { RoleScope } from '../../cluster/role.ts';
import type { StoredFile } from '../../model/entities/stored-file.ts';
import { FaultError, fault, unwrap } from '../../model/fault.ts';
import { limits } from '../../model/limits.ts';
import type { BodyOf, ReplyOf } from '../../model/protocol/catalogue.ts';
import type { EntityCollection } from '../../model/protocol/messages/data.ts';
import type { Expected } from '../../model/protocol/messages/files.ts';
import { randomUuid } from '../../model/uuid.ts';
import { type EntityRead, listItems } from '../domain-data.ts';
import { directoriesOf } from '../domains.ts';

/** A new file: its name, its bytes, and the precondition on the current file. */
export interface NewFile {
  readonly name: string;
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly expects?: Expected | undefined;
}

/** A part of a content, from `offset` on. */
export interface Extent {
  readonly content: string;
  readonly offset: number;
}

/** A page of a list of files, by name unless it `isOrdered` otherwise. */
export function listFiles(
  scope: RoleScope,
  collection: EntityCollection,
  { params, isOrdered }: { readonly params: [string, string][]; readonly isOrdered: boolean },
): ReturnType<typeof listItems> {
  const others = params.filter(([name]) => name !== 'order');
  const ordered: [string, string][] = isOrdered ? params : [...others, ['order', '["name"]']];
  return listItems(scope, collection, { params: ordered, isAdmin: false });
}

/** The file with this name, or `undefined`. */
export async function findFile(
  scope: RoleScope,
  collection: EntityCollection,
  name: string,
): Promise<EntityRead<StoredFile | undefined>> {
  const { item, ageMs } = await readFirst(scope, 'file.find', { ...collection, name });
  return { value: item as StoredFile | undefined, ageMs };
}

/** Creates or replaces a file. Throws `changed` when the precondition does not hold. */
export async function saveFile(
  scope: RoleScope,
  collection: EntityCollection,
  { name, chunks, expects }: NewFile,
): Promise<StoredFile> {
  const writer = new ContentWriter(scope, collection.domain);
  const hash = createHash('sha256');
  for await (const chunk of chunks) {
    hash.update(chunk);
    await writer.write(chunk);
  }
  // The client has sent all: what is left to do has one deadline, however many directories do it.
  const last = withDeadline(scope);
  const { content, bytes } = await writer.end(last);
  return commitFile(last, collection, {
    file: { name, size: bytes, etag: hash.digest('base64url'), content, bytes },
    ...(expects !== undefined && { expects }),
  });
}

/** Creates a file from a written content. */
export async function commitFile(
  scope: RoleScope,
  collection: EntityCollection,
  change: Pick<BodyOf<'file.commit'>, 'file' | 'expects'>,
): Promise<StoredFile> {
  const id = randomUuid(scope.random.stream('ids').bytes(16));
  return (await write(scope, 'file.commit', { ...collection, id, ...change })).item as StoredFile;
}

export async function removeFile(
  scope: RoleScope,
  collection: EntityCollection,
  { name, expects }: { name: string; expects?: Expected | undefined },
): Promise<void> {
  await write(scope, 'file.remove', { ...collection, name, ...(expects !== undefined && { expects }) });
}

/** The bytes of a file from `from` (inclusive) to `to` (exclusive). */
export async function* readBytes(
  scope: RoleScope,
  domain: string,
  { content, offset, from, to }: Extent & { from: number; to: number },
): AsyncGenerator<Uint8Array> {
  for (let at = offset + from; at < offset + to; ) {
    const { piece } = await readNearest(scope, { domain, content, from: at });
    const bytes = Buffer.from(piece, 'base64').subarray(0, offset + to - at);
    yield bytes;
    at += bytes.byteLength;
  }
}

/** Asks the directories in order, the master first, because it is authoritative. */
export async function readFirst<T extends 'file.find' | 'file.find_in_app'>(
  scope: RoleScope,
  type: T,
  body: BodyOf<T> & { readonly domain: string },
): Promise<ReplyOf<T>> {
  const { masters, copies, unreachable } = directoriesOf(scope, body.domain);
  return unwrap(await askInTurn(scope, [...masters, ...copies], { type, body, ...timesOf(scope) }, { unreachable }));
}

/** Writes a content piece by piece: each piece is durable at the master before the next is sent. */
export class ContentWriter {
  readonly #scope: RoleScope;
  readonly #domain: string;
  readonly #expectedBytes: number | undefined;
  readonly #content: string;
  #chunks: Uint8Array[] = [];
  #waiting = 0;
  #pieces = 0;
  #bytes = 0;

  /** `expectedBytes`: the total size, if known. If there is no space for it, the first piece is refused. */
  constructor(scope: RoleScope, domain: string, expectedBytes?: number) {
    this.#scope = scope;
    this.#domain = domain;
    this.#expectedBytes = expectedBytes;
    this.#content = Buffer.from(scope.random.stream('ids').bytes(15)).toString('base64url');
  }

  /** The number of bytes so far. */
  get bytes(): number {
    return this.#bytes;
  }

  async write(chunk: Uint8Array): Promise<void> {
    this.#chunks.push(chunk);
    this.#waiting += chunk.byteLength;
    this.#bytes += chunk.byteLength;
    if (this.#waiting < pieceBytes) return;
    const all = Buffer.concat(this.#chunks);
    let at = 0;
    for (; all.length - at >= pieceBytes; at += pieceBytes) await this.#send(all.subarray(at, at + pieceBytes));
    this.#chunks = [all.subarray(at)];
    this.#waiting = all.length - at;
  }

  /** Writes the rest, with the asks of `scope`. The content is invisible until a file is created from it. */
  async end(scope = this.#scope): Promise<{ content: string; bytes: number }> {
    if (this.#waiting > 0) await this.#send(Buffer.concat(this.#chunks), scope);
    this.#waiting = 0;
    return { content: this.#content, bytes: this.#bytes };
  }

  async #send(piece: Buffer, scope = this.#scope): Promise<void> {
    const index = this.#pieces;
    this.#pieces += 1;
    const expected = index === 0 && this.#expectedBytes !== undefined ? { bytes: this.#expectedBytes } : {};
    const body = { domain: this.#domain, content: this.#content, index, piece: piece.toString('base64'), ...expected };
    const { masters, unreachable } = mastersOf(scope, this.#domain);
    const outcome = await askInTurn(scope, masters, { type: 'file.write', body, ...timesOf(scope) }, { unreachable });
    if (outcome.ok) return;
    // The piece may have been written, but no file refers to it.
    const { code, message, definite, origin } = outcome.fault;
    throw new FaultError(fault(definite ? code : 'unreachable', `${message}; nothing of the file is kept`, origin));
  }
}

const { filePieceBytes: pieceBytes } = limits;

async function write<T extends 'file.commit' | 'file.remove'>(
  scope: RoleScope,
  type: T,
  body: BodyOf<T> & EntityCollection,
): Promise<ReplyOf<T>> {
  const { masters, unreachable } = mastersOf(scope, body.domain);
  const question = { type, body, deadlineMs: deadlineOf(scope) };
  return unwrap(await askInTurn(scope, masters, question, { unreachable }));
}

/** Contents are immutable, so any copy is correct; the copy of this site is the nearest. */
async function readNearest(scope: RoleScope, body: BodyOf<'file.read'>): Promise<ReplyOf<'file.read'>> {
  const { masters, copies } = directoriesOf(scope, body.domain);
  const { site } = scope.instance;
  const unreachable = fault(
    'unreachable',
    `the content of the file is not at site ${site} yet, and mdc is not reachable from there`,
  );
  return unwrap(
    await askInTurn(scope, [...copies, ...masters], { type: 'file.read', body, ...timesOf(scope) }, { unreachable }),
  );
}

function mastersOf(scope: RoleScope, domain: string) {
  return { masters: directoriesOf(scope, domain).masters, unreachable: unreachableFault('mdc', scope.instance.site) };
}
