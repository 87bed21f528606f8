/**
 * Parses JSON from outside with limits on nesting and on the number of values. Deeper values could overflow the stack of
 * recursive functions (schemas, `JSON.stringify`), and parsing, or finding the fault in, very many takes long: both are
 * counted before parsing.
 */
import { done, failed, fault, type Outcome } from './fault.ts';

const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;

/** The value of a JSON text, or an `invalid` fault that says what was expected. */
export function parseJson(text: string, maxDepth: number, maxValues = Number.POSITIVE_INFINITY): Outcome<unknown> {
  const excess = excessIn(text, maxDepth, maxValues);
  if (excess === 'depth') {
    return failed(fault('invalid', `expected JSON nested at most ${maxDepth} deep, got deeper`));
  }
  if (excess === 'values') return failed(fault('invalid', `expected at most ${maxValues} values`));
  try {
    return done(JSON.parse(text));
  } catch {
    return failed(fault('invalid', `expected JSON: ${jsonFault(text)}`));
  }
}

/** The value of a JSON text, or `otherwise` for a text that is not JSON. Without limits: for texts that are not large. */
export function jsonOr(text: string, otherwise: unknown): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return otherwise;
  }
}

/** Whether a JSON text nests deeper than `maxDepth`; for malformed text, whether its start does. One pass, no recursion. */
export function isDeeper(text: string, maxDepth: number): boolean {
  return excessIn(text, maxDepth, Number.POSITIVE_INFINITY) === 'depth';
}

/**
 * Which limit the start of a JSON text exceeds. Values are all members of members, without the names of fields. Empty
 * arrays and objects count twice: for the bracket, and for the place where a member could be.
 */
function excessIn(text: string, maxDepth: number, maxValues: number): 'depth' | 'values' | undefined {
  // Most texts have few brackets and commas, which costs less to find than to read every character.
  if (!hasMore(text, '{[', maxDepth) && !hasMore(text, '{[,', maxValues - 1)) return undefined;
  let depth = 0;
  let values = 1;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfText(text, at);
    else if (code === comma) values += 1;
    else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      values += 1;
      if (depth > maxDepth) return 'depth';
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
    if (values > maxValues) return 'values';
  }
  return undefined;
}

/** Whether a text has more than `most` of these characters, in strings too. */
function hasMore(text: string, characters: string, most: number): boolean {
  if (text.length <= most) return false;
  let count = 0;
  for (const character of characters) {
    for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) {
      count += 1;
      if (count > most) return true;
    }
  }
  return false;
}

/** The end of the string that begins at `start`: its closing quote, or the end of the text. */
function endOfText(text: string, start: number): number {
  let at = start + 1;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === backslash) at += 1;
    else if (code === quote) return at;
  }
  return at;
}

/** What may come next. */
const wanted = {
  value: 'a value',
  item: 'a value or "]"',
  name: 'a name in double quotes',
  member: 'a name in double quotes or "}"',
  colon: '":"',
  nextItem: '"," or "]"',
  nextMember: '"," or "}"',
  end: 'nothing more',
} as const;

type Want = keyof typeof wanted;

const blanks = /[ \t\n\r]*/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const word = /true|false|null/y;

/**
 * The position and problem of a malformed JSON text, such as `line 1, column 8: expected a value, got "}"`; `undefined` for
 * valid JSON. Independent of the runtime, whose messages change between versions.
 */
export function jsonFault(text: string): string | undefined {
  return new Scanner(text).fault();
}

/** Whether this is the code of `0` to `9`, `a` to `f` or `A` to `F`. */
function isHexDigit(code: number): boolean {
  const lower = code | 0x20;
  return (code >= 0x30 && code <= 0x39) || (lower >= 0x61 && lower <= 0x66);
}

