/** Reads zip archives: their entries, which paths they may have, and their bytes in slices, all within limits. */
import { crc32 } from 'node:zlib';
import { Inflate, inflateSync } from 'fflate';
import { limits } from './limits.ts';

const mebibyte = 1024 * 1024;

/**
 * The files of an archive of a role application: their paths stay inside it, and they are within the limits. Throws a
 * `ZipProblem` for the first one that is not. (chosen)
 */
export function filesOf(entries: readonly ZipEntry[]): ZipEntry[] {
  const files: ZipEntry[] = [];
  const names = new Set<string>();
  let [unpacked, packed, nameBytes] = [0, 0, 0];
  for (const entry of entries) {
    const { name, size, isFolder } = entry;
    const problem = pathProblem(isFolder ? name.slice(0, -1) : name);
    if (problem !== undefined) throw new ZipProblem(`${JSON.stringify(name)}: ${problem}`);
    if (names.has(name)) throw new ZipProblem(`${JSON.stringify(name)}: appears twice`);
    names.add(name);
    if (isFolder && size > 0) throw new ZipProblem(`${JSON.stringify(name)}: a folder with bytes of its own`);
    if (size > limits.unpackedFileBytes) {
      throw new ZipProblem(`${JSON.stringify(name)}: expected at most ${limits.unpackedFileBytes} bytes, got ${size}`);
    }
    unpacked += size;
    packed += entry.packed.byteLength;
    nameBytes += Buffer.byteLength(name);
    if (!isFolder) files.push(entry);
  }
  const { unpackedBytes, archiveRatio, archiveNameBytes } = limits;
  if (unpacked > unpackedBytes)
    throw new ZipProblem(`expected at most ${unpackedBytes} bytes unpacked, got ${unpacked}`);
  if (nameBytes > archiveNameBytes) throw new ZipProblem(`expected names of at most ${archiveNameBytes} bytes in all`);
  if (unpacked > mebibyte && unpacked > packed * archiveRatio) {
    throw new ZipProblem(`expected at most ${archiveRatio} times as many bytes unpacked as packed`);
  }
  return files;
}

const control = /[\p{Cc}\p{Cs}]/u;

/** What is wrong with a path, if anything is. */
function pathProblem(path: string): string | undefined {
  if (path.includes('\\')) return 'expected / between folders, and no \\';
  if (control.test(path)) return 'expected no control characters in a path';
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return 'expected a path within the archive';
  const parts = path.split('/');
  if (parts.length > limits.archiveFolders)
    return `expected at most ${limits.archiveFolders} folders within each other`;
  const isPlain = parts.every((part) => part !== '' && part !== '.' && part !== '..');
  return isPlain ? undefined : 'expected a path without empty parts, . and ..';
}

/** A file or folder of an archive. */
export interface ZipEntry {
  readonly name: string;
  /** A folder, which has no bytes. */
  readonly isFolder: boolean;
  readonly isDeflated: boolean;
  readonly crc: number;
  /** Unpacked, as the archive claims. */
  readonly size: number;
  /** The packed bytes. */
  readonly packed: Uint8Array;
}

/** What is wrong with an archive. */
export class ZipProblem extends Error {}

const endBytes = 22;
const entryBytes = 46;
const localBytes = 30;
const mostComment = 0xffff;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The entries of a zip archive (APPNOTE.TXT 6.3), at most `most` of them. Only what can be read in one way is read: no parts, no zip64,
 * no encryption, nothing in front or behind, no two files over the same bytes. Throws a `ZipProblem`.
 */
