/**
 * The virtual world: one process, a clock that jumps to the next deadline, a simulated network, stores in memory.
 * The same topology and seed give the same journal, byte for byte.
 */
import type { DependencyContainer } from 'tsyringe';
import { quickJs } from '../../src/adapters/quickjs-sandbox.ts';
import type { ClusterMap } from '../../src/model/cluster/cluster-map.ts';
import { limits } from '../../src/model/limits.ts';
import type { Breakpoints } from '../../src/ports/instrumentation/breakpoints.ts';
import type { Census, CensusOptions } from '../../src/ports/instrumentation/probe.ts';
import type { Log } from '../../src/ports/log.ts';
import type { Sandbox } from '../../src/ports/sandbox.ts';
import { tokens } from '../../src/tokens.ts';
import { Faults } from '../faults/faults.ts';
import type { Listener, ObservationFilter, ObservationKind } from '../observation/observation.ts';
import { Observers, observedFaults } from '../observation/observers.ts';
import { OutsideWorld } from '../outside/outside-world.ts';
import { SeededFaultPoints } from '../ports/fault-points.ts';
import { Journal } from '../ports/journal.ts';
import { SimulatedNetwork } from '../ports/network.ts';
import { SeededRandom } from '../ports/random.ts';
import { SimulatedSamples } from '../ports/samples.ts';
import { type RecordsOnDisk, SimulatedStores } from '../ports/store.ts';
import { VirtualClock } from '../ports/virtual-clock.ts';
import type { WorldTracing } from '../tracing/world-tracing.ts';
import { Cluster } from './cluster.ts';
import { PendingWork } from './virtual/pending-work.ts';
import { TimeDriver } from './virtual/time-driver.ts';
import { VirtualFronts, type VirtualRequestOptions, type VirtualSocketOptions } from './virtual/virtual-fronts.ts';
import type { VirtualSocket } from './virtual/virtual-socket.ts';
import { bearing, type EventSocket, FrontAway, type SocketListener, type SocketOpener, type World } from './world.ts';
import { type WorldContents, worldScope } from './world-scope.ts';

export interface VirtualWorldOptions extends WorldContents {
  readonly seed: number | string;
  /** Its first moment, in milliseconds since the epoch. */
  readonly startMs?: number | undefined;
  readonly log?: Log;
  /** Keep the lines of the journal, not only their hash. */
  readonly keepJournal?: boolean;
  /** Whether there are phones and providers. Default true. */
  readonly outside?: boolean;
  /** Whether fault points may fire. Default false. */
  readonly faultPoints?: boolean;
  /** Where runs of scripts stop; default: nowhere. */
  readonly breakpoints?: Breakpoints | undefined;
  /** Registers other role makers in the scope of the process, for roles that a test plays itself. */
  readonly replaceRoles?: (scope: DependencyContainer) => void;
  /** Absent: nothing is traced. It does not change the journal. */
  readonly tracing?: WorldTracing | undefined;
}

/** When a virtual world begins, if nothing else is said. */
export const virtualStartMs = Date.UTC(2026, 0, 1);
const patienceMs = 60_000;
/** How long a client waits for an answer: a request for a call waits for X and then for Y, each of which may ring for five minutes. */
const clientPatienceMs = 2 * limits.longestRingMs + 60_000;
const silent: Log = { write: () => {}, child: () => silent };

/** The cluster of a topology does not settle when it starts. */
export class UnsettledCluster extends Error {}

export class VirtualWorld implements World {
  readonly mode = 'virtual';
  readonly map: ClusterMap;
  readonly faults: Faults;
  readonly journal: Journal;
  readonly clock: VirtualClock;
  readonly #pending = new PendingWork();
  /** Moves the time, and applies inputs between two events. */
  readonly time: TimeDriver;
  readonly cluster: Cluster;
  readonly here: Cluster;
  readonly outside: OutsideWorld;
  readonly samples: SimulatedSamples;
  /** Present if fault points may fire. */
  readonly faultPoints: SeededFaultPoints | undefined;
  readonly #observers = new Observers(() => this.clock.now());
  readonly #fronts: VirtualFronts;
  readonly #stores: SimulatedStores;

