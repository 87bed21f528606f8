/**
 * A node: hosts role instances as the root of an actor system. It connects to its peers, monitors them, delivers envelopes
 * to its instances and keeps these running. The same in both worlds: it uses the world through its ports only.
 */
import { type Actor, type AnyActorRef, createActor } from 'xstate';
import {
  type ActorTree,
  actorClock,
  actorTree,
  type FindActor,
  type Inspect,
  lazily,
  objectLogic,
  withCommands,
} from '../actors/actor-logic.ts';
import { Counters } from '../actors/counters.ts';
import { ScopedClock } from '../actors/scoped-clock.ts';
import { type NodeCommand, nodeMachine, supervisorId } from '../machines/cluster/node.ts';
import { type SupervisionCommand, supervisionMachine } from '../machines/cluster/supervision.ts';
import type { ClusterMap, NodeEntry } from '../model/cluster/cluster-map.ts';
import type { Envelope } from '../model/cluster/envelope.ts';
import type { Clock } from '../ports/clock.ts';
import { type FaultPoints, InjectedCrash } from '../ports/instrumentation/fault-points.ts';
import type { Census, CensusOptions, Probe } from '../ports/instrumentation/probe.ts';
import type { Tracing } from '../ports/instrumentation/tracing.ts';
import type { Link } from '../ports/link.ts';
import type { Log, LogLevel } from '../ports/log.ts';
import type { Random } from '../ports/random.ts';
import type { Stores } from '../ports/store.ts';
import type { RoleInstance } from './instance.ts';
import { LogLevels } from './log-levels.ts';
import { Incarnations } from './membership/incarnations.ts';
import type { PeersEvent } from './membership/peers.ts';
import type { ClusterView } from './membership/view.ts';
import type { Ask } from './messaging/asks.ts';
import { NodeInstances } from './node-instances.ts';
import { assembleNode, type NodeParts } from './node-parts.ts';
import type { RoleFactory } from './role.ts';

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
  /** Called when the node was terminated through the interface, or when a part of it has thrown. */
  readonly onTerminated: () => void;
  /** Absent: the node is not observed. */
  readonly probe?: Probe | undefined;
  /** Absent: its messages belong to no traces. */
  readonly tracing?: Tracing | undefined;
  /** Receives XState's inspection events of the whole system. Absent: they are not created. */
  readonly inspect?: Inspect | undefined;
}

export class Node {
  readonly entry: NodeEntry;
  readonly counters: Counters;
  readonly #options: NodeOptions;
  readonly #clock: ScopedClock;
  readonly #levels = new LogLevels();
  readonly #log: Log;
  readonly #find: FindActor = (systemId) => this.#root.system.get(systemId) as AnyActorRef | undefined;
  readonly #instances: NodeInstances;
  readonly #root: Actor<typeof nodeMachine>;
  #parts: NodeParts | undefined;
  readonly #left: Promise<void>;
  #onLeft: () => void = () => {};
  #startedMs = 0;
  #isOver = false;