export function readZip(bytes: Uint8Array, most: number): ZipEntry[] {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = findEnd(view);
  const count = view.readUInt16LE(end + 10);
  const [size, start] = [view.readUInt32LE(end + 12), view.readUInt32LE(end + 16)];
  const disks = view.readUInt32LE(end + 4);
  if (count === 0xffff || size === 0xffff_ffff || start === 0xffff_ffff) throw new ZipProblem('zip64 is not read');
  if (disks !== 0 || view.readUInt16LE(end + 8) !== count) throw new ZipProblem('expected an archive of one part');
  if (start + size !== end) throw new ZipProblem('damaged: its directory is not where its end says');
  if (count > most) throw new ZipProblem(`expected at most ${most} files, got ${count}`);
  const heads: Head[] = [];
  for (let at = start; heads.length < count; ) {
    const head = readHead(view, at, end);
    heads.push(head);
    at = head.end;
  }
  if ((heads.at(-1)?.end ?? start) !== end)
    throw new ZipProblem('damaged: the central directory does not end where it should');
  return entriesOf(view, heads, start);
}

interface Head extends Omit<ZipEntry, 'packed'> {
  readonly flags: number;
  readonly method: number;
  readonly packedBytes: number;
  readonly rawName: Buffer;
  /** Where its own head is, in front of its bytes. */
  readonly localAt: number;
  /** Where the next entry of the directory begins. */
  readonly end: number;
}

function findEnd(view: Buffer): number {
  for (let at = view.length - endBytes; at >= Math.max(0, view.length - endBytes - mostComment); at -= 1) {
    const isEnd = view.readUInt32LE(at) === 0x06054b50 && at + endBytes + view.readUInt16LE(at + 20) === view.length;
    if (isEnd) return at;
  }
  throw new ZipProblem('expected a zip archive');
}

function readHead(view: Buffer, at: number, limit: number): Head {
  if (at + entryBytes > limit || view.readUInt32LE(at) !== 0x02014b50) {
    throw new ZipProblem('damaged: expected an entry of its directory');
  }
  const [flags, method] = [view.readUInt16LE(at + 8), view.readUInt16LE(at + 10)];
  const nameEnd = at + entryBytes + view.readUInt16LE(at + 28);
  const end = nameEnd + view.readUInt16LE(at + 30) + view.readUInt16LE(at + 32);
  if (end > limit) throw new ZipProblem('damaged: an entry goes beyond its directory');
  const rawName = view.subarray(at + entryBytes, nameEnd);
  const name = decoded(rawName);
  const shown = JSON.stringify(name);
  if ((flags & 1) !== 0) throw new ZipProblem(`${shown}: encrypted`);
  if (method !== 0 && method !== 8)
    throw new ZipProblem(`${shown}: expected it stored or deflated, got method ${method}`);
  const problem = kindProblem(view.readUInt16LE(at + 4) >> 8, view.readUInt32LE(at + 38));
  if (problem !== undefined) throw new ZipProblem(`${shown}: ${problem}`);
  return {
    name,
    rawName,
    isFolder: name.endsWith('/'),
    isDeflated: method === 8,
    flags,
    method,
    crc: view.readUInt32LE(at + 16),
    packedBytes: view.readUInt32LE(at + 20),
    size: view.readUInt32LE(at + 24),
    localAt: view.readUInt32LE(at + 42),
    end,
  };
}

function decoded(name: Uint8Array): string {
  try {
    return utf8.decode(name);
  } catch {
    throw new ZipProblem('expected names in UTF-8');
  }
}

const unix = 3;
const darwin = 19;

/** A link leads elsewhere, and a device is no file. */
function kindProblem(system: number, attributes: number): string | undefined {
  if (system !== unix && system !== darwin) return undefined;
  const kind = (attributes >>> 16) & 0o170000;
  if (kind === 0o120000) return 'a symbolic link';
  return kind === 0 || kind === 0o100000 || kind === 0o040000 ? undefined : 'neither a file nor a folder';
}

/** The entries with their bytes, of which no two may overlap: else a small archive holds any number of large files. */
function entriesOf(view: Buffer, heads: readonly Head[], directoryAt: number): ZipEntry[] {
  const entries = heads.map((head) => ({ head, ...extentOf(view, head, directoryAt) }));
  let free = 0;
  for (const { head, end } of entries.toSorted((a, b) => a.head.localAt - b.head.localAt)) {
    if (head.localAt < free) throw new ZipProblem(`${JSON.stringify(head.name)}: overlaps with another entry`);
    free = end;
  }
  return entries.map(({ head, start, end }) => {
    const { name, isFolder, isDeflated, crc, size } = head;
    return { name, isFolder, isDeflated, crc, size, packed: view.subarray(start, end) };
  });
}

