/** The live world: the same nodes in real time, with real WebSockets between them and real HTTP fronts. */

import { fetchClient } from '../../src/adapters/fetch-client.ts';
import { NodeHttpServer, type TlsIdentity } from '../../src/adapters/http-server.ts';
import { loadedSandbox, loadSandbox } from '../../src/adapters/quickjs-sandbox.ts';
import { SystemClock } from '../../src/adapters/system-clock.ts';
import { systemRandom } from '../../src/adapters/system-random.ts';
import { WsLink } from '../../src/adapters/ws-link.ts';
import { composeProcess } from '../../src/compose.ts';
import type { Origins } from '../../src/http/origins.ts';
import type { ClusterMap, InstanceEntry } from '../../src/model/cluster/cluster-map.ts';
import type { HttpLimits } from '../../src/model/limits.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { HttpHandler, HttpServer, OpenHttpServer, WebSockets } from '../../src/ports/http-server.ts';
import type { Link } from '../../src/ports/link.ts';
import type { Log } from '../../src/ports/log.ts';
import type { Outside } from '../../src/ports/outside.ts';
import type { Census, CensusOptions } from '../../src/ports/probe.ts';
import type { Random } from '../../src/ports/random.ts';
import type { SampleFolder } from '../../src/ports/samples.ts';
import type { Stores } from '../../src/ports/store.ts';
import type { MetadataFiles } from '../../src/services/user-interface.ts';
import type { WebApps } from '../../src/services/web-apps.ts';
import { tokens } from '../../src/tokens.ts';
import { Faults } from '../faults/faults.ts';
import type { Listener, ObservationFilter, ObservationKind } from '../oracles/observation.ts';
import { Observers, observedFaults } from '../oracles/observers.ts';
import { OutsideWorld } from '../outside/outside.ts';
import { Journal } from '../ports/journal.ts';
import { SeededRandom } from '../ports/random.ts';
import { SimulatedSamples } from '../ports/samples.ts';
import type { WorldTracing } from '../tracing/world-tracing.ts';
import { Cluster, type InspectNode } from './cluster.ts';
import { openFrontSocket, requestFront } from './front-request.ts';
import { gatedSockets } from './gated-sockets.ts';
import {
  type ClientOptions,
  type EventSocket,
  FrontAway,
  type SocketClient,
  type SocketListener,
  type World,
} from './world.ts';

export interface LiveWorldOptions {
  readonly map: ClusterMap;
  readonly webApps: WebApps;
  /** Files of the metadata folder. */
  readonly metadataFiles?: MetadataFiles | undefined;
  /** The folder of the audio matchers; default: that of the topology. */
  readonly samples?: SampleFolder | undefined;
  /** Whether fronts refuse the extensions of this product. Default false. */
  readonly isStrict?: boolean;
  readonly log: Log;
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
  /** Allowed origins besides the fronts' own. Default: none. */
  readonly origins?: Origins | undefined;
  /** The stores of a node, and the stores that the nodes of a site share. */
  readonly storesOf: (owner: string) => Stores;
  /** Seed of the random numbers; default: random. */
  readonly seed?: number | string;
  /** Cluster secret; default: the topology's, else a fresh one. */
  readonly secret?: string;
  /** Where the links of these nodes listen; default: the host of their addresses. */
  readonly linkHost?: string | undefined;
  /** Run only these nodes; other processes run the rest, at their addresses in the topology. */
  readonly nodes?: readonly string[];
  /** Receives XState's inspection events of every node. */
  readonly inspect?: InspectNode | undefined;
  /** Absent: nothing is traced. */
  readonly tracing?: WorldTracing | undefined;
  /** Whether there are phones and providers. Default true. */
  readonly outside?: boolean;
  /** The network outside, if another process has it. */
  readonly edges?: Outside | undefined;
  /** How long a stop may take; nodes that need longer crash. Default: as long as they need. */
  readonly stopMs?: number;
}

/** How long a stop by a signal may take: container engines and init systems wait for it. */
export const signalStopMs = 1_600;

const loopback = '127.0.0.1';
const patienceMs = 30_000;

export class LiveWorld implements World {
  readonly mode = 'live';
  readonly map: ClusterMap;
  readonly faults: Faults;
  readonly journal: Journal;
  readonly cluster: Cluster;
  readonly outside: OutsideWorld;
  readonly #options: LiveWorldOptions;
  readonly clock: Clock = new SystemClock();
  readonly #observers = new Observers(() => this.clock.now());
  readonly #random: Random;
  readonly #secret: string;
  readonly #linkUrls = new Map<string, string>();
  readonly #doors: Map<string, HttpServer>;
  readonly #links = new Map<string, WsLink>();
  readonly #urls = new Map<string, string>();
  /** Callers that wait until the world is up. */
  #waiting: { succeed(): void; fail(failure: Error): void; leave(): void } | undefined;

