/** The web sockets of a ws instance: each belongs to a session, whose end closes it. */

import { type RoleScope, reportBug } from '../../cluster/role.ts';
import { limits } from '../../model/limits.ts';
import type { SessionRecord } from '../../model/protocol/messages/session.ts';
import type { Clock, Timer } from '../../ports/clock.ts';
import type { ServerSocket, SocketEvents, SocketHandler } from '../../ports/http-server.ts';
import { Turns } from '../../ports/turns.ts';
import { OwnSipUsers } from './own-sip-users.ts';
import type { Sessions } from './sessions.ts';
import { type Line, SocketClient } from './socket-client.ts';
import type { Subscriptions } from './subscriptions.ts';

export class Sockets {
  readonly #scope: RoleScope;
  readonly #sessions: Sessions;
  readonly #subscriptions: Subscriptions;
  readonly #own: OwnSipUsers;
  readonly #turns: Turns;
  readonly #connections = new Set<Connection>();
  #pinging: Timer | undefined;

  constructor(scope: RoleScope, sessions: Sessions, subscriptions: Subscriptions) {
    this.#scope = scope;
    this.#sessions = sessions;
    this.#subscriptions = subscriptions;
    this.#own = new OwnSipUsers(scope);
    this.#turns = new Turns(scope.clock);
    sessions.onOver((key) => this.#endSession(key));
  }

  /** Takes a socket for a session, which the client showed by `id`. */
  take({ key }: SessionRecord, id: string): SocketHandler {
    const scope = this.#scope;
    return (socket) => {
      const connection: Connection = new Connection({
        socket,
        key,
        clock: scope.clock,
        turns: this.#turns,
        use: () => this.#sessions.use(id),
        makeClient: (line) => new SocketClient({ scope, subscriptions: this.#subscriptions, own: this.#own, ...line }),
        onClosed: () => this.#connections.delete(connection),
        report: (error) => reportBug(scope, error),
      });
      this.#connections.add(connection);
      this.#pinging ??= this.#pingLater();
      // It may have ended while the socket opened.
      if (this.#sessions.use(id) === undefined) connection.endSession();
      return connection;
    };
  }

  get handlers() {
    return this.#own.handlers;
  }

  stop(): void {
    this.#pinging?.cancel();
    for (const connection of this.#connections) connection.stop();
    this.#connections.clear();
    this.#turns.stop();
    this.#own.stop();
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

/** Codes of RFC 6455 and its registry, and of ours. (chosen) */
const closeCodes = { bug: 1011, tooSlow: 1013, sessionOver: 4401 } as const;

/** How often a client that has answers to read is looked at. */
const slowMs = 50;

export interface ConnectionOptions {
  readonly socket: ServerSocket;
  readonly key: string;
  readonly clock: Clock;
  readonly turns: Turns;
  /** Uses the session, which prolongs it. Nothing where it is over. */
  readonly use: () => SessionRecord | undefined;
  readonly makeClient: (line: Line) => SocketClient;
  readonly onClosed: () => void;
  /** Reports what a message or a subscription of this client threw; returns a reference. */
  readonly report: (error: unknown) => string;
}

/**
 * One web socket of a session. What its client sends is done in order, one message after the other, in its turn among all
 * sockets; a client that sends faster than that, or does not read its answers, is not read from for a while.
 */
export class Connection implements SocketEvents {
  readonly key: string;
  readonly #options: ConnectionOptions;
  readonly #client: SocketClient;
  readonly #waiting: (string | undefined)[] = [];
  /** Texts for the client, and their length: an event for many sockets is written to one after the other, in turns. */
  #outgoing: string[] = [];
  #outgoingChars = 0;
  #isWorking = false;
  #isPaused = false;
  #isAlive = true;
  #isOver = false;
  #slow: Timer | undefined;

  constructor(options: ConnectionOptions) {
    const { key, makeClient } = options;
    this.#options = options;
    this.key = key;
    this.#client = makeClient({
      send: (text) => this.#send(text),
      isSlow: () => this.#isSlow,
      fail: (error) => this.#fail(error),
    });
  }

  received(text: string | undefined): void {
    if (this.#isOver) return;
    this.#isAlive = true;
    this.#waiting.push(text);
    if (this.#waiting.length >= limits.socketMessages) this.#pause();
    if (this.#isWorking) return;
    this.#isWorking = true;
    this.#options.turns.take(() => this.#step());
  }

  pong(): void {
    this.#isAlive = true;
  }

  closed(): void {
    this.stop();
    this.#options.onClosed();
  }

  /** Asks for a sign of life, and drops a client that has given none since the last time, though it was read from. */
  ping(): void {
    if (this.#isOver || this.#isPaused) return;
    if (!this.#isAlive) return this.#options.socket.abort();
    this.#isAlive = false;
    this.#options.socket.ping();
  }

  endSession(): void {
    this.#close(closeCodes.sessionOver, 'the session is over');
  }

  stop(): void {
    this.#isOver = true;
    this.#waiting.length = 0;
    this.#outgoing = [];
    this.#outgoingChars = 0;
    this.#slow?.cancel();
    this.#client.stop();
  }

  get #isSlow(): boolean {
    const { socket } = this.#options;
    return socket.queuedBytes > socket.roomBytes / 4;
  }

  /** Does one message, or waits until the client has read its answers. */
  #step(): void {
    if (this.#isOver) return;
    if (this.#isSlow) {
      this.#pause();
      this.#slow = this.#options.clock.setTimer(slowMs, () => this.#options.turns.take(() => this.#step()));
      return;
    }
    this.#doOne(this.#waiting.shift()).then(
      () => this.#goOn(),
      (error: unknown) => this.#fail(error),
    );
  }

  async #doOne(text: string | undefined): Promise<void> {
    const session = this.#options.use();
    if (session === undefined) this.endSession();
    else await this.#client.receive(text, session);
  }

  #goOn(): void {
    if (this.#isOver) return;
    if (this.#isPaused && this.#waiting.length <= limits.socketMessages / 2) this.#resume();
    if (this.#waiting.length > 0) return this.#options.turns.take(() => this.#step());
    this.#isWorking = false;
  }

  #pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#options.socket.pause();
  }

  /** Its client counts as alive: an answer to the last ping may not have been read. */
  #resume(): void {
    this.#isPaused = false;
    this.#isAlive = true;
    this.#options.socket.resume();
  }

  /** What goes out is traffic of the session too. */
  #send(text: string): void {
    if (this.#isOver) return;
    const { socket, turns } = this.#options;
    const { roomBytes } = socket;
    if (socket.queuedBytes > roomBytes) return this.#cutSlow(roomBytes);
    this.#outgoing.push(text);
    this.#outgoingChars += text.length;
    // A burst for one client is not kept here: how fast that reads shows in its socket.
    if (this.#outgoingChars > roomBytes / 4) this.#write();
    else if (this.#outgoing.length === 1) turns.take(() => this.#flush());
  }

  #flush(): void {
    if (this.#outgoing.length === 0) return;
    try {
      this.#write();
    } catch (error) {
      this.#fail(error);
    }
  }

  #write(): void {
    const texts = this.#outgoing;
    this.#outgoing = [];
    this.#outgoingChars = 0;
    if (texts.length === 0) return;
    this.#options.socket.send(...texts);
    this.#options.use();
  }

  /** Drops what a client can't take, and says where each subscription can go on. */
  #cutSlow(roomBytes: number): void {
    this.#write();
    this.#options.socket.send(...this.#client.gaps());
    this.#close(closeCodes.tooSlow, `more than ${roomBytes} bytes wait to be read`);
  }

  #fail(error: unknown): void {
    if (this.#isOver) return;
    const reference = this.#options.report(error);
    this.#close(closeCodes.bug, `a bug of the simulator; see reference ${reference} in its log`);
  }

  #close(code: number, reason: string): void {
    if (this.#isOver) return;
    const texts = this.#outgoing;
    this.stop();
    this.#options.socket.send(...texts);
    this.#options.socket.close(code, reason);
  }
}
