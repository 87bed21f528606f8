/** The ws role: the front of its site for HTTP and web sockets, with the sessions and the network filter behind it. */

import { ExpiringMap } from '../../actors/expiring-map.ts';
import type { Handlers, Role, RoleScope } from '../../cluster/role.ts';
import { limits } from '../../model/limits.ts';
import { passed } from '../../ports/clock.ts';
import type { HttpHandler, HttpServer, OpenHttpServer, WebSockets } from '../../ports/http-server.ts';
import type { Stores } from '../../ports/store.ts';
import { Intruders } from '../intruders.ts';
import { NetworkFilter } from '../network-filter.ts';
import { ScriptSessions } from './script-sessions.ts';
import { Sessions } from './sessions.ts';
import { ArchivesUnderWay, ListShares } from './shares.ts';
import { Sockets } from './sockets.ts';
import { Subscriptions } from './subscriptions.ts';

export interface WsOptions {
  readonly scope: RoleScope;
  readonly stores: Stores;
  readonly httpServer: HttpServer;
  /** Makes the handler of requests over this instance. */
  readonly makeFront: (ws: Ws) => HttpHandler;
  /** Makes the handler of web sockets. */
  readonly makeWebSockets: (ws: Ws) => WebSockets;
}

/** How long a front that drains waits for its requests, twice their usual deadline. (chosen) */
const drainMs = 10_000;
/** How long it then waits until its answers are sent. (chosen) */
const answeringMs = 1_000;

/** What a request to a ws instance uses of it. */
export type WsParts = Omit<Ws, 'serve' | 'drain' | 'stop'>;

export class Ws implements Role<'ws'> {
  readonly scope: RoleScope;
  readonly sessions: Sessions;
  readonly intruders: Intruders;
  readonly scriptSessions: ScriptSessions;
  readonly externalFlows: ExternalFlows;
  readonly sockets: Sockets;
  readonly listShares: ListShares;
  readonly archives = new ArchivesUnderWay();
  readonly handlers: Handlers<'ws'>;
  readonly #options: WsOptions;
  readonly #filter: NetworkFilter;
  readonly #subscriptions: Subscriptions;
  #httpServer: OpenHttpServer | undefined;
  #isOver = false;

  constructor(options: WsOptions) {
    const { scope, stores } = options;
    this.#options = options;
    this.scope = scope;
    this.#filter = new NetworkFilter(scope, stores);
    this.sessions = new Sessions(scope, stores);
    this.intruders = new Intruders(scope, this.#filter);
    this.scriptSessions = new ScriptSessions(scope, this.sessions);
    this.externalFlows = new ExternalFlows(scope);
    this.listShares = new ListShares(scope.clock, limits.listsOfUser);
    this.#subscriptions = new Subscriptions(scope);
    this.sockets = new Sockets(scope, this.sessions, this.#subscriptions);
    this.handlers = {
      ...this.#filter.handlers,
      ...this.sessions.handlers,
      ...this.scriptSessions.handlers,
      ...this.#subscriptions.handlers,
      ...this.sockets.handlers,
    };
  }

  async serve(): Promise<void> {
    const { httpServer, makeFront, makeWebSockets } = this.#options;
    await Promise.all([this.sessions.loaded, this.#filter.ready]);
    if (this.#isOver) return;
    const open = await httpServer.open(makeFront(this), makeWebSockets(this));
    if (this.#isOver) open.abort();
    this.#httpServer = open;
    this.scope.log.write('info', 'front.open', { url: open.url });
  }

  /** Waits for the open requests, but not for calls that a request follows to their end: these are answered with 504. */
  async drain(): Promise<void> {
    const { clock, giveUpAsks } = this.scope;
    const isClosed = this.#httpServer?.close().then(() => true);
    if (await Promise.race([isClosed, passed(clock, drainMs)])) return;
    giveUpAsks();
    await Promise.race([isClosed, passed(clock, answeringMs)]);
  }

  stop(): void {
    this.#isOver = true;
    this.#httpServer?.abort();
    this.sockets.stop();
    this.#subscriptions.stop();
    this.scriptSessions.stop();
    this.externalFlows.stop();
    this.sessions.stop();
    this.intruders.stop();
    this.#filter.stop();
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** What clients have entered at the steps of external authentication, for a while: later steps refer to it. */
class ExternalFlows {
  readonly #random: RoleScope['random'];
  /** By the id of the flow: the fields of each step. */
  readonly #flows: ExpiringMap<ReadonlyMap<string, Fields>>;

  constructor({ clock, random }: RoleScope) {
    this.#random = random;
    this.#flows = new ExpiringMap(clock, limits.externalFlowMs, limits.externalFlows);
  }

  /** The fields that were entered at a step of a flow. */
  entered(flow: string | undefined, step: string): Fields | undefined {
    return flow === undefined ? undefined : this.#flows.get(flow)?.get(step);
  }

  /** Notes what was entered, and returns the id of the flow: a new one where it is unknown. */
  note(flow: string | undefined, step: string, fields: Fields): string {
    const known = flow === undefined ? undefined : this.#flows.get(flow);
    const id =
      flow !== undefined && known !== undefined
        ? flow
        : Buffer.from(this.#random.stream('ids').bytes(16)).toString('base64url');
    const steps = new Map(known);
    steps.delete(step);
    if (steps.size < limits.externalSteps) steps.set(step, fields);
    this.#flows.set(id, steps);
    return id;
  }

  stop(): void {
    this.#flows.clear();
  }
}
