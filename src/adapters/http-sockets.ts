/** The web sockets of an HTTP door: the Door port's sockets over `ws`, on the connections that node's HTTP server gives away. */
import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { errorBody } from '../http/answering.ts';
import type { UpgradeOffer } from '../http/method-gate.ts';
import { limits } from '../model/limits.ts';
import type { DoorSocket, HeaderReader, SocketDesk, SocketTaker } from '../ports/door.ts';

export interface HttpSocketsOptions {
  readonly server: Server;
  readonly desk: SocketDesk;
  readonly senderOf: (request: IncomingMessage) => string;
  readonly headerOf: (request: IncomingMessage) => HeaderReader;
  /** Takes a connection from HTTP. False where an earlier request of it waits for its answer still. */
  readonly takeOver: (connection: Duplex) => boolean;
}

export class HttpSockets {
  readonly #options: HttpSocketsOptions;
  readonly #server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: limits.socketMessageBytes,
    maxFragments: limits.socketFragments,
    perMessageDeflate: false,
  });
  readonly #sockets = new Set<WebSocket>();
  /** Connections whose client waits for an answer. */
  readonly #waiting = new Set<Duplex>();
  #isClosing = false;

  constructor(options: HttpSocketsOptions) {
    this.#options = options;
    this.#server.on('wsClientError', ({ message }: Error, connection: Duplex) =>
      refuse(connection, { status: 400, body: errorBody(400, message) }),
    );
    options.server.on('upgrade', (request, connection, behind) => {
      if (!options.takeOver(connection)) return void connection.destroy();
      this.#admit(request, connection, behind).catch(() => connection.destroy());
    });
  }

  /** Whether an offer to upgrade is one for a web socket. */
  static takes({ path }: SocketDesk, { method, target, protocol, isPlain }: UpgradeOffer): boolean {
    const isThere = target === path || target.startsWith(`${path}?`);
    return isPlain && method === 'GET' && isThere && protocol.toLowerCase() === 'websocket';
  }

  /** Says goodbye to all. Who does not answer is cut off soon. */
  close(): void {
    this.#isClosing = true;
    for (const connection of this.#waiting) connection.destroy();
    for (const socket of this.#sockets) closeSoon(socket, 1001, 'the front closes');
  }

  slam(): void {
    this.#isClosing = true;
    for (const connection of this.#waiting) connection.destroy();
    for (const socket of this.#sockets) socket.terminate();
  }

  async #admit(request: IncomingMessage, connection: Duplex, behind: Buffer): Promise<void> {
    const { desk, senderOf, headerOf } = this.#options;
    connection.on('error', ignore);
    this.#waiting.add(connection);
    const verdict = await desk.connect(request.url ?? '', senderOf(request), headerOf(request));
    this.#waiting.delete(connection);
    if (connection.destroyed || this.#isClosing) return void connection.destroy();
    if (verdict instanceof Response) {
      const body = await verdict.text();
      return refuse(connection, { status: verdict.status, body, headers: verdict.headers });
    }
    this.#server.handleUpgrade(request, connection, behind, (socket) => this.#open(socket, verdict));
  }

  #open(socket: WebSocket, take: SocketTaker): void {
    this.#sockets.add(socket);
    socket.on('error', ignore);
    const events = take(doorSocket(socket));
    socket.on('message', (data: RawData, isBinary: boolean) => {
      if (socket.readyState === socket.OPEN) events.received(isBinary ? undefined : String(data));
    });
    socket.on('pong', () => events.alive());
    socket.on('close', () => {
      this.#sockets.delete(socket);
      events.closed();
    });
  }
}

function doorSocket(socket: WebSocket): DoorSocket {
  return {
    send: (text) => {
      if (socket.readyState === socket.OPEN) socket.send(text);
    },
    get queuedBytes() {
      return socket.bufferedAmount;
    },
    roomBytes: limits.socketQueueBytes,
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    ping: () => {
      if (socket.readyState === socket.OPEN) socket.ping();
    },
    close: (code, reason) => closeSoon(socket, code, reason),
    cut: () => socket.terminate(),
  };
}

/** Closes with a goodbye, for which `ws` by itself would wait half a minute. */
function closeSoon(socket: WebSocket, code: number, reason: string): void {
  socket.close(code, reason);
  const timer = setTimeout(() => socket.terminate(), limits.lingerMs).unref();
  socket.once('close', () => clearTimeout(timer));
}

/** Answers over a connection that node's server has given away, and ends it. */
function refuse(connection: Duplex, answer: { status: number; body: string; headers?: Headers }): void {
  const { status, body } = answer;
  const fields = new Headers(answer.headers ?? { 'content-type': 'application/json; charset=utf-8' });
  fields.set('connection', 'close');
  fields.set('content-length', String(Buffer.byteLength(body)));
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    ...[...fields].map(([name, value]) => `${name}: ${value}`),
  ];
  connection.once('finish', () => connection.destroy());
  connection.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

function ignore(): void {}
