import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { answerError } from '../http/responses.ts';
import { type HttpLimits, limits } from '../model/limits.ts';
import type { Clock } from '../ports/clock.ts';
import { Backlog } from './http-backlog.ts';
import { addressOf, type Peer, peerName } from './http-fields.ts';

/** Keeps an HTTP server answering whatever its clients do: refuses with 503 what is above a limit of connections or buffers. */

const full = 'too much waits for clients to read it: expected them to take their answers';

type Work = () => Response | Promise<Response>;

/** The requests of a connection: the response to the newest, and how many wait for one before them. */
interface Pipeline {
  newest: ServerResponse;
  waiting: number;
}

export class Guard {
  readonly backlog: Backlog;
  readonly #shares: ConnectionLimits;
  readonly #turns = new HttpTurns();
  readonly #lines = new WeakMap<Socket, Pipeline>();

  constructor(server: Server, { limits: set, clock }: { readonly limits: HttpLimits; readonly clock: Clock }) {
    this.backlog = new Backlog(set, clock);
    this.#shares = new ConnectionLimits(server, set);
  }

  /** Why a client is not served now, if it is not. */
  refusalOf(peer: Peer): string | undefined {
    return this.#shares.refusalOf(peer) ?? (this.backlog.roomFor(addressOf(peer)) > 0 ? undefined : full);
  }

  /**
   * Serves the requests of a connection one after the other. A client that sends many without waiting for answers is cut off,
   * since node's server reads on while the first one has no answer.
   */
  inOrder(socket: Socket, response: ServerResponse, serve: () => void): void {
    const line = this.#lines.get(socket) ?? { newest: response, waiting: 0 };
    const before = line.newest;
    line.newest = response;
    this.#lines.set(socket, line);
    if (before === response || before.writableFinished || before.destroyed) return serve();
    if (line.waiting >= limits.requestsInLine) return void socket.destroy();
    line.waiting += 1;
    before.once('close', () => {
      line.waiting -= 1;
      if (!socket.destroyed) serve();
    });
  }

  /** Answers a request by `work`, or refuses it. The answer to a GET may be refused too: nothing has happened yet. */
  answer({ socket, method }: IncomingMessage, work: Work): Response | Promise<Response> {
    const refusal = this.refusalOf(socket);
    if (refusal !== undefined) return overloaded(refusal);
    this.backlog.watch(socket, addressOf(socket));
    const isSafe = method === 'GET' || method === 'HEAD';
    return this.#inTurn(work, (response) => this.#send(socket, response, isSafe));
  }

  /** Does the work now, or, where this turn of the event loop has answered enough, in a later one. */
  #inTurn(work: Work, send: (response: Response) => Response): Response | Promise<Response> {
    let answered: Response | Promise<Response> | undefined;
    let resolve: ((answer: Response | Promise<Response>) => void) | undefined;
    this.#turns.take(() => {
      answered = attempt(work);
      resolve?.(answered);
    });
    answered ??= new Promise((settle) => {
      resolve = settle;
    });
    return answered instanceof Promise ? answered.then(send) : send(answered);
  }

  #send(socket: Socket, response: Response, isSafe: boolean): Response {
    const address = addressOf(socket);
    if (isSafe && this.backlog.roomFor(address) <= 0) {
      response.body?.cancel().catch(() => {}); // a file that is being read: it has no reader any more
      return overloaded(full);
    }
    // Before the loop goes on, and after the answer is handed to the connection, which may take it at once.
    process.nextTick(() => this.backlog.add(address, socket.writableLength));
    return response;
  }
}

/** What it throws rejects, in whichever turn. */
function attempt(work: Work): Response | Promise<Response> {
  try {
    return work();
  } catch (error) {
    return Promise.reject(error);
  }
}

function overloaded(message: string): Response {
  return answerError(503, message, { 'retry-after': '1', connection: 'close' });
}

/**
 * How many connections an HTTP server takes, of each address and of all. A connection above that is answered 503 and closed; far
 * above it is closed at once.
 */

/** Connections of an address above its share, and of all above their limit, that are told so. */
const refusedAtOnce = 100;

export class ConnectionLimits {
  readonly #limits: HttpLimits;
  readonly #byAddress = new Map<string, number>();
  /** Connections that are above a limit, by address and port: TLS makes another object of the same connection. */
  readonly #refused = new Map<string, string>();
  #total = 0;

  constructor(server: Server, limits: HttpLimits) {
    this.#limits = limits;
    server.on('connection', (socket: Socket) => this.#count(socket));
  }

  /** Why a connection is not served, if it is not. */
  refusalOf(peer: Peer): string | undefined {
    return this.#refused.get(peerName(peer));
  }

  #count(socket: Socket): void {
    const address = addressOf(socket);
    const name = peerName(socket);
    const count = (this.#byAddress.get(address) ?? 0) + 1;
    this.#byAddress.set(address, count);
    this.#total += 1;
    socket.once('close', () => {
      this.#refused.delete(name);
      this.#total -= 1;
      const left = (this.#byAddress.get(address) ?? 0) - 1;
      if (left > 0) this.#byAddress.set(address, left);
      else this.#byAddress.delete(address);
    });
    const { connectionsPerAddress, httpConnections } = this.#limits;
    const above = Math.max(count - connectionsPerAddress, this.#total - httpConnections);
    if (above > refusedAtOnce) socket.destroy();
    else if (above > 0) {
      const isOwn = count > connectionsPerAddress;
      const limit = isOwn ? `${connectionsPerAddress} connections of one address` : `${httpConnections} connections`;
      this.#refused.set(name, `expected at most ${limit}`);
    }
  }
}

/**
 * Turns of requests: each is served at once while this turn of the event loop is short; then they wait in a queue, of which each turn
 * serves one. An answer is written after its handler has returned, so only the loop itself can tell how long one took.
 */

export class HttpTurns {
  readonly #queue: (() => void)[] = [];
  #sinceMs = 0;
  #turn: NodeJS.Immediate | undefined;

  /** Does `work` now or in its turn. It must not throw. */
  take(work: () => void): void {
    const hasTime = this.#turn === undefined || performance.now() - this.#sinceMs < limits.sliceMs;
    this.#begin();
    if (hasTime && this.#queue.length === 0) work();
    else this.#queue.push(work);
  }

  #begin(): void {
    if (this.#turn !== undefined) return;
    this.#sinceMs = performance.now();
    this.#turn = setImmediate(() => {
      this.#turn = undefined;
      const next = this.#queue.shift();
      if (next === undefined) return;
      this.#begin();
      next();
    });
  }
}
