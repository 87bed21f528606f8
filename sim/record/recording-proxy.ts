/** A proxy in front of a platform: it passes requests and web sockets on, and keeps what passed. */
import { WebSocket } from 'ws';
import { NodeHttpServer } from '../../src/adapters/http-server/http-server.ts';
import { errorBody } from '../../src/http/responses.ts';
import type { OpenHttpServer, ServerSocket, SocketHandler, WebSockets } from '../../src/ports/http-server.ts';

/** A request of a client, and its answer. */
export interface ProxiedExchange {
  /** When the request arrived, in milliseconds. */
  readonly atMs: number;
  /** When the answer had been read. */
  readonly untilMs: number;
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** The session token or cookie that the client sent; empty without one. */
  readonly session: string;
  /** The JSON of the request; `undefined` for a request without a body. */
  readonly sent: unknown;
  /** The body was not JSON: the exchange cannot be written down. */
  readonly hasOtherBody: boolean;
  readonly status: number;
  /** The JSON of the answer; `undefined` for another answer. */
  readonly answer: unknown;
  /** The session that a login has opened. */
  readonly opened: string | undefined;
}

/** An event that the platform sent over a web socket, such as `callevents.dlg_start`. */
interface ProxiedEvent {
  readonly atMs: number;
  readonly name: string;
}

export interface ProxiedTraffic {
  readonly exchanges: readonly ProxiedExchange[];
  readonly events: readonly ProxiedEvent[];
}

export interface RecordingProxyOptions {
  /** Base URL of the platform. */
  readonly target: string;
  readonly host: string;
  /** 0: a free port. */
  readonly port: number;
  readonly now: () => number;
}

/** Header fields of one connection, and what `fetch` sets or undoes itself. */
const ownFields = [
  'host',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'accept-encoding',
  'expect',
];
const undoneFields = ['content-encoding', 'content-length', 'transfer-encoding', 'connection', 'keep-alive'];
/** A handshake of the client that is passed on. */
const handshakeFields = ['authorization', 'cookie', 'origin'];

export class RecordingProxy {
  readonly #options: RecordingProxyOptions;
  readonly #exchanges: ProxiedExchange[] = [];
  readonly #events: ProxiedEvent[] = [];
  #server: OpenHttpServer | undefined;

  constructor(options: RecordingProxyOptions) {
    this.#options = options;
  }

  /** Resolves to its base URL. */
  async open(): Promise<string> {
    const { host, port } = this.#options;
    const sockets: WebSockets = { path: '/ws', connect: (target, _sender, header) => this.#connect(target, header) };
    this.#server = await new NodeHttpServer({ host, port }).open((request) => this.#pass(request), sockets);
    return this.#server.url;
  }

  get traffic(): ProxiedTraffic {
    return { exchanges: this.#exchanges.toSorted((a, b) => a.atMs - b.atMs), events: this.#events };
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }

  async #pass(request: Request): Promise<Response> {
    const { now, target } = this.#options;
    const atMs = now();
    const { pathname, search } = new URL(request.url);
    const bytes = request.body === null ? undefined : await request.arrayBuffer();
    const headers = new Headers(request.headers);
    for (const name of ownFields) headers.delete(name);
    const init = { method: request.method, headers, redirect: 'manual' as const, ...(bytes && { body: bytes }) };
    let response: Response;
    try {
      response = await fetch(`${target}${pathname}${search}`, init);
    } catch (error) {
      const reason = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
      return new Response(errorBody(502, `${target} does not answer: ${reason}`), { status: 502 });
    }
    const content = await response.arrayBuffer();
    const sent = jsonIn(bytes);
    const answer = jsonIn(content);
    this.#exchanges.push({
      ...{ atMs, untilMs: now(), method: request.method, target: `${pathname}${search}` },
      session: sessionIn(request.headers),
      sent,
      hasOtherBody: bytes !== undefined && bytes.byteLength > 0 && sent === undefined,
      status: response.status,
      answer,
      opened: openedBy(response, answer),
    });
    const given = new Headers(response.headers);
    for (const name of undoneFields) given.delete(name);
    const isEmpty = content.byteLength === 0;
    return new Response(isEmpty ? null : content, { status: response.status, headers: given });
  }

  /** Opens the web socket at the platform first: a refusal there is the answer to the client. */
  #connect(target: string, header: (name: string) => string | null): Promise<Response | SocketHandler> {
    const url = `${this.#options.target.replace(/^http/, 'ws')}${target}`;
    const headers = Object.fromEntries(handshakeFields.flatMap((name) => fieldOf(name, header(name))));
    const upstream = new WebSocket(url, { headers });
    const early: string[] = [];
    const keep = (data: unknown) => void early.push(String(data));
    upstream.on('message', keep);
    return new Promise((resolve) => {
      upstream.on('error', () =>
        resolve(new Response(errorBody(502, 'the platform refused the web socket'), { status: 502 })),
      );
      upstream.on('unexpected-response', (_request, { statusCode = 502 }) =>
        resolve(new Response(errorBody(statusCode, 'the platform refused the web socket'), { status: statusCode })),
      );
      upstream.on('open', () =>
        resolve((client) => {
          upstream.off('message', keep);
          return this.#joined(client, upstream, early);
        }),
      );
    });
  }

  #joined(client: ServerSocket, upstream: WebSocket, early: readonly string[]): ReturnType<SocketHandler> {
    const give = (text: string) => {
      this.#note(text);
      client.send(text);
    };
    early.forEach(give);
    upstream.on('message', (data) => give(String(data)));
    upstream.on('close', (code) => client.close(code < 1000 || code === 1005 || code === 1006 ? 1011 : code, ''));
    return {
      received: (text) => {
        if (text !== undefined && upstream.readyState === WebSocket.OPEN) upstream.send(text);
      },
      pong: () => {},
      closed: () => upstream.close(),
    };
  }

  #note(text: string): void {
    const [kind, event] = (listIn(text) ?? []) as [string?, { class?: string; event?: string }?];
    if (kind !== 'event' || event?.class === undefined || event.event === undefined) return;
    this.#events.push({ atMs: this.#options.now(), name: `${event.class}.${event.event}` });
  }
}

function fieldOf(name: string, value: string | null): [string, string][] {
  return value === null ? [] : [[name, value]];
}

function jsonIn(bytes: ArrayBuffer | undefined): unknown {
  if (bytes === undefined || bytes.byteLength === 0) return undefined;
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown;
  } catch {
    return undefined;
  }
}

function listIn(text: string): unknown[] | undefined {
  const value = jsonIn(new TextEncoder().encode(text).buffer);
  return Array.isArray(value) ? value : undefined;
}

const cookieForm = /(?:^|;\s*)RSession=([^;]+)/;

function sessionIn(headers: Headers): string {
  const bearer = /^Bearer (.+)$/i.exec(headers.get('authorization') ?? '')?.[1];
  return bearer ?? cookieForm.exec(headers.get('cookie') ?? '')?.[1] ?? '';
}

function openedBy({ headers }: Response, answer: unknown): string | undefined {
  const token = (answer as { session_token?: unknown } | undefined)?.session_token;
  return typeof token === 'string' ? token : cookieForm.exec(headers.get('set-cookie') ?? '')?.[1];
}
