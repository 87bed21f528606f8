/**
 * A node: the server that hosts role instances. It joins its peers, watches them, brings envelopes to its instances,
 * and keeps these running. The same in both worlds; all of the world it has is its ports.
 */
import { type Actor, createActor } from 'xstate';
import { type NodeOrder, nodeMachine } from '../machines/node.ts';
import type { ClusterMap, InstanceEntry, NodeEntry } from '../model/cluster-map.ts';
import type { Envelope } from '../model/envelope.ts';
import type { BodyOf, TellType } from '../model/protocol/catalogue.ts';
import type { Clock } from '../ports/clock.ts';
import type { FaultPoints } from '../ports/fault-points.ts';
import type { Link } from '../ports/link.ts';
import type { Log } from '../ports/log.ts';
import type { Census, CensusOptions, Probe } from '../ports/probe.ts';
import type { Random } from '../ports/random.ts';
import type { Stores } from '../ports/store.ts';
import { actorClock } from './actor-clock.ts';
import { Arbiter } from './arbiter.ts';
import { type Ask, Asks } from './asks.ts';
import { Counters } from './counters.ts';
import { Failover } from './failover.ts';
import { RoleInstance } from './instance.ts';
import { Lives } from './lives.ts';
import { NodeDesk } from './node-desk.ts';
import { Peers } from './peers.ts';
import { Quorum } from './quorum.ts';
import type { RoleFactory } from './role.ts';
import { Router } from './router.ts';
import { ScopedClock } from './scoped-clock.ts';
import { Supervisor } from './supervisor.ts';
import { View } from './view.ts';

export interface NodeOptions {
  readonly map: ClusterMap;
  readonly name: string;
  readonly clock: Clock;
  readonly link: Link;
  readonly stores: Stores;
  readonly random: Random;
  readonly log: Log;
  readonly faultPoints: FaultPoints;
  readonly makeRole: RoleFactory;
  /** Somebody has terminated the node through the interface, and it has left. */
  readonly onTerminated: () => void;
  /** Who looks on, if somebody does. */
  readonly probe?: Probe | undefined;
}

export class Node {
  readonly entry: NodeEntry;
  readonly counters: Counters;
  readonly #options: NodeOptions;
  readonly #clock: ScopedClock;
  readonly #life: Actor<typeof nodeMachine>;
  readonly #supervisors = new Map<string, Supervisor>();
  #parts: Parts | undefined;
  readonly #left: Promise<void>;
  #onLeft: () => void = () => {};
  #startedMs = 0;
  #isOver = false;

