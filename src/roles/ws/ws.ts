/** The ws role: the HTTP front of its site, with the sessions and the network filter behind it. */
import type { Door, DoorHandler, OpenDoor } from '../../ports/door.ts';
import type { Handlers, Role, RoleScope } from '../../runtime/role.ts';
import { NetworkFilter } from '../network-filter.ts';
import { Intruders } from './intruders.ts';
import { Sessions } from './sessions.ts';

export interface WsOptions {
  readonly scope: RoleScope;
  readonly door: Door;
  /** Makes the handler of requests over this instance. */
  readonly makeFront: (ws: Ws) => DoorHandler;
}

export class Ws implements Role<'ws'> {
  readonly scope: RoleScope;
  readonly sessions: Sessions;
  readonly intruders: Intruders;
  readonly handlers: Handlers<'ws'>;
  readonly #options: WsOptions;
  readonly #filter: NetworkFilter;
  #door: OpenDoor | undefined;
  #isOver = false;

  constructor(options: WsOptions) {
    const { scope } = options;
    this.#options = options;
    this.scope = scope;
    this.#filter = new NetworkFilter(scope);
    this.sessions = new Sessions(scope);
    this.intruders = new Intruders(scope, this.#filter);
    this.handlers = { ...this.#filter.handlers, ...this.sessions.handlers };
  }

  async serve(): Promise<void> {
    const door = await this.#options.door.open(this.#options.makeFront(this));
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
    this.sessions.stop();
    this.intruders.stop();
    this.#filter.stop();
  }
}
