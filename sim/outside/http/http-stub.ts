/**
 * Stubs of other systems: they answer the HTTP requests of scripts whose address begins with theirs. Without one a request is
 * sent in a served cluster, and refused in a virtual world.
 */
import type { Clock } from '../../../src/ports/clock.ts';
import type { ClientAnswer, ClientRequest, Delivery, HttpClient } from '../../../src/ports/http-client.ts';
import type { StubAnswer } from './stub-answer.ts';

/** What was decided about a request, as data; `refused`: no stub was there for it. */
export type StubDecision = StubAnswer | 'refused';

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
  readonly #decisions: StubDecision[] = [];
  #known: readonly StubDecision[] = [];

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

  /** The decisions so far, in the order of the requests. None of requests that were sent. */
  get decisions(): readonly StubDecision[] {
    return this.#decisions;
  }

  /** The first requests get these answers, and no handler is called for them. */
  repeat(decisions: readonly StubDecision[]): void {
    this.#known = decisions;
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
    const decision = this.#known[this.#decisions.length] ?? handler?.(received) ?? 'refused';
    this.#decisions.push(decision);
    const given = decision === 'refused' ? undefined : decision;
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
