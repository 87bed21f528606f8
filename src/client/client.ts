/** The typed client of the interface: every operation by group and name, errors as values, a stream of events. */
import { type Api, operations } from './api/api.ts';
import { type OpenSocket, openGlobalSocket } from './client-socket.ts';
import { ApiError, errorOf, type Outcome } from './errors.ts';
import { type EventPattern, EventStream, type EventStreamOptions } from './event-stream.ts';
import type { Files, OperationEntry, RequestOptions } from './operation-types.ts';

export interface Credentials {
  readonly domain: string;
  readonly login: string;
  readonly pwd: string;
}

export interface ClientOptions {
  /** Base URL of a front, such as `http://127.0.0.1:8080`. */
  readonly url: string;
  /** A `session_token`. Without it, log in by `logIn`, or use the cookie of the page (`credentials: 'include'`). */
  readonly token?: string | undefined;
  readonly credentials?: RequestInit['credentials'];
  /** Default: the global one. */
  readonly fetch?: typeof fetch | undefined;
  /** Opens a web socket. Default: the global `WebSocket`, or that of the package `ws` on Node 20. */
  readonly openSocket?: OpenSocket | undefined;
  /** Waits before a reconnect; `signal` is aborted when the stream is closed. Default: a timer. */
  readonly wait?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined;
}

/** The same operations; each resolves to an outcome and never rejects with an `ApiError`. */
export type Attempt<A> = {
  readonly [G in keyof A]: {
    readonly [N in keyof A[G]]: A[G][N] extends (...args: infer Args) => Promise<infer T>
      ? (...args: Args) => Promise<Outcome<T>>
      : never;
  };
};

export interface Client extends Api {
  readonly attempt: Attempt<Api>;
  /** Logs in for a token, which later requests send. */
  logIn(credentials: Credentials): Promise<void>;
  /** The token of the session. */
  readonly token: string | undefined;
  /** Events of these names (`callevents.dlg_start`, `callevents.*`), in order and without a gap after a reconnect. */
  events(events: readonly EventPattern[], options?: EventStreamOptions): EventStream;
}

export function createClient(options: ClientOptions): Client {
  const sender = new Sender(options);
  const { openSocket = openGlobalSocket, wait = timer } = options;
  const api = apiOf((entry, args) => sender.send(entry, args).then(valueIn)) as unknown as Api;
  return {
    ...api,
    attempt: apiOf((entry, args) => sender.send(entry, args)) as unknown as Attempt<Api>,
    logIn: async (credentials) => {
      const answer = await api.sessions.logIn({ ...credentials, session_type: 'token' });
      sender.token = answer?.session_token;
    },
    get token() {
      return sender.token;
    },
    events: (events, more = {}) =>
      new EventStream({
        ...more,
        events,
        wait,
        open: () => openSocket(sender.socketUrl, sender.token),
        refusal: () => sender.refusal(),
      }),
  };
}

const currentSession: OperationEntry = ['GET', '/rest/v1/iam/sessions/current', 'none', false, 'json'];

type Call = (entry: OperationEntry, args: readonly unknown[]) => Promise<unknown>;

function apiOf(call: Call): Record<string, Record<string, unknown>> {
  const groups = Object.entries(operations).map(([group, entries]) => {
    const methods = Object.entries(entries).map(([name, entry]) => [name, (...args: unknown[]) => call(entry, args)]);
    return [group, Object.fromEntries(methods)];
  });
  return Object.fromEntries(groups);
}

function valueIn(outcome: Outcome<unknown>): unknown {
  if (outcome.ok) return outcome.value;
  throw outcome.error;
}

class Sender {
  token: string | undefined;
  readonly #options: ClientOptions;
  readonly #fetch: typeof fetch;
  readonly #url: string;
  /** The question whether the session is over, if it is asked, and for a token also if it is. */
  #asked: Promise<ApiError | undefined> | undefined;
  #askedFor: string | undefined;

  constructor(options: ClientOptions) {
    if (typeof options?.url !== 'string')
      throw new TypeError(`url: expected that of a front, such as http://127.0.0.1:8080, got ${options?.url}`);
    this.#options = options;
    this.token = options.token;
    this.#fetch = options.fetch ?? globalThis.fetch.bind(globalThis);
    this.#url = options.url.replace(/\/+$/, '');
  }

  get socketUrl(): string {
    return `${this.#url.replace(/^http/, 'ws')}/ws`;
  }

