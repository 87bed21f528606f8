/** The fronts of a virtual world, and the connections of its clients: without sockets, in virtual time. */
import type { ClusterMap, InstanceEntry } from '../../../src/model/cluster/cluster-map.ts';
import type {
  HeaderReader,
  HttpHandler,
  HttpServer,
  OpenHttpServer,
  WebSockets,
} from '../../../src/ports/http-server.ts';
import type { PauseGate } from '../../faults/gate.ts';
import { clientOf, type Observers, type RequestEnd } from '../../observation/observers.ts';
import type { Journal } from '../../ports/journal.ts';
import { gatedSockets } from '../gated-sockets.ts';
import { FrontAway, type WorldClientOptions } from '../world.ts';
import { type PendingWork, withPendingBody } from './pending-work.ts';
import { VirtualSocket } from './virtual-socket.ts';

/** A client in the virtual world. */
interface VirtualClientOptions extends WorldClientOptions {
  /** The ws instance that it connects to. Default: the first open one of the site. */
  readonly front?: string | undefined;
}

export interface VirtualSocketOptions extends VirtualClientOptions {
  readonly target?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface VirtualRequestOptions extends VirtualClientOptions {
  /**
   * Whether the body arrives in virtual time, which moves while the front reads it. Default: it is complete at once.
   */
  readonly isPaced?: boolean;
}

interface VirtualFrontsParts {
  readonly map: ClusterMap;
  readonly observers: Observers;
  readonly journal: Journal;
  readonly pending: PendingWork;
  /** The gate of a node, while it runs. */
  readonly gateOf: (node: string) => PauseGate | undefined;
}

interface OpenFront {
  readonly handler: HttpHandler;
  readonly webSockets: WebSockets | undefined;
  readonly sockets: Set<VirtualSocket>;
  /** For each open request: the function that aborts it. */
  readonly away: Set<() => void>;
  isAborted: boolean;
  /** Called when the last open request has been answered. */
  onEmpty: () => void;
}

interface AskedRequest {
  readonly request: Request;
  readonly number: number;
  readonly sender: string | undefined;
  /** Reports the end of the request to the observers. */
  readonly ended: RequestEnd;
}

const client = '127.0.0.1';

export class VirtualFronts {
  readonly #parts: VirtualFrontsParts;
  readonly #open = new Map<string, OpenFront>();
  /** Number of requests so far; it orders their pending work. */
  #requests = 0;

  constructor(parts: VirtualFrontsParts) {
    this.#parts = parts;
  }

