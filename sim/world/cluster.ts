/**
 * The nodes of a cluster in one process, in either world: starts, crashes, restarts, pauses and resumes them, and
 * reports when the cluster has settled. The world provides a clock and, for each start of a node, its ports.
 */

import type { DependencyContainer } from 'tsyringe';
import type { InspectionEvent } from 'xstate';
import { ScopedClock } from '../../src/actors/scoped-clock.ts';
import type { ClusterView } from '../../src/cluster/membership/view.ts';
import type { Node } from '../../src/cluster/node.ts';
import { composeNode } from '../../src/compose.ts';
import type { ClusterMap } from '../../src/model/cluster/cluster-map.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Census, CensusOptions } from '../../src/ports/instrumentation/probe.ts';
import type { Link } from '../../src/ports/link.ts';
import type { Log } from '../../src/ports/log.ts';
import type { Outside } from '../../src/ports/outside.ts';
import type { Random } from '../../src/ports/random.ts';
import type { Stores } from '../../src/ports/store.ts';
import { tokens } from '../../src/tokens.ts';
import type { Breakable } from '../faults/breakable.ts';
import { FaultyDisk } from '../faults/faulty-disk.ts';
import { PauseGate } from '../faults/gate.ts';
import { RuledLink } from '../faults/ruled-link.ts';
import { TrafficRules } from '../faults/rules.ts';
import { SkewedClock } from '../faults/skewed-clock.ts';
import type { Observers } from '../observation/observers.ts';
import type { WorldTracing } from '../tracing/world-tracing.ts';
import { ConvergenceCheck } from './convergence-check.ts';

/** Receives an inspection event of a node. */
export type InspectNode = (node: string, event: InspectionEvent) => void;

export interface NodePorts {
  readonly link: Link;
  readonly stores: Stores;
  /** Stores that the nodes of its site share. */
  readonly siteStores: Stores;
  readonly random: Random;
}

export interface ClusterOptions {
  readonly map: ClusterMap;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** The scope of the process, with everything that nodes share. */
  readonly scope: DependencyContainer;
  readonly portsOf: (node: string) => NodePorts;
  /** The network of the edges to the world outside. Absent: no edges. */
  readonly outside?: Outside;
  /** A node has crashed: the world drops what it keeps for the node. */
  readonly onCrash?: (node: string) => void;
  /** Empties the stores of a node that does not run. */
  readonly wipe: (node: string) => void;
  /** The probe. */
  readonly observers?: Observers;
  /** Absent: nothing is traced. */
  readonly tracing?: WorldTracing | undefined;
  /** Receives XState's inspection events of every node. Absent: they are not made. */
  readonly inspect?: InspectNode | undefined;
}

/** How long fronts may take to answer open requests before the rest of the cluster stops. */
const frontsMs = 5_000;

interface RunningNode {
  readonly node: Node;
  readonly gate: PauseGate;
  readonly link: RuledLink;
  readonly disk: FaultyDisk;
  /** Resolves when the node has crashed. */
  readonly crashed: Promise<void>;
  readonly onCrash: () => void;
}

export class Cluster implements Breakable {
  readonly map: ClusterMap;
  readonly rules = new TrafficRules();
  readonly random;
  readonly #options: ClusterOptions;
  readonly #convergence: ConvergenceCheck;
  /** For waits of the cluster itself, and for faults over time. Nodes have their own clocks. */
  readonly clock: ScopedClock;
  /** Offset of the clock of a node and delay of its stores, in milliseconds; both survive a restart. */
  readonly #skews = new Map<string, number>();
  readonly #slownesses = new Map<string, number>();
  /** How many faults fill the disk of a node. */
  readonly #fillings = new Map<string, number>();
  readonly #running = new Map<string, RunningNode>();
  readonly #listeners = new Set<() => void>();
  #isOver = false;

  constructor(options: ClusterOptions) {
    this.#options = options;
    this.map = options.map;
    this.#convergence = new ConvergenceCheck(options.map, this);
    this.clock = new ScopedClock(options.clock);
    this.random = options.random.stream('faults');
  }

