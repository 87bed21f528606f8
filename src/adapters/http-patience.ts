/**
 * How long requests may take to arrive: `timeMs`, as node's server would have it, unless somebody who reads one
 * gives it more. Node knows one time for all, so that it is told the longest.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import { fieldOf } from './http-fields.ts';

interface Awaited {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  untilMs: number;
  /** Whether it was given more time. */
  isExtended: boolean;
}

const sweepMs = 1_000;

export class Patience {
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
