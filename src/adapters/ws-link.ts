/**
 * The Link port over WebSockets. One of two peers dials; both send. A dialler proves at the upgrade that it knows the
 * cluster secret; a closed connection is dialled again with exponential back-off and jitter.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import { limits } from '../model/limits.ts';
import type { Clock, Timer } from '../ports/clock.ts';
import type { Link, LinkEvents, LinkRefusal } from '../ports/link.ts';
import type { RandomStream } from '../ports/random.ts';
import { Turns } from '../ports/turns.ts';

export interface WsLinkOptions {
  /** Name of this node. */
  readonly self: string;
  readonly listen: { readonly host: string; readonly port: number };
  /** Peers that this node dials, and the URL (`ws://…`) of each once it is known. */
  readonly dials: readonly string[];
  readonly urlOf: (peer: string) => string | undefined;
  /** Peers that dial this node. */
  readonly awaits: readonly string[];
  readonly secret: string;
  readonly clock: Clock;
  /** For the jitter of the back-off. */
  readonly jitter: RandomStream;
  readonly reconnect: { readonly minMs: number; readonly maxMs: number };
  /** Called with its URL before `open` resolves. */
  readonly onListening?: (url: string) => void;
}

/** Maximum age of a dialler's proof. */
const proofMs = 60_000;
const handshakeMs = 2_000;
const closeFrameMs = 300;

interface Connection {
  readonly socket: WebSocket;
  /** The stream below the web socket. */
  readonly stream: Duplex;
  queuedFrames: number;
  /** Frames of this turn of the event loop wait for its end, and are written as one. */
  isGathering: boolean;
}

