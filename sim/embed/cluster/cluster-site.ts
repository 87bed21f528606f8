/** The front of a site for code in the process of the cluster: `fetch` and web sockets without a port. */
import { ConnectionDropped } from '../../../src/ports/http-server.ts';
import { FrontAway } from '../../world/world.ts';
import { directed, HalfAnswered } from '../hosting/directives.ts';
import type { RecordedWorld } from '../recorded/recorded-world.ts';
import { ClusterSocket } from './cluster-socket.ts';

/** Headers that `fetch` cannot send but a web socket of a test needs. */
export interface SocketOptions {
  readonly headers?: Readonly<Record<string, string>>;
}

export class ClusterSite {
  readonly name: string;
  readonly #present: () => RecordedWorld;

  /** @internal */
  constructor(present: () => RecordedWorld, name: string) {
    this.#present = present;
    this.name = name;
  }

  /** Base URL for clients that get `fetch` from here; it does not resolve. */
  get url(): string {
    return `http://${this.name}.virtual`;
  }

  /**
   * Sends a request to this site. Takes what the global `fetch` takes; of a URL only the path and the query count. Time
   * moves until the answer. Rejects with a `TypeError`, as `fetch` does, if no front of the site answers. The header
   * `X-Strowger` delays this request, refuses it or drops its connection (docs/reference/control.md).
   */
  readonly fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(typeof input === 'string' ? new URL(input, this.url) : input, init);
    const { pathname, search } = new URL(request.url);
    const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer()).toString('base64');
    const recorded = this.#present();
    const sent = {
      do: 'request' as const,
      site: this.name,
      method: request.method,
      target: `${pathname}${search}`,
      headers: [...request.headers],
      ...(body !== undefined && { body }),
    };
    const header = (name: string) => request.headers.get(name);
    const { drives, wrap } = directed(() => recorded.world, undefined);
    const send = wrap(() => recorded.request(sent, { drives: drives(header) ?? true }));
    try {
      return await Promise.race([send(request, '127.0.0.1', header), aborted(request.signal)]);
    } catch (error) {
      if (error instanceof HalfAnswered) return half(error);
      if (error instanceof FrontAway || error instanceof ConnectionDropped)
        throw new TypeError('fetch failed', { cause: error });
      throw error;
    }
  };

  /** Opens a web socket at this site. Its handshake and its answers move time; waiting for events does not: `clock.during`. */
  socket(target = '/ws', { headers = {} }: SocketOptions = {}): ClusterSocket {
    return new ClusterSocket(this.#present(), { site: this.name, target, headers: Object.entries(headers) });
  }
}

/** An answer whose body ends with an error, as `fetch` shows it. */
function half({ answer: { status, statusText, headers }, half: bytes }: HalfAnswered): Response {
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
    },
    pull(controller) {
      controller.error(new TypeError('terminated'));
    },
  });
  return new Response(body, { status, statusText, headers });
}

/** Rejects when the client gives up; the request stays with the cluster. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
