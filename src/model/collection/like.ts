/**
 * A pattern of the filter operator `like`. (chosen)
 *
 * `%` stands for any run of letters, the empty one too, and `_` for exactly one letter (a code point). A backslash
 * before `%`, `_` or a backslash takes that letter as it is; before any other it is a letter itself. Case counts, and
 * the pattern covers the whole text.
 */
import { limits } from '../limits.ts';

export type LikePattern = readonly number[];

/** What a pattern holds in place of a code point. */
const anyOne = -1;
const anyRun = -2;

/** A letter of a pattern, with its backslash where it is taken as it is. */
const letters = /\\[%_\\]|./gsu;

/** Reads a pattern, or gives `undefined` for one that is too long. */
export function parseLike(text: string): LikePattern | undefined {
  // A letter takes at most two units: a surrogate pair, or a backslash and what it escapes.
  if (text.length > 2 * limits.likeLetters) return undefined;
  const pattern = Array.from(text.matchAll(letters), ([letter]) => {
    if (letter === '%') return anyRun;
    if (letter === '_') return anyOne;
    return letter.codePointAt(letter.length > 1 && letter.startsWith('\\') ? 1 : 0) as number;
  });
  return pattern.length > limits.likeLetters ? undefined : pattern;
}

/**
 * Tells whether `text` is like `pattern`.
 *
 * Greedy, with one place to go back to: when a letter does not fit, only the run begun last may grow, because an
 * earlier one has nothing to gain. At most letters of the text times letters of the pattern steps.
 */
export function isLike(text: string, pattern: LikePattern): boolean {
  let at = 0;
  let next = 0;
  let run: { readonly next: number; end: number } | undefined;
  while (at < text.length) {
    const letter = text.codePointAt(at) as number;
    const wanted = pattern[next];
    if (wanted === anyRun) {
      next += 1;
      run = { next, end: at };
    } else if (wanted === anyOne || wanted === letter) {
      next += 1;
      at += unitsOf(letter);
    } else if (run !== undefined) {
      run.end += unitsOf(text.codePointAt(run.end) as number);
      at = run.end;
      next = run.next;
    } else return false;
  }
  return pattern.slice(next).every((wanted) => wanted === anyRun);
}

/** A pattern in which only `*` has a meaning: any run of letters, the empty one too. `undefined`: it is too long. */
export function parseGlob(text: string): LikePattern | undefined {
  return parseLike(literally(text).replaceAll('*', '%'));
}

/** A text as a pattern that is like itself alone. */
export function literally(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&');
}

/** UTF-16 units of a code point. */
function unitsOf(letter: number): number {
  return letter > 0xffff ? 2 : 1;
}
