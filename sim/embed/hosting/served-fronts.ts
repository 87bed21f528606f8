/** The fronts of a virtual cluster on ports: each request and each message of a web socket is an input of the cluster. */
import { NodeHttpServer, type TlsIdentity } from '../../../src/adapters/http-server/http-server.ts';
import { systemClock } from '../../../src/adapters/system-clock.ts';
import type { InstanceEntry } from '../../../src/model/cluster/cluster-map.ts';
import type { HttpLimits } from '../../../src/model/limits.ts';
import { httpDate } from '../../../src/model/time.ts';
import {
  ConnectionDropped,
  type HeaderReader,
  type HttpHandler,
  type OpenHttpServer,
  type ServerSocket,
  type SocketHandler,
  type WebSockets,
} from '../../../src/ports/http-server.ts';
import type { VirtualSocket } from '../../world/virtual/virtual-socket.ts';
import { FrontAway } from '../../world/world.ts';
import type { RecordedCluster } from '../recorded/recorded-cluster.ts';
import type { RecordedWorld } from '../recorded/recorded-world.ts';

export interface ServedFrontsOptions {
  readonly host: string;
  /** Of the first front; the next take the following ports. 0: free ports. */
  readonly port: number;
  readonly tls?: TlsIdentity | undefined;
  readonly limits?: Partial<HttpLimits> | undefined;
  /** Wraps the handler of each front. */
  readonly wrap?: (handler: HttpHandler) => HttpHandler;
  /** Whether a request or a web socket says by its headers that time moves while it is open. */
  readonly drives?: (header: HeaderReader) => boolean | undefined;
}

export class ServedFronts {
  /** Base URLs by site, of the first front of each. */
  readonly urls: ReadonlyMap<string, string>;
  readonly #servers: readonly OpenHttpServer[];

  private constructor(servers: readonly OpenHttpServer[], urls: ReadonlyMap<string, string>) {
    this.#servers = servers;
    this.urls = urls;
  }

  static async open(cluster: RecordedCluster, options: ServedFrontsOptions): Promise<ServedFronts> {
    const { host, port, tls, limits, wrap = (handler) => handler, drives = () => undefined } = options;
    const urls = new Map<string, string>();
    const servers: OpenHttpServer[] = [];
    for (const [index, instance] of cluster.present.world.map.instancesOf('ws').entries()) {
      const server = new NodeHttpServer({ host, port: port === 0 ? 0 : port + index, tls, limits });
      const open = await server.open(wrap(handlerOf(cluster, instance, drives)), socketsOf(cluster, instance, drives));
      servers.push(open);
      if (!urls.has(instance.site)) urls.set(instance.site, open.url);
    }
    return new ServedFronts(servers, urls);
  }

  abort(): void {
    for (const server of this.#servers) server.abort();
  }
}

type Drives = NonNullable<ServedFrontsOptions['drives']>;

/** A front that is away drops the connection, as the port of a crashed server refuses it. */
function handlerOf(cluster: RecordedCluster, { site, name: front }: InstanceEntry, drives: Drives): HttpHandler {
  return async (request, sender, header) => {
    const { pathname, search } = new URL(request.url);
    const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer()).toString('base64');
    const { method } = request;
    const asked = { site, front, sender, method, target: `${pathname}${search}`, headers: [...request.headers] };
    try {
      const input = { do: 'request' as const, ...asked, ...(body !== undefined && { body }) };
      const response = await cluster.present.request(input, { drives: drives(header) ?? true });
      return withCookiesFor(response, cluster.present.world.clock.now());
    } catch (error) {
      throw error instanceof FrontAway ? new ConnectionDropped(error.message) : error;
    }
  };
}

/** A client outside judges a cookie by its own clock: dates that lie ahead of virtual time lie as far ahead of real time. */
function withCookiesFor(response: Response, virtualMs: number): Response {
  const cookies = response.headers.getSetCookie();
  if (cookies.length === 0) return response;
  const aheadMs = systemClock.now() - virtualMs;
  const { status, statusText, body, headers } = response;
  const shown = new Headers(headers);
  shown.delete('set-cookie');
  for (const cookie of cookies) {
    const shifted = cookie.replace(/(?<=Expires=)[^;]+/, (date) => {
      const endMs = Date.parse(date);
      return endMs > virtualMs ? httpDate(endMs + aheadMs) : date;
    });
    shown.append('set-cookie', shifted);
  }
  return new Response(body, { status, statusText, headers: shown });
}

/** The headers by which a front decides on a handshake. */
const handshakeHeaders = ['authorization', 'cookie', 'host', 'origin', 'sec-fetch-site'];

function socketsOf(cluster: RecordedCluster, { site, name: front }: InstanceEntry, drives: Drives): WebSockets {
  return {
    path: '/ws',
    connect: async (target, sender, header) => {
      const recorded = cluster.present;
      const socket = recorded.nextSocket();
      const asked = { site, front, sender, socket, target, headers: headersIn(header) };
      const opened = await recorded.openSocket({ do: 'open', ...asked });
      return opened instanceof Response
        ? opened
        : bridge(recorded, { socket, virtual: opened, drives: drives(header) ?? false });
    },
  };
}

function headersIn(header: HeaderReader): [string, string][] {
  return handshakeHeaders.flatMap((name) => {
    const value = header(name);
    return value === null ? [] : [[name, value]];
  });
}

interface OpenSocket {
  readonly socket: number;
  readonly virtual: VirtualSocket;
  readonly drives: boolean;
}

/** Connects a socket of a client with one of the virtual world. */
function bridge(recorded: RecordedWorld, { socket, virtual, drives }: OpenSocket): SocketHandler {
  return (client: ServerSocket) => {
    if (drives) void recorded.world.runUntil(() => virtual.end !== undefined, Number.POSITIVE_INFINITY);
    virtual.listen({
      message: (text) => client.send(text),
      end: ({ code, reason }) => (code === 1006 ? client.abort() : client.close(code === 1005 ? 1000 : code, reason)),
    });
    return {
      received: (text) => {
        if (text === undefined) virtual.sendBinary();
        else void recorded.sendText({ do: 'send', socket, text });
      },
      pong: () => {},
      closed: () => void recorded.enter<'close'>({ do: 'close', socket }),
    };
  };
}
