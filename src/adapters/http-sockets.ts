/** The web sockets of an HTTP door: the Door port's sockets over `ws`, on the connections that node's HTTP server gives away. */
import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import type { UpgradeOffer } from '../http/method-gate/method-gate.ts';
import { errorBody } from '../http/responses.ts';
import { type HttpLimits, limits } from '../model/limits.ts';
import type { ServerSocket, SocketHandler, WebSockets } from '../ports/http-server.ts';
import { addressOf, fieldOf } from './http-fields.ts';
import type { Guard } from './http-guard.ts';

/** The more waits for all clients, the less may wait for each: this part of the room that is left, and never less than that. */
const roomShare = 256;
const leastRoomBytes = 16 * 1024;

export interface HttpSocketsOptions {
  readonly server: Server;
  readonly webSockets: WebSockets;
  readonly guard: Guard;
  readonly limits: HttpLimits;
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
  /** Those that are open, and their clients' addresses. */
  readonly #sockets = new Map<WebSocket, string>();
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
  static takes({ path }: WebSockets, { method, target, protocol, isPlain }: UpgradeOffer): boolean {
    const isThere = target === path || target.startsWith(`${path}?`);
    return isPlain && method === 'GET' && isThere && protocol.toLowerCase() === 'websocket';
  }

  /** Says goodbye to all. Who does not answer is cut off soon. */
  close(): void {
    this.#isClosing = true;
    for (const connection of this.#waiting) connection.destroy();
    for (const socket of this.#sockets.keys()) closeSoon(socket, { code: 1001, reason: 'the front closes' });
  }

  abort(): void {
    this.#isClosing = true;
    for (const connection of this.#waiting) connection.destroy();
    for (const socket of this.#sockets.keys()) socket.terminate();
  }

  async #admit(request: IncomingMessage, connection: Duplex, behind: Buffer): Promise<void> {
    const { webSockets, guard } = this.#options;
    connection.on('error', ignore);
    const address = addressOf(request.socket);
    const refusal = guard.refusalOf(request.socket) ?? this.#refusalOf(address);
    if (refusal !== undefined) return refuse(connection, { status: 503, body: errorBody(503, refusal) });
    this.#waiting.add(connection);
    const verdict = await webSockets.connect(request.url ?? '', address, (name) => fieldOf(request, name));
    this.#waiting.delete(connection);
    if (connection.destroyed || this.#isClosing) return void connection.destroy();
    if (verdict instanceof Response) {
      const body = await verdict.text();
      return refuse(connection, { status: verdict.status, body, headers: verdict.headers });
    }
    const late = this.#refusalOf(address); // others were let in meanwhile
    if (late !== undefined) return refuse(connection, { status: 503, body: errorBody(503, late) });
    this.#server.handleUpgrade(request, connection, behind, (socket) => {
      guard.backlog.watch(request.socket, address);
      this.#open(socket, address, verdict);
    });
  }

  /** Why no socket more is let in, if that is so. */
  #refusalOf(address: string): string | undefined {
    const { sockets, socketsPerAddress } = this.#options.limits;
    if (this.#sockets.size >= sockets) return `expected at most ${sockets} web sockets here`;
    const own = [...this.#sockets.values()].filter((each) => each === address).length;
    return own < socketsPerAddress ? undefined : `expected at most ${socketsPerAddress} web sockets of one address`;
  }

  #open(socket: WebSocket, address: string, take: SocketHandler): void {
    this.#sockets.set(socket, address);
    socket.on('error', ignore);
    const events = take(this.#serverSocket(socket, address));
    socket.on('message', (data: RawData, isBinary: boolean) => {
      if (socket.readyState === socket.OPEN) events.received(isBinary ? undefined : String(data));
    });
    socket.on('pong', () => events.pong());
    socket.on('close', () => {
      this.#sockets.delete(socket);
      events.closed();
    });
  }

  #serverSocket(socket: WebSocket, address: string): ServerSocket {
    const { guard, limits: set } = this.#options;
    const { backlog } = guard;
    const isOpen = () => socket.readyState === socket.OPEN;
    return {
      send: (text) => {
        if (!isOpen()) return;
        const before = socket.bufferedAmount;
        socket.send(text);
        if (socket.bufferedAmount > before) backlog.add(address, socket.bufferedAmount - before);
      },
      get queuedBytes() {
        return socket.bufferedAmount;
      },
      get roomBytes() {
        const room = Math.floor(backlog.roomFor(address) / roomShare);
        return Math.min(set.socketQueueBytes, Math.max(room, leastRoomBytes));
      },
      pause: () => socket.pause(),
      resume: () => socket.resume(),
      ping: () => {
        if (isOpen()) socket.ping();
      },
      close: (code, reason) => {
        const mayRead = socket.bufferedAmount > 0 && backlog.roomFor(address) > 0;
        closeSoon(socket, { code, reason, lingerMs: mayRead ? set.writeTimeMs : limits.lingerMs });
      },
      cut: () => socket.terminate(),
    };
  }
}

interface Goodbye {
  readonly code: number;
  readonly reason: string;
  readonly lingerMs?: number;
}

/** Closes with a goodbye, for which `ws` by itself would wait half a minute. */
function closeSoon(socket: WebSocket, { code, reason, lingerMs = limits.lingerMs }: Goodbye): void {
  socket.resume(); // or the client's goodbye would not be read
  socket.close(code, reason);
  const timer = setTimeout(() => socket.terminate(), lingerMs).unref();
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