  constructor(options: VirtualWorldOptions) {
    const { map, seed, log = silent, keepJournal = false, faultPoints = false, breakpoints, tracing } = options;
    const clock = new VirtualClock(options.startMs ?? virtualStartMs);
    const random = new SeededRandom(seed);
    this.clock = clock;
    this.time = new TimeDriver(clock, this.#pending);
    this.map = map;
    this.journal = new Journal(clock, { keep: keepJournal });
    const observers = this.#observers;
    tracing?.attach(() => clock.now(), observers);
    const journaled = observers.log(this.journal.log(log));
    const onFrame = (from: string, to: string, frame: string) =>
      this.journal.write(`frame ${from} ${to} ${tracing?.untraced(frame) ?? frame}`);
    const network = new SimulatedNetwork({ map, clock, random: random.stream('network'), onFrame });
    const stores = new SimulatedStores({ clock, random: random.stream('faults') });
    this.#stores = stores;
    this.#fronts = new VirtualFronts({
      map,
      observers,
      journal: this.journal,
      pending: this.#pending,
      gateOf: (node) => this.cluster.gate(node),
    });
    this.samples = new SimulatedSamples(map.topology.matcher);
    const scope = worldScope(
      { samples: this.samples, ...options },
      {
        httpServerOf: (instance) => this.#fronts.serverOf(instance),
        sandbox: this.#sandbox(),
        outside: () => this.outside,
      },
    );
    this.faultPoints = faultPoints ? new SeededFaultPoints(random.fork('fault points')) : undefined;
    if (this.faultPoints !== undefined) scope.register(tokens.faultPoints, { useValue: this.faultPoints });
    if (breakpoints !== undefined) scope.register(tokens.breakpoints, { useValue: breakpoints });
    options.replaceRoles?.(scope);
    this.outside = new OutsideWorld({
      map,
      clock,
      random: random.fork('the world outside'),
      log: journaled,
      isInhabited: options.outside,
      onMessage: (sent) => {
        this.journal.write(`outside ${sent.from} ${sent.to} ${JSON.stringify(sent.message)}`);
        observers.report('outside.sent', sent);
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
      wipe: (node) => stores.wipe(node),
      observers,
    });
    this.here = this.cluster;
    this.faults = observedFaults(new Faults(this.cluster, this.outside), observers);
  }

  now(): number {
    return this.clock.now();
  }

  async start(): Promise<void> {
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

  request(site: string, request: Request, options: VirtualRequestOptions = {}): Promise<Response> {
    return this.answered(site, this.send(site, request, options));
  }

  /** Runs the world until a request is answered, at most as long as a client waits. */
  async answered(site: string, answer: Promise<Response>): Promise<Response> {
    if (await this.#settles(answer, clientPatienceMs)) return answer;
    throw new FrontAway(site, `no answer within ${clientPatienceMs / 1_000} s`);
  }

  /** Sends a request. Time moves only while something else waits. */
  send(site: string, request: Request, options: VirtualRequestOptions = {}): Promise<Response> {
    return this.#fronts.send(site, request, options);
  }

  /** Opens a web socket at the front of a site, or returns the refusal. */
  socket(site: string, options: VirtualSocketOptions = {}): Promise<VirtualSocket | Response> {
    return this.#during(this.connect(site, options));
  }

  /** Opens a web socket. Time moves only while something else waits. */
  connect(site: string, options: VirtualSocketOptions = {}): Promise<VirtualSocket | Response> {
    return this.#fronts.connect(site, options);
  }

  async openSocket(
    site: string,
    { token, headers = bearing(token), ...options }: SocketOpener,
    listener: SocketListener,
  ): Promise<EventSocket | number> {
    try {
      const opened = await this.connect(site, { headers, ...options });
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

  onDisk(): ReadonlyMap<string, RecordsOnDisk> {
    return this.#stores.onDisk();
  }

  census(options?: CensusOptions): Census[] {
    const cluster = this.cluster.census(options);
    return options?.of === undefined ? [...cluster, this.outside.census()] : cluster;
  }

  urls(): ReadonlyMap<string, string> {
    return this.#fronts.urls();
  }

  async stop(): Promise<void> {
    this.outside.stopLoad();
    await this.#during(this.cluster.stop());
    this.outside.stop();
  }

  /**
   * Ends it without the end of its nodes, which costs as much as a start: the fronts answer what is open and close, and nothing
   * happens any more. For a world of which nothing is asked afterwards.
   */
  async discard(): Promise<void> {
    await this.#during(this.cluster.closeFronts());
    this.clock.clear();
  }

  during<T>(promise: Promise<T>): Promise<T> {
    return this.#during(promise, Number.POSITIVE_INFINITY);
  }

  /** Time does not pass while the sandbox is loaded, in each world once: a run does not depend on those before it. */
  #sandbox(): Sandbox {
    let loading: Promise<void> | undefined;
    return {
      ready: () => {
        loading ??= this.#pending.do(0, quickJs.ready);
        return loading;
      },
      evaluate: quickJs.evaluate,
    };
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
}