  constructor(options: LiveWorldOptions) {
    const { map, webApps, metadataFiles, log, seed } = options;
    this.#options = options;
    this.#doors = options.servers ?? new Map();
    this.map = map;
    this.#random = seed === undefined ? systemRandom : new SeededRandom(seed);
    this.#secret =
      options.secret ?? map.topology.secret ?? Buffer.from(systemRandom.stream('ids').bytes(32)).toString('hex');
    this.journal = new Journal(this.clock);
    const scope = composeProcess();
    scope.register(tokens.map, { useValue: map });
    scope.register(tokens.webApps, { useValue: webApps });
    if (metadataFiles !== undefined) scope.register(tokens.metadataFiles, { useValue: metadataFiles });
    scope.register(tokens.isStrict, { useValue: options.isStrict ?? false });
    if (options.origins !== undefined) scope.register(tokens.origins, { useValue: options.origins });
    scope.register(tokens.samples, { useValue: options.samples ?? new SimulatedSamples(map.topology.matcher) });
    scope.register(tokens.httpServerOf, { useValue: (instance: InstanceEntry) => this.#doorOf(instance) });
    scope.register(tokens.sandbox, { useFactory: loadedSandbox });
    scope.register(tokens.httpClient, { useFactory: () => this.outside.deliveries });
    scope.register(tokens.sms, { useFactory: () => this.outside.sms });
    const observers = this.#observers;
    options.tracing?.attach(() => this.clock.now(), observers);
    const journaled = observers.log(this.journal.log(log));
    this.outside = new OutsideWorld({
      map,
      clock: this.clock,
      random: this.#randomOf('the world outside'),
      log: journaled,
      nodes: options.nodes,
      isInhabited: options.outside,
      onMessage: (from, to, message) => observers.report('outside.sent', { from, to, message }),
      onEffect: (effect) => observers.report('effect.received', { ...effect }),
      probe: observers,
      transport: fetchClient,
    });
    this.cluster = new Cluster({
      map,
      inspect: options.inspect,
      tracing: options.tracing,
      clock: this.clock,
      random: this.#random,
      log: journaled,
      scope,
      outside: options.edges ?? this.outside.network,
      portsOf: (node) => ({
        link: this.#linkOf(node),
        stores: options.storesOf(node),
        siteStores: options.storesOf(map.node(node).site),
        random: this.#randomOf(node),
      }),
      observers,
    });
    this.faults = observedFaults(new Faults(this.cluster, this.outside), observers);
  }

  now(): number {
    return this.clock.now();
  }

  async start(): Promise<void> {
    await loadSandbox();
    const settled = this.#settled();
    await Promise.all([this.cluster.start(this.#options.nodes).then(() => this.#look()), settled]);
    await this.outside.start();
  }

  /** Resolves when the world is up; rejects if a front cannot open, or after a long time. */
  #settled(): Promise<void> {
    return new Promise((resolve, reject) => {
      const impatience = this.clock.setTimer(patienceMs, () =>
        end(() => reject(new Error(`the cluster did not settle within ${patienceMs / 1_000} s`))),
      );
      const stopLooking = this.cluster.onChange(() => this.#look());
      const end = (settle: () => void) => {
        impatience.cancel();
        stopLooking();
        this.#waiting = undefined;
        settle();
      };
      this.#waiting = {
        succeed: () => end(resolve),
        fail: (failure) => end(() => reject(failure)),
        leave: () => end(() => {}),
      };
    });
  }

  /** Checks again whether the world is up: all of it, or the fronts of this process if others run the rest. */
  #look(): void {
    const { nodes } = this.#options;
    const fronts = this.map.instancesOf('ws').filter(({ node }) => nodes === undefined || nodes.includes(node));
    const isUp = (nodes !== undefined || this.cluster.isSettled) && fronts.every(({ name }) => this.#urls.has(name));
    if (isUp) this.#waiting?.succeed();
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.clock.setTimer(ms, resolve);
    });
  }

  during<T>(promise: Promise<T>): Promise<T> {
    return promise;
  }

  async request(site: string, request: Request, { sent }: ClientOptions = {}): Promise<Response> {
    const front = this.map.instancesOf('ws').find((each) => each.site === site && this.#urls.has(each.name));
    const ended = this.#observers.request(site, request, sent);
    if (front === undefined) {
      ended();
      throw new FrontAway(site, 'no front is open at this site');
    }
    const wantsBody = this.#observers.hasSubscriber('request.answered');
    return requestFront({ site, url: this.#urls.get(front.name) ?? '', request, ended, wantsBody });
  }

  async openSocket(site: string, { token }: SocketClient, listener: SocketListener): Promise<EventSocket | number> {
    const front = this.map.instancesOf('ws').find((each) => each.site === site && this.#urls.has(each.name));
    const url = front && this.#urls.get(front.name);
    if (url === undefined) return 0;
    return openFrontSocket({ url, token, observed: this.#observers.socket(site, token), listener });
  }

  get nodes(): readonly string[] | undefined {
    return this.#options.nodes;
  }

  observe<K extends ObservationKind = ObservationKind>(
    listener: Listener<K>,
    wanted?: ObservationFilter<K>,
  ): () => void {
    return this.#observers.add(listener, wanted);
  }

  get here(): Cluster {
    return this.cluster;
  }

  get isSettled(): boolean {
    return this.cluster.isSettled;
  }

  census(options?: CensusOptions): Census[] {
    return [...this.cluster.census(options), this.outside.census()];
  }

  queuedFrames(): ReadonlyMap<string, number> {
    return new Map([...this.#links].map(([node, link]) => [node, link.queuedFrames]));
  }

  urls(): ReadonlyMap<string, string> {
    return this.#urls;
  }

  /** Ends every node. A start in progress is abandoned. */
  async stop(): Promise<void> {
    this.#waiting?.leave();
    this.outside.calmDown();
    await this.cluster.stop(this.#options.stopMs);
    this.outside.stop();
  }

  #randomOf(node: string): Random {
    return this.#random instanceof SeededRandom ? this.#random.fork(node) : this.#random;
  }

  /** Of two peers the first in the topology dials. */
  #linkOf(node: string): Link {
    const { map } = this;
    const order = [...map.nodes.keys()];
    const peers = map.peersOf(node).map((peer) => peer.name);
    const isDialled = (peer: string) => order.indexOf(node) < order.indexOf(peer);
    const { reconnectMinMs, reconnectMaxMs } = map.topology.timings;
    const link = new WsLink({
      self: node,
      listen: this.#isShared ? { host: loopback, port: 0 } : this.#listenAddress(node),
      dials: peers.filter(isDialled),
      awaits: peers.filter((peer) => !isDialled(peer)),
      urlOf: (peer) => this.#linkUrls.get(peer) ?? (this.#isShared ? undefined : `ws://${this.#linkAddress(peer)}`),
      secret: this.#secret,
      clock: this.clock,
      jitter: this.#randomOf(node).stream('jitter'),
      reconnect: { minMs: reconnectMinMs, maxMs: reconnectMaxMs },
      onListening: (url) => {
        if (this.#isShared) this.#linkUrls.set(node, url);
      },
    });
    this.#links.set(node, link);
    return link;
  }

  /** Whether all nodes are in this process, so that their links may take any free port. */
  get #isShared(): boolean {
    return this.#options.nodes === undefined;
  }

  #linkAddress(node: string): string {
    const address = this.#topologyNode(node).link;
    if (address === undefined)
      throw new Error(`node "${node}" needs a "link" address in the topology to run by itself`);
    return address;
  }

  #listenAddress(node: string): { host: string; port: number } {
    const { host, port } = splitAddress(this.#linkAddress(node));
    return { host: this.#options.linkHost ?? host, port };
  }

  #topologyNode(name: string) {
    const node = this.map.topology.sites.flatMap((site) => site.nodes).find((each) => each.name === name);
    if (node === undefined) throw new Error(`no node named "${name}"`);
    return node;
  }

  #doorOf(instance: InstanceEntry): HttpServer {
    const door =
      this.#doors.get(instance.name) ??
      new NodeHttpServer({ ...this.#frontAddress(instance), tls: this.#options.tls, limits: this.#options.limits });
    this.#doors.set(instance.name, door);
    return {
      open: async (handler, sockets) => {
        const gated = sockets && gatedSockets(sockets, () => this.cluster.gate(instance.node));
        const open = await this.#openDoor(instance, door, handler, gated);
        this.#urls.set(instance.name, open.url);
        this.#look();
        const leave = () => void this.#urls.delete(instance.name);
        return {
          url: open.url,
          close: () => {
            leave();
            return open.close();
          },
          abort: () => {
            leave();
            open.abort();
          },
        };
      },
    };
  }

  async #openDoor(
    instance: InstanceEntry,
    door: HttpServer,
    handler: HttpHandler,
    sockets?: WebSockets,
  ): Promise<OpenHttpServer> {
    try {
      const { wrap = (own) => own } = this.#options;
      const gated = wrap((...request) => this.#gated(instance, () => handler(...request)));
      return await door.open(this.#observers.front(instance, gated), sockets);
    } catch (error) {
      const { host, port } = this.#frontAddress(instance);
      const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      const reason = isTaken ? 'the address is taken; try --port 0' : String(error);
      const failure = new Error(`${instance.address} cannot listen on ${host}:${port}: ${reason}`);
      this.#waiting?.fail(failure);
      throw failure;
    }
  }

  /** A paused node answers after its resume. */
  #gated(instance: InstanceEntry, answer: () => Response | Promise<Response>): Response | Promise<Response> {
    const gate = this.cluster.gate(instance.node);
    if (gate === undefined || !gate.isShut) return answer();
    return new Promise((resolve, reject) => gate.pass(() => Promise.resolve(answer()).then(resolve, reject)));
  }

  #frontAddress(instance: InstanceEntry): { host: string; port: number } {
    const { host, port } = this.#options;
    const address = this.#topologyNode(instance.node).http;
    if (!this.#isShared && address !== undefined) return splitAddress(address);
    const index = this.map.instancesOf('ws').indexOf(instance);
    return { host, port: port === 0 ? 0 : port + index };
  }
}

export function splitAddress(address: string): { host: string; port: number } {
  const colon = address.lastIndexOf(':');
  return { host: address.slice(0, colon), port: Number(address.slice(colon + 1)) };
}
