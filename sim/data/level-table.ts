/** The tables of a level database: sorted blocks with a checksum each, an index of them, and a footer that leads to it. */
import { crc32c, unmasked } from './crc32c.ts';
import { BadBytes, ByteReader, unsnapped } from './level-bytes.ts';
import type { LevelEntry } from './level-log.ts';

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

/** The data blocks of a table, in order. Throws `BadBytes` where it has no index of them. */
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

/** Keys share their beginnings with the ones before; behind the last entry is a list of those that do not. */
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