  constructor(options: NodeOptions) {
    this.#options = options;
    this.entry = options.map.node(options.name);
    this.counters = new Counters({ address: this.entry.address, probe: options.probe });
    this.#clock = new ScopedClock(options.clock);
    this.#life = createActor(nodeMachine, { clock: actorClock(this.#clock) });
    this.#life.on('*', (order) => this.#obey(order));
    this.#left = new Promise((resolve) => {
      this.#onLeft = resolve;
    });
  }

  get status(): string {
    return this.#life.getSnapshot().value;
  }

  /** What this node sees of the cluster; only once it has started. */
  get view(): View {
    return this.#running.view;
  }

  /** What the node and each of its instances hold now. */
  census(options?: CensusOptions): Census[] {
    const asks = this.#parts?.asks.openByOwner();
    const own = { of: this.entry.address, counts: this.counters.gauges() };
    const instances = [...this.#supervisors.values()].flatMap(({ instance }) => instance?.census(options) ?? []);
    // The clocks of the instances run on that of the node.
    const theirs = instances.reduce((sum, { counts }) => sum + (counts.get('timers') ?? 0), 0);
    own.counts.set('timers', this.#clock.pending - theirs);
    return [own, ...instances].map(({ of, counts }) => ({
      of,
      counts: new Map([...counts, ['asks', asks?.get(of) ?? 0]]),
    }));
  }

  /** Asks of this node that wait for an answer; 0 after its end. */
  get openAsks(): number {
    return this.#parts?.asks.open ?? 0;
  }

  /** Timers that have not fired; 0 after its end. */
  get openTimers(): number {
    return this.#clock.pending;
  }

  /** Whether what it says of the cluster rests on pings and its site's part of the cluster is settled. */
  get isReady(): boolean {
    return this.#parts !== undefined && this.status === 'serving' && this.#parts.view.isFormed;
  }

  /** Asks in the name of this node; only once it has started. */
  get ask(): Ask {
    return this.#running.asks.of(this.entry.address);
  }

  instance(name: string): RoleInstance | undefined {
    return this.#supervisors.get(name)?.instance;
  }

  /** Resolves when it listens and its instances have started, or when it ended before; its peers are met after that. */
  async start(): Promise<void> {
    this.#startedMs = this.#clock.now();
    const lives = await Lives.begin({ stores: this.#options.stores, clock: this.#clock, log: this.#options.log });
    if (this.#isOver) return;
    this.#parts = this.#assemble(lives);
    const { router, peers } = this.#parts;
    this.#life.start();
    if (this.status === 'stopped') return;
    await this.#options.link.open({
      received: (peer, frame) => router.receive(peer, frame),
      connected: (peer) => peers.greet(peer),
      disconnected: (peer, reason) => this.#options.log.write('debug', 'link.lost', { peer, reason }),
    });
    this.#life.send({ type: 'listening' });
  }

  /** Lets no request in any more; resolves when those inside are answered. */
  async closeFronts(): Promise<void> {
    const fronts = this.entry.instances.filter((instance) => instance.role === 'ws');
    await Promise.all(fronts.map((front) => this.#supervisors.get(front.name)?.drain()));
  }

  /** Finishes what is under way, requests first, then leaves. Never resolves if it crashes meanwhile. */
  stop(): Promise<void> {
    this.#life.send({ type: 'drain.requested' });
    return this.#left;
  }

  /** Ends at once: connections drop, timers never fire, memory is lost. */
  crash(): void {
    for (const supervisor of this.#supervisors.values()) supervisor.halt();
    this.#options.link.crash();
    this.#life.stop();
    this.#end();
  }

  /** Ends one instance as a bug would. False when it does not run. */
  crashInstance(name: string): boolean {
    const instance = this.instance(name);
    instance?.crash(new Error('told to crash'));
    return instance !== undefined;
  }

  /** Starts an instance that waits for its restart, or was given up. False when there is none of this name. */
  restartInstance(name: string): boolean {
    const supervisor = this.#supervisors.get(name);
    supervisor?.restart();
    return supervisor !== undefined;
  }

  get #running(): Parts {
    if (this.#parts === undefined) throw new Error(`node ${this.entry.name} has not started`);
    return this.#parts;
  }

  #assemble(lives: Lives): Parts {
    const { map, link, log } = this.#options;
    const { timings } = map.topology;
    const clock = this.#clock;
    const view = new View(map, this.entry.name, lives.incarnation);
    const deliver = (envelope: Envelope) => this.#deliver(envelope);
    const router = new Router({ view, link, clock, log, counters: this.counters, deliver });
    const { probe } = this.#options;
    const asks = new Asks(router, clock, { probe });
    const tell = <T extends TellType>(peer: NodeEntry, type: T, body: BodyOf<T>) => {
      const { address: from } = this.entry;
      router.sendToPeer(peer.name, { id: router.nextId(), kind: 'tell', type, from, to: peer.address, hops: 0, body });
    };
    const onDoubted = (peer: string) => link.reset(peer);
    const peers = new Peers({ map, view, clock, log, timings, tell, onDoubted, probe });
    const claimEveryMs = timings.pingIntervalMs;
    const arbiters = map.site(this.entry.site).arbiters.map((name) => map.node(name));
    const ask = asks.of(this.entry.address);
    const quorum = new Quorum({ view, clock, log, ask, arbiters, claimEveryMs, onChange: () => failover.look() });
    const failover = new Failover({
      map,
      view,
      clock,
      takeoverMs: timings.takeoverMs,
      isQuorate: () => quorum.isQuorate,
      decide: (instance, verdict) => this.instance(instance.name)?.decide(verdict),
    });
    view.onChange(() => asks.giveUp((node) => view.isReachable(node)));
    view.onChange(() => quorum.look());
    view.onChange(() => failover.look());
    const desk = new NodeDesk({
      router,
      peers,
      arbiter: new Arbiter({ map, view, clock, leaseMs: 3 * claimEveryMs, isQuorate: () => quorum.isQuorate }),
      describe: () => ({ startedMs: this.#startedMs, status: this.status, instances: this.#describeInstances() }),
      terminate: () => this.#terminate(),
      terminateInstance: (name) => this.crashInstance(name),
    });
    return { lives, view, router, asks, peers, quorum, failover, desk };
  }

  #describeInstances() {
    return [...this.#supervisors].map(([name, { instance }]) => ({
      name,
      status: instance?.status ?? ('stopped' as const),
      startedMs: instance?.startedMs ?? 0,
    }));
  }

  #deliver(envelope: Envelope): void {
    const { router, asks, desk } = this.#running;
    this.#options.probe?.delivered(this.entry.name, envelope);
    if (envelope.kind === 'reply' || envelope.kind === 'fault') {
      if (!asks.receive(envelope)) router.deadLetter(envelope, 'answer_too_late');
      return;
    }
    if (envelope.to === this.entry.address) return desk.receive(envelope);
    const name = envelope.to.slice(this.entry.address.length + 1);
    const instance = this.instance(name);
    if (instance !== undefined) return instance.receive(envelope);
    router.deadLetter(envelope, 'no_such_instance');
    return router.refuse(envelope, 'unreachable', `${envelope.to} is not running`);
  }

  #obey(order: NodeOrder): void {
    switch (order.type) {
      case 'start.instances':
        for (const entry of this.entry.instances) this.#supervise(entry);
        this.#running.quorum.start();
        this.#running.peers.start();
        break;
      case 'drain.instances':
        this.#drain().then(() => this.#life.send({ type: 'drained' }));
        break;
      case 'leave':
        this.#options.link.close().then(() => {
          this.#end();
          this.#onLeft();
        });
        break;
      case 'fact.unexpected':
        this.counters.add(`fact.unexpected.node.${order.fact}`);
        break;
    }
  }

  async #drain(): Promise<void> {
    await this.closeFronts();
    await Promise.all([...this.#supervisors.values()].map((supervisor) => supervisor.drain()));
  }

  #supervise(entry: InstanceEntry): void {
    const log = this.#options.log.child({ instance: entry.name });
    const backoffMs = this.#options.map.topology.timings.restartBackoffMs;
    const make = (onCrash: () => void) => this.#makeInstance(entry, log, onCrash);
    const supervisor = new Supervisor({ clock: this.#clock, log, backoffMs, make });
    this.#supervisors.set(entry.name, supervisor);
    supervisor.start();
  }

  #makeInstance(entry: InstanceEntry, log: Log, onCrash: () => void): RoleInstance {
    const { map, random, makeRole, faultPoints, probe } = this.#options;
    const { lives, view, router, asks } = this.#running;
    const epoch = lives.nextEpoch();
    const counters = this.counters.of(entry.address);
    const clock = new ScopedClock(this.#clock);
    return new RoleInstance({
      factory: makeRole,
      scope: { instance: entry, epoch, map, view, clock, random, log, counters, faultPoints },
      router,
      asks,
      onStatus: (status) => {
        log.write('info', 'instance.status', { status });
        probe?.instanceStatus(entry.address, status);
        view.setInstance(entry.name, status);
      },
      onCrash,
    });
  }

  #terminate(): void {
    this.#clock.setTimer(0, () => void this.stop().then(this.#options.onTerminated));
  }

  #end(): void {
    this.#isOver = true;
    this.#clock.end();
    this.#parts?.quorum.stop();
    this.#parts?.router.close();
    this.#parts?.asks.abandonAll();
  }
}

interface Parts {
  readonly lives: Lives;
  readonly view: View;
  readonly router: Router;
  readonly asks: Asks;
  readonly peers: Peers;
  readonly quorum: Quorum;
  readonly failover: Failover;
  readonly desk: NodeDesk;
}
