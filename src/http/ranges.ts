/** Ranges of bytes, as a request asks for them (RFC 9110, section 14): one at a time; a request for several gets all of it. */

/** Bytes from `from` up to, and without, `to`. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/**
 * What a `Range` field asks for of `size` bytes. `undefined`: all of it, for what can't be read, and any other unit than
 * bytes, is to be ignored. `unsatisfiable`: none of the bytes is there.
 */
export function rangeIn(field: string | null, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, first, last] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(field ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  if (first === '') return suffix(Number(last), size);
  const from = Number(first);
  if (last !== '' && Number(last) < from) return undefined;
  if (from >= size) return 'unsatisfiable';
  return { from, to: last === '' ? size : Math.min(Number(last) + 1, size) };
}

function suffix(bytes: number, size: number): ByteRange | 'unsatisfiable' {
  return bytes === 0 || size === 0 ? 'unsatisfiable' : { from: Math.max(0, size - bytes), to: size };
}
