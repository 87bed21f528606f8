/** Keeps an HTTP server answering whatever its clients do: refuses with 503 what is above a limit of connections or buffers. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { answerError } from '../http/answering.ts';
import type { DoorLimits } from '../model/door-limits.ts';
import { limits } from '../model/limits.ts';
import type { Clock } from '../ports/clock.ts';
import { Backlog } from './http-backlog.ts';
import { addressOf, type Peer } from './http-peer.ts';
import { Shares } from './http-shares.ts';
import { HttpTurns } from './http-turns.ts';

const full = 'too much waits for clients to read it: expected them to take their answers';

type Work = () => Response | Promise<Response>;

/** The requests of a connection: the response to the newest, and how many wait for one before them. */
interface Line {
  newest: ServerResponse;
  waiting: number;
}

export class Guard {
  readonly backlog: Backlog;
  readonly #shares: Shares;
  readonly #turns = new HttpTurns();
  readonly #lines = new WeakMap<Socket, Line>();

  constructor(server: Server, { limits: set, clock }: { readonly limits: DoorLimits; readonly clock: Clock }) {
    this.backlog = new Backlog(set, clock);
    this.#shares = new Shares(server, set);
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
