/** Keeps an HTTP server answering whatever its clients do: refuses with 503 what is above a limit of connections or buffers. */
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { answerError } from '../http/answering.ts';
import type { DoorLimits } from '../model/door-limits.ts';
import type { Clock } from '../ports/clock.ts';
import { Backlog } from './http-backlog.ts';
import { addressOf, type Peer } from './http-peer.ts';
import { Shares } from './http-shares.ts';

const full = 'too much waits for clients to read it: expected them to take their answers';

export class Guard {
  readonly backlog: Backlog;
  readonly #shares: Shares;
  /** Connections that were given an answer in this turn of the event loop. */
  readonly #answered: Socket[] = [];
  #counting: NodeJS.Immediate | undefined;

  constructor(server: Server, { limits, clock }: { readonly limits: DoorLimits; readonly clock: Clock }) {
    this.backlog = new Backlog(limits, clock);
    this.#shares = new Shares(server, limits);
  }

  /** Why a client is not served now, if it is not. */
  refusalOf(peer: Peer): string | undefined {
    return this.#shares.refusalOf(peer) ?? (this.backlog.roomFor(addressOf(peer)) > 0 ? undefined : full);
  }

  /** Answers a request by `work`, or refuses it. The answer to a GET may be refused too: nothing has happened yet. */
  answer({ socket, method }: IncomingMessage, work: () => Response | Promise<Response>): Response | Promise<Response> {
    const refusal = this.refusalOf(socket);
    if (refusal !== undefined) return overloaded(refusal);
    this.backlog.watch(socket, addressOf(socket));
    const isSafe = method === 'GET' || method === 'HEAD';
    const answered = work();
    if (answered instanceof Promise) return answered.then((response) => this.#send(socket, response, isSafe));
    return this.#send(socket, answered, isSafe);
  }

  #send(socket: Socket, response: Response, isSafe: boolean): Response {
    if (!isSafe || this.backlog.roomFor(addressOf(socket)) > 0) {
      this.#answered.push(socket);
      this.#counting ??= setImmediate(() => this.#count());
      return response;
    }
    response.body?.cancel().catch(() => {}); // a file that is being read: it has no reader any more
    return overloaded(full);
  }

  /** Counts what was answered in this turn of the event loop, as far as it was not taken at once. */
  #count(): void {
    this.#counting = undefined;
    for (const socket of this.#answered.splice(0)) {
      if (socket.writableLength > 0) this.backlog.add(addressOf(socket), socket.writableLength);
    }
  }
}

function overloaded(message: string): Response {
  return answerError(503, message, { 'retry-after': '1', connection: 'close' });
}