export class WsLink implements Link {
  readonly #options: WsLinkOptions;
  readonly #server: Server;
  readonly #upgrader = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: limits.frameBytes,
    clientTracking: false,
  });
  readonly #connections = new Map<string, Connection>();
  readonly #redials = new Map<string, Timer>();
  readonly #waitsMs = new Map<string, number>();
  readonly #dialling = new Set<WebSocket>();
  /** Work on frames: many that arrive at once are handled in several turns of the event loop. */
  readonly #turns: Turns;
  #events: LinkEvents | undefined;
  #isOver = false;

  constructor(options: WsLinkOptions) {
    this.#options = options;
    this.#turns = new Turns(options.clock);
    this.#server = createServer((_request, response) => response.writeHead(426).end());
    this.#server.on('upgrade', (request, socket, head) => this.#admit(request, socket, head));
  }

  async open(events: LinkEvents): Promise<void> {
    this.#events = events;
    const { host, port } = this.#options.listen;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, resolve);
    });
    this.#options.onListening?.(`ws://${host}:${(this.#server.address() as AddressInfo).port}`);
    for (const peer of this.#options.dials) this.#dial(peer);
  }

  send(peer: string, frame: string): LinkRefusal | undefined {
    const connection = this.#connections.get(peer);
    if (connection === undefined || connection.socket.readyState !== WebSocket.OPEN) return 'not_connected';
    // A character takes at most three bytes, so an exact count is only needed near the limit.
    if (frame.length * 3 > limits.frameBytes && Buffer.byteLength(frame) > limits.frameBytes) return 'frame_too_large';
    const { socket } = connection;
    if (connection.queuedFrames >= limits.peerQueueFrames || socket.bufferedAmount >= limits.peerQueueBytes) {
      socket.terminate();
      return 'queue_full';
    }
    connection.queuedFrames += 1;
    gather(connection);
    socket.send(frame, () => {
      connection.queuedFrames -= 1;
    });
    return undefined;
  }

  /** Frames that were accepted and are not written to their connection yet. */
  get queuedFrames(): number {
    let queued = 0;
    for (const connection of this.#connections.values()) queued += connection.queuedFrames;
    return queued;
  }

  reset(peer: string): void {
    this.#connections.get(peer)?.socket.terminate();
  }

  async close(): Promise<void> {
    if (this.#isOver) return;
    this.#end();
    const farewells = [...this.#connections.values()].map(({ socket }) => this.#partFrom(socket));
    this.#server.closeAllConnections(); // connections that were not upgraded; accepted peers are closed by their sockets
    await Promise.all([...farewells, new Promise<void>((resolve) => this.#server.close(() => resolve()))]);
  }

  crash(): void {
    if (this.#isOver) return;
    this.#end();
    for (const { socket } of this.#connections.values()) socket.terminate();
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #end(): void {
    this.#isOver = true;
    this.#turns.stop();
    for (const timer of this.#redials.values()) timer.cancel();
    for (const socket of this.#dialling) socket.terminate();
  }

  #partFrom(socket: WebSocket): Promise<void> {
    return new Promise((resolve) => {
      const impatience = this.#options.clock.setTimer(closeFrameMs, () => socket.terminate());
      socket.once('close', () => {
        impatience.cancel();
        resolve();
      });
      socket.close(1001);
    });
  }

  #dial(peer: string): void {
    if (this.#isOver) return;
    const url = this.#options.urlOf(peer);
    if (url === undefined) return this.#dialLater(peer);
    const { self, secret, clock } = this.#options;
    const socket = new WebSocket(url, {
      headers: { authorization: `Strowger ${proofOf(secret, { from: self, to: peer, atMs: clock.now() })}` },
      perMessageDeflate: false,
      maxPayload: limits.frameBytes,
      handshakeTimeout: handshakeMs,
    });
    this.#dialling.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => {
      this.#dialling.delete(socket);
      this.#dialLater(peer);
    });
    socket.once('upgrade', ({ socket: stream }) => {
      socket.once('open', () => {
        this.#dialling.delete(socket);
        this.#waitsMs.delete(peer);
        this.#adopt(peer, socket, stream);
      });
    });
  }

  #dialLater(peer: string): void {
    if (this.#isOver) return;
    const { reconnect, clock, jitter } = this.#options;
    const waitMs = this.#waitsMs.get(peer) ?? reconnect.minMs;
    this.#waitsMs.set(peer, Math.min(waitMs * 2, reconnect.maxMs));
    const timer = clock.setTimer(waitMs * (0.5 + jitter.float() / 2), () => this.#dial(peer));
    this.#redials.set(peer, timer);
  }

  /** Accepts a dialler with a valid proof; any other client, browsers included, is refused before the upgrade. */
  #admit(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    const peer = this.#prover(request);
    if (peer === undefined || this.#isOver || request.headers.origin !== undefined) {
      socket.once('finish', () => socket.destroy()); // otherwise a client could keep it open
      socket.end('HTTP/1.1 401 Unauthorized\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    this.#upgrader.handleUpgrade(request, socket, head, (accepted) => this.#adopt(peer, accepted, socket));
  }

  #prover(request: IncomingMessage): string | undefined {
    const proof = /^Strowger (([^ @>]+)>([^ @>]+)@(\d+) [0-9a-f]{64})$/.exec(request.headers.authorization ?? '');
    if (proof === null) return undefined;
    const [, given = '', from = '', to = '', at = ''] = proof;
    const { self, secret, clock, awaits } = this.#options;
    if (to !== self || !awaits.includes(from) || Math.abs(clock.now() - Number(at)) > proofMs) return undefined;
    const right = Buffer.from(proofOf(secret, { from, to, atMs: Number(at) }));
    const shown = Buffer.from(given);
    return right.length === shown.length && timingSafeEqual(right, shown) ? from : undefined;
  }

  #adopt(peer: string, socket: WebSocket, stream: Duplex): void {
    // A peer that dials again has lost its old connection, even if this side has not noticed.
    this.#lose(peer, 'replaced');
    const connection: Connection = { socket, stream, queuedFrames: 0, isGathering: false };
    this.#connections.set(peer, connection);
    // No close frame for a peer that breaks the protocol: it might never answer.
    socket.on('error', () => socket.terminate());
    const isCurrent = () => !this.#isOver && this.#connections.get(peer) === connection;
    socket.on('message', (data: RawData, isBinary: boolean) => {
      if (isBinary || !isCurrent()) return;
      this.#turns.take(() => {
        if (isCurrent()) this.#events?.received(peer, data.toString());
      });
      if (!this.#turns.isBusy || socket.isPaused) return;
      socket.pause();
      this.#turns.take(() => socket.resume());
    });
    // In its turn as well: what arrived before comes first.
    socket.once('close', (code: number) =>
      this.#turns.take(() => {
        if (this.#connections.get(peer) === connection) this.#lose(peer, `closed with ${code}`);
      }),
    );
    this.#events?.connected(peer);
  }

  #lose(peer: string, reason: string): void {
    const connection = this.#connections.get(peer);
    if (connection === undefined) return;
    this.#connections.delete(peer);
    connection.socket.terminate();
    if (!this.#isOver) this.#events?.disconnected(peer, reason);
  }
}

/**
 * A write for each frame would cost more than all else that is done for it. The frames of all that happens in a turn are
 * gathered, such as the asks of many requests that arrive at once: a tick would end with the first of them.
 */
function gather(connection: Connection): void {
  if (connection.isGathering) return;
  const { stream } = connection;
  connection.isGathering = true;
  stream.cork();
  setImmediate(() => {
    connection.isGathering = false;
    stream.uncork();
  });
}

/** The proof of a dialler: from, to and time, with a keyed hash. */
function proofOf(secret: string, { from, to, atMs }: { from: string; to: string; atMs: number }): string {
  const claim = `${from}>${to}@${Math.round(atMs)}`;
  return `${claim} ${createHmac('sha256', secret).update(claim).digest('hex')}`;
}
