/** Zip archives for tests: byte by byte, so that each may lie in its own way. */
import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipFile {
  readonly name: string | Uint8Array;
  readonly content?: string | Uint8Array;
  /** Stored and not deflated. */
  readonly isStored?: boolean;
  /** What the heads say, where it is not so. */
  readonly size?: number;
  readonly packedBytes?: number;
  readonly crc?: number;
  readonly method?: number;
  readonly flags?: number;
  readonly localName?: string;
  readonly localSize?: number;
  /** Of unix: the kind of file and its rights. */
  readonly mode?: number;
  /** The index of another file whose bytes it claims. */
  readonly sharesWith?: number;
}

export interface ZipEnd {
  readonly count?: number;
  readonly size?: number;
  readonly start?: number;
  readonly disk?: number;
  readonly comment?: string;
}

/** An archive of files; `end` is what its end says, where it is not so. */
export function zipOf(files: readonly ZipFile[], end: ZipEnd = {}): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  const offsets: number[] = [];
  let at = 0;
  const add = (part: Buffer) => {
    parts.push(part);
    at += part.length;
  };
  for (const file of files) {
    const { localAt, name, fields } = place(file, at, offsets, add);
    offsets.push(localAt);
    const head = Buffer.alloc(46);
    head.writeUInt32LE(0x02014b50, 0);
    head.writeUInt16LE((3 << 8) | 20, 4);
    fields.copy(head, 6);
    head.writeUInt16LE(name.length, 28);
    head.writeUInt32LE(((file.mode ?? 0o100644) << 16) >>> 0, 38);
    head.writeUInt32LE(localAt, 42);
    directory.push(Buffer.concat([head, name]));
  }
  const listed = Buffer.concat(directory);
  const last = Buffer.alloc(22);
  const comment = Buffer.from(end.comment ?? '');
  last.writeUInt32LE(0x06054b50, 0);
  last.writeUInt16LE(end.disk ?? 0, 4);
  last.writeUInt16LE(end.count ?? files.length, 8);
  last.writeUInt16LE(end.count ?? files.length, 10);
  last.writeUInt32LE(end.size ?? listed.length, 12);
  last.writeUInt32LE(end.start ?? at, 16);
  last.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...parts, listed, last, comment]);
}

/** Writes a file with its own head. Answers where that is, and the fields that both heads have. */
function place(file: ZipFile, at: number, offsets: readonly number[], add: (part: Buffer) => void) {
  const content = Buffer.from(file.content ?? '');
  const packed = file.isStored ? content : deflateRawSync(content);
  const name = Buffer.from(file.name as string);
  const fields = Buffer.alloc(22);
  fields.writeUInt16LE(20, 0);
  fields.writeUInt16LE(file.flags ?? 0x800, 2);
  fields.writeUInt16LE(file.method ?? (file.isStored ? 0 : 8), 4);
  fields.writeUInt32LE(file.crc ?? crc32(content), 10);
  fields.writeUInt32LE(file.packedBytes ?? packed.length, 14);
  fields.writeUInt32LE(file.size ?? content.length, 18);
  if (file.sharesWith !== undefined) return { localAt: offsets[file.sharesWith] as number, name, fields };
  const localName = Buffer.from(file.localName ?? name);
  const head = Buffer.alloc(30);
  head.writeUInt32LE(0x04034b50, 0);
  fields.copy(head, 4);
  if (file.localSize !== undefined) head.writeUInt32LE(file.localSize, 22);
  head.writeUInt16LE(localName.length, 26);
  add(Buffer.concat([head, localName, packed]));
  return { localAt: at, name, fields };
}
