/**
 * The logs of a level database, and its manifest, which has the same form: records in blocks of 32 KiB, each with a checksum.
 * level itself passes over what is damaged in them, so it has to be looked for.
 */
import { crc32c, unmasked } from './crc32c.ts';
import { ByteReader } from './level-bytes.ts';

const blockBytes = 32_768;
const headerBytes = 7;
const kinds = { full: 1, first: 2, middle: 3, last: 4 } as const;

export interface ReadLog {
  readonly records: readonly Buffer[];
  /** What is damaged, and where. A last record that was cut off is not: its write never ended. */
  readonly faults: readonly string[];
}

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
