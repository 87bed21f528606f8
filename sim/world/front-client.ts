/** The client of a world whose fronts listen on real ports: requests over HTTP, and web sockets. */
import { WebSocket } from 'ws';
import type { ClusterMap } from '../../src/model/cluster/cluster-map.ts';
import type { Observers } from '../observation/observers.ts';
import {
  bearing,
  type EventSocket,
  FrontAway,
  type SocketListener,
  type SocketOpener,
  type WorldClientOptions,
} from './world.ts';

export interface FrontClientParts {
  readonly map: ClusterMap;
  /** Base URLs of the open fronts, by the name of their ws instance. */
  readonly urls: () => ReadonlyMap<string, string>;
  readonly observers: Observers;
  /** Whether observers read the text of the answers. */
  readonly wantsBody: () => boolean;
}

export class FrontClient {
  readonly #parts: FrontClientParts;

  constructor(parts: FrontClientParts) {
    this.#parts = parts;
  }

  /** Sends a request to the first open front of a site. Rejects with `FrontAway` if it does not answer. */
  async request(site: string, request: Request, options: WorldClientOptions = {}): Promise<Response> {
    const { observers, wantsBody } = this.#parts;
    const front = this.#frontOf(site);
    const ended = observers.request(site, request, options);
    if (front === undefined) {
      ended();
      throw new FrontAway(site, 'no front is open at this site');
    }
    const { pathname, search } = new URL(request.url);
    const body = request.body === null ? {} : { body: await request.text() };
    const { method, headers } = request;
    try {
      const response = await fetch(`${front}${pathname}${search}`, { method, headers, redirect: 'manual', ...body });
      ended(response, wantsBody() ? await response.clone().text() : undefined);
      return response;
    } catch (error) {
      ended();
      throw new FrontAway(site, error instanceof Error ? String(error.cause ?? error.message) : String(error));
    }
  }

  /** Opens a web socket; the status of the refusal, or 0 if no front of the site answers, where it cannot. */
  async openSocket(
    site: string,
    { token, target = '/ws', headers = bearing(token) }: SocketOpener,
    listener: SocketListener,
  ): Promise<EventSocket | number> {
    const front = this.#frontOf(site);
    if (front === undefined) return 0;
    const observed = this.#parts.observers.socket(site, token);
    const socket = new WebSocket(`${front.replace(/^http/, 'ws')}${target}`, { headers });
    socket.on('message', (data) => {
      const text = String(data);
      observed.message('out', text);
      listener.message(text);
    });
    return new Promise((resolve) => {
      socket.once('unexpected-response', (_, { statusCode = 0 }) => {
        resolve(statusCode);
        socket.terminate();
      });
      // A close follows each error.
      socket.on('error', () => resolve(0));
      socket.once('open', () => {
        socket.once('close', () => {
          observed.end();
          listener.end();
        });
        const send = (text: string) => {
          observed.message('in', text);
          socket.send(text);
        };
        resolve({ send, close: () => socket.close() });
      });
    });
  }

  #frontOf(site: string): string | undefined {
    const urls = this.#parts.urls();
    const front = this.#parts.map.instancesOf('ws').find((each) => each.site === site && urls.has(each.name));
    return front && urls.get(front.name);
  }
}
