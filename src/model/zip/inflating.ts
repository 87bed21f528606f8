/** The bytes of a file of a zip archive: in slices, so that others have their turn, and never more than it claims to have. */
import { crc32 } from 'node:zlib';
import { Inflate } from 'fflate';
import { type ZipEntry, ZipProblem } from './directory.ts';

/** Packed bytes at a time: deflate makes at most a thousand times as many of them. */
const sliceBytes = 512;

/** The bytes of a file, some at a time. Throws a `ZipProblem` where they are not what the archive says of them. */
export function* bytesIn({ name, isDeflated, packed, size, crc }: ZipEntry): Generator<Uint8Array> {
  const shown = JSON.stringify(name);
  let bytes = 0;
  let sum = 0;
  for (const chunk of isDeflated ? inflated(packed, shown) : sliced(packed)) {
    bytes += chunk.byteLength;
    if (bytes > size) throw new ZipProblem(`${shown}: has more bytes than the ${size} that it says`);
    sum = crc32(chunk, sum);
    yield chunk;
  }
  if (bytes !== size) throw new ZipProblem(`${shown}: expected ${size} bytes, got ${bytes}`);
  if (sum !== crc) throw new ZipProblem(`${shown}: damaged: its checksum is another one`);
}

function* sliced(packed: Uint8Array): Generator<Uint8Array> {
  const most = 256 * sliceBytes;
  for (let at = 0; at < packed.length; at += most) yield packed.subarray(at, at + most);
}

function* inflated(packed: Uint8Array, shown: string): Generator<Uint8Array> {
  let made: Uint8Array[] = [];
  const inflate = new Inflate((chunk) => made.push(chunk));
  for (let at = 0; at === 0 || at < packed.length; at += sliceBytes) {
    try {
      inflate.push(packed.subarray(at, at + sliceBytes), at + sliceBytes >= packed.length);
    } catch (error) {
      throw new ZipProblem(`${shown}: damaged: ${error instanceof Error ? error.message : String(error)}`);
    }
    const chunks = made;
    made = [];
    for (const chunk of chunks) if (chunk.byteLength > 0) yield chunk;
  }
}
