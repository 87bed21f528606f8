/** Work in slices: generators that pause after a number of steps, and the evaluation of filters and `like` patterns in them. */
import { limits } from '../limits.ts';

/**
 * Long work in slices: it yields the number of steps since the last slice, of about ten nanoseconds each. The caller
 * decides whether other work runs before it continues.
 */
export type Sliced<T> = Generator<number, T, undefined>;

/** Steps after which work pauses: several such slices fit into one turn. */
const sliceSteps = 2_000;

/** Steps of an item, in addition to the work on its texts. */
export const itemSteps = 100;

/** The result of sliced work, run without a pause. */
export function finished<T>(work: Sliced<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/** Counts the steps of a slice. */
export class Steps {
  #count = 0;

  add(steps: number): void {
    this.#count += steps;
  }

  /** Whether the slice is long enough. */
  get areMany(): boolean {
    return this.#count >= sliceSteps;
  }

  /** The steps since the last call. */
  take(): number {
    const count = this.#count;
    this.#count = 0;
    return count;
  }
}

/** The evaluation of a filter for one item after another, which may be interrupted between two comparisons. */
export class Look {
  readonly steps = new Steps();
  /** The results for the current item, by comparison. */
  #verdicts: (boolean | undefined)[] = [];

  /** Whether the filter must pause before its next comparison. After a pause it does at least one comparison. */
  get isInterrupted(): boolean {
    return this.steps.areMany;
  }

  verdictOf(comparison: number): boolean | undefined {
    return this.#verdicts[comparison];
  }

  note(comparison: number, verdict: boolean, steps: number): boolean {
    this.#verdicts[comparison] = verdict;
    this.steps.add(steps);
    return verdict;
  }

  /** Goes on to the next item. */
  next(): void {
    this.#verdicts = [];
    this.steps.add(itemSteps);
  }
}

/** A character of a pattern, with its backslash if it is escaped. */
const letters = /\\[%_\\]|./gsu;

/**
 * A pattern as a machine that reads a text once: state n is reached when n characters of the pattern have matched, and the
 * states reached at one time are the bits of a few words. The time depends on the text only.
 */
export class LikePattern {
  /** Its characters, `%` and `_` included. */
  readonly length: number;
  /**
   * For a character, the states to which it leads from the previous one; for other characters, the states to which `_`
   * leads.
   */
  readonly #takes = new Map<number, Uint32Array>();
  readonly #takesAny: Uint32Array;
  /** States that any run of characters does not leave. */
  readonly #stays: Uint32Array;
  readonly #reached: Uint32Array;
  readonly #last: number;

  constructor(pattern: readonly string[]) {
    const taken = pattern.filter((letter) => letter !== '%');
    this.length = pattern.length;
    this.#last = taken.length;
    const words = (taken.length >>> 5) + 1;
    this.#takesAny = new Uint32Array(words);
    this.#stays = new Uint32Array(words);
    this.#reached = new Uint32Array(words);
    for (const [index, letter] of taken.entries()) if (letter === '_') setBit(this.#takesAny, index + 1);
    for (const [index, letter] of taken.entries()) if (letter !== '_') this.#addLetter(letter, index + 1);
    let state = 0;
    for (const letter of pattern) {
      if (letter === '%') setBit(this.#stays, state);
      else state += 1;
    }
  }

  /** Maximum number of steps to match a text. */
  stepsFor(text: string): number {
    return text.length * this.#stays.length;
  }

  matches(text: string): boolean {
    const reached = this.#reached.fill(0);
    reached[0] = 1;
    for (let at = 0; at < text.length; ) {
      const letter = text.codePointAt(at) as number;
      at += letter > 0xffff ? 2 : 1;
      if (!this.#take(reached, letter)) return false;
    }
    return hasBit(reached, this.#last);
  }

  /** Advances from all states at once. False when none is left. */
  #take(reached: Uint32Array, letter: number): boolean {
    const takes = this.#takes.get(letter) ?? this.#takesAny;
    let carry = 0;
    let left = 0;
    for (let word = 0; word < reached.length; word++) {
      const before = reached[word] as number;
      const moved = ((before << 1) | carry) & (takes[word] as number);
      const after = moved | (before & (this.#stays[word] as number));
      carry = before >>> 31;
      reached[word] = after;
      left |= after;
    }
    return left !== 0;
  }

  #addLetter(letter: string, state: number): void {
    const code = letter.codePointAt(letter.length > 1 && letter.startsWith('\\') ? 1 : 0) as number;
    const takes = this.#takes.get(code) ?? this.#takesAny.slice();
    setBit(takes, state);
    this.#takes.set(code, takes);
  }
}

/**
 * Reads a pattern of the filter operator `like`; `undefined` if it is too long. `%` stands for any run of characters, the
 * empty one too, and `_` for exactly one (a code point). A backslash before `%`, `_` or a backslash takes that character as
 * it is; before any other it is a character itself. Case counts, and the pattern covers the whole text. (chosen)
 */
export function parseLike(text: string): LikePattern | undefined {
  // A character takes at most two units: a surrogate pair, or a backslash and the escaped character.
  if (text.length > 2 * limits.likeChars) return undefined;
  const pattern = Array.from(text.matchAll(letters), ([letter]) => letter);
  return pattern.length > limits.likeChars ? undefined : new LikePattern(pattern);
}

/** A pattern in which only `*` is special: any run of characters, the empty one included. `undefined`: it is too long. */
export function parseGlob(text: string): LikePattern | undefined {
  return parseLike(literally(text).replaceAll('*', '%'));
}

/** A text as a pattern that matches only this text. */
export function literally(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&');
}

function setBit(words: Uint32Array, bit: number): void {
  words[bit >>> 5] = (words[bit >>> 5] as number) | (1 << (bit & 31));
}

function hasBit(words: Uint32Array, bit: number): boolean {
  return (((words[bit >>> 5] as number) >>> (bit & 31)) & 1) === 1;
}
