/**
 * Data that an HTTP server has sent and its clients have not read: limited per address and in total. A client that reads
 * nothing within `writeTimeMs`, plus the time that the queued data needs at `writeBytesPerSecond`, is disconnected.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { HttpLimits } from '../../model/limits.ts';
import type { Clock, Timer } from '../../ports/clock.ts';
import { hasBody } from './http-fields.ts';

interface Awaited {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  untilMs: number;
  /** Whether the deadline was extended. */
  isExtended: boolean;
}

const sweepMs = 1_000;

/**
 * Deadlines for requests to arrive: `timeMs`, as in node's server, unless the reader of a request extends it. Node supports
 * one time for all requests, so it is given the longest.
 */
export class RequestDeadlines {
  readonly #server: Server;
  readonly #timeMs: number;
  /** Requests with a body that may be incomplete. */
  #awaited: Awaited[] = [];
  readonly #byRequest = new WeakMap<IncomingMessage, Awaited>();
  #sweeping: NodeJS.Timeout | undefined;

  constructor(server: Server, timeMs: number) {
    this.#server = server;
    this.#timeMs = timeMs;
    // Before the listener that serves: it may extend a deadline at once.
    server.prependListener('request', (request, response) => this.#await(request, response));
  }

  /** Gives the client of a request this much time from now on to send it. */
  extend(request: IncomingMessage, ms: number): void {
    const awaited = this.#byRequest.get(request);
    if (awaited === undefined) return;
    awaited.untilMs = performance.now() + ms;
    awaited.isExtended = true;
  }

  #await(request: IncomingMessage, response: ServerResponse): void {
    if (!hasBody(request)) return;
    const awaited = { request, response, untilMs: performance.now() + this.#timeMs, isExtended: false };
    this.#awaited.push(awaited);
    this.#byRequest.set(request, awaited);
    this.#sweeping ??= setInterval(() => this.#sweep(), sweepMs).unref();
  }

  #sweep(): void {
    const nowMs = performance.now();
    const open = this.#awaited.filter(({ request }) => !request.complete && !request.destroyed);
    for (const each of open) {
      // An answered request needs no extension any more.
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

  /** Fails the request with the same error as node's own time limit. */
  #end({ socket }: IncomingMessage): void {
    const error = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    if (!socket.destroyed) this.#server.emit('clientError', error, socket);
  }
}

/** The part of a connection that the backlog uses. */
export type BackloggedSocket = Pick<Socket, 'destroyed' | 'writableLength' | 'bytesWritten' | 'destroy' | 'once'>;

interface Watched {
  readonly address: string;
  /** Undefined while nothing is queued. */
  stall?: Stall | undefined;
}

interface Stall {
  /** What the client had read when it was last counted. */
  readonly takenBytes: number;
  /** The deadline for reading more. */
  readonly untilMs: number;
  /** When it is counted again. */
  countMs: number;
}

/** An address without space is remembered as full for this time, so that not every request counts all connections. */
const fullMs = 50;
/** An address with less than half its space is counted as often, so that what its clients have read meanwhile is space again. */
const countMs = 50;
/** What a client has read is counted this often in its time: for it, node measures all texts that are queued. */
const stallCounts = 8;
/** After this time the look at all connections goes on in another turn of the event loop. */
const lookMs = 5;

export class Backlog {
  readonly #limits: HttpLimits;
  readonly #clock: Clock;
  readonly #watched = new Map<BackloggedSocket, Watched>();
  /** Queued bytes, in total and by address: the last count plus later additions. Never less than the actual number. */
  #bytes = 0;
  #byAddress = new Map<string, number>();
  /** When an address was found full. */
  readonly #fullMs = new Map<string, number>();
  #countedMs = Number.NEGATIVE_INFINITY;
  #sweeping: Timer | undefined;

  constructor(limits: HttpLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Watches a connection until it closes. */
  watch(sender: BackloggedSocket, address: string): void {
    if (sender.destroyed || this.#watched.has(sender)) return;
    this.#watched.set(sender, { address });
    sender.once('close', () => this.#forget(sender));
    this.#sweeping ??= this.#sweepLater();
  }

  /** Adds bytes that are about to be sent. */
  add(address: string, bytes: number): void {
    this.#bytes += bytes;
    this.#byAddress.set(address, (this.#byAddress.get(address) ?? 0) + bytes);
  }

  /** Bytes that may be queued for an address; 0 or less: none. */
  roomFor(address: string): number {
    const room = this.#estimate(address);
    if (room > this.#limits.unreadBytesPerAddress / 2) return room;
    const nowMs = this.#clock.now();
    if (room > 0 && nowMs - this.#countedMs < countMs) return room;
    if (room <= 0 && nowMs - (this.#fullMs.get(address) ?? -Infinity) < fullMs) return room;
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
    this.#countedMs = this.#clock.now();
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
      this.#count();
      this.#lookOn(this.#watched.entries());
    });
  }

  /** Looks at the connections that are left, and then waits for the next sweep. */
  #lookOn(left: IterableIterator<[BackloggedSocket, Watched]>): void {
    const untilMs = this.#clock.now() + lookMs;
    this.#sweeping = undefined;
    for (const [sender, watched] of left) {
      this.#look(sender, watched);
      if (this.#clock.now() < untilMs) continue;
      this.#sweeping = this.#clock.setTimer(0, () => this.#lookOn(left));
      return;
    }
    if (this.#watched.size > 0) this.#sweeping = this.#sweepLater();
  }

  #look(sender: BackloggedSocket, watched: Watched): void {
    const { writableLength } = sender;
    const { stall } = watched;
    if (writableLength === 0) {
      watched.stall = undefined;
      return;
    }
    const nowMs = this.#clock.now();
    if (stall !== undefined && nowMs < Math.min(stall.countMs, stall.untilMs)) return;
    const takenBytes = sender.bytesWritten - writableLength;
    const { writeTimeMs, writeBytesPerSecond } = this.#limits;
    const countMs = nowMs + writeTimeMs / stallCounts;
    if (stall?.takenBytes !== takenBytes) {
      const untilMs = nowMs + writeTimeMs + (writableLength * 1_000) / writeBytesPerSecond;
      watched.stall = { takenBytes, untilMs, countMs };
    } else if (nowMs >= stall.untilMs) sender.destroy();
    else stall.countMs = countMs;
  }
}
