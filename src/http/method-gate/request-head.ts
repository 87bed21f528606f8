/**
 * Reads the lines of one request head as they complete, and returns the framing of the message or a refusal.
 *
 * The rules are those of RFC 9112 without its leniencies. Ambiguous input is refused, so that this reader and node's parser
 * always agree on the end of a message.
 */

import { METHODS } from 'node:http';
import { limits } from '../../model/limits.ts';
import { HeadFields, isHost, quoted, targetEnd } from './head-fields.ts';

/** An accepted request head. */
export interface RequestHead {
  /** The method as the client sent it. */
  readonly method: string;
  /** The method that node's parser sees instead. */
  readonly parserMethod: string;
  readonly target: string;
  /** The connection switches to another protocol after this head. */
  readonly isUpgrade: boolean;
  /** Bytes of the body, or `chunked`. */
  readonly bodyLength: number | 'chunked';
  /** The connection has reached its limit of requests. */
  readonly isLastAllowed?: boolean;
}

/** An offer to switch to another protocol after this head. */
export interface UpgradeOffer {
  readonly method: string;
  readonly target: string;
  /** As named by the client. */
  readonly protocol: string;
  /** Whether it conforms to RFC 9110, section 7.8: in HTTP/1.1, without a body. */
  readonly isPlain: boolean;
}

/** Why a request is refused: status, and a message with what is wrong and what was expected. */
export interface HeadRefusal {
  readonly status: number;
  readonly message: string;
  /** The part in which the problem occurred. In `body`, the request has reached its handler. */
  readonly during: 'head' | 'body';
  /** The method of the refused request; empty if unknown. */
  readonly method: string;
}

/** Shown to node's parser instead of an unknown method. */
export const STAND_IN = 'POST';
const SPACE = 0x20;
const ZERO = 0x30;
const VERSION = Buffer.from('HTTP/1.1');
const tooManyFields = `more than ${limits.headerFields} fields: expected fewer`;

/** CONNECT opens a tunnel, TRACE and TRACK echo the request, PRI is the preface of HTTP/2. */
const closed: readonly string[] = ['CONNECT', 'TRACE', 'TRACK', 'PRI'];
/** Whether a standard method is served. */
const known = new Map([
  ...METHODS.map((name) => [name, true] as const),
  ...closed.map((name) => [name, false] as const),
]);
const absoluteForm = /^https?:\/\/([^/?]+)/i;
/**
 * A segment `.` or `..`, plain or percent-encoded: components that resolve it and components that do not see different
 * paths.
 */
const dotSegment = /^[^?]*\/(?:\.|%2e){1,2}(?:[/?]|$)/i;

/** The method to show to node's parser, or a refusal. */
export function parserMethod(method: string): string | HeadRefusal {
  const isServed = known.get(method);
  if (isServed === true) return method;
  if (isServed === false) return refusalOf(method, 405, `method ${method}: expected one that this server serves`);
  const upper = method.toUpperCase();
  if (!known.has(upper)) return STAND_IN;
  // Some frameworks make GET of `get`: a second opinion about the method, after the first one has been acted on.
  return refusalOf(method, 400, `method ${method}: expected ${upper}, since methods are case-sensitive`);
}

function refusalOf(method: string, status: number, message: string): HeadRefusal {
  return { status, message, during: 'head', method };
}

/** Reads the lines of one head after its method, then those of its trailer. Lines have no CRLF. */
export class HeadReader {
  readonly #method: string;
  readonly #parserMethod: string;
  readonly #fields = new HeadFields();
  #target = '';
  #version: 'HTTP/1.1' | 'HTTP/1.0' | undefined;
  #fieldCount = 0;
  #isUpgradeIgnored = false;

  constructor(method: string, parserMethod: string) {
    this.#method = method;
    this.#parserMethod = parserMethod;
  }

  /** Whether the client offers another protocol (some do with every first request) and the offer is ignored. */
  get isUpgradeIgnored(): boolean {
    return this.#isUpgradeIgnored;
  }

  /** Whether no further request may follow on the connection (RFC 9112, section 9.3). */
  get isLast(): boolean {
    return this.#version === 'HTTP/1.1' ? this.#fields.isClose : !this.#fields.isKeepAlive;
  }

  /** True for HTTP/1.1, false for HTTP/1.0. */
  get isCurrent(): boolean {
    return this.#version === 'HTTP/1.1';
  }

  /** Bytes of the body, or `chunked`. */
  get bodyLength(): number | 'chunked' {
    return this.#fields.isChunked ? 'chunked' : (this.#fields.contentLength ?? 0);
  }

