/**
 * The fields of one request head, as far as they decide on framing and routing, and the syntax of all of them.
 *
 * Its methods answer what is wrong with a field, or nothing.
 */

/** Digits of a Content-Length: any such number is exact in JavaScript. */
const LENGTH_DIGITS_MAX = 15;

const TOKEN = 1;
const VALUE = 2;
const TARGET = 4;
const SPACE = 0x20;
const TAB = 0x09;
const COLON = 0x3a;

/** For each byte, the parts of a head in which it may stand. */
const classes = classifyBytes();

const hostForm = /^[\w.~%:[\]-]*$/;
/** One space at most beside a comma: parsers differ on tabs and on words without a comma between. */
const optionsForm = /^[\w!#$%&'*+.^`|~-]+(?: ?, ?[\w!#$%&'*+.^`|~-]+)*$/;

type FieldRule = (fields: HeadFields, value: string) => string | undefined;

const rules: ReadonlyMap<string, FieldRule> = new Map<string, FieldRule>([
  ['host', (fields, value) => fields.readHost(value)],
  ['expect', (fields, value) => fields.readExpect(value)],
  ['upgrade', (fields, value) => fields.readUpgrade(value)],
  ['connection', (fields, value) => fields.readConnection(value)],
  // Node's parser obeys it as if it were Connection.
  ['proxy-connection', (fields, value) => fields.readConnection(value)],
  ['content-length', (fields, value) => fields.readContentLength(value)],
  ['transfer-encoding', (fields, value) => fields.readTransferEncoding(value)],
]);
/** Length and first letter of the names that have a rule, so that the others cost no string. */
const ruleKeys = new Set([...rules.keys()].map((name) => ruleKey(name.length, name.charCodeAt(0))));

export class HeadFields {
  host: string | undefined;
  contentLength: number | undefined;
  isChunked = false;
  isExpectationMet = true;
  isClose = false;
  isKeepAlive = false;
  #hasExpect = false;
  #hasUpgrade = false;
  #hasUpgradeOption = false;

  /** True when the client asks for another protocol. Upgrade counts only where Connection names it. */
  get isUpgrade(): boolean {
    return this.#hasUpgrade && this.#hasUpgradeOption;
  }

  get hasBody(): boolean {
    return this.isChunked || (this.contentLength ?? 0) > 0;
  }

  /** Reads the field between `start` and `end`, where its CRLF is. */
  read(bytes: Buffer, start: number, end: number): string | undefined {
    const colon = endOf(TOKEN, bytes, start, end);
    const problem = syntaxProblem(bytes, start, colon, end);
    if (problem !== undefined) return problem;
    const rule = ruleOf(bytes, start, colon);
    if (rule === undefined) return undefined;
    const value = trimmed(bytes, colon + 1, end);
    // Parsers differ on tabs around a value.
    if (value.includes('\t')) return `tab in ${bytes.toString('latin1', start, colon)}: expected spaces`;
    return rule(this, value);
  }

  /** Reads a field of the trailer: none that would change framing or routing (RFC 9110, section 6.5.1). */
  readTrailer(bytes: Buffer, start: number, end: number): string | undefined {
    const colon = endOf(TOKEN, bytes, start, end);
    const problem = syntaxProblem(bytes, start, colon, end);
    if (problem !== undefined) return problem;
    if (ruleOf(bytes, start, colon) === undefined) return undefined;
    return `${bytes.toString('latin1', start, colon)} in a trailer: expected it in the head`;
  }

  /** RFC 9112, section 3.2. */
  readHost(value: string): string | undefined {
    if (this.host !== undefined) return 'several Host fields: expected exactly one';
    if (!isHost(value)) return `Host ${quoted(value)}: expected a host name, and a port if need be`;
    this.host = value;
    return undefined;
  }

  /** Node answers an expectation that it does not know without an event, which would lose count of the requests. */
  readExpect(value: string): undefined {
    this.isExpectationMet = !this.#hasExpect && value.toLowerCase() === '100-continue';
    this.#hasExpect = true;
  }

  readUpgrade(value: string): string | undefined {
    if (value === '') return 'empty Upgrade: expected the name of a protocol';
    this.#hasUpgrade = true;
    return undefined;
  }

  readConnection(value: string): string | undefined {
    if (!optionsForm.test(value)) return `Connection ${quoted(value)}: expected options with a comma between`;
    for (const option of value.toLowerCase().split(/ ?, ?/)) {
      if (option === 'close') this.isClose = true;
      if (option === 'keep-alive') this.isKeepAlive = true;
      if (option === 'upgrade') this.#hasUpgradeOption = true;
    }
    return undefined;
  }

  /** RFC 9112, section 6.3. */
  readContentLength(value: string): string | undefined {
    if (this.contentLength !== undefined) return 'several Content-Length fields: expected one';
    if (!/^[0-9]+$/.test(value) || value.length > LENGTH_DIGITS_MAX) {
      return `Content-Length ${quoted(value)}: expected 1 to ${LENGTH_DIGITS_MAX} digits`;
    }
    this.contentLength = Number(value);
    return undefined;
  }

  /** RFC 9112, section 6.1. */
  readTransferEncoding(value: string): string | undefined {
    if (this.isChunked) return 'several Transfer-Encoding fields: expected one';
    if (value.toLowerCase() !== 'chunked') return `Transfer-Encoding ${quoted(value)}: expected chunked`;
    this.isChunked = true;
    return undefined;
  }
}

/** Where the token that starts at `start` ends (RFC 9110, section 5.6.2). */
export function tokenEnd(bytes: Buffer, start: number, end: number): number {
  return endOf(TOKEN, bytes, start, end);
}

/** Where the request target that starts at `start` ends: visible characters, and no fragment. */
export function targetEnd(bytes: Buffer, start: number, end: number): number {
  return endOf(TARGET, bytes, start, end);
}

/** True when `text` may name a host, perhaps with a port. An empty one may (RFC 9112, section 3.2). */
export function isHost(text: string): boolean {
  return hostForm.test(text);
}

/** What a client sent, short and printable. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}

function syntaxProblem(bytes: Buffer, start: number, colon: number, end: number): string | undefined {
  if (colon === start || colon === end || bytes[colon] !== COLON) return nameProblem(bytes, start, colon, end);
  if (endOf(VALUE, bytes, colon + 1, end) === end) return undefined;
  return `control character in ${quoted(bytes.toString('latin1', start, colon))}: expected visible characters`;
}

/** RFC 9112, sections 5.1 and 5.2. */
function nameProblem(bytes: Buffer, start: number, at: number, end: number): string {
  const isBlank = at < end && (bytes[at] === SPACE || bytes[at] === TAB);
  if (at === start && isBlank) return 'a field continues on a second line: expected one line for each field';
  if (at === start) return 'a field starts with no name: expected name, colon, value';
  const name = quoted(bytes.toString('latin1', start, at));
  if (at === end) return `field ${name} has no colon: expected name, colon, value`;
  if (isBlank) return `white space after the field name ${name}: expected a colon`;
  return `bad character in the field name after ${name}: expected a token and a colon`;
}

function ruleOf(bytes: Buffer, start: number, colon: number): FieldRule | undefined {
  if (!ruleKeys.has(ruleKey(colon - start, bytes[start] as number))) return undefined;
  return rules.get(bytes.toString('latin1', start, colon).toLowerCase());
}

function ruleKey(length: number, letter: number): number {
  return length * 256 + (letter | SPACE);
}

/** Not `trim()`, which takes more than spaces and tabs away. */
function trimmed(bytes: Buffer, start: number, end: number): string {
  let from = start;
  let to = end;
  while (from < to && bytes[from] === SPACE) from++;
  while (to > from && bytes[to - 1] === SPACE) to--;
  return bytes.toString('latin1', from, to);
}

function endOf(kind: number, bytes: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end && ((classes[bytes[at] as number] as number) & kind) !== 0) at++;
  return at;
}

function classifyBytes(): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => {
    const letter = String.fromCharCode(byte);
    const token = /[\w!#$%&'*+.^`|~-]/.test(letter) ? TOKEN : 0;
    const value = byte === TAB || (byte >= SPACE && byte !== 0x7f) ? VALUE : 0;
    const target = byte > SPACE && byte < 0x7f && letter !== '#' ? TARGET : 0;
    return token | value | target;
  });
}