/** Where the bytes of an entry are, by its own head, which must say the same as the directory. */
function extentOf(view: Buffer, head: Head, limit: number): { start: number; end: number } {
  const { localAt: at, rawName } = head;
  const shown = JSON.stringify(head.name);
  if (at + localBytes > limit || view.readUInt32LE(at) !== 0x04034b50) {
    throw new ZipProblem(`${shown}: damaged: it is not where the directory says`);
  }
  const nameAt = at + localBytes;
  const start = nameAt + view.readUInt16LE(at + 26) + view.readUInt16LE(at + 28);
  const end = start + head.packedBytes;
  if (end > limit) throw new ZipProblem(`${shown}: damaged: it goes beyond the archive`);
  const isAlike =
    view.readUInt16LE(at + 8) === head.method &&
    rawName.equals(view.subarray(nameAt, nameAt + view.readUInt16LE(at + 26))) &&
    ((head.flags & 8) !== 0 ||
      (view.readUInt32LE(at + 18) === head.packedBytes && view.readUInt32LE(at + 22) === head.size));
  if (!isAlike) throw new ZipProblem(`${shown}: damaged: its local header differs from the central directory`);
  return { start, end };
}

/** Packed bytes at a time: deflate makes at most a thousand times as many of them. */
const sliceBytes = 512;
/** A file of at most this size is unpacked at once, without the 160 KiB that a stream of `fflate` takes. */
const smallBytes = 4 * 1024;

/**
 * The bytes of a file, in slices, so that other requests have their turn. Throws a `ZipProblem` where they are not what the
 * archive says of them, such as more bytes.
 */
export function* bytesIn({ name, isDeflated, packed, size, crc }: ZipEntry): Generator<Uint8Array> {
  const shown = JSON.stringify(name);
  let bytes = 0;
  let sum = 0;
  for (const chunk of isDeflated ? inflated(packed, shown, size) : sliced(packed)) {
    bytes += chunk.byteLength;
    if (bytes > size) throw new ZipProblem(`${shown}: has more bytes than the ${size} that it says`);
    sum = crc32(chunk, sum);
    yield chunk;
  }
  if (bytes !== size) throw new ZipProblem(`${shown}: expected ${size} bytes, got ${bytes}`);
  if (sum !== crc) throw new ZipProblem(`${shown}: damaged: its CRC-32 does not match`);
}

function* sliced(packed: Uint8Array): Generator<Uint8Array> {
  const most = 256 * sliceBytes;
  for (let at = 0; at < packed.length; at += most) yield packed.subarray(at, at + most);
}

function* inflated(packed: Uint8Array, shown: string, size: number): Generator<Uint8Array> {
  if (packed.length <= sliceBytes && size <= smallBytes) {
    // A byte of room behind shows that there is more.
    const chunk = orDamaged(shown, () => inflateSync(packed, { out: new Uint8Array(size + 1) }));
    if (chunk.byteLength > 0) yield chunk;
    return;
  }
  let made: Uint8Array[] = [];
  const inflate = new Inflate((chunk) => made.push(chunk));
  for (let at = 0; at === 0 || at < packed.length; at += sliceBytes) {
    orDamaged(shown, () => inflate.push(packed.subarray(at, at + sliceBytes), at + sliceBytes >= packed.length));
    const chunks = made;
    made = [];
    for (const chunk of chunks) if (chunk.byteLength > 0) yield chunk;
  }
}

function orDamaged<T>(shown: string, unpack: () => T): T {
  try {
    return unpack();
  } catch (error) {
    throw new ZipProblem(`${shown}: damaged: ${error instanceof Error ? error.message : String(error)}`);
  }
}
