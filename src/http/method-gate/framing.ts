/**
 * Framing of the requests of one connection: finds each request in a stream of packets, without a socket.
 *
 * Bytes are forwarded as they arrive, with methods replaced that node's parser does not know; only an unfinished method is
 * held back, so that the parser's time limits apply to a partial head. From the first refusal on nothing is forwarded, and
 * what was forwarded before never completes the refused head.
 */
import { limits } from '../../model/limits.ts';
import { tokenEnd } from './head-fields.ts';
import {
  HeadReader,
  type HeadRefusal,
  parserMethod,
  type RequestHead,
  STAND_IN,
  type UpgradeOffer,
} from './request-head.ts';
import { SmallChunks } from './small-chunks.ts';

export type { HeadRefusal as Refusal, RequestHead, UpgradeOffer };

/** The result of one packet. */
export interface Feed {
  /** The bytes to forward: the packet itself if unchanged; undefined if it was held back or refused entirely. */
  readonly forward: Buffer | undefined;
  /** The heads that `forward` completes, in order. */
  readonly heads: readonly RequestHead[];
  readonly refusal: HeadRefusal | undefined;
}

type State =
  | 'start'
  | 'start_lf'
  | 'method'
  | 'head'
  | 'body'
  | 'chunk_size'
  | 'chunk_size_lf'
  | 'chunk_data'
  | 'chunk_data_cr'
  | 'chunk_data_lf'
  | 'trailer'
  /** The connection has switched to another protocol. */
  | 'upgraded'
  /** After a refusal, or after the last request of the connection: later data is dropped. */
  | 'over';

const CR = 0x0d;
const LF = 0x0a;
const SPACE = 0x20;
const headStates: ReadonlySet<State> = new Set(['start', 'start_lf', 'method', 'head']);
const STAND_IN_BYTES = Buffer.from(STAND_IN);
const EMPTY = Buffer.alloc(0);
const afterUpgrade: HeadRefusal = {
  status: 400,
  message: 'a request in one packet with an Upgrade that is ignored: expected it after the answer',
  during: 'head',
  method: '',
};
const NO_HEAD = new HeadReader('', '');

export class RequestFraming {
  readonly #takesUpgrade: (offer: UpgradeOffer) => boolean;
  /** Remaining HTTP/1.1 requests of the connection. */
  #requestsLeft: number;
  #state: State = 'start';
  #emptyLines = 0;
  /** The start of a line or method from earlier packets: a copy, so that it keeps no packet alive. */
  #carry = EMPTY;
  #head = NO_HEAD;
  /** Bytes of the head so far, trailer included. */
  #headBytes = 0;
  /** Remaining bytes of a body or chunk, or the size of the chunk parsed so far. */
  #left = 0;
  #chunkDigits = 0;
  #chunkBytes = 0;
  readonly #smallChunks = new SmallChunks();
  /** Node's parser drops the rest of the packet after an ignored upgrade offer. */
  #mayBeLost = false;

  // Of the packet being read:
  #pieces: Buffer[] = [];
  /** Start of the bytes that are in no piece yet. */
  #from = 0;
  #heads: RequestHead[] = [];
  #refusal: HeadRefusal | undefined;

  /** `takesUpgrade` decides whether an upgrade offer is accepted; otherwise it is ignored. */
  constructor(takesUpgrade: (offer: UpgradeOffer) => boolean = () => true, requests = Number.POSITIVE_INFINITY) {
    this.#takesUpgrade = takesUpgrade;
    this.#requestsLeft = requests;
  }

  /** True once the connection has switched protocols: packets need not be fed any more. */
  get isUpgraded(): boolean {
    return this.#state === 'upgraded';
  }

