/** The ws role: the front of its site for HTTP and web sockets, with the sessions and the network filter behind it. */

import type { Handlers, Role, RoleScope } from '../../cluster/role.ts';
import type { Door, DoorHandler, OpenDoor, WebSockets } from '../../ports/http-server.ts';
import type { Stores } from '../../ports/store.ts';
import { NetworkFilter } from '../network-filter.ts';
import { Intruders } from './intruders.ts';
import { Sessions } from './sessions.ts';
import { Sockets } from './sockets.ts';
import { Subscriptions } from './subscriptions.ts';

export interface WsOptions {
  readonly scope: RoleScope;
  readonly stores: Stores;
  readonly door: Door;
  /** Makes the handler of requests over this instance. */
  readonly makeFront: (ws: Ws) => DoorHandler;
  /** Makes the one who lets web sockets in. */
  readonly makeSocketDesk: (ws: Ws) => WebSockets;
}

export class Ws implements Role<'ws'> {
  readonly scope: RoleScope;
  readonly sessions: Sessions;
  readonly intruders: Intruders;
  readonly sockets: Sockets;
  readonly handlers: Handlers<'ws'>;
  readonly #options: WsOptions;
  readonly #filter: NetworkFilter;
  readonly #subscriptions: Subscriptions;
  #door: OpenDoor | undefined;
  #isOver = false;

  constructor(options: WsOptions) {
    const { scope, stores } = options;
    this.#options = options;
    this.scope = scope;
    this.#filter = new NetworkFilter(scope);
    this.sessions = new Sessions(scope, stores);
    this.intruders = new Intruders(scope, this.#filter);
    this.#subscriptions = new Subscriptions(scope);
    this.sockets = new Sockets(scope, this.sessions, this.#subscriptions);
    this.handlers = { ...this.#filter.handlers, ...this.sessions.handlers, ...this.#subscriptions.handlers };
  }

  async serve(): Promise<void> {
    const { door: port, makeFront, makeSocketDesk } = this.#options;
    await this.sessions.loaded;
    if (this.#isOver) return;
    const door = await port.open(makeFront(this), makeSocketDesk(this));
    if (this.#isOver) door.slam();
    this.#door = door;
    this.scope.log.write('info', 'front.open', { url: door.url });
  }

  async drain(): Promise<void> {
    await this.#door?.close();
  }

  stop(): void {
    this.#isOver = true;
    this.#door?.slam();
    this.sockets.stop();
    this.#subscriptions.stop();
    this.sessions.stop();
    this.intruders.stop();
    this.#filter.stop();
  }
}
