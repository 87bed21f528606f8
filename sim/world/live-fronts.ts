/** The fronts of a live world: each ws instance opens an HTTP server on a real port. */
import { NodeHttpServer, type TlsIdentity } from '../../src/adapters/http-server/http-server.ts';
import type { ClusterMap, InstanceEntry } from '../../src/model/cluster/cluster-map.ts';
import type { HttpLimits } from '../../src/model/limits.ts';
import type { HttpHandler, HttpServer, OpenHttpServer, WebSockets } from '../../src/ports/http-server.ts';
import type { PauseGate } from '../faults/gate.ts';
import type { Observers } from '../observation/observers.ts';
import { gatedSockets } from './gated-sockets.ts';
import { splitAddress } from './live-links.ts';

export interface LiveFrontsOptions {
  /** Where the fronts listen: the first on `port`, the next on the following port. With 0 each takes a free one. */
  readonly host: string;
  readonly port: number;
  /** With it the fronts speak HTTPS and WSS. */
  readonly tls?: TlsIdentity | undefined;
  /** Limits of the fronts in place of their defaults. */
  readonly limits?: Partial<HttpLimits>;
  /** The servers of the fronts, by ws instance. A later world that gets the same map uses the same ports. */
  readonly servers?: Map<string, HttpServer>;
  /** Wraps the handler of each front. */
  readonly wrap?: ((handler: HttpHandler) => HttpHandler) | undefined;
}

interface LiveFrontsParts {
  readonly map: ClusterMap;
  /** Whether the fronts take their addresses from the topology: other processes run the other nodes. */
  readonly isByTopology: boolean;
  readonly observers: Observers;
  /** The gate of a node, while it runs. */
  readonly gateOf: (node: string) => PauseGate | undefined;
  readonly onOpen: () => void;
  readonly onFailure: (failure: Error) => void;
}

export class LiveFronts {
  /** Base URLs of the open fronts, by the name of their ws instance. */
  readonly urls = new Map<string, string>();
  readonly #options: LiveFrontsOptions;
  readonly #parts: LiveFrontsParts;
  readonly #servers: Map<string, HttpServer>;

  constructor(options: LiveFrontsOptions, parts: LiveFrontsParts) {
    this.#options = options;
    this.#parts = parts;
    this.#servers = options.servers ?? new Map();
  }

  serverOf(instance: InstanceEntry): HttpServer {
    const { tls, limits } = this.#options;
    const server =
      this.#servers.get(instance.name) ?? new NodeHttpServer({ ...this.#addressOf(instance), tls, limits });
    this.#servers.set(instance.name, server);
    return {
      open: async (handler, sockets) => {
        let isAborted = false;
        const gates = { gateOf: () => this.#parts.gateOf(instance.node), isAborted: () => isAborted };
        const gated = sockets && gatedSockets(sockets, gates);
        const whileOpen: HttpHandler = (...request) => {
          if (isAborted) return Promise.reject(new Error('the front was aborted'));
          return handler(...request);
        };
        const open = await this.#open(instance, { server, handler: whileOpen, sockets: gated });
        this.urls.set(instance.name, open.url);
        this.#parts.onOpen();
        const leave = () => void this.urls.delete(instance.name);
        return {
          url: open.url,
          close: () => {
            leave();
            return open.close();
          },
          abort: () => {
            leave();
            isAborted = true;
            open.abort();
          },
        };
      },
    };
  }

  async #open(instance: InstanceEntry, { server, handler, sockets }: Opening): Promise<OpenHttpServer> {
    try {
      const { wrap = (own) => own } = this.#options;
      const gated = wrap((...request) => this.#gated(instance, () => handler(...request)));
      return await server.open(this.#parts.observers.front(instance, gated), sockets);
    } catch (error) {
      const { host, port } = this.#addressOf(instance);
      const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      const reason = isTaken ? 'the address is taken; try --port 0' : String(error);
      const failure = new Error(`${instance.address} cannot listen on ${host}:${port}: ${reason}`);
      this.#parts.onFailure(failure);
      throw failure;
    }
  }

  /** A paused node answers after its resume. */
  #gated(instance: InstanceEntry, answer: () => Response | Promise<Response>): Response | Promise<Response> {
    const gate = this.#parts.gateOf(instance.node);
    if (gate === undefined || !gate.isShut) return answer();
    return new Promise((resolve, reject) => gate.pass(() => Promise.resolve(answer()).then(resolve, reject)));
  }

  #addressOf(instance: InstanceEntry): { host: string; port: number } {
    const { host, port } = this.#options;
    const { map, isByTopology } = this.#parts;
    const address = map.node(instance.node).http;
    if (isByTopology && address !== undefined) return splitAddress(address);
    const index = map.instancesOf('ws').indexOf(instance);
    return { host, port: port === 0 ? 0 : port + index };
  }
}

interface Opening {
  readonly server: HttpServer;
  readonly handler: HttpHandler;
  readonly sockets: WebSockets | undefined;
}
