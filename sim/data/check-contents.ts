/** Checks a store of file contents: complete, with the length and hash that the files have. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { isFileKind } from '../../src/model/entities/entities.ts';
import type { StoredFile } from '../../src/model/entities/stored-file.ts';
import { limits } from '../../src/model/limits.ts';
import type { DataRow } from '../../src/model/protocol/messages/data.ts';
import type { Store, StoreChange } from '../../src/ports/store.ts';
import { pieceKey } from '../../src/storage/contents.ts';
import type { RecordsOnDisk } from '../ports/store.ts';
import { type Finding, parsedJson, type StoreLocation } from './store-kinds.ts';

const extentSchema = z.strictObject({ bytes: z.int().min(1) });
const piecePattern = /^p\/(.+)\/(\d{6})$/;
const { filePieceBytes: pieceBytes } = limits;

/** A row that names a content. */
export interface NeededFile {
  readonly key: string;
  readonly row: DataRow;
}

export class ContentsCheck {
  readonly findings: Finding[] = [];
  readonly #place: StoreLocation;
  readonly #extents = new Map<string, number>();
  /** Present pieces, by content. */
  readonly #pieces = new Map<string, Set<number>>();
  readonly #removed = new Set<string>();

  constructor(place: StoreLocation) {
    this.#place = place;
  }

  get records(): number {
    return this.#extents.size;
  }

  /** Checks the records; `isDeep`: also the pieces. */
  async read(store: RecordsOnDisk, { isDeep }: { isDeep: boolean }): Promise<void> {
    for await (const [key, value] of store.entries(isDeep ? {} : { from: 'c/', to: 'c0' }))
      this.#readRecord(key, value);
    if (!isDeep) return;
    for (const [id, bytes] of this.#extents) this.#checkPieces(id, bytes);
    for (const [id, indexes] of this.#pieces) {
      if (!this.#extents.has(id)) this.#drop(`p/${id}`, 'pieces of a content that is not there', id, indexes);
    }
  }

  /** The rows whose contents are missing or damaged: their files are lost. */
  async lost(store: Store, files: readonly NeededFile[]): Promise<NeededFile[]> {
    const lost: NeededFile[] = [];
    const needed = new Set<string>();
    for (const file of files) {
      const { content } = storedFile(file.row);
      needed.add(content);
      if (!(await this.#isWhole(store, file.row))) lost.push(file);
    }
    const useless = [...this.#extents.keys()].filter((id) => !needed.has(id)).length;
    if (useless > 0) {
      const problem = `${useless} contents without a file, such as interrupted uploads; the cluster removes them`;
      this.findings.push({ level: 'note', store: this.#place.store, problem });
    }
    return lost;
  }

  /** Marks the content of a file as repaired, with its number of pieces. */
  keep(row: DataRow, pieces: number): void {
    const { content, bytes } = storedFile(row);
    this.#extents.set(content, bytes);
    this.#removed.delete(`c/${content}`);
    for (let index = 0; index < pieces; index += 1) this.#removed.delete(pieceKey(content, index));
  }

  repairs(): StoreChange[] {
    return [...this.#removed].map((key) => ({ delete: key }));
  }

  #readRecord(key: string, value: string): void {
    const [, id, index] = piecePattern.exec(key) ?? [];
    if (id !== undefined && index !== undefined) {
      const isPiece = /^[A-Za-z0-9+/]*={0,2}$/.test(value) && Buffer.byteLength(value, 'base64') > 0;
      if (!isPiece) return this.#drop(key, 'is not a piece of a content');
      const indexes = this.#pieces.get(id) ?? new Set();
      this.#pieces.set(id, indexes.add(Number(index)));
      return;
    }
    if (!key.startsWith('c/')) return this.#drop(key, 'has an unknown key');
    const json = parsedJson(value);
    const read = extentSchema.safeParse('value' in json ? json.value : undefined);
    if (read.success) this.#extents.set(key.slice(2), read.data.bytes);
    else this.#drop(key, 'is not the length of a content');
  }

  #checkPieces(id: string, bytes: number): void {
    const indexes = this.#pieces.get(id) ?? new Set<number>();
    const count = Math.ceil(bytes / pieceBytes);
    const missing = Array.from({ length: count }, (_, index) => index).filter((index) => !indexes.has(index));
    if (missing.length === 0 && indexes.size === count) return;
    const problem = missing.length > 0 ? `lacks ${missing.length} of ${count} pieces` : `has more than ${count} pieces`;
    this.#extents.delete(id);
    this.#drop(`c/${id}`, problem, id, indexes);
  }

  /** Whether the content of a file is present and correct; reports it if not. */
  async #isWhole(store: Store, row: DataRow): Promise<boolean> {
    const { content, bytes, size, etag, name } = storedFile(row);
    const there = this.#extents.get(content);
    const what = `file ${JSON.stringify(name)} of ${row.domain}`;
    if (there === undefined || there < bytes) {
      this.#missing(`c/${content}`, `the content of ${what} is ${there === undefined ? 'missing' : 'incomplete'}`);
      return false;
    }
    if (there === bytes && (await hashOf(store, content, size)) === etag) return true;
    const indexes = this.#pieces.get(content) ?? new Set<number>();
    this.#drop(`c/${content}`, `the content of ${what} has another hash or length than the file`, content, indexes);
    return false;
  }

  /** A copy fetches its contents after its rows. */
  #missing(at: string, problem: string): void {
    const { store, isCopy } = this.#place;
    if (isCopy) this.findings.push({ level: 'note', store, at, problem: `${problem}; it is fetched from the master` });
    else
      this.findings.push({
        level: 'damage',
        store,
        at,
        problem,
        repair: 'taken from a copy in this folder, else the file is removed',
      });
  }

  #drop(at: string, problem: string, id?: string, indexes: ReadonlySet<number> = new Set()): void {
    this.findings.push({ level: 'damage', store: this.#place.store, at, problem, repair: 'removed' });
    if (id === undefined) this.#removed.add(at);
    else this.#removed.add(`c/${id}`);
    for (const index of indexes) this.#removed.add(pieceKey(id ?? '', index));
  }
}

/** The rows of files among others. */
export function filesAmong(rows: ReadonlyMap<string, DataRow>): NeededFile[] {
  return [...rows].flatMap(([key, row]) => (isFileKind(row.kind) ? [{ key, row }] : []));
}

export function storedFile({ item }: DataRow): StoredFile {
  return item as unknown as StoredFile;
}

/** The SHA-256 (base64url) of the first `bytes` bytes of a content, to be compared with the `etag` of its row. */
export async function hashOf(store: Store, content: string, bytes: number): Promise<string> {
  const hash = createHash('sha256');
  let left = bytes;
  for await (const [, piece] of store.entries({ from: `p/${content}/`, to: `p/${content}0` })) {
    if (left <= 0) break;
    const part = Buffer.from(piece, 'base64').subarray(0, left);
    hash.update(part);
    left -= part.length;
  }
  return hash.digest('base64url');
}
