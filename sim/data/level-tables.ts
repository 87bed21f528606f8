/** The files of a level database as bytes: logs, manifest and tables, and whether their checksums are right. */
import { BadBytes, ByteReader, crc32c, unmasked, unsnapped } from './level-bytes.ts';

const blockBytes = 32_768;
const headerBytes = 7;
const kinds = { full: 1, first: 2, middle: 3, last: 4 } as const;

export interface ReadLog {
  readonly records: readonly Buffer[];
  /** What is damaged, and where. A last record that was cut off is not: its write never ended. */
  readonly faults: readonly string[];
}

/**
 * Reads a log of a level database, or its manifest, which has the same form: records in blocks of 32 KiB, each with a
 * checksum. level itself passes over what is damaged in them, so it has to be looked for.
 */
export function readLog(bytes: Buffer): ReadLog {
  const records: Buffer[] = [];
  const faults: string[] = [];
  let pieces: Buffer[] | undefined;
  for (const part of parts(bytes)) {
    if ('fault' in part) {
      faults.push(part.fault);
      pieces = undefined;
      continue;
    }
    const isStart = part.kind === kinds.full || part.kind === kinds.first;
    if (isStart) {
      if (pieces !== undefined) faults.push(`a record ends too early before byte ${part.at}`);
      pieces = [];
    }
    // Behind a fault the rest of a record has no beginning: that was said.
    if (pieces === undefined) {
      if (faults.length === 0) faults.push(`a record has no beginning at byte ${part.at}`);
      continue;
    }
    pieces.push(part.data);
    if (part.kind === kinds.first || part.kind === kinds.middle) continue;
    records.push(Buffer.concat(pieces));
    pieces = undefined;
  }
  return { records, faults };
}

type Part = { readonly at: number; readonly kind: number; readonly data: Buffer } | { readonly fault: string };

function* parts(bytes: Buffer): Generator<Part> {
  for (let start = 0; start < bytes.length; start += blockBytes) {
    const end = Math.min(start + blockBytes, bytes.length);
    for (let at = start; end - at >= headerBytes; ) {
      const length = bytes.readUInt16LE(at + 4);
      const next = at + headerBytes + length;
      if (isPartAt(bytes, at, end)) {
        yield { at, kind: bytes[at + 6] as number, data: bytes.subarray(at + headerBytes, next) };
        at = next;
        continue;
      }
      const isCutOff = end === bytes.length && next > end && end - start < blockBytes && !hasPartAfter(bytes, at, end);
      if (!isCutOff && !isEmpty(bytes, at, end)) yield { fault: `no valid record at byte ${at}` };
      break;
    }
  }
}

function isPartAt(bytes: Buffer, at: number, end: number): boolean {
  if (end - at < headerBytes) return false;
  const next = at + headerBytes + bytes.readUInt16LE(at + 4);
  const kind = bytes[at + 6] as number;
  if (next > end || kind < kinds.full || kind > kinds.last) return false;
  return crc32c(bytes, at + 6, next) === unmasked(bytes.readUInt32LE(at));
}

/** Whether there is a record behind what looks like one that was cut off: then its length is what is wrong. */
function hasPartAfter(bytes: Buffer, at: number, end: number): boolean {
  for (let other = at + 1; other < end; other += 1) if (isPartAt(bytes, other, end)) return true;
  return false;
}

function isEmpty(bytes: Buffer, at: number, end: number): boolean {
  for (let i = at; i < end; i += 1) if (bytes[i] !== 0) return false;
  return true;
}

/** A change of one key: its place in the order of all changes, and the value, if it was not deleted. */
export interface LevelEntry {
  readonly key: string;
  readonly sequence: number;
  readonly value: string | undefined;
}

export interface Batch {
  readonly sequence: number;
  readonly entries: readonly LevelEntry[];
}

/** A record of a log: the changes of one batch. Throws `BadBytes`. */
export function readBatch(record: Buffer): Batch {
  const reader = new ByteReader(record);
  const sequence = Number(reader.take(8).readBigUInt64LE());
  const count = reader.take(4).readUInt32LE();
  const entries = Array.from({ length: count }, (_, index): LevelEntry => {
    const isPut = reader.byte() === 1;
    const key = reader.text().toString();
    return { key, sequence: sequence + index, value: isPut ? reader.text().toString() : undefined };
  });
  return { sequence, entries };
}

