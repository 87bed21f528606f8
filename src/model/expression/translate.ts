/**
 * Translates regular expressions from the syntax of ECMAScript without flags to that of RE2. A pattern keeps its meaning,
 * except that a character is a code point. Back-references and look-around have no counterpart.
 */

/** The first and the last code point. */
type CharacterRange = readonly [first: number, last: number];

const last = 0x10ffff;

const digits: readonly CharacterRange[] = [[0x30, 0x39]];
const wordCharacters: readonly CharacterRange[] = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];
/** WhiteSpace and LineTerminator of ECMAScript. */
const spaces: readonly CharacterRange[] = [
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
const lineEnds: readonly CharacterRange[] = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
];

/** All other code points. */
function complementOf(ranges: readonly CharacterRange[]): CharacterRange[] {
  const others: CharacterRange[] = [];
  let next = 0;
  for (const [from, to] of ranges) {
    if (from > next) others.push([next, from - 1]);
    next = to + 1;
  }
  return [...others, [next, last]];
}

/** An expression class of these characters, or of all others; an empty class matches nothing. */
function classOf(ranges: readonly CharacterRange[], { isNegated = false } = {}): string {
  if (ranges.length === 0) return classOf([[0, last]], { isNegated: !isNegated });
  return `[${isNegated ? '^' : ''}${ranges.map(([from, to]) => `${literal(from)}-${literal(to)}`).join('')}]`;
}

/** An expression that matches exactly this code point. */
function literal(codePoint: number): string {
  return `\\x{${codePoint.toString(16)}}`;
}

/** The problem of an expression, for the user who wrote it. */
export class ExpressionProblem extends Error {}

export interface Translated {
  /** The expression for RE2. Each group keeps its number; names of groups are left out. */
  readonly pattern: string;
  /** An upper bound of the instructions of its program. */
  readonly size: number;
}

/**
 * Translates `source`. Throws an `ExpressionProblem` for unsupported syntax, and for a program of more than `most`
 * instructions.
 */
export function translate(source: string, most: number): Translated {
  return new Translation(source, most).run();
}

/** An open group: the size of its items, and of the last one, which a quantifier may follow. */
interface Open {
  readonly at: number;
  done: number;
  item: number | undefined;
}

const mostRepeats = 1_000;
const quantifier = /(?:([*+?])|\{(\d+)(,(\d*))?\})\??/y;
const hexEscape = /x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})/y;
const lowSurrogate = /\\u([dD][c-fC-F][0-9a-fA-F]{2})/y;
const controls: ReadonlyMap<string, number> = new Map([
  ['t', 0x09],
  ['n', 0x0a],
  ['v', 0x0b],
  ['f', 0x0c],
  ['r', 0x0d],
]);
const sets: ReadonlyMap<string, readonly CharacterRange[]> = new Map([
  ['d', digits],
  ['D', complementOf(digits)],
  ['w', wordCharacters],
  ['W', complementOf(wordCharacters)],
  ['s', spaces],
  ['S', complementOf(spaces)],
]);

class Translation {
  readonly #source: string;
  readonly #most: number;
  readonly #groups: Open[] = [{ at: 0, done: 0, item: undefined }];
  #at = 0;
  #pattern = '';

  constructor(source: string, most: number) {
    this.#source = source;
    this.#most = most;
  }

  run(): Translated {
    while (this.#at < this.#source.length) this.#step();
    const [outer, open] = this.#groups;
    if (open !== undefined) throw this.#problem('a ")" for each "("', open.at);
    // Three more: failure, match, and the empty expression.
    return { pattern: this.#pattern, size: sizeOf(outer as Open) + 3 };
  }

  #step(): void {
    const start = this.#at;
    const repeated = this.#take(quantifier);
    if (repeated !== undefined) return this.#repeat(repeated, start);
    const character = this.#next();
    switch (character) {
      case '(':
        return this.#open(start);
      case ')':
        return this.#close(start);
      case '|':
        return this.#alternative();
      case '[':
        return this.#item(this.#class(start));
      case '.':
        return this.#item(classOf(lineEnds, { isNegated: true }));
      case '^':
      case '$':
        return this.#assertion(character);
      case '\\':
        return this.#escape(start);
      default:
        return this.#item(literal(character.codePointAt(0) as number));
    }
  }

  #open(start: number): void {
    this.#groups.push({ at: start, done: 0, item: undefined });
    if (!this.#source.startsWith('?', this.#at)) {
      this.#pattern += '(';
      return;
    }
    const kind = /\?(?:<?[=!]|:|<([A-Za-z_$][\w$]*)>)/y;
    const [text, name] = this.#take(kind) ?? [];
    if (text === '?:') this.#pattern += '(?:';
    else if (name !== undefined) this.#pattern += '(';
    else if (text === undefined) throw this.#refusal('flags and unknown forms of groups', start, 2);
    else throw this.#refusal(text.includes('<') ? 'look-behind' : 'look-ahead', start, text.length + 1);
  }

  #close(start: number): void {
    const group = this.#groups.pop() as Open;
    if (this.#groups.length === 0) throw this.#problem('a "(" for each ")"', start);
    this.#pattern += ')';
    // Its begin and end, and one for an empty group.
    this.#sized(sizeOf(group) + 3);
  }