  /** That the session is over, if it is. The streams of a client ask together, and for a token that is refused once only. */
  refusal(): Promise<ApiError | undefined> {
    const { token } = this;
    if (this.#asked !== undefined && this.#askedFor === token) return this.#asked;
    const asked = this.send(currentSession, []).then((outcome) => {
      const error = !outcome.ok && outcome.error.status === 401 ? outcome.error : undefined;
      if ((error === undefined || token === undefined) && this.#asked === asked) this.#asked = undefined;
      return error;
    });
    this.#asked = asked;
    this.#askedFor = token;
    return asked;
  }

  async send(entry: OperationEntry, args: readonly unknown[]): Promise<Outcome<unknown>> {
    const [method, path] = entry;
    const operation = `${method} ${path}`;
    const { target, init } = requestOf(entry, args);
    const headers = new Headers(init.headers);
    if (this.token !== undefined) headers.set('authorization', `Bearer ${this.token}`);
    const { credentials } = this.#options;
    try {
      const response = await this.#fetch(`${this.#url}${target}`, {
        ...init,
        ...(credentials && { credentials }),
        headers,
      });
      if (!response.ok) return { ok: false, error: await errorOf(operation, response) };
      const missingSites = response.headers.get('x-missing-sites')?.split(/, */) ?? [];
      return { ok: true, value: await answerIn(entry, response), status: response.status, missingSites };
    } catch (cause) {
      if (init.signal?.aborted === true) throw cause;
      return { ok: false, error: new ApiError({ operation, message: textOf(cause), cause }) };
    }
  }
}

/** The parts of a request, from the arguments in their order: path, body, query, options. */
function requestOf(
  [method, path, bodyKind, hasQuery, answer]: OperationEntry,
  args: readonly unknown[],
): { readonly target: string; readonly init: RequestInit } {
  const left = [...args];
  const pathname = path.replaceAll(/:(\w+)/g, (_, name) => {
    const value = left.shift();
    if (typeof value !== 'string') throw new TypeError(`${method} ${path}: ${name}: expected a string, got ${value}`);
    return encodeURIComponent(value.toWellFormed());
  });
  const body = bodyKind === 'none' ? undefined : left.shift();
  const query = hasQuery ? left.shift() : undefined;
  const { signal, headers } = (left.shift() ?? {}) as RequestOptions;
  return {
    target: `${pathname}${queryText(answer === 'count' ? { ...(query as object), countonly: true } : query)}`,
    init: { method, ...contentOf(bodyKind, body, headers), ...(signal !== undefined && { signal }) },
  };
}

function contentOf(kind: OperationEntry[2], body: unknown, given: RequestOptions['headers'] = {}): RequestInit {
  if (body === undefined) return { headers: given };
  if (kind === 'json') return { headers: { 'content-type': 'application/json', ...given }, body: JSON.stringify(body) };
  if (kind === 'files') return { headers: given, body: formOf(body as Files) };
  const stream = body instanceof ReadableStream ? { duplex: 'half' as const } : {};
  return { headers: { 'content-type': 'application/octet-stream', ...given }, body: body as Body, ...stream };
}

type Body = NonNullable<RequestInit['body']>;

function formOf(files: Files): FormData {
  const form = new FormData();
  for (const [name, content] of Object.entries(files))
    form.append('file', content instanceof Blob ? content : new Blob([content]), name);
  return form;
}

/** Lists are joined by commas; `filter` and `order` are JSON. */
function queryText(query: unknown): string {
  const fields = Object.entries((query ?? {}) as Record<string, unknown>).filter(([, value]) => value !== undefined);
  const params = new URLSearchParams(fields.map(([name, value]): [string, string] => [name, fieldText(name, value)]));
  return fields.length === 0 ? '' : `?${params}`;
}

function fieldText(name: string, value: unknown): string {
  if (name === 'filter' || (name === 'order' && typeof value !== 'string')) return JSON.stringify(value);
  return Array.isArray(value) ? value.join(',') : String(value);
}

async function answerIn([, , , , kind]: OperationEntry, response: Response): Promise<unknown> {
  if (kind === 'bytes') return response;
  const text = await response.text();
  if (kind === 'nothing' || text === '') return undefined;
  const value = JSON.parse(text) as Record<string, unknown>;
  if (kind === 'count') return value['count'];
  return kind === 'call' ? { ...value, connected: isConnected(value['last_response']) } : value;
}

function isConnected(lastResponse: unknown): boolean {
  return typeof lastResponse === 'string' && /^SIP\/2\.0 2\d\d/.test(lastResponse);
}

function textOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.cause instanceof Error ? `${cause.message}: ${cause.cause.message}` : cause.message;
}

function timer(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timeout);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timeout = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
