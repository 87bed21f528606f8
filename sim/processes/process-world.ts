/**
 * A world of which each node is a process: the nodes run in real time with real faults. Phones and providers are in this process,
 * which the nodes reach by their channels, and so are the observers.
 */
import { fetchClient } from '../../src/adapters/fetch-client.ts';
import { SystemClock } from '../../src/adapters/system-clock.ts';
import { systemRandom } from '../../src/adapters/system-random.ts';
import type { ClusterMap } from '../../src/model/cluster/cluster-map.ts';
import type { Census } from '../../src/ports/instrumentation/probe.ts';
import type { Log } from '../../src/ports/log.ts';
import type { OutsideLine } from '../../src/ports/outside.ts';
import type { Faults } from '../faults/faults.ts';
import type { Listener, ObservationFilter, ObservationKind } from '../observation/observation.ts';
import { Observers, observedFaults } from '../observation/observers.ts';
import { OutsideWorld } from '../outside/outside-world.ts';
import { Journal } from '../ports/journal.ts';
import { SeededRandom } from '../ports/random.ts';
import { FrontClient } from '../world/front-client.ts';
import type { EventSocket, SocketListener, SocketOpener, World, WorldClientOptions } from '../world/world.ts';
import { type FromNode, type Stamped, stampMs } from './messages.ts';
import { ProcessCluster, type ProcessClusterOptions } from './process-cluster.ts';
import { ProcessFaults } from './refusals.ts';

export interface ProcessWorldOptions
  extends Pick<ProcessClusterOptions, 'loaded' | 'port' | 'args' | 'env' | 'onLine' | 'data'> {
  readonly log: Log;
  /** Of the phones and of the draws of faults; default: random. */
  readonly seed?: number | undefined;
}

/** How often complete observations are handed on, and how long a start may take. */
const [mergeMs, startMs] = [20, 60_000];
const pollMs = 100;

export class ProcessWorld implements World {
  readonly mode = 'processes';
  readonly map: ClusterMap;
  readonly cluster: ProcessCluster;
  readonly outside: OutsideWorld;
  readonly faults: Faults;
  readonly journal: Journal;
  readonly clock = new SystemClock();
  /** Of this process: requests, faults, the world outside. */
  readonly #own = new Observers(() => this.clock.now());
  /** Of all processes, in order. */
  readonly #all = new Observers(() => this.clock.now());
  readonly #client: FrontClient;
  readonly #merged = new MergedObservations();
  readonly #lines = new Map<string, OutsideLine>();
  #merging: NodeJS.Timeout | undefined;
  #isAnnouncing = false;
  #isOver = false;

