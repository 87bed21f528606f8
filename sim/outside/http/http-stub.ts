/**
 * Stubs of other systems: they answer the HTTP requests of scripts whose address begins with theirs. Without one a request is
 * sent in a served cluster, and refused in a virtual world.
 */
import type { Clock } from '../../../src/ports/clock.ts';
import type { ClientAnswer, ClientRequest, Delivery, HttpClient } from '../../../src/ports/http-client.ts';
import type { StubAnswer } from './stub-answer.ts';

export type StubHandler = (request: ClientRequest) => StubAnswer;

export interface HttpStubOptions {
  readonly clock: Clock;
  /** Sends a request that no stub answers. Absent: its connection is refused. */
  readonly transport?: HttpClient | undefined;
  readonly onRequest?: ((request: ClientRequest) => void) | undefined;
}

/** The time to another system and back. */
const latencyMs = 2;

export class HttpStub implements HttpClient {
  readonly #options: HttpStubOptions;
  readonly #handlers = new Map<string, StubHandler>();
  readonly #answers = new Map<string, StubAnswer>();

  constructor(options: HttpStubOptions) {
    this.#options = options;
  }

  /** The stubs that answer always the same. */
  get answers(): ReadonlyMap<string, StubAnswer> {
    return this.#answers;
  }

  /** Answers requests whose URL begins with `prefix`; the longest prefix decides. A later call for the same prefix replaces the handler. */
  handle(prefix: string, handler: StubHandler): void {
    this.#answers.delete(prefix);
    this.#handlers.set(prefix, handler);
  }

  /** Always answers the same; without an answer, removes the stub. */
  set(prefix: string, answer: StubAnswer | undefined): void {
    if (answer === undefined) {
      this.#answers.delete(prefix);
      this.#handlers.delete(prefix);
      return;
    }
    this.handle(prefix, () => answer);
    this.#answers.set(prefix, answer);
  }

  send(request: ClientRequest, delivery: Delivery): Promise<ClientAnswer> {
    const { clock, transport, onRequest } = this.#options;
    onRequest?.(request);
    const [prefix = ''] = [...this.#handlers.keys()]
      .filter((each) => request.url.startsWith(each))
      .sort((one, other) => other.length - one.length);
    const handler = this.#handlers.get(prefix);
    if (handler === undefined && transport !== undefined) return transport.send(request, delivery);
    const { isHalf = false, timeoutMs } = request;
    const received = isHalf ? { ...request, body: halfOf(request.body) } : request;
    const given = handler?.(received);
    const { answer, afterMs } = outcomeOf(isHalf && given !== undefined ? 'reset' : given, timeoutMs);
    return new Promise((resolve) => clock.setTimer(Math.min(afterMs, timeoutMs), () => resolve(answer)));
  }
}

function halfOf(body = ''): string {
  return body.slice(0, Math.ceil(body.length / 2));
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