  /** Reads the next line: the rest of the request line (from the space after the method), then one field each. */
  readLine(bytes: Buffer, start: number, end: number): HeadRefusal | undefined {
    if (this.#version === undefined) return this.refusal(400, this.#readRequestLine(bytes, start, end));
    if (++this.#fieldCount > limits.headerFields) return this.refusal(431, tooManyFields);
    return this.refusal(400, this.#fields.read(bytes, start, end));
  }

  /** Reads a line of the trailer. */
  readTrailerLine(bytes: Buffer, start: number, end: number): HeadRefusal | undefined {
    if (++this.#fieldCount > limits.headerFields) return this.refusal(431, tooManyFields, 'body');
    return this.refusal(400, this.#fields.readTrailer(bytes, start, end), 'body');
  }

  /** Validates the complete head at its empty line. `takes` decides whether an upgrade offer is accepted. */
  complete(takes: (offer: UpgradeOffer) => boolean): RequestHead | HeadRefusal {
    if (!this.#fields.isExpectationMet) return this.refusal(417, 'unknown expectation: expected 100-continue');
    const isUpgrade = this.#fields.isUpgrade && takes(this.#offer);
    this.#isUpgradeIgnored = this.#fields.isUpgrade && !isUpgrade;
    const problem =
      this.#hostProblem() ?? this.#pathProblem() ?? this.#bodyProblem() ?? this.#upgradeProblem(isUpgrade);
    return (
      this.refusal(400, problem) ?? {
        method: this.#method,
        parserMethod: this.#parserMethod,
        target: this.#target,
        isUpgrade,
        bodyLength: this.bodyLength,
      }
    );
  }

  get #offer(): UpgradeOffer {
    const isPlain = this.#version === 'HTTP/1.1' && !this.#fields.hasBody;
    return { method: this.#method, target: this.#target, protocol: this.#fields.upgrade, isPlain };
  }

  /** A refusal of this request, if there is a problem. */
  refusal(status: number, problem: string, during?: HeadRefusal['during']): HeadRefusal;
  refusal(status: number, problem: string | undefined, during?: HeadRefusal['during']): HeadRefusal | undefined;
  refusal(
    status: number,
    problem: string | undefined,
    during: HeadRefusal['during'] = 'head',
  ): HeadRefusal | undefined {
    return problem === undefined ? undefined : { status, message: problem, during, method: this.#method };
  }

  /** RFC 9112, section 3. */
  #readRequestLine(bytes: Buffer, start: number, end: number): string | undefined {
    const space = targetEnd(bytes, start + 1, end);
    if (space === start + 1 || (space < end && bytes[space] !== SPACE)) {
      return 'malformed request line: expected method, target and version with one space between';
    }
    this.#version = versionOf(bytes, space + 1, end);
    if (this.#version === undefined) {
      return `version ${quoted(bytes.toString('latin1', space + 1, end))}: expected HTTP/1.1 or HTTP/1.0`;
    }
    this.#target = bytes.toString('latin1', start + 1, space);
    return undefined;
  }

  /** RFC 9112, sections 3.2 and 3.2.2. */
  #hostProblem(): string | undefined {
    const { host } = this.#fields;
    const target = this.#target;
    if (host === undefined && this.#version === 'HTTP/1.1') return 'no Host: expected exactly one';
    if (target.startsWith('/')) return undefined;
    if (target === '*') return this.#method === 'OPTIONS' ? undefined : 'target * without OPTIONS: expected a path';
    const named = absoluteForm.exec(target)?.[1];
    if (named === undefined || !isHost(named)) return `target ${quoted(target)}: expected a path or an http URL`;
    if (host === undefined || host.toLowerCase() === named.toLowerCase()) return undefined;
    return `the target names ${quoted(named)} but Host ${quoted(host)}: expected the same`;
  }

  /** RFC 3986, section 6.2.2.3: clients resolve these before they send. */
  #pathProblem(): string | undefined {
    if (!dotSegment.test(this.#target)) return undefined;
    return `path ${quoted(this.#target)}: expected one without the segments "." and ".."`;
  }

  /** RFC 9112, section 6.3: refuses ambiguous lengths. */
  #bodyProblem(): string | undefined {
    const { isChunked, contentLength, hasBody } = this.#fields;
    if (isChunked && contentLength !== undefined) return 'Content-Length with Transfer-Encoding: expected only one';
    if (isChunked && this.#version === 'HTTP/1.0') return 'Transfer-Encoding in HTTP/1.0: expected Content-Length';
    if (hasBody && this.#isReading()) return `${this.#method} with a body: expected none`;
    return undefined;
  }

  /** RFC 9110, section 7.8. */
  #upgradeProblem(isUpgrade: boolean): string | undefined {
    if (!isUpgrade) return undefined;
    const isPlainGet = this.#method === 'GET' && this.#version === 'HTTP/1.1' && !this.#fields.hasBody;
    return isPlainGet ? undefined : 'Upgrade: expected it in a GET of HTTP/1.1 without a body';
  }

  #isReading(): boolean {
    return this.#method === 'GET' || this.#method === 'HEAD';
  }
}

function versionOf(bytes: Buffer, start: number, end: number): 'HTTP/1.1' | 'HTTP/1.0' | undefined {
  if (end - start !== VERSION.length) return undefined;
  const last = VERSION.length - 1;
  for (let at = 0; at < last; at++) if (bytes[start + at] !== VERSION[at]) return undefined;
  if (bytes[start + last] === VERSION[last]) return 'HTTP/1.1';
  return bytes[start + last] === ZERO ? 'HTTP/1.0' : undefined;
}