  #alternative(): void {
    const group = this.#group;
    group.done = this.#bounded(sizeOf(group) + 2);
    group.item = undefined;
    this.#pattern += '|';
  }

  #item(pattern: string): void {
    this.#pattern += pattern;
    this.#sized(1);
  }

  /** Matches no character; a repetition does not change that. */
  #assertion(pattern: string): void {
    this.#item(pattern);
    const group = this.#group;
    group.done = sizeOf(group);
    group.item = undefined;
  }

  #repeat([text, sign, least, range, last]: RegExpExecArray, start: number): void {
    const group = this.#group;
    if (group.item === undefined) throw this.#problem(`something in front of ${text} that can be repeated`, start);
    const [from, to] = [Number(least ?? 0), Number(last ?? 0)];
    if (Math.max(from, to) > mostRepeats) throw this.#problem(`at most ${mostRepeats} repetitions`, start);
    if (last !== undefined && last !== '' && from > to) throw this.#problem('the numbers of {} in order', start);
    const isOpen = sign !== undefined || (range !== undefined && last === '');
    const times = isOpen ? from + 1 : Math.max(from, to, 1);
    this.#pattern += text;
    // One more for a repetition without an end: an item that may be empty takes it.
    group.done += this.#bounded((group.item + 1) * times + (isOpen ? 1 : 0));
    group.item = undefined;
  }

  #escape(start: number): void {
    const letter = this.#source[this.#at];
    const set = sets.get(letter ?? '');
    if (set !== undefined) {
      this.#at += 1;
      return this.#item(classOf(set));
    }
    if (letter === 'b' || letter === 'B') {
      this.#at += 1;
      return this.#assertion(`\\${letter}`);
    }
    if (letter === 'k' || /[1-9]/.test(letter ?? '')) throw this.#refusal('back-references', start, 2);
    this.#item(literal(this.#escaped(start)));
  }

  /** The code point of an escape, after its backslash. */
  #escaped(start: number): number {
    const [, byte, unit] = this.#take(hexEscape) ?? [];
    if (byte !== undefined) return Number.parseInt(byte, 16);
    if (unit !== undefined) return this.#codePoint(Number.parseInt(unit, 16));
    const [, letter] = this.#take(/c([A-Za-z])/y) ?? [];
    if (letter !== undefined) return letter.charCodeAt(0) % 32;
    if (this.#source.startsWith('c', this.#at)) return 0x5c;
    if (/[0-9]/.test(this.#source[this.#at] ?? '')) {
      if (this.#take(/0(?![0-9])/y) !== undefined) return 0;
      throw this.#refusal('octal escapes', start, 2);
    }
    if (this.#at === this.#source.length) throw this.#problem('a character behind "\\"', start);
    const character = this.#next();
    return controls.get(character) ?? (character.codePointAt(0) as number);
  }

  #codePoint(unit: number): number {
    if (unit < 0xd800 || unit > 0xdbff) return unit;
    const [, low] = this.#take(lowSurrogate) ?? [];
    return low === undefined ? unit : (unit - 0xd800) * 0x400 + Number.parseInt(low, 16) - 0xdc00 + 0x10000;
  }

  #class(start: number): string {
    const isNegated = this.#take(/\^/y) !== undefined;
    const ranges: CharacterRange[] = [];
    while (this.#take(/\]/y) === undefined) {
      if (this.#at >= this.#source.length) throw this.#problem('a "]" for each "["', start);
      ranges.push(...this.#classItem());
    }
    return classOf(ranges, { isNegated });
  }

  /** A character, a range, or a set such as `\d`. */
  #classItem(): readonly CharacterRange[] {
    const start = this.#at;
    const from = this.#classMember();
    if (this.#take(/-(?!\])/y) === undefined) return from;
    if (this.#at >= this.#source.length) return from;
    const to = this.#classMember();
    const [first, last] = [codePointOf(from), codePointOf(to)];
    // Beside a set a hyphen is a character.
    if (first === undefined || last === undefined) return [...from, [0x2d, 0x2d], ...to];
    if (first > last) throw this.#problem('the characters of a range in order', start);
    return [[first, last]];
  }

  #classMember(): readonly CharacterRange[] {
    const start = this.#at;
    const character = this.#next();
    if (character !== '\\') return only(character.codePointAt(0) as number);
    const letter = this.#source[this.#at] ?? '';
    const set = sets.get(letter);
    if (set !== undefined || letter === 'b') this.#at += 1;
    if (set !== undefined) return set;
    return only(letter === 'b' ? 0x08 : this.#escaped(start));
  }

  get #group(): Open {
    return this.#groups.at(-1) as Open;
  }

  #sized(size: number): void {
    const group = this.#group;
    group.done = this.#bounded(sizeOf(group));
    group.item = this.#bounded(size);
  }

  #bounded(size: number): number {
    if (size <= this.#most) return size;
    throw new ExpressionProblem(
      `expected a regular expression of at most ${this.#most} steps, each repetition counted`,
    );
  }

  #next(): string {
    const character = String.fromCodePoint(this.#source.codePointAt(this.#at) as number);
    this.#at += character.length;
    return character;
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source) ?? undefined;
    if (found !== undefined) this.#at += found[0].length;
    return found;
  }

  #refusal(what: string, at: number, letters: number): ExpressionProblem {
    const text = JSON.stringify(this.#source.slice(at, at + letters));
    return new ExpressionProblem(`expected a regular expression without ${what} (${text} at ${at + 1})`);
  }

  #problem(wanted: string, at: number): ExpressionProblem {
    return new ExpressionProblem(`expected a regular expression with ${wanted} (at ${at + 1})`);
  }
}

function sizeOf({ done, item = 0 }: Open): number {
  return done + item;
}

function only(codePoint: number): readonly CharacterRange[] {
  return [[codePoint, codePoint]];
}

/** The code point of a set of one, as a range may begin or end with. */
function codePointOf([range, ...more]: readonly CharacterRange[]): number | undefined {
  return more.length === 0 && range !== undefined && range[0] === range[1] ? range[0] : undefined;
}
