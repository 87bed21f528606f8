/**
 * The method gate: makes a `node:http` server serve any method that is a token, where node's parser refuses unknown
 * methods.
 *
 * It reads each connection ahead of the parser (see `framing.ts`), shows the parser a method that it knows, and restores
 * the true method before a handler sees the request. Ambiguous input is refused.
 */

import { IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { Server as TlsServer } from 'node:tls';
import { limits } from '../../model/limits.ts';
import { type Refusal, RequestFraming, type RequestHead, type UpgradeOffer } from './framing.ts';

export type { Refusal, UpgradeOffer };

/** The body of the answer to a refusal, and the header fields that describe it. */
export interface RefusalAnswer {
  readonly body: string;
  readonly contentType: string;
  /** Further fields, such as the Allow of a 405. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface MethodGateOptions {
  /** Creates the answer to a refusal. Must not throw. */
  answerRefusal(refusal: Refusal): RefusalAnswer;
  /**
   * Accepts or ignores upgrade offers, for a server that listens to `upgrade` and creates its requests from `GatedRequest`.
   * Ignored offers are served as plain requests. Default: accepts all if there is a listener.
   */
  readonly takesUpgrade?: (offer: UpgradeOffer) => boolean;
  /** Time after the answer for which a refused peer may keep its side of the connection open. */
  readonly lingerMs?: number;
}

/** Codes of node's errors that are not answered with a plain 400. */
const complaints = new Map<string, readonly [status: number, message: string]>([
  ['ERR_HTTP_REQUEST_TIMEOUT', [408, 'the request was not complete in time: expected it sooner']],
  ['HPE_HEADER_OVERFLOW', [431, 'head too large: expected fewer bytes']],
  ['HPE_INVALID_EOF_STATE', [400, 'the connection ended within a request: expected the rest of it']],
]);

const gates = new WeakMap<Duplex, ConnectionGate>();
const offer = Symbol('offer to upgrade');

/**
 * A request whose gate decides whether its upgrade offer is accepted. Node consults it, and would otherwise hand over every
 * connection with an offer.
 */
export class GatedRequest extends IncomingMessage {
  declare [offer]: boolean | undefined;

  get upgrade(): boolean {
    return this[offer] === true && gates.get(this.socket)?.isUpgrading === true;
  }

  /** Node's parser sets it before the gate is asked. */
  set upgrade(isOffered: boolean) {
    this[offer] = isOffered;
  }
}

/**
 * Makes `server` accept any method, and answer unparsable requests with `options.answerRefusal`.
 *
 * Install it once, before the server listens. A server that listens to `checkContinue` must emit `request` for accepted
 * requests, as node's documentation shows, because the gate counts requests there.
 */
export function installMethodGate(server: Server, options: MethodGateOptions): void {
  const { takesUpgrade = () => true } = options;
  const takes = (offered: UpgradeOffer) => server.listenerCount('upgrade') > 0 && takesUpgrade(offered);
  // The gate limits the fields itself. Node would silently drop fields past its limit, and then miss the Host.
  server.maxHeadersCount = 0;
  server.on(connectionEvent(server), (socket: Duplex) => {
    const requests = server.maxRequestsPerSocket || Number.POSITIVE_INFINITY;
    gates.set(socket, new ConnectionGate(socket, options, new RequestFraming(takes, requests)));
  });
  server.prependListener('request', (request, response) => gates.get(request.socket)?.begin(request, response));
  server.on('clientError', (error, socket) => {
    const gate = gates.get(socket);
    if (gate === undefined) socket.destroy(error);
    else gate.fail(error);
  });
}

/** The event with which a server accepts a connection for HTTP: over TLS, after the handshake. */
export function connectionEvent(server: Server): 'connection' | 'secureConnection' {
  return server instanceof TlsServer ? 'secureConnection' : 'connection';
}

/** The method that the client sent. The gate also sets `request.method`, so that frameworks see it. */
export function trueMethod(request: IncomingMessage): string {
  return request.method ?? '';
}

/** One connection: announced requests, open responses, and its closing. */
class ConnectionGate {
  readonly #socket: Duplex;
  readonly #options: MethodGateOptions;
  readonly #framing: RequestFraming;
  /** Heads that the parser has received but not yet emitted as requests. */
  readonly #announced: RequestHead[] = [];
  /** Responses not yet sent. */
  #openCount = 0;
  /** The newest response, until it is sent and its request received. */
  #newest: ServerResponse | undefined;
  /** The first refusal. Later data is read and dropped. */
  #refusal: Refusal | undefined;
  #isClosing = false;
  #isPeerDone = false;
  /** One function for all responses of the connection: they close in order. */
  readonly #onClose = () => {
    this.#openCount--;
    if (this.#newest?.destroyed && this.#newest.req.complete) this.#newest = undefined;
    this.#settle();
  };

  constructor(socket: Duplex, options: MethodGateOptions, framing: RequestFraming) {
    this.#socket = socket;
    this.#options = options;
    this.#framing = framing;
    const push = socket.push.bind(socket);
    socket.push = (chunk: unknown, encoding?: BufferEncoding) => {
      if (Buffer.isBuffer(chunk)) return this.#receive(chunk, push);
      return chunk === null ? this.#end(push) : push(chunk, encoding);
    };
    // Node calls it after the last answer. Closing with unread bytes would reset the connection, and could lose that answer.
    Reflect.set(socket, 'destroySoon', () => {
      if (!this.#isClosing) this.#close('');
    });
    // The http server reads the handle natively, bypassing `push`, until another listener reads its data.
    socket.on('data', ignore).off('data', ignore);
  }

  /** Whether the parser's next request is the last of the connection, with an accepted upgrade offer. */
  get isUpgrading(): boolean {
    return this.#announced.length === 0 && this.#framing.isUpgraded;
  }

  /** Leaves the connection to what it was upgraded to. */
  #release(): void {
    Reflect.deleteProperty(this.#socket, 'push');
    Reflect.deleteProperty(this.#socket, 'destroySoon');
  }

  /** Gives the parser's next request its true method. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    const head = this.#announced.shift();
    if (head === undefined || head.parserMethod !== request.method || head.target !== request.url) {
      // A bug of ours. The request must not be taken for another one: no handler serves an empty method.
      request.method = '';
      request.destroy();
      return;
    }
    request.method = head.method;
    this.#newest = response;
    this.#openCount++;
    response.on('close', this.#onClose);
    if (head.isLastAllowed === true) response.shouldKeepAlive = false;
    if (head.bodyLength === 'chunked' || head.bodyLength > limits.drainedBytes) this.#watch(request, response);
    this.#settle();
  }

  /** Adds `Connection: close` to an answer that precedes the end of an unread body. */
  #watch(request: IncomingMessage, response: ServerResponse): void {
    const writeHead = response.writeHead;
    response.writeHead = (...given: unknown[]) => {
      if (!request.complete) response.shouldKeepAlive = false;
      return Reflect.apply(writeHead, response, given) as ServerResponse;
    };
  }

  /** Handles an error of the connection or of node's parser; the latter is answered like a refusal of the gate. */
  fail(error: Error): void {
    const isInBody = this.#newest?.req.complete === false;
    const refusal = refusalOf(error, isInBody ? 'body' : 'head');
    if (refusal === undefined) this.#socket.destroy(error);
    if (refusal === undefined || this.#refusal !== undefined) return;
    this.#refusal = refusal;
    // The parser must not see the rest, or it could emit a request that is refused already.
    this.#announced.length = 0;
    this.#drain();
    this.#settle();
  }

  #receive(packet: Buffer, push: Duplex['push']): boolean {
    if (this.#refusal !== undefined || this.#isClosing) return true;
    const { forward, heads, refusal } = this.#framing.feed(packet);
    for (const head of heads) if (!head.isUpgrade) this.#announced.push(head);
    // Set before the push: if the parser complains about the truncated head, this refusal was first.
    this.#refusal = refusal;
    if (this.#framing.isUpgraded) this.#release();
    const wantsMore = forward === undefined || this.#forward(forward, push);
    this.#settle();
    return wantsMore;
  }

  /** While the parser takes all that comes, the bytes go to it past the buffer of the stream: `push` costs more than a parse. */
  #forward(bytes: Buffer, push: Duplex['push']): boolean {
    const socket = this.#socket;
    if (socket.readableFlowing !== true || socket.readableLength > 0) return push(bytes);
    socket.emit('data', bytes);
    return true;
  }

  /** The peer's end. After a refusal it is hidden from node, which would drop the responses still to be sent. */
  #end(push: Duplex['push']): boolean {
    if (this.#refusal === undefined && !this.#isClosing) return push(null);
    this.#isPeerDone = true;
    if (this.#isClosing) this.#destroySoon();
    return false;
  }

  /** Closes a refused connection once the requests before the refused one are answered. */
  #settle(): void {
    const refusal = this.#refusal;
    if (refusal === undefined || this.#isClosing || this.#announced.length > 0) return;
    const broken = refusal.during === 'body' ? this.#newest : undefined;
    const isOpen = broken?.destroyed === false;
    if (this.#openCount > (isOpen ? 1 : 0)) return;
    if (refusal.during === 'head' || (isOpen && !broken.headersSent)) this.#close(this.#answer(refusal));
    else if (!isOpen) this.#close('');
    else if (!broken.writableEnded) this.#socket.destroy();
  }

  #answer(refusal: Refusal): string {
    const { body, contentType, headers } = this.#options.answerRefusal(refusal);
    const lines = [
      `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ''}`,
      'Connection: close',
      `Content-Type: ${contentType}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      ...Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}`),
    ];
    return `${lines.join('\r\n')}\r\n\r\n${refusal.method === 'HEAD' ? '' : body}`;
  }

  /** RFC 9112, section 9.6: ends our side, then reads until the peer ends its own. */
  #close(last: string): void {
    const socket = this.#socket;
    this.#isClosing = true;
    socket.on('error', ignore);
    if (socket.writable) socket.end(last);
    this.#drain();
    if (this.#isPeerDone) {
      this.#destroySoon();
      return;
    }
    const timer = setTimeout(() => socket.destroy(), this.#options.lingerMs ?? limits.lingerMs).unref();
    socket.once('close', () => clearTimeout(timer));
  }

  #destroySoon(): void {
    const socket = this.#socket;
    if (socket.writableFinished) socket.destroy();
    else socket.once('finish', () => socket.destroy());
  }

  /** Detaches the parser from the connection and drops unread data. */
  #drain(): void {
    this.#socket.removeAllListeners('data').resume();
  }
}

/** The refusal for an error of node's parser or timer; undefined for an error of the connection itself. */
function refusalOf(error: Error, during: Refusal['during']): Refusal | undefined {
  const code = 'code' in error ? String(error.code) : '';
  const [status, message] = complaints.get(code) ?? [400, `malformed request: ${error.message}`];
  return complaints.has(code) || code.startsWith('HPE_') ? { status, message, during, method: '' } : undefined;
}

/** For data: they are read to be dropped. For errors: a close follows, and is handled. */
function ignore(): void {}
