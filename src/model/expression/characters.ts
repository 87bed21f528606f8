/** Sets of characters as ranges of code points: the meaning of classes and escapes in an expression. */

/** The first and the last code point. */
export type CharacterRange = readonly [first: number, last: number];

const last = 0x10ffff;

export const digits: readonly CharacterRange[] = [[0x30, 0x39]];
export const wordCharacters: readonly CharacterRange[] = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];
/** WhiteSpace and LineTerminator of ECMAScript. */
export const spaces: readonly CharacterRange[] = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];
export const lineEnds: readonly CharacterRange[] = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
];

/** All other code points. */
export function complementOf(ranges: readonly CharacterRange[]): CharacterRange[] {
  const others: CharacterRange[] = [];
  let next = 0;
  for (const [from, to] of ranges) {
    if (from > next) others.push([next, from - 1]);
    next = to + 1;
  }
  return [...others, [next, last]];
}

/** An expression class of these characters, or of all others; an empty class matches nothing. */
export function classOf(ranges: readonly CharacterRange[], { isNegated = false } = {}): string {
  if (ranges.length === 0) return classOf([[0, last]], { isNegated: !isNegated });
  return `[${isNegated ? '^' : ''}${ranges.map(([from, to]) => `${literal(from)}-${literal(to)}`).join('')}]`;
}

/** An expression that matches exactly this code point. */
export function literal(codePoint: number): string {
  return `\\x{${codePoint.toString(16)}}`;
}
