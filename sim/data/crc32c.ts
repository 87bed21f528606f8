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

/** Of the bytes from `start` to `end`. */
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

/** A checksum as it is stored: level turns it and adds a constant, so that checksums of checksums differ. */
export function unmasked(stored: number): number {
  const turned = (stored - 0xa282ead8) >>> 0;
  return ((turned >>> 17) | (turned << 15)) >>> 0;
}
