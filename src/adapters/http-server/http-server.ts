/** The HttpServer port over node:http, for any HTTP method and for web sockets, with the timeouts and limits of the product. */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener, RequestError } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { connectionEvent, GatedRequest, installMethodGate } from '../../http/method-gate/method-gate.ts';
import { answerError, errorBody } from '../../http/responses.ts';
import { type HttpLimits, httpLimits, limits } from '../../model/limits.ts';
import {
  ConnectionDropped,
  type HttpHandler,
  type HttpServer,
  type OpenHttpServer,
  type WebSockets,
} from '../../ports/http-server.ts';
import { systemClock } from '../system-clock.ts';
import { RequestDeadlines } from './http-backlog.ts';
import { addressOf, fieldOf, hasBody, peerName } from './http-fields.ts';
import { Guard } from './http-guard.ts';
import { HttpSockets } from './http-sockets.ts';

export interface NodeHttpServerOptions {
  readonly host: string;
  /** 0: any free port; a later `open` uses the same one. */
  readonly port: number;
  /** With it, the server accepts HTTPS and WSS only. */
  readonly tls?: TlsIdentity | undefined;
  /** Limits that replace the defaults. */
  readonly limits?: Partial<HttpLimits> | undefined;
}

/** A certificate with its chain and its private key, each in PEM. */
export interface TlsIdentity {
  readonly cert: string;
  readonly key: string;
}

/** The oldest version of TLS that is not deprecated (RFC 8996). */
const tlsVersionMin = 'TLSv1.2';

/** Interval at which the server checks for slow requests. */
const sweepMs = 1_000;

export class NodeHttpServer implements HttpServer {
  readonly #host: string;
  #port: number;
  readonly #tls: TlsIdentity | undefined;
  readonly #limits: HttpLimits;

  constructor({ host, port, tls, limits: set }: NodeHttpServerOptions) {
    this.#host = host;
    this.#port = port;
    this.#tls = tls;
    this.#limits = httpLimits(set);
  }