  /** Asks of all nodes without an answer yet. */
  get openAsks(): number {
    let open = 0;
    for (const { node } of this.#running.values()) open += node.openAsks;
    return open;
  }

  /** Present state sizes of every running node and each of its instances. */
  census(options?: CensusOptions): Census[] {
    return [...this.#running.values()].flatMap(({ node }) => node.census(options));
  }

  node(name: string): Node | undefined {
    return this.#running.get(name)?.node;
  }

  viewOf(name: string): ClusterView | undefined {
    const node = this.node(name);
    return node?.hasStarted === true ? node.view : undefined;
  }

  /** The gate of a running node; a paused node's is closed. */
  gate(name: string): PauseGate | undefined {
    return this.#running.get(name)?.gate;
  }

  async start(nodes: Iterable<string> | undefined = this.map.nodes.keys()): Promise<void> {
    await Promise.all([...nodes].map((name) => this.restartNode(name)));
  }

  /** Whether every node that should run does, all see each other, and every group has one active instance. */
  get isSettled(): boolean {
    return this.#running.size === this.map.nodes.size && this.#convergence.isComplete;
  }

  /** Calls `listener` after each change of a node's view. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Starts a node that does not run. Resolves when it has started or crashed. */
  async restartNode(name: string): Promise<void> {
    if (this.#running.has(name) || this.#isOver) return;
    const { scope: process, clock, log, portsOf, observers, tracing, inspect } = this.#options;
    const { outside: network } = this.#options;
    const outside = network && (tracing?.outside(network) ?? network);
    const gate = new PauseGate();
    const { link, stores, siteStores, random } = portsOf(name);
    const ruled = new RuledLink({ link, rules: this.rules, map: this.map, self: name, clock });
    const disk = new FaultyDisk(gate.clock(clock), {
      slowMs: () => this.#slownesses.get(name) ?? 0,
      isFull: () => (this.#fillings.get(name) ?? 0) > 0,
    });
    const scope = process.createChildContainer();
    scope.register(tokens.nodeName, { useValue: name });
    scope.register(tokens.clock, { useValue: new SkewedClock(gate.clock(clock), () => this.#skews.get(name) ?? 0) });
    scope.register(tokens.link, { useValue: gate.link(ruled) });
    scope.register(tokens.stores, { useValue: disk.of(stores) });
    if (outside !== undefined) scope.register(tokens.outside, { useValue: gate.outside(outside) });
    scope.register(tokens.siteStores, { useValue: disk.of(siteStores) });
    scope.register(tokens.random, { useValue: random });
    scope.register(tokens.log, { useValue: log.child({ node: name }) });
    if (observers !== undefined) scope.register(tokens.probe, { useValue: observers });
    if (tracing !== undefined) scope.register(tokens.tracing, { useValue: tracing });
    if (inspect !== undefined)
      scope.register(tokens.inspect, { useValue: (event: InspectionEvent) => inspect(name, event) });
    scope.register(tokens.onTerminated, { useValue: () => this.#onTerminated(name) });
    const node = composeNode(scope);
    let onCrash = () => {};
    const crashed = new Promise<void>((resolve) => {
      onCrash = resolve;
    });
    this.#running.set(name, { node, gate, link: ruled, disk, crashed, onCrash });
    observers?.report('node.started', { node: name });
    try {
      await Promise.race([node.start(), crashed]);
    } catch (error) {
      // A node whose start failed does not run; it can be started again.
      if (this.#running.get(name)?.node === node) this.crashNode(name);
      throw error;
    }
    if (this.#running.get(name)?.node !== node || !node.hasStarted) return;
    node.view.onChange(() => this.#changed());
    this.#changed();
  }

  crashNode(name: string): void {
    const running = this.#running.get(name);
    if (running === undefined) return;
    this.#running.delete(name);
    running.gate.clear();
    running.disk.die();
    running.node.crash();
    running.onCrash();
    this.#options.observers?.report('node.ended', { node: name, isGraceful: false });
    this.#options.onCrash?.(name);
    this.#changed();
  }

  async wipeStores(name: string): Promise<void> {
    this.#options.wipe(name);
  }

  /** Ends a node gracefully, after a resume if it is paused. Resolves when it has stopped or crashed. */
  async stopNode(name: string): Promise<void> {
    const running = this.#running.get(name);
    if (running === undefined) return;
    running.gate.open();
    await this.#orAfter(frontsMs, running.node.closeFronts());
    await Promise.race([running.node.stop(), running.crashed]);
    if (this.#running.get(name) !== running) return;
    this.#running.delete(name);
    this.#options.observers?.report('node.ended', { node: name, isGraceful: true });
    this.#changed();
  }

  breakHalf(name: string, peer: string): () => void {
    return this.#running.get(name)?.link.breakHalf(peer) ?? (() => {});
  }

  shiftClock(name: string, byMs: number): void {
    this.#skews.set(name, (this.#skews.get(name) ?? 0) + byMs);
  }

  slowStores(name: string, byMs: number): void {
    this.#slownesses.set(name, (this.#slownesses.get(name) ?? 0) + byMs);
  }

  fillStores(name: string, by: 1 | -1): void {
    this.#fillings.set(name, (this.#fillings.get(name) ?? 0) + by);
  }

  pauseNode(name: string): void {
    this.#running.get(name)?.gate.shut();
  }

  resumeNode(name: string): void {
    this.#running.get(name)?.gate.open();
  }

  crashInstance(name: string): void {
    for (const { node } of this.#running.values()) node.crashInstance(name);
  }

  restartInstance(name: string): void {
    for (const { node } of this.#running.values()) node.restartInstance(name);
  }

  /** Closes all fronts for good, also of paused nodes: they answer what is open, for at most so long. No node starts any more. */
  async closeFronts(mostMs = frontsMs): Promise<void> {
    this.#isOver = true;
    this.clock.end();
    const running = [...this.#running.values()];
    for (const { gate } of running) gate.open();
    await this.#orAfter(mostMs, Promise.all(running.map(({ node }) => node.closeFronts())));
  }

  /**
   * Ends every node gracefully, paused ones after a resume. Nodes that need longer than `mostMs` crash then: what they have
   * acknowledged is durable.
   */
  async stop(mostMs = Number.POSITIVE_INFINITY): Promise<void> {
    // All fronts first: their open requests may need instances of every node. Requests that wait for the end of a call
    // are answered when b2b ends it.
    const startedMs = this.#options.clock.now();
    await this.closeFronts(Math.min(frontsMs, mostMs / 4));
    const stopping = Promise.all(
      [...this.#running].map(([name, { node }]) => node.stop().then(() => this.#stopped(name))),
    );
    const leftMs = mostMs - (this.#options.clock.now() - startedMs);
    await (leftMs === Number.POSITIVE_INFINITY ? stopping : this.#orAfter(leftMs, stopping));
    for (const name of [...this.#running.keys()]) this.crashNode(name);
  }

  #stopped(node: string): void {
    if (this.#running.delete(node)) this.#options.observers?.report('node.ended', { node, isGraceful: true });
  }

  /** Waits for some work, up to a limit. */
  async #orAfter(ms: number, work: Promise<unknown>): Promise<void> {
    let end = () => {};
    const patience = new Promise<void>((resolve) => {
      const timer = this.#options.clock.setTimer(ms, resolve);
      end = () => timer.cancel();
    });
    await Promise.race([work, patience]);
    end();
  }

  /** A node that was terminated through the interface restarts by itself, like a server under an init system. */
  #onTerminated(name: string): void {
    this.#running.delete(name);
    this.#options.observers?.report('node.ended', { node: name, isGraceful: true });
    this.#changed();
    const { nodeRestartMs } = this.map.topology.timings;
    if (nodeRestartMs === 0) return;
    this.clock.setTimer(nodeRestartMs, () => {
      this.restartNode(name).catch((error: unknown) => {
        this.#options.log.write('error', 'node.start_failed', { node: name, reason: String(error) });
      });
    });
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}
