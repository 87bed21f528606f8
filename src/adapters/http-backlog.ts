import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { HttpLimits } from '../model/limits.ts';
import type { Clock, Timer } from '../ports/clock.ts';
import { fieldOf } from './http-fields.ts';

/**
 * How long requests may take to arrive: `timeMs`, as node's server would have it, unless somebody who reads one
 * gives it more. Node knows one time for all, so that it is told the longest.
 */

interface Awaited {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  untilMs: number;
  /** Whether it was given more time. */
  isExtended: boolean;
}

const sweepMs = 1_000;

export class RequestDeadlines {
  readonly #server: Server;
  readonly #timeMs: number;
  /** Requests with a body, which may be complete by now. */
  #awaited: Awaited[] = [];
  readonly #byRequest = new WeakMap<IncomingMessage, Awaited>();
  #sweeping: NodeJS.Timeout | undefined;

  constructor(server: Server, timeMs: number) {
    this.#server = server;
    this.#timeMs = timeMs;
    server.on('request', (request, response) => this.#await(request, response));
  }

  /** Gives the client of a request so much time from now on to send it. */
  extend(request: IncomingMessage, ms: number): void {
    const awaited = this.#byRequest.get(request);
    if (awaited === undefined) return;
    awaited.untilMs = performance.now() + ms;
    awaited.isExtended = true;
  }

  #await(request: IncomingMessage, response: ServerResponse): void {
    if (fieldOf(request, 'content-length') === null && fieldOf(request, 'transfer-encoding') === null) return;
    const awaited = { request, response, untilMs: performance.now() + this.#timeMs, isExtended: false };
    this.#awaited.push(awaited);
    this.#byRequest.set(request, awaited);
    this.#sweeping ??= setInterval(() => this.#sweep(), sweepMs).unref();
  }

  #sweep(): void {
    const nowMs = performance.now();
    const open = this.#awaited.filter(({ request }) => !request.complete && !request.destroyed);
    for (const each of open) {
      // Who has the answer already needs no more time for the question.
      if (each.isExtended && each.response.writableEnded) {
        each.untilMs = Math.min(each.untilMs, nowMs + this.#timeMs);
        each.isExtended = false;
      }
      if (nowMs >= each.untilMs) this.#end(each.request);
    }
    this.#awaited = open.filter(({ untilMs }) => nowMs < untilMs);
    if (this.#awaited.length > 0) return;
    clearInterval(this.#sweeping);
    this.#sweeping = undefined;
  }

  /** As node does it with its own time limit. */
  #end({ socket }: IncomingMessage): void {
    const error = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    if (!socket.destroyed) this.#server.emit('clientError', error, socket);
  }
}

/**
 * What an HTTP server has sent and its clients have not taken: bounded for each address and for all, and each client has to
 * go on taking it. A client that takes nothing within `writeTimeMs`, and the time that what waits needs at
 * `writeBytesPerSecond`, is cut off.
 */

/** Of a connection, what the backlog looks at. */
export type BackloggedSocket = Pick<Socket, 'destroyed' | 'writableLength' | 'bytesWritten' | 'destroy' | 'once'>;

interface Watched {
  readonly address: string;
  /** Bytes that were taken when it was seen last, and until when it has to take more; nothing where none wait. */
  stall?: { readonly takenBytes: number; readonly untilMs: number } | undefined;
}

/** An address without room stays so for as long, lest all connections are counted for each of its requests. */
const fullMs = 50;

export class Backlog {
  readonly #limits: HttpLimits;
  readonly #clock: Clock;
  readonly #watched = new Map<BackloggedSocket, Watched>();
  /** Bytes that wait, of all and by address: what was counted, and what was added since. Never less than the truth. */
  #bytes = 0;
  #byAddress = new Map<string, number>();
  /** When an address was seen without room. */
  readonly #fullMs = new Map<string, number>();
  #sweeping: Timer | undefined;

  constructor(limits: HttpLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Watches a connection from now on, until it closes. */
  watch(sender: BackloggedSocket, address: string): void {
    if (sender.destroyed || this.#watched.has(sender)) return;
    this.#watched.set(sender, { address });
    sender.once('close', () => this.#forget(sender));
    this.#sweeping ??= this.#sweepLater();
  }

  /** Counts bytes that are about to be sent. */
  add(address: string, bytes: number): void {
    this.#bytes += bytes;
    this.#byAddress.set(address, (this.#byAddress.get(address) ?? 0) + bytes);
  }

  /** Bytes that may be added for an address. Not above 0: it has no room. */
  roomFor(address: string): number {
    const room = this.#estimate(address);
    const nowMs = this.#clock.now();
    if (room > 0 || nowMs - (this.#fullMs.get(address) ?? -Infinity) < fullMs) return room;
    this.#count();
    const counted = this.#estimate(address);
    if (counted <= 0) this.#fullMs.set(address, nowMs);
    return counted;
  }

  #estimate(address: string): number {
    const { unreadBytes, unreadBytesPerAddress } = this.#limits;
    return Math.min(unreadBytes - this.#bytes, unreadBytesPerAddress - (this.#byAddress.get(address) ?? 0));
  }

  #count(): void {
    this.#bytes = 0;
    this.#fullMs.clear();
    this.#byAddress = new Map();
    for (const [{ writableLength }, { address }] of this.#watched)
      if (writableLength > 0) this.add(address, writableLength);
  }

  #forget(sender: BackloggedSocket): void {
    this.#watched.delete(sender);
    if (this.#watched.size > 0) return;
    this.#sweeping?.cancel();
    this.#sweeping = undefined;
  }

  #sweepLater(): Timer {
    return this.#clock.setTimer(sweepMs, () => {
      this.#sweeping = this.#sweepLater();
      this.#count();
      for (const [sender, watched] of this.#watched) this.#look(sender, watched);
    });
  }

  #look(sender: BackloggedSocket, watched: Watched): void {
    const { writableLength } = sender;
    const nowMs = this.#clock.now();
    const takenBytes = sender.bytesWritten - writableLength;
    if (writableLength === 0) watched.stall = undefined;
    else if (watched.stall?.takenBytes !== takenBytes) {
      const { writeTimeMs, writeBytesPerSecond } = this.#limits;
      watched.stall = { takenBytes, untilMs: nowMs + writeTimeMs + (writableLength * 1_000) / writeBytesPerSecond };
    } else if (nowMs >= watched.stall.untilMs) sender.destroy();
  }
}
