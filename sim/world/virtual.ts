/**
 * The virtual world: one process, a clock that jumps to the next deadline, a simulated network, stores in memory.
 * The same topology and seed give the same journal, byte for byte.
 */
import type { DependencyContainer } from 'tsyringe';
import { loadedSandbox, loadSandbox } from '../../src/adapters/quickjs-sandbox.ts';
import { composeProcess } from '../../src/compose.ts';
import type { ClusterMap, InstanceEntry } from '../../src/model/cluster/cluster-map.ts';
import type { Breakpoints } from '../../src/ports/breakpoints.ts';
import type { HeaderReader, HttpHandler, HttpServer, OpenHttpServer, WebSockets } from '../../src/ports/http-server.ts';
import type { Log } from '../../src/ports/log.ts';
import type { Census, CensusOptions } from '../../src/ports/probe.ts';
import type { SampleFolder } from '../../src/ports/samples.ts';
import type { MetadataFiles } from '../../src/services/user-interface.ts';
import type { WebApps } from '../../src/services/web-apps.ts';
import { tokens } from '../../src/tokens.ts';
import { Faults } from '../faults/faults.ts';
import type { Listener, ObservationFilter, ObservationKind } from '../oracles/observation.ts';
import { clientOf, Observers, observedFaults, type RequestEnd } from '../oracles/observers.ts';
import { OutsideWorld } from '../outside/outside.ts';
import { VirtualClock } from '../ports/clock.ts';
import { SeededFaultPoints } from '../ports/fault-points.ts';
import { Journal } from '../ports/journal.ts';
import { SimulatedNetwork } from '../ports/network.ts';
import { SeededRandom } from '../ports/random.ts';
import { SimulatedSamples } from '../ports/samples.ts';
import { SimulatedStores } from '../ports/store.ts';
import type { WorldTracing } from '../tracing/world-tracing.ts';
import { Cluster } from './cluster.ts';
import { gatedSockets } from './gated-sockets.ts';
import { PendingWork, withPendingBody } from './pending-work.ts';
import { TimeDriver } from './time-driver.ts';
import { VirtualSocket } from './virtual-socket.ts';
import {
  type ClientOptions,
  type EventSocket,
  FrontAway,
  type SocketClient,
  type SocketListener,
  type World,
} from './world.ts';

export interface VirtualWorldOptions {
  readonly map: ClusterMap;
  readonly webApps: WebApps;
  /** Files of the metadata folder. */
  readonly metadataFiles?: MetadataFiles | undefined;
  readonly seed: number | string;
  readonly log?: Log;
  /** Keep the lines of the journal, not only their hash. */
  readonly keepJournal?: boolean;
  /** Whether there are phones and providers. Default true. */
  readonly outside?: boolean;
  /** Whether fault points may fire. Default false. */
  readonly faultPoints?: boolean;
  /** The folder of the audio matchers; default: that of the topology. */
  readonly samples?: SampleFolder;
  /** Where runs of scripts stop; default: nowhere. */
  readonly breakpoints?: Breakpoints | undefined;
  /** Registers other role makers in the scope of the process, for roles that a test plays itself. */
  readonly replaceRoles?: (scope: DependencyContainer) => void;
  /** Absent: nothing is traced. It does not change the journal. */
  readonly tracing?: WorldTracing | undefined;
}

/** The start time of every virtual world. */
export const virtualStartMs = Date.UTC(2026, 0, 1);
const patienceMs = 60_000;
/** How long a client waits for an answer: a call request may take minutes. */
const clientPatienceMs = 240_000;
const client = '127.0.0.1';
const silent: Log = { write: () => {}, child: () => silent };

interface OpenFront {
  readonly handler: HttpHandler;
  readonly webSockets: WebSockets | undefined;
  readonly sockets: Set<VirtualSocket>;
  /** For each open request: the function that aborts it. */
  readonly away: Set<() => void>;
  /** Called when the last open request has been answered. */
  onEmpty: () => void;
}

