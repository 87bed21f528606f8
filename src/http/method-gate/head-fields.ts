/**
 * The fields of one request head that decide on framing and routing, and the syntax of all fields.
 *
 * Its methods return the problem of a field, or undefined.
 */

/** Content-Length numbers of this length are exact in JavaScript. */
const LENGTH_DIGITS_MAX = 15;

const TOKEN = 1;
const TARGET = 2;
const SPACE = 0x20;
const TAB = 0x09;
const COLON = 0x3a;
const DELETE = 0x7f;

/** For each byte, the parts of a head in which it is allowed. */
const classes = classifyBytes();

const hostForm = /^[\w.~%:[\]-]*$/;
const protocolForm = /^[\w./, -]+$/;
/** At most one space beside a comma: parsers differ on tabs and on words without a comma. */
const optionsForm = /^[\w!#$%&'*+.^`|~-]+(?: ?, ?[\w!#$%&'*+.^`|~-]+)*$/;

/** A field that is read. The names have different lengths, so the length selects the candidate. */
interface FieldRule {
  readonly name: Buffer;
  read(fields: HeadFields, value: string): string | undefined;
}

const rules = new Map<number, FieldRule>();
addRule('host', (fields, value) => fields.readHost(value));
addRule('expect', (fields, value) => fields.readExpect(value));
addRule('upgrade', (fields, value) => fields.readUpgrade(value));
addRule('connection', (fields, value) => fields.readConnection(value));
addRule('content-length', (fields, value) => fields.readContentLength(value));
// Node's parser treats it like Connection.
addRule('proxy-connection', (fields, value) => fields.readConnection(value));
addRule('transfer-encoding', (fields, value) => fields.readTransferEncoding(value));

export class HeadFields {
  host: string | undefined;
  contentLength: number | undefined;
  isChunked = false;
  isExpectationMet = true;
  isClose = false;
  isKeepAlive = false;
  /** The protocol of an upgrade offer. */
  upgrade = '';
  #hasExpect = false;
  #hasUpgradeOption = false;

  /** Whether the client offers another protocol. Upgrade counts only if Connection names it. */
  get isUpgrade(): boolean {
    return this.upgrade !== '' && this.#hasUpgradeOption;
  }

  get hasBody(): boolean {
    return this.isChunked || (this.contentLength ?? 0) > 0;
  }

  /** Reads the field from `start` to `end`, the position of its CRLF. */
  read(bytes: Buffer, start: number, end: number): string | undefined {
    const colon = endOf(TOKEN, bytes, start, end);
    const problem = syntaxProblem(bytes, start, colon, end);
    if (problem !== undefined) return problem;
    const rule = ruleOf(bytes, start, colon);
    return rule?.read(this, trimmed(bytes, colon + 1, end));
  }

  /** Reads a trailer field; refuses a field that would change framing or routing (RFC 9110, section 6.5.1). */
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
    if (!protocolForm.test(value)) return `Upgrade ${quoted(value)}: expected the name of a protocol`;
    // Given twice, it names no protocol that this server accepts.
    this.upgrade = this.upgrade === '' ? value : `${this.upgrade}, ${value}`;
    return undefined;
  }

  readConnection(value: string): string | undefined {
    if (value === 'keep-alive') this.isKeepAlive = true;
    if (value === 'keep-alive') return undefined;
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
  if (valueEnd(bytes, colon + 1, end) === end) return undefined;
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

function addRule(name: string, read: FieldRule['read']): void {
  rules.set(name.length, { name: Buffer.from(name), read });
}

function ruleOf(bytes: Buffer, start: number, colon: number): FieldRule | undefined {
  const rule = rules.get(colon - start);
  if (rule === undefined) return undefined;
  const { name } = rule;
  let at = 0;
  // Of the bytes of a token, only letters have a name's letter as their lower case; `-` is lower case already.
  while (at < name.length && ((bytes[start + at] as number) | SPACE) === name[at]) at++;
  return at === name.length ? rule : undefined;
}

/** Without the spaces around it. Tabs stay, and are refused where they matter: parsers differ on them. */
function trimmed(bytes: Buffer, start: number, end: number): string {
  let from = start;
  let to = end;
  while (from < to && bytes[from] === SPACE) from++;
  while (to > from && bytes[to - 1] === SPACE) to--;
  return bytes.toString('latin1', from, to);
}

/** Where the bytes end that a value may have (RFC 9110, section 5.5). Most bytes of a head pass here: no table. */
function valueEnd(bytes: Buffer, start: number, end: number): number {
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte < SPACE ? byte !== TAB : byte === DELETE) return at;
  }
  return end;
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
    const target = byte > SPACE && byte < DELETE && letter !== '#' ? TARGET : 0;
    return token | target;
  });
}
