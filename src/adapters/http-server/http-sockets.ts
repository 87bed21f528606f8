/** The web sockets of the HTTP server: the port's sockets over `ws`, on the connections that node's HTTP server hands over. */
import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import type { UpgradeOffer } from '../../http/method-gate/method-gate.ts';
import { errorBody } from '../../http/responses.ts';
import { type HttpLimits, limits } from '../../model/limits.ts';
import type { ServerSocket, SocketHandler, WebSockets } from '../../ports/http-server.ts';
import { addressOf, fieldOf } from './http-fields.ts';
import type { Guard } from './http-guard.ts';

/** Each client may queue 1/`roomDivisor` of the space that is left for all, and at least `leastRoomBytes`. */
const roomDivisor = 256;
const leastRoomBytes = 16 * 1024;

export interface HttpSocketsOptions {
  readonly server: Server;
  readonly webSockets: WebSockets;
  readonly guard: Guard;
  readonly limits: HttpLimits;
  /** Takes a connection over from HTTP. False while an earlier request on it has no answer. */
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
    // A turn of the event loop for each message: clients that send thousands at once are read from in many turns.
    allowSynchronousEvents: false,
  });
  /** Open sockets with the addresses of their clients. */
  readonly #sockets = new Map<WebSocket, string>();
  /** Connections whose handshake has no answer yet, or was refused and whose client still sends. */
  readonly #waiting = new Set<Duplex>();
  #isClosing = false;

  constructor(options: HttpSocketsOptions) {
    this.#options = options;
    this.#server.on('wsClientError', ({ message }: Error, connection: Duplex) =>
      this.#refuse(connection, { status: 400, body: errorBody(400, message) }),
    );
    options.server.on('upgrade', (request, connection, head) => {
      if (!options.takeOver(connection)) return void connection.destroy();
      // The front reports and answers its own errors: what is rejected here is a broken connection.
      this.#admit(request, connection, head).catch(() => connection.destroy());
    });
  }

  /** Whether an upgrade offer is a web socket handshake for this path. */
  static takes({ path }: WebSockets, { method, target, protocol, isPlain }: UpgradeOffer): boolean {
    const isThere = target === path || target.startsWith(`${path}?`);
    return isPlain && method === 'GET' && isThere && protocol.toLowerCase() === 'websocket';
  }

  /** Sends a close frame to all clients. A client that does not answer is disconnected soon. */
  close(): void {
    this.#isClosing = true;
    for (const connection of this.#waiting) connection.destroy();
    for (const socket of this.#sockets.keys()) closeSoon(socket, { code: 1001, reason: 'the front is closing' });
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
    const refusal = guard.refusalOf(request.socket, address) ?? this.#refusalOf(address);
    if (refusal !== undefined) return this.#refuse(connection, { status: 503, body: errorBody(503, refusal) });
    this.#waiting.add(connection);
    const verdict = await webSockets.connect(request.url ?? '', address, (name) => fieldOf(request, name));
    this.#waiting.delete(connection);
    if (connection.destroyed || this.#isClosing) return void connection.destroy();
    if (verdict instanceof Response) {
      const body = await verdict.text();
      return this.#refuse(connection, { status: verdict.status, body, headers: verdict.headers });
    }
    const late = this.#refusalOf(address); // other sockets may have opened meanwhile
    if (late !== undefined) return this.#refuse(connection, { status: 503, body: errorBody(503, late) });
    this.#server.handleUpgrade(request, connection, behind, (socket) => {
      guard.backlog.watch(request.socket, address);
      this.#open({ socket, connection, address }, verdict);
    });
  }

  /** Answers on a connection that node's server has handed over, and closes it. */
  #refuse(connection: Duplex, answer: { status: number; body: string; headers?: Headers }): void {
    const { status, body } = answer;
    const fields = new Headers(answer.headers ?? { 'content-type': 'application/json; charset=utf-8' });
    fields.set('connection', 'close');
    fields.set('content-length', String(Buffer.byteLength(body)));
    const lines = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
      ...[...fields].map(([name, value]) => `${name}: ${value}`),
    ];
    connection.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
    // Closed with unread bytes, the connection would be reset, and the answer lost: RFC 9112, section 9.6.
    connection.resume();
    this.#waiting.add(connection);
    const timer = setTimeout(() => connection.destroy(), limits.lingerMs).unref();
    connection.once('close', () => {
      this.#waiting.delete(connection);
      clearTimeout(timer);
    });
  }

  /** The reason why another socket is refused, or `undefined`. */
  #refusalOf(address: string): string | undefined {
    const { sockets, socketsPerAddress } = this.#options.limits;
    if (this.#sockets.size >= sockets) return `expected at most ${sockets} web sockets here`;
    const own = [...this.#sockets.values()].filter((each) => each === address).length;
    return own < socketsPerAddress ? undefined : `expected at most ${socketsPerAddress} web sockets of one address`;
  }

  #open(opened: Opened, take: SocketHandler): void {
    const { socket, address } = opened;
    this.#sockets.set(socket, address);
    socket.on('error', ignore);
    const events = take(this.#serverSocket(opened));
    socket.on('message', (data: RawData, isBinary: boolean) => {
      if (socket.readyState === socket.OPEN) events.received(isBinary ? undefined : String(data));
    });
    socket.on('pong', () => events.pong());
    socket.on('close', () => {
      this.#sockets.delete(socket);
      events.closed();
    });
  }

  #serverSocket({ socket, connection, address }: Opened): ServerSocket {
    const { guard, limits: set } = this.#options;
    const { backlog } = guard;
    const isOpen = () => socket.readyState === socket.OPEN;
    return {
      send: (...texts) => {
        if (!isOpen()) return;
        const before = socket.bufferedAmount;
        connection.cork();
        for (const text of texts) socket.send(text);
        connection.uncork();
        if (socket.bufferedAmount > before) backlog.add(address, socket.bufferedAmount - before);
      },
      get queuedBytes() {
        return socket.bufferedAmount;
      },
      get roomBytes() {
        const room = Math.floor(backlog.roomFor(address) / roomDivisor);
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
      abort: () => socket.terminate(),
    };
  }
}

/** A web socket, its connection and the address of its client. */
interface Opened {
  readonly socket: WebSocket;
  readonly connection: Duplex;
  readonly address: string;
}

interface CloseFrame {
  readonly code: number;
  readonly reason: string;
  readonly lingerMs?: number;
}

/** Closes with a close frame and a short timeout; the timeout of `ws` is half a minute. */
function closeSoon(socket: WebSocket, { code, reason, lingerMs = limits.lingerMs }: CloseFrame): void {
  socket.resume(); // otherwise the client's close frame is not read
  socket.close(code, reason);
  const timer = setTimeout(() => socket.terminate(), lingerMs).unref();
  socket.once('close', () => clearTimeout(timer));
}

/** A close follows each error of a socket, and is handled. */
function ignore(): void {}