const footerBytes = 48;
const trailerBytes = 5;
/** At the end of every table. */
const magic = Buffer.from('57fb808b247547db', 'hex');

interface Handle {
  readonly offset: number;
  readonly size: number;
}

export interface TableBlock {
  /** The last key that may be in it, and the one of the block before. */
  readonly upTo: string;
  readonly after: string | undefined;
  /** What it holds; or why it can't be read. */
  readonly content: Buffer | BadBytes;
}

/**
 * The data blocks of a table of a level database, in order: sorted blocks with a checksum each, an index of them, and a
 * footer that leads to it. Throws `BadBytes` where it has no index of them.
 */
export function* blocksOf(table: Buffer): Generator<TableBlock> {
  let after: string | undefined;
  for (const { key, value } of entriesIn(blockAt(table, indexOf(table).index))) {
    const upTo = userKey(key);
    yield { upTo, after, content: tried(() => blockAt(table, handleIn(new ByteReader(value)))) };
    after = upTo;
  }
}

/** What is wrong with the blocks that hold no data: filters, and the list of them. */
export function otherFaults(table: Buffer): string[] {
  const { meta } = indexOf(table);
  const content = tried(() => blockAt(table, meta));
  if (content instanceof BadBytes) return [`the block of filters ${content.message}`];
  return [...entriesIn(content)].flatMap(({ key, value }) => {
    const filter = tried(() => blockAt(table, handleIn(new ByteReader(value))));
    return filter instanceof BadBytes ? [`${key} ${filter.message}`] : [];
  });
}

/** The changes in a data block. Throws `BadBytes`. */
export function* changesIn(content: Buffer): Generator<LevelEntry> {
  for (const { key, value } of entriesIn(content)) {
    const tag = key.readBigUInt64LE(key.length - 8);
    const isPut = (tag & 0xffn) === 1n;
    yield { key: userKey(key), sequence: Number(tag >> 8n), value: isPut ? value.toString() : undefined };
  }
}

function tried(read: () => Buffer): Buffer | BadBytes {
  try {
    return read();
  } catch (error) {
    if (error instanceof BadBytes) return error;
    throw error;
  }
}

function indexOf(table: Buffer): { meta: Handle; index: Handle } {
  const isTable = table.length >= footerBytes && table.subarray(-magic.length).equals(magic);
  if (!isTable) throw new BadBytes('does not end as a table does');
  const reader = new ByteReader(table, table.length - footerBytes);
  const handles = { meta: handleIn(reader), index: handleIn(reader) };
  const padding = table.subarray(reader.at, -magic.length);
  if (padding.some((byte) => byte !== 0)) throw new BadBytes('does not end as a table does');
  return handles;
}

function handleIn(reader: ByteReader): Handle {
  return { offset: reader.varint(), size: reader.varint() };
}

function blockAt(table: Buffer, { offset, size }: Handle): Buffer {
  const end = offset + size;
  if (end + trailerBytes > table.length) throw new BadBytes(`is not there at byte ${offset}`);
  if (crc32c(table, offset, end + 1) !== unmasked(table.readUInt32LE(end + 1))) {
    throw new BadBytes(`has another checksum at byte ${offset}`);
  }
  const content = table.subarray(offset, end);
  return table[end] === 1 ? unsnapped(content) : content;
}

/** A key shares its beginning with the key before; a list of the keys that do not follows the last entry. */
function* entriesIn(block: Buffer): Generator<{ key: Buffer; value: Buffer }> {
  if (block.length < 4) throw new BadBytes('is too short');
  const restarts = block.readUInt32LE(block.length - 4);
  const end = block.length - 4 - 4 * restarts;
  if (end < 0) throw new BadBytes('is too short');
  const reader = new ByteReader(block, 0, end);
  let key: Buffer = Buffer.alloc(0);
  while (!reader.isAtEnd) {
    const [shared, own, length] = [reader.varint(), reader.varint(), reader.varint()];
    key = Buffer.concat([key.subarray(0, shared), reader.take(own)]);
    yield { key, value: reader.take(length) };
  }
}

/** An internal key without its eight bytes of sequence number and kind. */
function userKey(key: Buffer): string {
  if (key.length < 8) throw new BadBytes('has a key that is too short');
  return key.subarray(0, -8).toString();
}
