/** The live world: the same nodes in real time, with real WebSockets between them and real HTTP fronts. */

import { fetchClient } from '../../src/adapters/fetch-client.ts';
import { quickJs } from '../../src/adapters/quickjs-sandbox.ts';
import { SystemClock } from '../../src/adapters/system-clock.ts';
import { systemRandom } from '../../src/adapters/system-random.ts';
import type { Origins } from '../../src/http/origins.ts';
import type { ClusterMap } from '../../src/model/cluster/cluster-map.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Census, CensusOptions } from '../../src/ports/instrumentation/probe.ts';
import type { Log } from '../../src/ports/log.ts';
import type { Outside } from '../../src/ports/outside.ts';
import type { Random } from '../../src/ports/random.ts';
import { tokens } from '../../src/tokens.ts';
import { Faults } from '../faults/faults.ts';
import type { Listener, ObservationFilter, ObservationKind } from '../observation/observation.ts';
import { Observers, observedFaults } from '../observation/observers.ts';
import { OutsideWorld } from '../outside/outside-world.ts';
import { Journal } from '../ports/journal.ts';
import { SeededRandom } from '../ports/random.ts';
import type { WorldStores } from '../ports/store.ts';
import type { WorldTracing } from '../tracing/world-tracing.ts';
import { Cluster, type InspectNode } from './cluster.ts';
import { FrontClient } from './front-client.ts';
import { LiveFronts, type LiveFrontsOptions } from './live-fronts.ts';
import { LiveLinks } from './live-links.ts';
import type { EventSocket, SocketListener, SocketOpener, World, WorldClientOptions } from './world.ts';
import { type OtherSystems, type WorldContents, worldScope } from './world-scope.ts';

export interface LiveWorldOptions extends WorldContents, LiveFrontsOptions {
  /** Whether fronts refuse the extensions of this product. Default false. */
  readonly isStrict?: boolean;
  readonly log: Log;
  /** Allowed origins besides the fronts' own. Default: none. */
  readonly origins?: Origins | undefined;
  /** The stores of a node, and the stores that the nodes of a site share. */
  readonly stores: WorldStores;
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
  /** The systems to which scripts send, if another process has them. */
  readonly otherSystems?: OtherSystems | undefined;
  /** How long a stop may take; nodes that need longer crash. Default: as long as they need. */
  readonly stopMs?: number;
}

/** How long a stop by a signal may take: container engines and init systems wait for it. */
export const signalStopMs = 1_600;

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
  readonly #links: LiveLinks;
  readonly #fronts: LiveFronts;
  readonly #client: FrontClient;
  /** Callers that wait until the world is up. */
  #waiting: { succeed(): void; fail(failure: Error): void; leave(): void } | undefined;

  constructor(options: LiveWorldOptions) {
    const { map, log, seed, nodes } = options;
    this.#options = options;
    this.map = map;
    this.#random = seed === undefined ? systemRandom : new SeededRandom(seed);
    const isByTopology = nodes !== undefined;
    this.#links = new LiveLinks({
      map,
      clock: this.clock,
      secret: options.secret ?? map.topology.secret ?? freshSecret(),
      isByTopology,
      host: options.linkHost,
      randomOf: (node) => this.#randomOf(node),
    });
    this.journal = new Journal(this.clock);
    const observers = this.#observers;
    this.#fronts = new LiveFronts(options, {
      map,
      isByTopology,
      observers,
      gateOf: (node) => this.cluster.gate(node),
      onOpen: () => this.#look(),
      onFailure: (failure) => this.#waiting?.fail(failure),
    });
    this.#client = new FrontClient({
      map,
      urls: () => this.urls(),
      observers,
      wantsBody: () => observers.hasSubscriber('request.answered'),
    });
    const scope = worldScope(options, {
      httpServerOf: (instance) => this.#fronts.serverOf(instance),
      sandbox: quickJs,
      outside: () => options.otherSystems ?? this.outside,
    });
    scope.register(tokens.isStrict, { useValue: options.isStrict ?? false });
    if (options.origins !== undefined) scope.register(tokens.origins, { useValue: options.origins });
    options.tracing?.attach(() => this.clock.now(), observers);
    const journaled = observers.log(this.journal.log(log));
    this.outside = new OutsideWorld({
      map,
      clock: this.clock,
      random: this.#randomOf('the world outside'),
      log: journaled,
      nodes: options.nodes,
      isInhabited: options.outside,
      onMessage: (sent) => observers.report('outside.sent', sent),
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
        link: this.#links.linkOf(node),
        stores: options.stores.of(node),
        siteStores: options.stores.of(map.node(node).site),
        random: this.#randomOf(node),
      }),
      wipe: (node) => options.stores.wipe(node),
      observers,
    });
    this.faults = observedFaults(new Faults(this.cluster, this.outside), observers);
  }

  now(): number {
    return this.clock.now();
  }

  async start(): Promise<void> {
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
    const isUp = (nodes !== undefined || this.cluster.isSettled) && fronts.every(({ name }) => this.urls().has(name));
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

  request(site: string, request: Request, options?: WorldClientOptions): Promise<Response> {
    return this.#client.request(site, request, options);
  }

  openSocket(site: string, client: SocketOpener, listener: SocketListener): Promise<EventSocket | number> {
    return this.#client.openSocket(site, client, listener);
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
    const cluster = this.cluster.census(options);
    return options?.of === undefined ? [...cluster, this.outside.census()] : cluster;
  }

  queuedFrames(): ReadonlyMap<string, number> {
    return this.#links.queuedFrames();
  }

  urls(): ReadonlyMap<string, string> {
    return this.#fronts.urls;
  }

  /** Ends every node. A start in progress is abandoned. */
  async stop(): Promise<void> {
    this.#waiting?.leave();
    this.outside.stopLoad();
    await this.cluster.stop(this.#options.stopMs);
    this.outside.stop();
  }

  #randomOf(node: string): Random {
    return this.#random instanceof SeededRandom ? this.#random.fork(node) : this.#random;
  }
}

function freshSecret(): string {
  return Buffer.from(systemRandom.stream('ids').bytes(32)).toString('hex');
}
