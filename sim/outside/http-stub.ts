/** Other systems in a virtual world: requests of scripts are answered by functions of a test, else refused. */

import type { Clock } from '../../src/ports/clock.ts';
import type { ClientAnswer, ClientRequest, HttpClient } from '../../src/ports/http-client.ts';

/** What another system does with a request. `silent`: it never answers. `reset`: the connection breaks after it has arrived. */
export type StubAnswer =
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
      readonly afterMs?: number;
    }
  | 'silent'
  | 'reset';

export type StubHandler = (request: ClientRequest) => StubAnswer;

/** The time to another system and back. */
const latencyMs = 2;

export class HttpStub implements HttpClient {
  readonly #clock: Clock;
  readonly #onRequest: (request: ClientRequest) => void;
  readonly #handlers = new Map<string, StubHandler>();

  constructor(clock: Clock, onRequest: (request: ClientRequest) => void = () => {}) {
    this.#clock = clock;
    this.#onRequest = onRequest;
  }

  /** Answers requests whose URL begins with `prefix`. A later call for the same prefix replaces the handler. */
  handle(prefix: string, handler: StubHandler): void {
    this.#handlers.set(prefix, handler);
  }

  send(request: ClientRequest): Promise<ClientAnswer> {
    this.#onRequest(request);
    const [, handler] = [...this.#handlers].find(([prefix]) => request.url.startsWith(prefix)) ?? [];
    const { answer, afterMs } = outcomeOf(handler?.(request), request.timeoutMs);
    return new Promise((resolve) => this.#clock.setTimer(Math.min(afterMs, request.timeoutMs), () => resolve(answer)));
  }
}

function outcomeOf(given: StubAnswer | undefined, timeoutMs: number): { answer: ClientAnswer; afterMs: number } {
  const failed = (problem: string, isDefinite = false): ClientAnswer => ({ ok: false, problem, isDefinite });
  if (given === undefined) return { answer: failed('the connection failed: ECONNREFUSED', true), afterMs: latencyMs };
  if (given === 'reset') return { answer: failed('the connection failed: ECONNRESET'), afterMs: latencyMs };
  const late = { answer: failed(`no answer within ${timeoutMs / 1_000} s`), afterMs: timeoutMs };
  if (given === 'silent') return late;
  const { status, headers = {}, body = '', afterMs = latencyMs } = given;
  return afterMs >= timeoutMs ? late : { answer: { ok: true, status, headers, body }, afterMs };
}