  /** Base URLs of the open fronts, by the name of their ws instance. */
  urls(): ReadonlyMap<string, string> {
    return new Map([...this.#open.keys()].map((name) => [name, urlOf(name)]));
  }

  /** Sends a request. Time moves only while something else waits. */
  async send(site: string, request: Request, options: VirtualRequestOptions): Promise<Response> {
    const { observers, pending } = this.#parts;
    const { isPaced = false, sender } = options;
    const front = this.#frontOf(site, options.front);
    const ended = observers.request(site, request, options);
    if (front === undefined) {
      ended();
      throw new FrontAway(site, 'connection refused');
    }
    const number = ++this.#requests;
    const read = isPaced ? request : withPendingBody(request, pending, number);
    return this.#answer(site, front, { request: read, number, sender, ended });
  }

  /** Opens a web socket. Time moves only while something else waits. */
  async connect(
    site: string,
    { target = '/ws', headers = {}, sender = client, ...options }: VirtualSocketOptions,
  ): Promise<VirtualSocket | Response> {
    const { observers, journal } = this.#parts;
    const front = this.#frontOf(site, options.front);
    if (front?.webSockets === undefined) throw new FrontAway(site, 'connection refused');
    const fields = new Headers({ host: site, ...headers });
    const verdict = await front.webSockets.connect(target, sender, (name) => fields.get(name));
    if (front.isAborted) throw new FrontAway(site, 'connection reset');
    if (verdict instanceof Response) return verdict;
    const observed = observers.socket(site, clientOf(fields));
    const socket = new VirtualSocket((direction, text) => {
      journal.write(`socket ${site} ${direction} ${text}`);
      observed.message(direction, text);
    }, observed.end);
    front.sockets.add(socket);
    socket.open(verdict);
    return socket;
  }

  serverOf(instance: InstanceEntry): HttpServer {
    return {
      open: async (handler, webSockets): Promise<OpenHttpServer> => {
        const front = this.#frontFor(instance, handler, webSockets);
        this.#open.set(instance.name, front);
        const leave = () => {
          if (this.#open.get(instance.name) === front) this.#open.delete(instance.name);
        };
        return {
          url: urlOf(instance.name),
          close: () => {
            leave();
            for (const socket of front.sockets) socket.dismiss(1001, 'the front is closing');
            return new Promise((resolve) => {
              front.onEmpty = resolve;
              if (front.away.size === 0) resolve();
            });
          },
          abort: () => {
            leave();
            front.isAborted = true;
            for (const reset of front.away) reset();
            for (const socket of front.sockets) socket.cut();
          },
        };
      },
    };
  }

  /** Requests to a paused node are handled after its resume, unless the front was aborted meanwhile. */
  #frontFor(instance: InstanceEntry, handler: HttpHandler, webSockets: WebSockets | undefined): OpenFront {
    const { observers, gateOf } = this.#parts;
    const gated: HttpHandler = (...request) =>
      new Promise((resolve, reject) => {
        const gate = gateOf(instance.node);
        if (gate === undefined) return reject(new FrontAway(instance.site, 'connection refused'));
        gate.pass(() => {
          if (front.isAborted) return reject(new FrontAway(instance.site, 'connection reset'));
          Promise.resolve(handler(...request)).then(resolve, reject);
        });
      });
    const gates = { gateOf: () => gateOf(instance.node), isAborted: () => front.isAborted };
    const front: OpenFront = {
      handler: observers.front(instance, gated),
      webSockets: webSockets && gatedSockets(webSockets, gates),
      sockets: new Set(),
      away: new Set(),
      isAborted: false,
      onEmpty: () => {},
    };
    return front;
  }

  async #answer(site: string, front: OpenFront, asked: AskedRequest): Promise<Response> {
    const { journal, pending } = this.#parts;
    const { request, number, sender = client, ended } = asked;
    const line = `${site} ${request.method} ${request.url}`;
    journal.write(`request ${line}`);
    const response = await new Promise<Response>((resolve, reject) => {
      const onAway = () => {
        ended();
        reject(new FrontAway(site, 'connection reset'));
      };
      front.away.add(onAway);
      Promise.resolve(front.handler(request, sender, headersOf(request)))
        .then(resolve, reject)
        .finally(() => {
          front.away.delete(onAway);
          if (front.away.size === 0) front.onEmpty();
        });
    });
    const { whole, body } = await wholeAnswer(response);
    await pending.do(number, async () => {});
    journal.write(`answer ${line} ${whole.status} ${body}`);
    ended(whole, body);
    return whole;
  }

  /** The front of a ws instance, or of the first one of a site, in topology order, that is open. */
  #frontOf(site: string, name?: string): OpenFront | undefined {
    return this.#parts.map
      .instancesOf('ws')
      .filter((instance) => instance.site === site && (name ?? instance.name) === instance.name)
      .map((instance) => this.#open.get(instance.name))
      .find((front) => front !== undefined);
  }
}

function urlOf(name: string): string {
  return `http://${name}.virtual`;
}

/** The header fields that a connection would add to a request with a body. */
function headersOf({ headers, body }: Request): HeaderReader {
  const isFramed = body === null || headers.has('content-length');
  return (name) => (name === 'transfer-encoding' && !isFramed ? 'chunked' : headers.get(name));
}

/** An answer whose body has arrived, and that body as text. A clone would cost more than most requests. */
async function wholeAnswer(response: Response): Promise<{ readonly whole: Response; readonly body: string }> {
  if (response.body === null) return { whole: response, body: '' };
  const { status, statusText, headers } = response;
  const bytes = await response.arrayBuffer();
  return { whole: new Response(bytes, { status, statusText, headers }), body: new TextDecoder().decode(bytes) };
}
