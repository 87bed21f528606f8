/** The web sockets of a ws instance: each belongs to a session, whose end closes it. */

import { Turns } from '../../actors/turns.ts';
import { type RoleScope, reportBug } from '../../cluster/role.ts';
import { limits } from '../../model/limits.ts';
import type { SessionRecord } from '../../model/protocol/session.ts';
import type { Timer } from '../../ports/clock.ts';
import type { SocketHandler } from '../../ports/http-server.ts';
import { Connection } from './connection.ts';
import type { Sessions } from './sessions.ts';
import { SocketClient } from './socket-client.ts';
import type { Subscriptions } from './subscriptions.ts';

export class Sockets {
  readonly #scope: RoleScope;
  readonly #sessions: Sessions;
  readonly #subscriptions: Subscriptions;
  readonly #turns: Turns;
  readonly #connections = new Set<Connection>();
  #pinging: Timer | undefined;

  constructor(scope: RoleScope, sessions: Sessions, subscriptions: Subscriptions) {
    this.#scope = scope;
    this.#sessions = sessions;
    this.#subscriptions = subscriptions;
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
        makeClient: (line) => new SocketClient({ scope, subscriptions: this.#subscriptions, ...line }),
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

  stop(): void {
    this.#pinging?.cancel();
    for (const connection of this.#connections) connection.stop();
    this.#connections.clear();
    this.#turns.stop();
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