  /** Reads the next packet. After a refusal, and after the last request of the connection, it forwards nothing. */
  feed(packet: Buffer): Feed {
    let at = 0;
    this.#mayBeLost = false;
    while (at < packet.length && this.#state !== 'over') {
      at = this.#mayBeLost ? this.#stop(at, afterUpgrade) : this.#step(packet, at);
    }
    this.#mergeChunks(packet);
    this.#smallChunks.endPacket();
    this.#passOn(packet, at);
    const forward = this.#pieces.length > 1 ? Buffer.concat(this.#pieces) : this.#pieces[0];
    const feed = { forward, heads: this.#heads, refusal: this.#refusal };
    // An idle connection keeps no buffers.
    this.#pieces = [];
    this.#heads = [];
    this.#refusal = undefined;
    this.#from = 0;
    return feed;
  }

  /** Reads from `at` on what the state expects. Returns the end; after a refusal, the first byte not to forward. */
  #step(packet: Buffer, at: number): number {
    switch (this.#state) {
      case 'start':
        return this.#readStart(packet, at);
      case 'start_lf':
        return this.#expect(packet, at, LF, 'start');
      case 'method':
        return this.#readMethod(packet, at);
      case 'head':
      case 'trailer':
        return this.#readLine(packet, at);
      case 'body':
      case 'chunk_data':
        return this.#readBody(packet, at);
      case 'chunk_size':
        return this.#readChunkSize(packet, at);
      case 'chunk_size_lf':
        return this.#beginChunk(packet, at);
      case 'chunk_data_cr':
        return this.#expect(packet, at, CR, 'chunk_data_lf');
      case 'chunk_data_lf':
        return this.#endChunk(packet, at);
      default:
        return packet.length;
    }
  }

