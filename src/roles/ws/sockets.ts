/**
 * The web sockets of a ws instance: each belongs to a session, whose end closes it. What a client sends is done in order,
 * one message after the other.
 */

import { limits } from '../../model/limits.ts';
import type { SessionRecord } from '../../model/protocol/session.ts';
import type { Timer } from '../../ports/clock.ts';
import type { DoorSocket, SocketEvents, SocketTaker } from '../../ports/door.ts';
import type { RoleScope } from '../../runtime/role.ts';
import type { Sessions } from './sessions.ts';
import { SocketClient } from './socket-client.ts';
import type { Subscriptions } from './subscriptions.ts';

/** Codes of RFC 6455, and of ours. (chosen) */
export const closeCodes = { goingAway: 1001, tooMuch: 1008, tooSlow: 1013, sessionOver: 4401 } as const;

/** Messages of one client that wait for the one before. */
const waitingLimit = 200;

export class Sockets {
  readonly #scope: RoleScope;
  readonly #sessions: Sessions;
  readonly #subscriptions: Subscriptions;
  readonly #connections = new Set<Connection>();
  #pinging: Timer | undefined;

  constructor(scope: RoleScope, sessions: Sessions, subscriptions: Subscriptions) {
    this.#scope = scope;
    this.#sessions = sessions;
    this.#subscriptions = subscriptions;
    sessions.onOver((key) => this.#endSession(key));
  }

  get isFull(): boolean {
    return this.#connections.size >= limits.sockets;
  }

  /** Takes a socket for a session, which the client showed by `id`. */
  take({ key }: SessionRecord, id: string): SocketTaker {
    return (socket) => {
      const connection: Connection = new Connection({
        socket,
        key,
        use: () => this.#sessions.use(id),
        makeClient: (line) => new SocketClient({ scope: this.#scope, subscriptions: this.#subscriptions, ...line }),
        onClosed: () => this.#connections.delete(connection),
        onCrash: this.#scope.crash,
      });
      this.#connections.add(connection);
      this.#pinging ??= this.#pingLater();
      // It may have ended while the socket opened.
      if (this.#sessions.use(id) === undefined) connection.endSession();
      return connection;
    };
  }

  stop(): void {
    this.#pinging?.cancel();
    for (const connection of this.#connections) connection.stop();
    this.#connections.clear();
  }

  #pingLater(): Timer {
    return this.#scope.clock.setTimer(limits.socketPingMs, () => {
      for (const connection of this.#connections) connection.ping();
      this.#pinging = this.#connections.size === 0 ? undefined : this.#pingLater();
    });
  }

  #endSession(key: string): void {
    for (const connection of this.#connections) if (connection.key === key) connection.endSession();
  }
}

interface ConnectionOptions {
  readonly socket: DoorSocket;
  readonly key: string;
  /** Uses the session, which prolongs it. Nothing where it is over. */
  readonly use: () => SessionRecord | undefined;
  readonly makeClient: (line: { send: (text: string) => void; isSlow: () => boolean }) => SocketClient;
  readonly onClosed: () => void;
  readonly onCrash: (error: unknown) => void;
}

class Connection implements SocketEvents {
  readonly key: string;
  readonly #options: ConnectionOptions;
  readonly #client: SocketClient;
  readonly #waiting: (string | undefined)[] = [];
  #isWorking = false;
  #isAlive = true;
  #isOver = false;

  constructor(options: ConnectionOptions) {
    const { socket, key, makeClient } = options;
    this.#options = options;
    this.key = key;
    const isSlow = () => socket.queuedBytes > limits.socketQueueBytes / 4;
    this.#client = makeClient({ send: (text) => this.#send(text), isSlow });
  }

  received(text: string | undefined): void {
    if (this.#isOver) return;
    this.#isAlive = true;
    if (this.#waiting.length >= waitingLimit) {
      return this.#close(closeCodes.tooMuch, `more than ${waitingLimit} messages wait for an answer`);
    }
    this.#waiting.push(text);
    if (!this.#isWorking) this.#work().catch(this.#options.onCrash);
  }

  alive(): void {
    this.#isAlive = true;
  }

  closed(): void {
    this.stop();
    this.#options.onClosed();
  }

  /** Asks for a sign of life, and drops a client that has given none since the last time. */
  ping(): void {
    if (this.#isOver) return;
    if (!this.#isAlive) return this.#options.socket.cut();
    this.#isAlive = false;
    this.#options.socket.ping();
  }

  endSession(): void {
    this.#close(closeCodes.sessionOver, 'the session is over');
  }

  stop(): void {
    this.#isOver = true;
    this.#waiting.length = 0;
    this.#client.stop();
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    while (this.#waiting.length > 0) {
      const text = this.#waiting.shift();
      const session = this.#options.use();
      if (session === undefined) this.endSession();
      else await this.#client.receive(text, session);
    }
    this.#isWorking = false;
  }

  /** What goes out is traffic of the session too. */
  #send(text: string): void {
    if (this.#isOver) return;
    const { socket, use } = this.#options;
    socket.send(text);
    if (socket.queuedBytes > limits.socketQueueBytes) {
      return this.#close(closeCodes.tooSlow, `more than ${limits.socketQueueBytes} bytes wait to be read`);
    }
    use();
  }

  #close(code: number, reason: string): void {
    if (this.#isOver) return;
    this.stop();
    this.#options.socket.close(code, reason);
  }
}