  async open(handler: HttpHandler, webSockets?: WebSockets): Promise<OpenHttpServer> {
    const { server, guard } = makeServer(handler, webSockets, { tls: this.#tls, set: this.#limits });
    const connections = new Connections(server);
    const takeOver = (connection: Duplex) => connections.giveAway(connection as Socket);
    const sockets = webSockets && new HttpSockets({ server, webSockets, guard, limits: this.#limits, takeOver });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.#port, this.#host, resolve);
    });
    this.#port = (server.address() as AddressInfo).port;
    const host = this.#host.includes(':') ? `[${this.#host}]` : this.#host;
    return {
      url: `${this.#tls === undefined ? 'http' : 'https'}://${host}:${this.#port}`,
      close: () => {
        const isClosed = new Promise<void>((resolve) => server.close(() => resolve()));
        connections.endIdle();
        sockets?.close();
        return isClosed;
      },
      abort: () => {
        server.close();
        server.closeAllConnections();
        connections.cut();
        sockets?.abort();
      },
    };
  }
}

/** Options for HTTP and HTTPS alike. */
function serverOptions(set: HttpLimits) {
  return {
    headersTimeout: set.headerTimeMs,
    requestTimeout: limits.uploadTimeMs,
    keepAliveTimeout: set.keepAliveMs,
    connectionsCheckingInterval: Math.min(sweepMs, set.headerTimeMs),
    maxHeaderSize: limits.headerBytes,
    requireHostHeader: true,
    IncomingMessage: GatedRequest,
  };
}

/** An HTTP server leaves half-open connections to its handler; an HTTPS server only with this option. */
function tlsOptions(set: HttpLimits) {
  return { minVersion: tlsVersionMin, handshakeTimeout: set.headerTimeMs, allowHalfOpen: true } as const;
}

function makeServer(
  handler: HttpHandler,
  webSockets: WebSockets | undefined,
  { tls, set }: { readonly tls: TlsIdentity | undefined; readonly set: HttpLimits },
): { server: Server; guard: Guard } {
  // The Host of an earlier request with a valid URL: only a host name can make a URL invalid, and most requests name the same.
  let validHost: string | undefined;
  const listener = getRequestListener(
    (request, env) => {
      const { incoming } = env as { incoming: IncomingMessage };
      const { host } = incoming.headers;
      if (host !== validHost || host === undefined) {
        if (!URL.canParse(request.url)) return answerError(400, wantedUrl);
        validHost = host;
      }
      const address = addressOf(incoming.socket);
      const header = (name: string) => fieldOf(incoming, name);
      const extendDeadline = (ms: number) => patience.extend(incoming, ms);
      return guard.answer(incoming, address, () =>
        orDrop(incoming, () => handler(request, address, header, extendDeadline)),
      );
    },
    { errorHandler: answerMalformed, autoCleanupIncoming: false },
  );
  const serve: RequestListener = (request, response) => {
    if (hasBody(request)) {
      guard.endInTurn(request);
      response.once('close', () => skipRest(request));
    }
    guard.inOrder(request.socket, response, () => void listener(request, response));
  };
  const server: Server =
    tls === undefined
      ? createServer(serverOptions(set), serve)
      : createTlsServer({ ...serverOptions(set), ...tlsOptions(set), ...tls }, serve);
  const patience = new RequestDeadlines(server, set.requestTimeMs);
  const guard = new Guard(server, { limits: set, clock: systemClock });
  server.maxRequestsPerSocket = set.requestsPerConnection;
  installMethodGate(server, {
    answerRefusal: ({ status, message }) => ({
      body: errorBody(status, message),
      contentType: 'application/json; charset=utf-8',
    }),
    takesUpgrade: (offer) => webSockets !== undefined && HttpSockets.takes(webSockets, offer),
  });
  return { server, guard };
}

/** Reads what remains of the body of an answered request, so that the connection gets to its next request. */
function skipRest(request: IncomingMessage): void {
  if (!request.readableEnded) request.removeAllListeners('data').resume();
}

/** Drops the connection if the handler says so. */
function orDrop({ socket }: IncomingMessage, answer: () => Response | Promise<Response>): Response | Promise<Response> {
  const answered = answer();
  if (!(answered instanceof Promise)) return answered;
  return answered.catch((error: unknown) => {
    if (!(error instanceof ConnectionDropped)) throw error;
    if (error.firstBytes === undefined) socket.destroy();
    else socket.end(error.firstBytes, () => socket.destroy());
    return RESPONSE_ALREADY_SENT;
  });
}

const wantedUrl = 'malformed request: expected a path, and a host name in Host';

/** Answers a request without a valid URL. Must not throw. */
function answerMalformed(error: unknown): Response {
  if (error instanceof RequestError) {
    return answerError(400, `${wantedUrl}: ${error.message}`);
  }
  process.emitWarning(error instanceof Error ? error : String(error));
  return answerError(500, 'internal error: a bug; see the log on standard error');
}

/** The connections of a server, each with its unanswered requests. */
class Connections {
  readonly #responses = new Map<Socket, ServerResponse[]>();
  readonly #handshakes = new Handshakes();

  constructor(server: Server) {
    if (connectionEvent(server) === 'secureConnection') this.#handshakes.watch(server);
    server.on(connectionEvent(server), (socket: Socket) => {
      this.#responses.set(socket, []);
      socket.once('close', () => this.#responses.delete(socket));
    });
    // The only listener on requests. It keeps open responses only.
    server.on('request', ({ socket }, response) => {
      const open = this.#responses.get(socket);
      if (open?.at(-1)?.writableFinished) open.length = 0;
      open?.push(response);
    });
  }

  /** Removes a connection that is not HTTP any more. False when a request on it has no answer yet. */
  giveAway(socket: Socket): boolean {
    const open = this.#responses.get(socket) ?? [];
    this.#responses.delete(socket);
    return open.every(({ writableFinished }) => writableFinished);
  }

  /**
   * Closes connections without an unanswered request (silent ones and incomplete requests included); the others close after
   * their answer.
   */
  endIdle(): void {
    this.#handshakes.cut();
    for (const socket of this.#responses.keys()) this.#endIfIdle(socket);
  }

  /** Drops connections that node's server does not know yet. */
  cut(): void {
    this.#handshakes.cut();
  }

  #endIfIdle(socket: Socket): void {
    const open = this.#responses.get(socket)?.filter(({ writableFinished }) => !writableFinished) ?? [];
    const awaited = open.find(({ req }) => req.complete);
    if (awaited === undefined) socket.destroySoon();
    else awaited.once('close', () => this.#endIfIdle(socket));
  }
}

/** Connections of a TLS server during their handshake: node's server does not close them. */
class Handshakes {
  readonly #open = new Map<string, Socket>();

  watch(server: Server): void {
    server.on('connection', (socket: Socket) => {
      const peer = peerName(socket);
      this.#open.set(peer, socket);
      socket.once('close', () => {
        if (this.#open.get(peer) === socket) this.#open.delete(peer);
      });
    });
    server.on('secureConnection', (socket: Socket) => this.#open.delete(peerName(socket)));
  }

  cut(): void {
    for (const socket of this.#open.values()) socket.destroy();
  }
}
