/** UUIDs (RFC 9562) in their text form. */
import { createHash } from 'node:crypto';

/** The all-zero uuid: no user. */
export const nilUuid = '00000000-0000-0000-0000-000000000000';

/** A random UUID (version 4) of 16 random bytes. */
export function randomUuid(bytes: Uint8Array): string {
  return uuidText(bytes, 0x40);
}

/** A name-based UUID (version 5): the same name has the same id at every site and after every start. */
export function namedUuid(name: string): string {
  return uuidText(createHash('sha1').update(`strowger/${name}`).digest().subarray(0, 16), 0x50);
}

/** Whether it is one of `namedUuid`. */
export function isNamedUuid(text: string): boolean {
  return text[14] === '5';
}

function uuidText(bytes: Uint8Array, version: number): string {
  const marked = Buffer.from(bytes);
  marked[6] = ((marked[6] ?? 0) & 0x0f) | version;
  marked[8] = ((marked[8] ?? 0) & 0x3f) | 0x80;
  const hex = marked.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