class Scanner {
  readonly #text: string;
  readonly #open: ('[' | '{')[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  fault(): string | undefined {
    let want: Want = 'value';
    for (;;) {
      this.#skip(blanks);
      if (want === 'end' && this.#at === this.#text.length) return undefined;
      const next = this.#step(want);
      if (next === undefined) return this.#complaint(wanted[want]);
      if (typeof next === 'object') return this.#complaint(next.wanted);
      want = next;
    }
  }

  /** The expectation after the current token; or what was expected if it does not match. */
  #step(want: Want): Want | { wanted: string } | undefined {
    const letter = this.#text[this.#at];
    switch (want) {
      case 'value':
      case 'item':
        return want === 'item' && letter === ']' ? this.#close() : this.#value(letter);
      case 'name':
      case 'member':
        if (want === 'member' && letter === '}') return this.#close();
        return letter === '"' ? (this.#string() ?? 'colon') : undefined;
      case 'colon':
        return letter === ':' ? this.#past('value') : undefined;
      case 'nextItem':
        return letter === ']' ? this.#close() : letter === ',' ? this.#past('value') : undefined;
      case 'nextMember':
        return letter === '}' ? this.#close() : letter === ',' ? this.#past('name') : undefined;
      case 'end':
        return undefined;
    }
  }

  #value(letter: string | undefined): Want | { wanted: string } | undefined {
    if (letter === '[' || letter === '{') {
      this.#open.push(letter);
      return this.#past(letter === '[' ? 'item' : 'member');
    }
    if (letter === '"') return this.#string() ?? this.#after();
    if (this.#skip(word) || this.#skip(number)) return this.#after();
    if (letter !== '-') return undefined;
    this.#at += 1;
    return { wanted: 'a digit' };
  }

  /** Reads to the end of a string, or returns what was expected at the error. */
  #string(): { wanted: string } | undefined {
    this.#at += 1;
    do this.#skipPlain();
    while (this.#skipEscape());
    const letter = this.#text[this.#at];
    if (letter === '\\') return { wanted: 'an escape such as \\n or \\u00e9' };
    if (letter !== '"')
      return { wanted: letter === undefined ? 'a closing quote' : 'no control character in a string' };
    this.#at += 1;
    return undefined;
  }

  #skipPlain(): void {
    for (;;) {
      const letter = this.#text[this.#at];
      if (letter === undefined || letter < ' ' || letter === '"' || letter === '\\') return;
      this.#at += 1;
    }
  }

  /** Skips an escape, if there is one here. A pattern would take several times as long: a text may be nothing but escapes. */
  #skipEscape(): boolean {
    const text = this.#text;
    if (text.charCodeAt(this.#at) !== backslash) return false;
    const kind = text.charCodeAt(this.#at + 1);
    if (kind !== 0x75 && !'"\\/bfnrt'.includes(text.charAt(this.#at + 1) || ' ')) return false;
    const length = kind === 0x75 ? 6 : 2;
    for (let at = 2; at < length; at += 1) if (!isHexDigit(text.charCodeAt(this.#at + at))) return false;
    this.#at += length;
    return true;
  }

  #past(want: Want): Want {
    this.#at += 1;
    return want;
  }

  #close(): Want {
    this.#at += 1;
    this.#open.pop();
    return this.#after();
  }

  /** The expectation after a value. */
  #after(): Want {
    const around = this.#open.at(-1);
    if (around === undefined) return 'end';
    return around === '[' ? 'nextItem' : 'nextMember';
  }

  /** Skips a non-empty match of a pattern, if there is one here. */
  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const length = pattern.exec(this.#text)?.[0].length ?? 0;
    this.#at += length;
    return length > 0;
  }

  #complaint(expected: string): string {
    const before = this.#text.slice(0, this.#at).split('\n');
    const letter = this.#text.codePointAt(this.#at);
    const got = letter === undefined ? 'the end' : JSON.stringify(String.fromCodePoint(letter));
    return `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}: expected ${expected}, got ${got}`;
  }
}