  #readStart(packet: Buffer, at: number): number {
    if (packet[at] !== CR) {
      this.#state = 'method';
      return at;
    }
    if (++this.#emptyLines > limits.emptyLines) {
      return this.#refuse(at, 400, `more than ${limits.emptyLines} empty lines: expected a request`);
    }
    this.#state = 'start_lf';
    return at + 1;
  }

  #readMethod(packet: Buffer, start: number): number {
    const at = tokenEnd(packet, start, packet.length);
    const letters = this.#carry.length + at - start;
    if (letters > limits.methodChars) {
      return this.#refuse(start, 400, `method too long: expected ${limits.methodChars} characters at most`);
    }
    if (at === packet.length) {
      this.#passOn(packet, start);
      this.#carryOver(packet, start, at);
      this.#from = at;
      return at;
    }
    if (letters === 0 || packet[at] !== SPACE) {
      return this.#refuse(start, 400, 'malformed method: expected a token and a space');
    }
    return this.#beginHead(packet, start, at);
  }

  #beginHead(packet: Buffer, start: number, end: number): number {
    const isCarried = this.#carry.length > 0;
    const method = isCarried
      ? this.#takeCarried(packet, start, end).toString('latin1')
      : packet.toString('latin1', start, end);
    const shown = parserMethod(method);
    if (typeof shown !== 'string') return this.#stop(start, shown);
    if (isCarried || shown !== method) {
      this.#passOn(packet, start);
      this.#pieces.push(shown === method ? Buffer.from(method) : STAND_IN_BYTES);
      this.#from = end;
    }
    this.#head = new HeadReader(method, shown);
    this.#headBytes = method.length;
    this.#state = 'head';
    return end;
  }

  #readLine(packet: Buffer, start: number): number {
    const lf = packet.indexOf(LF, start);
    const end = lf < 0 ? packet.length : lf + 1;
    this.#headBytes += end - start;
    if (this.#headBytes > limits.headerBytes) {
      return this.#refuse(start, 431, `head too large: expected ${limits.headerBytes} bytes at most`);
    }
    if (lf < 0) {
      this.#carryOver(packet, start, end);
      return end;
    }
    const isCarried = this.#carry.length > 0;
    const line = isCarried ? this.#takeCarried(packet, start, lf) : packet;
    const refusal = isCarried ? this.#endLine(line, 0, line.length) : this.#endLine(line, start, lf);
    return refusal === undefined ? end : this.#stop(start, refusal);
  }

  /** Reads a complete line, which ends before the LF at `lf`. */
  #endLine(line: Buffer, start: number, lf: number): HeadRefusal | undefined {
    const end = lf - 1;
    if (end < start || line[end] !== CR) return this.#refusalHere(400, 'a line ends with a bare LF: expected CRLF');
    if (this.#state === 'head') {
      return end === start ? this.#completeHead() : this.#head.readLine(line, start, end);
    }
    if (end > start) return this.#head.readTrailerLine(line, start, end);
    this.#completeMessage();
    return undefined;
  }

  #completeHead(): HeadRefusal | undefined {
    const head = this.#head.complete(this.#takesUpgrade);
    if ('status' in head) return head;
    if (this.#head.isCurrent) this.#requestsLeft -= 1;
    this.#heads.push(this.#requestsLeft > 0 ? head : { ...head, isLastAllowed: true });
    const length = head.bodyLength;
    if (head.isUpgrade) this.#state = 'upgraded';
    else if (length === 'chunked') this.#state = 'chunk_size';
    else if (length === 0) this.#completeMessage();
    else this.#state = 'body';
    this.#left = length === 'chunked' ? 0 : length;
    return undefined;
  }

  #completeMessage(): void {
    // RFC 9112, section 9.6: nothing after the last request is processed.
    this.#state = this.#head.isLast || this.#requestsLeft <= 0 ? 'over' : 'start';
    this.#mayBeLost = this.#head.isUpgradeIgnored;
    this.#emptyLines = 0;
    this.#head = NO_HEAD;
  }

  #readBody(packet: Buffer, at: number): number {
    const size = Math.min(this.#left, packet.length - at);
    this.#left -= size;
    if (this.#left === 0 && this.#state === 'chunk_data') this.#state = 'chunk_data_cr';
    else if (this.#left === 0) this.#completeMessage();
    return at + size;
  }

  /** RFC 9112, section 7.1, without extensions: they are unused, and parsers disagree on their end. */
  #readChunkSize(packet: Buffer, start: number): number {
    if (this.#chunkDigits === 0) this.#smallChunks.begin(start);
    for (let at = start; at < packet.length; at++) {
      const byte = packet[at] as number;
      const digit = hexDigit(byte);
      if (digit >= 0 && this.#chunkDigits < limits.chunkDigits) {
        this.#left = this.#left * 16 + digit;
        this.#chunkDigits++;
      } else if (byte === CR && this.#chunkDigits > 0) {
        this.#chunkDigits = 0;
        this.#state = 'chunk_size_lf';
        return at + 1;
      } else {
        const expected = `expected 1 to ${limits.chunkDigits} hexadecimal digits and no extension`;
        return this.#refuse(at, 400, `bad chunk size: ${expected}`);
      }
    }
    return packet.length;
  }

  #beginChunk(packet: Buffer, at: number): number {
    this.#chunkBytes = this.#left;
    if (this.#left === 0) this.#mergeChunks(packet);
    return this.#expect(packet, at, LF, this.#left === 0 ? 'trailer' : 'chunk_data');
  }

  #endChunk(packet: Buffer, at: number): number {
    const end = this.#expect(packet, at, LF, 'chunk_size');
    if (this.#state === 'chunk_size' && !this.#smallChunks.add(this.#chunkBytes, end)) this.#mergeChunks(packet);
    return end;
  }

  /** Passes on small chunks in a row as one. */
  #mergeChunks(packet: Buffer): void {
    const merged = this.#smallChunks.take(packet);
    if (merged === undefined) return;
    this.#passOn(packet, merged.start);
    this.#pieces.push(merged.chunk);
    this.#from = merged.end;
  }

  #expect(packet: Buffer, at: number, byte: number, next: State): number {
    if (packet[at] !== byte) {
      const what = this.#state === 'chunk_data_cr' ? 'a chunk is longer than its size' : 'a bare CR';
      return this.#refuse(at, 400, `${what}: expected CRLF`);
    }
    this.#state = next;
    return at + 1;
  }

  #refuse(at: number, status: number, message: string): number {
    return this.#stop(at, this.#refusalHere(status, message));
  }

  #refusalHere(status: number, message: string): HeadRefusal {
    return this.#head.refusal(status, message, headStates.has(this.#state) ? 'head' : 'body');
  }

  #stop(at: number, refusal: HeadRefusal): number {
    this.#refusal = refusal;
    this.#state = 'over';
    this.#carry = EMPTY;
    return at;
  }

  #carryOver(packet: Buffer, start: number, end: number): void {
    this.#carry = Buffer.concat([this.#carry, packet.subarray(start, end)]);
  }

  /** Returns the carried bytes with the given ones appended. */
  #takeCarried(packet: Buffer, start: number, end: number): Buffer {
    const bytes = Buffer.concat([this.#carry, packet.subarray(start, end)]);
    this.#carry = EMPTY;
    return bytes;
  }

  /** Forwards the bytes of the packet up to `end`. */
  #passOn(packet: Buffer, end: number): void {
    if (end <= this.#from) return;
    const isWhole = this.#from === 0 && end === packet.length;
    this.#pieces.push(isWhole ? packet : packet.subarray(this.#from, end));
    this.#from = end;
  }
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