/** The cluster of a topology does not settle when it starts. */
export class UnsettledCluster extends Error {}

export class VirtualWorld implements World {
  readonly mode = 'virtual';
  readonly map: ClusterMap;
  readonly faults: Faults;
  readonly journal: Journal;
  readonly clock = new VirtualClock(virtualStartMs);
  readonly #pending = new PendingWork();
  /** Moves the time, and applies inputs between two events. */
  readonly time = new TimeDriver(this.clock, this.#pending);
  readonly cluster: Cluster;
  readonly here: Cluster;
  readonly outside: OutsideWorld;
  /** Present if fault points may fire. */
  readonly faultPoints: SeededFaultPoints | undefined;
  readonly #observers = new Observers(() => this.clock.now());
  readonly #fronts = new Map<string, OpenFront>();
  /** Number of requests so far; it orders their pending work. */
  #requests = 0;

  constructor({
    map,
    webApps,
    metadataFiles,
    seed,
    log = silent,
    keepJournal = false,
    outside = true,
    faultPoints = false,
    replaceRoles,
    breakpoints,
    tracing,
    samples = new SimulatedSamples(map.topology.matcher),
  }: VirtualWorldOptions) {
    const { clock } = this;
    const random = new SeededRandom(seed);
    this.map = map;
    this.journal = new Journal(clock, { keep: keepJournal });
    const observers = this.#observers;
    tracing?.attach(() => clock.now(), observers);
    const journaled = observers.log(this.journal.log(log));
    const onFrame = (from: string, to: string, frame: string) =>
      this.journal.write(`frame ${from} ${to} ${tracing?.untraced(frame) ?? frame}`);
    const network = new SimulatedNetwork({ map, clock, random: random.stream('network'), onFrame });
    const stores = new SimulatedStores({ clock, random: random.stream('faults') });
    const scope = composeProcess();
    scope.register(tokens.map, { useValue: map });
    scope.register(tokens.webApps, { useValue: webApps });
    if (metadataFiles !== undefined) scope.register(tokens.metadataFiles, { useValue: metadataFiles });
    scope.register(tokens.samples, { useValue: samples });
    scope.register(tokens.httpServerOf, { useValue: (instance: InstanceEntry) => this.#doorOf(instance) });
    scope.register(tokens.sandbox, { useFactory: loadedSandbox });
    scope.register(tokens.httpClient, { useFactory: () => this.outside.deliveries });
    scope.register(tokens.sms, { useFactory: () => this.outside.sms });
    this.faultPoints = faultPoints ? new SeededFaultPoints(random.fork('fault points')) : undefined;
    if (this.faultPoints !== undefined) scope.register(tokens.faultPoints, { useValue: this.faultPoints });
    if (breakpoints !== undefined) scope.register(tokens.breakpoints, { useValue: breakpoints });
    replaceRoles?.(scope);
    this.outside = new OutsideWorld({
      map,
      clock,
      random: random.fork('the world outside'),
      log: journaled,
      isInhabited: outside,
      onMessage: (from, to, message) => {
        this.journal.write(`outside ${from} ${to} ${JSON.stringify(message)}`);
        observers.report('outside.sent', { from, to, message });
      },
      onHttp: (sent) => this.journal.write(`http ${JSON.stringify(sent)}`),
      onEffect: (effect) => observers.report('effect.received', { ...effect }),
      probe: observers,
    });
    this.cluster = new Cluster({
      map,
      clock,
      random,
      log: journaled,
      scope,
      outside: this.outside.network,
      portsOf: (node) => ({
        link: network.linkOf(node),
        stores: stores.of(node),
        siteStores: stores.shared(`sites/${map.node(node).site}`, node),
        random: random.fork(node),
      }),
      tracing,
      onCrash: (node) => void stores.crash(node),
      observers,
    });
    this.here = this.cluster;
    this.faults = observedFaults(new Faults(this.cluster, this.outside), observers);
  }

  now(): number {
    return this.clock.now();
  }

  async start(): Promise<void> {
    await loadSandbox();
    await this.#during(this.cluster.start());
    const isSettled = await this.#run(this.clock.now() + patienceMs, () => this.cluster.isSettled);
    if (!isSettled)
      throw new UnsettledCluster(`the cluster did not settle within ${patienceMs / 1_000} virtual seconds`);
    await this.#during(this.outside.start());
    this.faultPoints?.begin();
  }

  async wait(ms: number): Promise<void> {
    await this.#run(this.clock.now() + ms, () => false);
  }

  /** Runs until `isDone`, at most for `ms`. Returns whether it is done. */
  runUntil(isDone: () => boolean, ms: number): Promise<boolean> {
    return this.#run(this.clock.now() + ms, isDone);
  }

  request(site: string, request: Request, options: RequestOptions = {}): Promise<Response> {
    return this.answered(site, this.send(site, request, options));
  }

  /** Runs the world until a request is answered, at most as long as a client waits. */
  async answered(site: string, answer: Promise<Response>): Promise<Response> {
    if (await this.#settles(answer, clientPatienceMs)) return answer;
    throw new FrontAway(site, `no answer within ${clientPatienceMs / 1_000} s`);
  }

  /** Sends a request. Time moves only while something else waits. */
  async send(site: string, request: Request, options: RequestOptions = {}): Promise<Response> {
    const { isPaced = false, sent, sender } = options;
    const front = this.#frontOf(site, options.front);
    const ended = this.#observers.request(site, request, sent);
    if (front === undefined) {
      ended();
      throw new FrontAway(site, 'connection refused');
    }
    const number = ++this.#requests;
    const read = isPaced ? request : withPendingBody(request, this.#pending, number);
    return this.#answer(site, front, { request: read, number, sender, ended });
  }

  /** Opens a web socket at the front of a site, or returns the refusal. */
  socket(site: string, options: SocketOptions = {}): Promise<VirtualSocket | Response> {
    return this.#during(this.connect(site, options));
  }

  /** Opens a web socket. Time moves only while something else waits. */
  async connect(
    site: string,
    { target = '/ws', headers = {}, sender = client, ...options }: SocketOptions = {},
  ): Promise<VirtualSocket | Response> {
    const front = this.#frontOf(site, options.front);
    if (front?.webSockets === undefined) throw new FrontAway(site, 'connection refused');
    const fields = new Headers({ host: site, ...headers });
    const verdict = await front.webSockets.connect(target, sender, (name) => fields.get(name));
    if (verdict instanceof Response) return verdict;
    const observed = this.#observers.socket(site, clientOf(fields));
    const socket = new VirtualSocket((direction, text) => {
      this.journal.write(`socket ${site} ${direction} ${text}`);
      observed.message(direction, text);
    }, observed.end);
    front.sockets.add(socket);
    socket.open(verdict);
    return socket;
  }

  async openSocket(
    site: string,
    { token, sender }: SocketClient,
    listener: SocketListener,
  ): Promise<EventSocket | number> {
    try {
      const opened = await this.connect(site, { headers: { authorization: `Bearer ${token}` }, sender });
      if (opened instanceof Response) return opened.status;
      opened.listen(listener);
      return opened;
    } catch (error) {
      if (error instanceof FrontAway) return 0;
      throw error;
    }
  }

  observe<K extends ObservationKind = ObservationKind>(
    listener: Listener<K>,
    wanted?: ObservationFilter<K>,
  ): () => void {
    return this.#observers.add(listener, wanted);
  }

  get isSettled(): boolean {
    return this.cluster.isSettled;
  }

  census(options?: CensusOptions): Census[] {
    return [...this.cluster.census(options), this.outside.census()];
  }

  urls(): ReadonlyMap<string, string> {
    return new Map([...this.#fronts.keys()].map((name) => [name, `http://${name}.virtual`]));
  }

  async stop(): Promise<void> {
    this.outside.calmDown();
    await this.#during(this.cluster.stop());
    this.outside.stop();
  }

  during<T>(promise: Promise<T>): Promise<T> {
    return this.#during(promise, Number.POSITIVE_INFINITY);
  }

  /** Runs the world until `promise` has settled. */
  async #during<T>(promise: Promise<T>, mostMs = patienceMs): Promise<T> {
    if (await this.#settles(promise, mostMs)) return promise;
    throw new Error(`not settled within ${mostMs / 1_000} virtual seconds`);
  }

  /** Runs the world until `promise` has settled, or for `mostMs`. Returns whether it has. */
  #settles(promise: Promise<unknown>, mostMs: number): Promise<boolean> {
    let isSettled = false;
    const settle = () => {
      isSettled = true;
      this.time.wake();
    };
    promise.then(settle, settle);
    return this.#run(this.clock.now() + mostMs, () => isSettled);
  }

  /** Until `isDone` or `untilMs`. Awaiting code continues in between. */
  #run(untilMs: number, isDone: () => boolean): Promise<boolean> {
    return this.time.run(untilMs, isDone);
  }

  async #answer(site: string, front: OpenFront, asked: AskedRequest): Promise<Response> {
    const { request, number, sender = client, ended } = asked;
    const line = `${site} ${request.method} ${request.url}`;
    this.journal.write(`request ${line}`);
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
    await this.#pending.do(number, async () => {});
    this.journal.write(`answer ${line} ${whole.status} ${body}`);
    ended(whole, body);
    return whole;
  }

  /** The front of a ws instance, or of the first one of a site, in topology order, that is open. */
  #frontOf(site: string, name?: string): OpenFront | undefined {
    return this.map
      .instancesOf('ws')
      .filter((instance) => instance.site === site && (name ?? instance.name) === instance.name)
      .map((instance) => this.#fronts.get(instance.name))
      .find((front) => front !== undefined);
  }

  #doorOf(instance: InstanceEntry): HttpServer {
    return {
      open: async (handler, webSockets): Promise<OpenHttpServer> => {
        const gated: HttpHandler = (...request) =>
          new Promise((resolve, reject) => {
            const gate = this.cluster.gate(instance.node);
            if (gate === undefined) return reject(new FrontAway(instance.site, 'connection refused'));
            gate.pass(() => Promise.resolve(handler(...request)).then(resolve, reject));
          });
        const front: OpenFront = {
          handler: this.#observers.front(instance, gated),
          webSockets: webSockets && gatedSockets(webSockets, () => this.cluster.gate(instance.node)),
          sockets: new Set(),
          away: new Set(),
          onEmpty: () => {},
        };
        this.#fronts.set(instance.name, front);
        const leave = () => {
          if (this.#fronts.get(instance.name) === front) this.#fronts.delete(instance.name);
        };
        return {
          url: `http://${instance.name}.virtual`,
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
            for (const reset of front.away) reset();
            for (const socket of front.sockets) socket.cut();
          },
        };
      },
    };
  }
}

/** A client in the virtual world. */
export interface VirtualClientOptions extends ClientOptions {
  /** The ws instance that it connects to. Default: the first open one of the site. */
  readonly front?: string | undefined;
}

export interface SocketOptions extends VirtualClientOptions {
  readonly target?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RequestOptions extends VirtualClientOptions {
  /**
   * Whether the body arrives in virtual time, which moves while the front reads it. Default: it is complete at once.
   */
  readonly isPaced?: boolean;
}

interface AskedRequest {
  readonly request: Request;
  readonly number: number;
  readonly sender: string | undefined;
  /** Reports the end of the request to the observers. */
  readonly ended: RequestEnd;
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