  constructor(options: NodeOptions) {
    this.#options = options;
    this.entry = options.map.node(options.name);
    this.#log = this.#levels.limited(this.entry.name, options.log);
    this.counters = new Counters({ address: this.entry.address, probe: options.probe });
    this.#clock = new ScopedClock(options.clock);
    this.#instances = new NodeInstances({
      ...options,
      entry: this.entry,
      clock: this.#clock,
      counters: this.counters,
      levels: this.#levels,
      find: this.#find,
    });
    this.#root = createActor(this.#logic(), {
      clock: actorClock(this.#clock),
      id: 'node',
      systemId: 'node',
      input: {
        instances: this.entry.instances.map(({ name, address, role }) => ({
          name,
          address,
          isFront: role === 'ws',
          isGateway: role === 'rpco',
        })),
        backoffMs: options.map.topology.timings.restartBackoffMs,
      },
      ...(options.inspect !== undefined && { inspect: options.inspect }),
    });
    this.#root.on('*', (command) => this.#execute(command));
    this.#root.subscribe({ error: (error) => this.#fail('node', error) });
    this.#left = new Promise((resolve) => {
      this.#onLeft = resolve;
    });
  }

  /** `starting`, `serving`, `draining`, `stopped`, or `failed`. */
  get status(): string {
    const { value } = this.#root.getSnapshot();
    return typeof value === 'string' ? value : 'draining';
  }

  /** The running actors by system id, each indented below its parent. */
  get actorTree(): ActorTree {
    return actorTree(this.#root);
  }

  /** Whether its store is open: before, it has no view and asks nothing. */
  get hasStarted(): boolean {
    return this.#parts !== undefined;
  }

  /** The cluster as this node sees it; requires a started node. */
  get view(): ClusterView {
    return this.#running.view;
  }

  /** Current amounts of the node and each of its instances. */
  census(options?: CensusOptions): Census[] {
    const { of: only } = options ?? {};
    if (only !== undefined)
      return this.entry.instances.flatMap(({ address, name }) =>
        only.has(address) ? (this.instance(name)?.census(options) ?? []) : [],
      );
    const asks = this.#parts?.asks.openByOwner();
    const own = { of: this.entry.address, counts: this.counters.gauges() };
    const instances = this.entry.instances.flatMap(({ name }) => this.instance(name)?.census(options) ?? []);
    // The clocks of the instances use that of the node.
    const theirs = instances.reduce((sum, { counts }) => sum + (counts.get('timers') ?? 0), 0);
    own.counts.set('timers', this.#clock.pending - theirs);
    return [own, ...instances].map(({ of, counts }) => ({
      of,
      counts: new Map([...counts, ['asks', asks?.get(of) ?? 0]]),
    }));
  }

  /** Open asks of this node; 0 after its end. */
  get openAsks(): number {
    return this.#parts?.asks.open ?? 0;
  }

  /** Timers that have not fired; 0 after its end. */
  get openTimers(): number {
    return this.#clock.pending;
  }

  /** Whether its view rests on pings and the quorum of its site is decided. */
  get isReady(): boolean {
    return this.#parts !== undefined && this.status === 'serving' && this.#parts.view.isFormed;
  }

  /** Whether it may act for its site; false before its start. */
  get isQuorate(): boolean {
    return this.#parts?.isQuorate() ?? false;
  }

  /** Asks in the name of this node; requires a started node. */
  get ask(): Ask {
    return this.#running.asks.of(this.entry.address);
  }

  /** The running instance with this name. */
  instance(name: string): RoleInstance | undefined {
    return this.#instances.get(name);
  }

  /** Resolves when it listens and its instances have started, or when it ended before that; peers connect later. */
  async start(): Promise<void> {
    this.#startedMs = this.#clock.now();
    const incarnations = await Incarnations.begin({
      stores: this.#options.stores,
      clock: this.#clock,
      log: this.#log,
    });
    if (this.#isOver) return;
    this.#parts = this.#assemble(incarnations);
    const { router } = this.#parts;
    this.#root.start();
    if (this.status === 'stopped') return;
    await this.#options.link.open({
      received: (peer, frame, envelope) => router.receive(peer, frame, envelope),
      connected: (peer) => this.#toPeers({ type: 'peer.connected', peer }),
      disconnected: (peer, reason) => this.#log.write('debug', 'link.lost', { peer, reason }),
    });
    this.#root.send({ type: 'listening' });
  }

  /** Accepts no more HTTP requests; resolves when those under way are answered. */
  closeFronts(): Promise<void> {
    if (this.#parts === undefined) return Promise.resolve();
    this.#root.send({ type: 'fronts.close.requested' });
    return new Promise((resolve) => {
      const isClosed = () => !this.#root.getSnapshot().context.supervised.some(({ isFront }) => isFront);
      if (isClosed()) return resolve();
      const { unsubscribe } = this.#root.subscribe(() => {
        if (!isClosed()) return;
        unsubscribe();
        resolve();
      });
    });
  }

  /** Drains, HTTP requests first, then stops. Never resolves if the node crashes meanwhile. */
  stop(): Promise<void> {
    this.#root.send({ type: 'drain.requested' });
    // A node that waits for its store, whose disk may be full for long, has nothing to drain and gives up its start.
    if (this.#parts === undefined) this.#root.start();
    return this.#left;
  }

  /** Crashes: connections drop, timers never fire, memory is lost. */
  crash(): void {
    this.#root.stop();
    this.#options.link.crash();
    this.#end();
  }

  /** Crashes one instance. False when it does not run. */
  crashInstance(name: string): boolean {
    const instance = this.instance(name);
    instance?.crash(new InjectedCrash('crash requested'));
    return instance !== undefined;
  }

  /** Starts an instance that waits for its restart or was given up. False when the node has no such instance. */
  restartInstance(name: string): boolean {
    const supervisor = this.#find(supervisorId(name));
    supervisor?.send({ type: 'restart.requested' });
    return supervisor !== undefined;
  }

  get #running(): NodeParts {
    if (this.#parts === undefined) throw new Error(`node ${this.entry.name} has not started`);
    return this.#parts;
  }

  /** The machine of the node with the actors that it spawns. The parts exist when the node listens. */
  #logic(): typeof nodeMachine {
    const supervision = supervisionMachine.provide({
      actors: {
        instance: objectLogic((input: { name: string }, self) => this.#instances.make(input.name, self, this.#running)),
      },
    });
    return nodeMachine.provide({
      actors: {
        supervisor: withCommands(supervision, (command, { id }) => this.#onSupervision(command, id)),
        site: lazily(() => this.#running.site),
        peers: lazily(() => this.#running.peers),
      },
    });
  }

  #assemble(incarnations: Incarnations): NodeParts {
    const requests = {
      describe: () => ({
        startedMs: this.#startedMs,
        status: this.status,
        maxLogLevel: this.#levels.levelOf(this.entry.name),
        instances: this.#instances.describe(),
      }),
      setLogLevel: (name: string, level: LogLevel) => this.#levels.set(name, level),
      terminate: () => this.#terminate(),
      terminateInstance: (name: string) => this.crashInstance(name),
    };
    return assembleNode({
      ...this.#options,
      log: this.#log,
      self: this.entry,
      incarnations,
      clock: this.#clock,
      counters: this.counters,
      find: this.#find,
      requests,
      deliver: (envelope) => this.#deliver(envelope),
      decide: (instance, outcome) => this.#instances.applyElection(instance, outcome),
      onError: (part, error) => this.#fail(part, error),
    });
  }

  #toPeers(event: PeersEvent): void {
    this.#find('peers')?.send(event);
  }

  #deliver(envelope: Envelope): void {
    const { router, asks, requests } = this.#running;
    this.#options.probe?.delivered(this.entry.name, envelope);
    if (envelope.kind === 'reply' || envelope.kind === 'fault') {
      if (!asks.receive(envelope)) router.deadLetter(envelope, 'answer_too_late');
      return;
    }
    if (envelope.to === this.entry.address) return requests.receive(envelope);
    const instance = this.#find(envelope.to);
    if (instance !== undefined) return instance.send({ type: 'envelope.received', envelope });
    router.deadLetter(envelope, 'no_such_instance');
    return router.refuse(envelope, 'unreachable', `${envelope.to} is not running`);
  }

  #execute(command: NodeCommand): void {
    switch (command.type) {
      case 'leave':
        void this.#leave();
        break;
      case 'fail':
        this.#fail(command.part, command.error);
        break;
      case 'event.unexpected':
        this.counters.add(`event.unexpected.node.${command.event}`);
        break;
    }
  }

  async #leave(): Promise<void> {
    // The parts of the node stop in this turn, and tell the peers that its instances have stopped.
    await undefined;
    await this.#options.link.close();
    this.#end();
    this.#onLeft();
  }

  #onSupervision(command: SupervisionCommand, instance: string): void {
    if (command.type === 'event.unexpected') this.counters.add(`event.unexpected.supervision.${command.event}`);
    else this.#log.write('error', 'instance.given_up', { instance, reason: 'it crashed too often' });
  }

  /** A part has thrown: a bug, which ends the node as it would end its process. */
  #fail(part: string, error: unknown): void {
    const reason = `${part}: ${error instanceof Error ? error.message : String(error)}`;
    this.#log.write('error', 'node.crashed', { reason });
    this.#options.probe?.instanceCrashed(this.entry.address, reason, 'bug');
    this.#options.link.crash();
    this.#end();
    this.#options.onTerminated();
  }

  #terminate(): void {
    this.#clock.setTimer(0, () => void this.stop().then(this.#options.onTerminated));
  }

  #end(): void {
    this.#isOver = true;
    this.#clock.end();
    this.#parts?.router.close();
    this.#parts?.asks.abandonAll();
  }
}
