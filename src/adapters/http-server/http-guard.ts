/** The guard of an HTTP server: limits of connections and buffers, and one request of a connection at a time. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { answerError } from '../../http/responses.ts';
import { FairQueue } from '../../model/fair-queue.ts';
import { type HttpLimits, limits } from '../../model/limits.ts';
import type { Clock } from '../../ports/clock.ts';
import { Backlog } from './http-backlog.ts';
import { addressOf, type Peer, peerName } from './http-fields.ts';

const full = 'too many unread responses: expected clients to read their answers';

type Work = () => Response | Promise<Response>;

/** The requests of a connection: the newest response, and the number of requests that wait for an earlier one. */
interface Pipeline {
  newest: ServerResponse;
  waiting: number;
}

/** Refuses requests above a limit of connections or buffers with 503. */
export class Guard {
  readonly backlog: Backlog;
  readonly #shares: ConnectionLimits;
  readonly #turns = new HttpTurns();
  readonly #lines = new WeakMap<Socket, Pipeline>();

  constructor(server: Server, { limits: set, clock }: { readonly limits: HttpLimits; readonly clock: Clock }) {
    this.backlog = new Backlog(set, clock);
    this.#shares = new ConnectionLimits(server, set);
  }

  /** The reason why a client is refused now, or `undefined`. */
  refusalOf(peer: Peer, address: string): string | undefined {
    return this.#shares.refusalOf(peer) ?? (this.backlog.roomFor(address) > 0 ? undefined : full);
  }

  /**
   * Serves the requests of a connection one after the other. A client that pipelines too many requests is disconnected,
   * because node's server reads on while the first one has no answer.
   */
  inOrder(socket: Socket, response: ServerResponse, serve: () => void): void {
    const line = this.#lines.get(socket);
    if (line === undefined) {
      this.#lines.set(socket, { newest: response, waiting: 0 });
      return serve();
    }
    const before = line.newest;
    line.newest = response;
    if (before.writableFinished || before.destroyed) return serve();
    if (line.waiting >= limits.requestsInLine) return void socket.destroy();
    line.waiting += 1;
    before.once('close', () => {
      line.waiting -= 1;
      if (!socket.destroyed) serve();
    });
  }

  /** Lets the body of a request end, or break off, in a turn of the event loop that has time left: its handler then reads all of it. */
  endInTurn(request: IncomingMessage): void {
    const address = addressOf(request.socket);
    const push = request.push.bind(request);
    request.push = (chunk: unknown, encoding?: BufferEncoding) => {
      if (chunk !== null) return push(chunk, encoding);
      this.#turns.take(address, () => push(null));
      return false;
    };
    const destroy = request.destroy.bind(request);
    request.destroy = (error?: Error) => {
      if (error === undefined) return destroy();
      this.#turns.take(address, () => destroy(error));
      return request;
    };
  }

  /**
   * Answers a request from an address by `work`, or refuses it. A GET may also be refused after `work`, because it has
   * changed nothing.
   */
  answer({ socket, method }: IncomingMessage, address: string, work: Work): Response | Promise<Response> {
    const refusal = this.refusalOf(socket, address);
    if (refusal !== undefined) return overloaded(refusal);
    this.backlog.watch(socket, address);
    const isSafe = method === 'GET' || method === 'HEAD';
    return this.#inTurn(address, work, (response) => this.#send(socket, address, { response, isSafe }));
  }

  /** Runs `work` now, or in a later turn of the event loop if this turn has used up its time. */
  #inTurn(address: string, work: Work, send: (response: Response) => Response): Response | Promise<Response> {
    let answered: Response | Promise<Response> | undefined;
    let resolve: ((answer: Response | Promise<Response>) => void) | undefined;
    this.#turns.take(address, () => {
      answered = attempt(work);
      resolve?.(answered);
    });
    answered ??= new Promise((settle) => {
      resolve = settle;
    });
    if (!(answered instanceof Promise)) return send(answered);
    return answered.then((response) => this.#turns.atEnd(() => send(response)));
  }

  #send(
    socket: Socket,
    address: string,
    { response, isSafe }: { readonly response: Response; readonly isSafe: boolean },
  ): Response {
    if (isSafe && this.backlog.roomFor(address) <= 0) {
      response.body?.cancel().catch(() => {}); // stops reading a file that is no longer sent
      return overloaded(full);
    }
    // After the response is handed to the connection, which may send it at once, and before the event loop continues.
    process.nextTick(() => this.backlog.add(address, socket.writableLength));
    return response;
  }
}

/** An error thrown by `work` becomes a rejection. */
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

/** The number of connections above a limit that are answered 503 rather than closed at once. */
const refusedAtOnce = 100;

/**
 * Limits the connections of an HTTP server, per address and in total. A connection above a limit is answered with 503 and
 * closed; far above it, it is closed without an answer.
 */
export class ConnectionLimits {
  readonly #limits: HttpLimits;
  readonly #byAddress = new Map<string, number>();
  /** Connections above a limit, by address and port: a TLS socket is another object than its TCP socket. */
  readonly #refused = new Map<string, string>();
  #total = 0;

  constructor(server: Server, limits: HttpLimits) {
    this.#limits = limits;
    server.on('connection', (socket: Socket) => this.#count(socket));
  }

  /** The reason why a connection is refused, or `undefined`. */
  refusalOf(peer: Peer): string | undefined {
    return this.#refused.size === 0 ? undefined : this.#refused.get(peerName(peer));
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
 * Schedules requests and answers. A request is served at once while the current turn of the event loop is short; later ones
 * are queued, and the turns that follow serve them, of one address after the other. The answers of a turn are sent at its
 * end: writes in a row cost half of what they cost between requests, each of which would wake up a client.
 */
export class HttpTurns {
  /** By address. */
  readonly #queue = new FairQueue<() => void>();
  /** Answers that wait for the end of this turn. */
  #answers: (() => void)[] = [];
  #sinceMs = 0;
  #turn: NodeJS.Immediate | undefined;

  /** Runs `work` now or in a later turn. `work` must not throw. */
  take(address: string, work: () => void): void {
    this.#begin();
    if (this.#queue.isEmpty && this.#hasTime) work();
    else this.#queue.add(address, work);
  }

  /** What `send` returns at the end of this turn; at once in a turn that serves no request. */
  atEnd<T>(send: () => T): T | Promise<T> {
    if (this.#turn === undefined) return send();
    return new Promise<void>((resolve) => this.#answers.push(resolve)).then(send);
  }

  get #hasTime(): boolean {
    return performance.now() - this.#sinceMs < limits.sliceMs;
  }

  #begin(): void {
    if (this.#turn !== undefined) return;
    this.#sinceMs = performance.now();
    this.#turn = setImmediate(() => this.#end());
  }

  #end(): void {
    this.#turn = undefined;
    const answers = this.#answers;
    if (answers.length === 0 && this.#queue.isEmpty) return;
    this.#answers = [];
    this.#begin();
    this.#goOn(answers);
  }

  /**
   * Sends answers, then serves what is queued, while this turn has time: one at least, so that less is left in any case. An
   * answer is written after `send` has returned, so each is followed by the promises that it has settled.
   */
  #goOn(answers: (() => void)[]): void {
    const next = answers.shift() ?? this.#queue.take();
    if (next === undefined) return;
    // A tick that a promise job has queued comes after all promise jobs.
    queueMicrotask(() =>
      process.nextTick(() => {
        if (this.#hasTime) this.#goOn(answers);
        else this.#answers.unshift(...answers);
      }),
    );
    next();
  }
}
