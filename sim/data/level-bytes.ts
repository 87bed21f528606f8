/** CRC-32C, the checksum that level keeps of each block of its tables and each record of its logs. */

const polynomial = 0x82f63b78;
const slices = makeSlices();

/** Four tables, so that four bytes are taken at once. */
function makeSlices(): readonly Uint32Array[] {
  const first = Uint32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ polynomial : crc >>> 1;
    return crc;
  });
  const tables = [first];
  for (let slice = 1; slice < 4; slice += 1) {
    const before = tables[slice - 1] as Uint32Array;
    tables.push(before.map((crc) => (crc >>> 8) ^ (first[crc & 0xff] as number)));
  }
  return tables;
}

/** From `start` to `end`. */
export function crc32c(bytes: Uint8Array, start: number, end: number): number {
  const [one, two, three, four] = slices as [Uint32Array, Uint32Array, Uint32Array, Uint32Array];
  let crc = 0xffffffff;
  let at = start;
  for (; at + 4 <= end; at += 4) {
    crc ^= word(bytes, at);
    crc =
      (four[crc & 0xff] as number) ^
      (three[(crc >>> 8) & 0xff] as number) ^
      (two[(crc >>> 16) & 0xff] as number) ^
      (one[crc >>> 24] as number);
  }
  for (; at < end; at += 1) crc = (crc >>> 8) ^ (one[(crc ^ (bytes[at] as number)) & 0xff] as number);
  return ~crc >>> 0;
}

function word(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)
  );
}

/** A checksum as it is stored: level rotates it and adds a constant, so that checksums of checksums differ. */
export function unmasked(stored: number): number {
  const turned = (stored - 0xa282ead8) >>> 0;
  return ((turned >>> 17) | (turned << 15)) >>> 0;
}

/** The bytes do not have the expected format. */
export class BadBytes extends Error {}

/** Reads numbers and texts of level's files in sequence. */
export class ByteReader {
  readonly #bytes: Buffer;
  at: number;
  readonly #end: number;

  constructor(bytes: Buffer, at = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.at = at;
    this.#end = end;
  }

  get isAtEnd(): boolean {
    return this.at >= this.#end;
  }

  byte(): number {
    if (this.at >= this.#end) throw new BadBytes('ends too early');
    return this.#bytes[this.at++] as number;
  }

  /** Seven bits in each byte, the lowest first. */
  varint(): number {
    let value = 0;
    for (let factor = 1; factor < 2 ** 63; factor *= 128) {
      const byte = this.byte();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
    throw new BadBytes('has a number that is too long');
  }

  take(length: number): Buffer {
    if (length > this.#end - this.at) throw new BadBytes('ends too early');
    const taken = this.#bytes.subarray(this.at, this.at + length);
    this.at += length;
    return taken;
  }

  /** Bytes after their length. */
  text(): Buffer {
    return this.take(this.varint());
  }
}

/** Decompresses snappy. */
export function unsnapped(packed: Buffer): Buffer {
  const reader = new ByteReader(packed);
  const length = reader.varint();
  if (length > 2 ** 30) throw new BadBytes('is too large');
  const out = Buffer.alloc(length);
  let at = 0;
  while (!reader.isAtEnd) {
    const tag = reader.byte();
    if ((tag & 3) === 0) {
      const piece = reader.take(literalLength(tag >>> 2, reader) + 1);
      if (piece.length > length - at) throw new BadBytes('is longer than it says');
      at += piece.copy(out, at);
      continue;
    }
    const [size, offset] = copyOf(tag, reader);
    if (offset === 0 || offset > at || size > length - at) throw new BadBytes('repeats what is not there');
    // Byte by byte: the copy may overlap what it copies.
    for (let end = at + size; at < end; at += 1) out[at] = out[at - offset] as number;
  }
  if (at !== length) throw new BadBytes('is shorter than it says');
  return out;
}

function literalLength(short: number, reader: ByteReader): number {
  return short < 60 ? short : reader.take(short - 59).readUIntLE(0, short - 59);
}

function copyOf(tag: number, reader: ByteReader): [size: number, offset: number] {
  if ((tag & 3) === 1) return [((tag >>> 2) & 7) + 4, ((tag >>> 5) << 8) | reader.byte()];
  const width = (tag & 3) === 2 ? 2 : 4;
  return [(tag >>> 2) + 1, reader.take(width).readUIntLE(0, width)];
}