  constructor({ log, seed, ...options }: ProcessWorldOptions) {
    const { map } = options.loaded;
    const random = seed === undefined ? systemRandom : new SeededRandom(seed);
    this.map = map;
    this.journal = new Journal(this.clock);
    this.#client = new FrontClient({
      map,
      urls: () => this.urls(),
      observers: this.#own,
      wantsBody: () => this.#all.hasSubscriber('request.answered'),
    });
    this.#own.add((observation) => this.#add([stampMs(), observation]));
    this.outside = new OutsideWorld({
      map,
      clock: this.clock,
      random: random instanceof SeededRandom ? random.fork('the world outside') : random,
      log: this.#own.log(this.journal.log(log)),
      onMessage: (sent) => this.#own.report('outside.sent', sent),
      onEffect: (effect) => this.#own.report('effect.received', { ...effect }),
      transport: fetchClient,
      probe: this.#own,
    });
    this.cluster = new ProcessCluster({
      ...options,
      random: random.stream('faults'),
      subscriptions: () => this.#all.subscriptions,
      onMessage: (node, message) => this.#receive(node, message),
      onPaused: (node) => this.#merged.leave(node),
      onEnded: (node, isGraceful) => this.#onEnded(node, isGraceful),
    });
    this.faults = observedFaults(new ProcessFaults(this.cluster, this.outside), this.#own);
  }

  now(): number {
    return this.clock.now();
  }

  observedMs(): number {
    return Math.floor(this.#merged.untilMs);
  }

  async start(): Promise<void> {
    this.#merging = setInterval(() => this.#merged.advance(stampMs()), mergeMs);
    await this.cluster.start();
    const untilMs = this.now() + startMs;
    while (!this.isSettled && !this.#isOver) {
      if (this.now() > untilMs) throw new Error(`the cluster did not settle within ${startMs / 1_000} s`);
      await this.wait(pollMs);
    }
    if (!this.#isOver) await this.outside.start();
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

  observe<K extends ObservationKind = ObservationKind>(
    listener: Listener<K>,
    wanted?: ObservationFilter<K>,
  ): () => void {
    const stop = this.#all.add(listener, wanted);
    this.#announce();
    return () => {
      stop();
      this.#announce();
    };
  }

  get isSettled(): boolean {
    return this.cluster.isSettled;
  }

  census(): Census[] {
    return [...this.cluster.census(), this.outside.census()];
  }

  urls(): ReadonlyMap<string, string> {
    return this.cluster.fronts();
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    this.outside.stopLoad();
    await this.cluster.stop();
    this.outside.stop();
    clearInterval(this.#merging);
    this.#merged.advance(stampMs());
  }

  /** Says to the nodes what is observed, once for all changes of a turn. */
  #announce(): void {
    if (this.#isAnnouncing) return;
    this.#isAnnouncing = true;
    queueMicrotask(() => {
      this.#isAnnouncing = false;
      if (!this.#isOver) this.cluster.announce();
    });
  }

  #receive(node: string, message: FromNode): void {
    switch (message.type) {
      case 'observed':
        for (const each of message.observations) this.#add(each);
        if (!this.cluster.isPaused(node)) this.#merged.reported(node, message.untilMs);
        break;
      case 'census':
        // In its turn: oracles compare it with what they have observed.
        this.#merged.add(message.stampMs, () => this.cluster.keepCensus(node, message.census));
        break;
      case 'edge.attached':
        this.#attach(node, message.endpoint);
        break;
      case 'edge.detached':
        this.#detach(node, message.endpoint);
        break;
      case 'edge.sent':
        this.#lines.get(`${node} ${message.endpoint}`)?.send(message.to, message.message);
        break;
      case 'http.sent':
        void this.#deliver(node, message);
        break;
      case 'sms.sent':
        this.outside.sms.send(message.message);
        break;
      default:
    }
  }

  /** A request of a script. One that is sent again by control has the signature that it had. */
  async #deliver(node: string, { id, request, delivery }: FromNode & { type: 'http.sent' }): Promise<void> {
    const answer = await this.outside.deliveries.send(request, { ...delivery, signature: () => ({}) });
    this.cluster.send(node, { type: 'http.answered', id, answer });
  }

  #add([stamp, observation]: Stamped): void {
    this.#merged.add(stamp, () => this.#all.deliver(observation));
  }

  #attach(node: string, endpoint: string): void {
    const received = (message: Parameters<OutsideLine['send']>[1], from: string) =>
      this.cluster.send(node, { type: 'edge.received', endpoint, from, message });
    this.#lines.set(`${node} ${endpoint}`, this.outside.network.attach(endpoint, received));
  }

  #detach(node: string, endpoint: string): void {
    const key = `${node} ${endpoint}`;
    this.#lines.get(key)?.detach();
    this.#lines.delete(key);
  }

  #onEnded(node: string, isGraceful: boolean): void {
    for (const key of [...this.#lines.keys()]) {
      const [owner, endpoint = ''] = key.split(' ');
      if (owner === node) this.#detach(node, endpoint);
    }
    this.#merged.leave(node);
    if (!isGraceful) this.#own.report('node.ended', { node, isGraceful });
  }
}

/** A process that reports nothing for so long delays the others no more. */
const silentMs = 5_000;

interface Reported {
  readonly stampMs: number;
  readonly handOn: () => void;
}

/**
 * Merges what several processes report in the order of its times. It is handed on when every process that runs has reported until
 * its time.
 */
class MergedObservations {
  /** Until when each process has reported. */
  readonly #untilOf = new Map<string, number>();
  #waiting: Reported[] = [];
  #untilMs = 0;

  /** The time until which everything was handed on. */
  get untilMs(): number {
    return this.#untilMs;
  }

  add(stampMs: number, handOn: () => void): void {
    this.#waiting.push({ stampMs, handOn });
  }

  /** A process has reported everything until a time. */
  reported(process: string, untilMs: number): void {
    this.#untilOf.set(process, untilMs);
  }

  /** A process has ended, or reports nothing because it is paused. */
  leave(process: string): void {
    this.#untilOf.delete(process);
  }

  /** Hands on what is complete. */
  advance(nowMs: number): void {
    const talking = [...this.#untilOf.values()].filter((untilMs) => nowMs - untilMs < silentMs);
    this.#untilMs = Math.max(this.#untilMs, Math.min(nowMs, ...talking));
    const isDue = ({ stampMs }: Reported) => stampMs <= this.#untilMs;
    const due = this.#waiting.filter(isDue);
    if (due.length === 0) return;
    this.#waiting = this.#waiting.filter((each) => !isDue(each));
    for (const { handOn } of due.sort((one, other) => one.stampMs - other.stampMs)) handOn();
  }
}
