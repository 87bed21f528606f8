/**
 * A cluster with a process for each node, on this machine. Faults of nodes and of the traffic between them are real: SIGKILL, SIGSTOP,
 * connections that stop or are reset. Faults of role instances, clocks and stores act inside the process, at its ports.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseDocument } from 'yaml';
import { SystemClock } from '../../src/adapters/system-clock.ts';
import type { ClusterMap, InstanceEntry } from '../../src/model/cluster/cluster-map.ts';
import { FaultError, fault } from '../../src/model/fault.ts';
import type { Census } from '../../src/ports/instrumentation/probe.ts';
import type { RandomStream } from '../../src/ports/random.ts';
import { wipeStores } from '../data/stores.ts';
import type { Breakable } from '../faults/breakable.ts';
import { TrafficRules } from '../faults/rules.ts';
import type { ObservationSubscriptions } from '../observation/observers.ts';
import type { LoadedTopology } from '../topology/load-topology.ts';
import { ConvergenceCheck, type SeenNode } from '../world/convergence-check.ts';
import type { WorldNodes } from '../world/world.ts';
import { LinkProxy } from './link-proxy.ts';
import type { FromNode, InnerFault, NodeViewReport, SentCensus, ToNode } from './messages.ts';
import { NodeProcess } from './node-process.ts';

export interface ProcessClusterOptions {
  readonly loaded: LoadedTopology;
  /** Port of the first front; the others get the next ports. 0: free ports. */
  readonly port: number;
  /** Further arguments of each node. */
  readonly args: readonly string[];
  /** The environment that the nodes get: the cluster secret, the token. */
  readonly env: Readonly<Record<string, string>>;
  readonly onLine: (node: string, line: string) => void;
  /** The data folder of the nodes; `temporary`: until the cluster stops. Absent: they keep their data in memory. */
  readonly data?: string | 'temporary' | undefined;
  /** For draws of places and swizzles. */
  readonly random: RandomStream;
  /** What the nodes report, at the start of each. */
  readonly subscriptions: () => ObservationSubscriptions;
  readonly onMessage: (node: string, message: FromNode) => void;
  /** The node was paused: it reports nothing until it is resumed. */
  readonly onPaused: (node: string) => void;
  /** `isGraceful`: it had finished its work. */
  readonly onEnded: (node: string, isGraceful: boolean) => void;
}

/** What a node has reported last. */
interface Reported {
  readonly view?: NodeViewReport | undefined;
  readonly fronts: Readonly<Record<string, string>>;
  readonly census: readonly Census[];
}

/** The faults that last over a restart of the process, for each node. */
type Lasting = Record<'shiftClock' | 'slowStores' | 'fillStores', number>;

const host = '127.0.0.1';
const leastRestartMs = 1_000;

export class ProcessCluster implements Breakable, WorldNodes {
  readonly map: ClusterMap;
  readonly rules = new TrafficRules();
  readonly random: RandomStream;
  readonly clock = new SystemClock();
  readonly #options: ProcessClusterOptions;
  readonly #folder = mkdtempSync(join(tmpdir(), 'strowger-up-'));
  readonly #data: string | undefined;
  readonly #nodes = new Map<string, NodeProcess>();
  readonly #proxies: LinkProxy[] = [];
  readonly #urls = new Map<string, string>();
  readonly #reported = new Map<string, Reported>();
  readonly #lasting = new Map<string, Lasting>();
  readonly #listeners = new Set<() => void>();
  readonly #convergence: ConvergenceCheck;

  constructor(options: ProcessClusterOptions) {
    this.#options = options;
    this.map = options.loaded.map;
    this.#data = options.data === 'temporary' ? join(this.#folder, 'data') : options.data;
    this.random = options.random;
    this.#convergence = new ConvergenceCheck(this.map, this);
  }

  /** Base URLs of the fronts by site: the first of each. */
  get urls(): ReadonlyMap<string, string> {
    return this.#urls;
  }

  get views() {
    return [...this.#nodes].map(([name, each]) => ({ site: this.map.node(name).site, ...each.view }));
  }

  /** All nodes see each other, and every front is open: a node reports the one before the other. */
  get isSettled(): boolean {
    const urls = this.fronts();
    return this.#convergence.isComplete && this.map.instancesOf('ws').every(({ name }) => urls.has(name));
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A node that runs, as it has reported itself. */
  node(name: string): SeenNode | undefined {
    const view = this.#reported.get(name)?.view;
    if (view === undefined) return undefined;
    const { isReady, reachable, statuses } = view;
    const statusOf = (instance: InstanceEntry) => statuses[instance.name];
    return { isReady, view: { isReachable: (other) => reachable.includes(other), statusOf } };
  }

  viewOf(name: string): SeenNode['view'] | undefined {
    return this.node(name)?.view;
  }

  isPaused(name: string): boolean {
    return this.#node(name).view.state === 'paused';
  }

  /** As the nodes that run have reported. */
  census(): Census[] {
    return [...this.#reported.values()].flatMap(({ census }) => census);
  }

  /** Base URLs of the fronts that are open, by ws instance. */
  fronts(): ReadonlyMap<string, string> {
    return new Map([...this.#reported.values()].flatMap(({ fronts }) => Object.entries(fronts)));
  }

  /** The census that a node has sent. One that has ended since is left out. */
  keepCensus(name: string, sent: SentCensus): void {
    const reported = this.#reported.get(name);
    if (reported === undefined) return;
    const census = sent.map(([of, counts]) => ({ of, counts: new Map(Object.entries(counts)) }));
    this.#reported.set(name, { ...reported, census });
  }

  send(node: string, message: ToNode): void {
    this.#nodes.get(node)?.send(message);
  }

  /** Says to all nodes what they report from now on. */
  announce(): void {
    const subscriptions = this.#options.subscriptions();
    for (const node of this.#nodes.values()) node.send({ type: 'observe', subscriptions });
  }

  /** The URL of the control interface of a node that runs. Throws a `conflict` or `not_found` fault. */
  controlOf(name: string): string {
    const control = this.#node(name).control;
    if (control !== undefined) return control;
    throw new FaultError(fault('conflict', `node ${name} does not run`));
  }

  /** Starts every node; resolves when all are ready. */
  async start(): Promise<void> {
    const names = [...this.map.nodes.keys()];
    const fronts = this.map.instancesOf('ws');
    // All ports are held until the proxies have theirs, so that no two are the same.
    const held = await Promise.all(Array.from({ length: names.length + fronts.length }, holdPort));
    const links = new Map(names.map((name, index) => [name, held[index]?.port ?? 0]));
    const { port: first } = this.#options;
    const portOf = (index: number) => (first === 0 ? (held[names.length + index]?.port ?? 0) : first + index);
    const frontPorts = new Map(fronts.map(({ node }, index) => [node, portOf(index)]));
    for (const { node, site } of fronts) {
      if (!this.#urls.has(site)) this.#urls.set(site, `http://${host}:${frontPorts.get(node)}`);
    }
    const dialled = await this.#openProxies(links);
    await Promise.all(held.map(({ release }) => release()));
    for (const name of names) {
      const file = join(this.#folder, `${name}.yaml`);
      const linkOf = (peer: string) =>
        (peer === name ? links.get(name) : dialled.get(`${name} ${peer}`)) ?? links.get(peer);
      writeFileSync(
        file,
        this.#topologyFor((node) => ({ link: linkOf(node), http: frontPorts.get(node) })),
      );
      this.#nodes.set(name, this.#makeNode(name, file));
    }
    await Promise.all([...this.#nodes.values()].map((node) => node.start()));
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#nodes.values()].map((node) => node.stop()));
    for (const proxy of this.#proxies) proxy.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  crashNode(name: string): void {
    this.#node(name).crash();
  }

  restartNode(name: string): Promise<void> {
    return this.#node(name).start();
  }

  stopNode(name: string): Promise<void> {
    return this.#node(name).stop();
  }

  async wipeStores(name: string): Promise<void> {
    await this.#node(name).ended;
    if (this.#data !== undefined) wipeStores(this.#data, name);
  }

  pauseNode(name: string): void {
    this.#node(name).pause();
    this.#options.onPaused(name);
  }

  resumeNode(name: string): void {
    this.#node(name).resume();
  }

  crashInstance(name: string): void {
    this.#inject(this.#nodeOf(name), { verb: 'crashInstance', args: [name] });
  }

  restartInstance(name: string): void {
    this.#inject(this.#nodeOf(name), { verb: 'restartInstance', args: [name] });
  }

  breakHalf(node: string, peer: string): () => void {
    const between = this.#proxies.filter(({ ends }) => ends.includes(node) && ends.includes(peer));
    const lifts = between.map((proxy) => proxy.breakHalf(node));
    return () => {
      for (const lift of lifts) lift();
    };
  }

  shiftClock(node: string, byMs: number): void {
    this.#change(node, 'shiftClock', byMs);
  }

  slowStores(node: string, byMs: number): void {
    this.#change(node, 'slowStores', byMs);
  }

  fillStores(node: string, by: 1 | -1): void {
    this.#change(node, 'fillStores', by);
  }

  #inject(node: string, fault: InnerFault): void {
    this.send(node, { type: 'inject', fault });
  }

  #nodeOf(instance: string): string {
    return this.map.instanceNamed(instance)?.node ?? '';
  }

  #change(node: string, verb: keyof Lasting, by: number): void {
    const lasting = this.#lasting.get(node) ?? { shiftClock: 0, slowStores: 0, fillStores: 0 };
    this.#lasting.set(node, { ...lasting, [verb]: lasting[verb] + by });
    this.#inject(node, { verb, args: [node, by] } as InnerFault);
  }

  /** The first messages to a new process. */
  #onSpawned(name: string): void {
    this.send(name, { type: 'observe', subscriptions: this.#options.subscriptions() });
    const { shiftClock = 0, slowStores = 0, fillStores = 0 } = this.#lasting.get(name) ?? {};
    if (shiftClock !== 0) this.#inject(name, { verb: 'shiftClock', args: [name, shiftClock] });
    if (slowStores !== 0) this.#inject(name, { verb: 'slowStores', args: [name, slowStores] });
    for (let n = 0; n < fillStores; n += 1) this.#inject(name, { verb: 'fillStores', args: [name, 1] });
  }

  #onMessage(name: string, message: FromNode): void {
    const before = this.#reported.get(name) ?? { fronts: {}, census: [] };
    if (message.type === 'view') {
      const { view, fronts } = message;
      this.#reported.set(name, { ...before, view, fronts });
      this.#changed();
    }
    this.#options.onMessage(name, message);
  }

  #onEnded(name: string, isGraceful: boolean): void {
    this.#reported.delete(name);
    this.#changed();
    this.#options.onEnded(name, isGraceful);
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }

  #node(name: string): NodeProcess {
    const found = this.#nodes.get(name);
    if (found !== undefined) return found;
    throw new FaultError(
      fault('not_found', `no node named "${name}"; expected one of ${[...this.map.nodes.keys()].join(', ')}`),
    );
  }

  #makeNode(name: string, file: string): NodeProcess {
    const { args, env, onLine } = this.#options;
    const data = this.#data === undefined ? [] : ['--data', this.#data];
    return new NodeProcess({
      name,
      env,
      args: ['--topology', file, '--control', '0', ...args, ...data],
      restartMs: Math.max(leastRestartMs, this.map.topology.timings.nodeRestartMs),
      onLine: (line) => onLine(name, line),
      onSpawned: () => this.#onSpawned(name),
      onMessage: (message) => this.#onMessage(name, message),
      onEnded: (isGraceful) => this.#onEnded(name, isGraceful),
    });
  }

  /** A proxy for each pair of peers: of two, the first in the topology dials. Returns their ports by `FROM TO`. */
  async #openProxies(links: ReadonlyMap<string, number>): Promise<Map<string, number>> {
    const order = [...this.map.nodes.values()];
    const ports = new Map<string, number>();
    for (const from of order) {
      for (const { name } of this.map.peersOf(from.name)) {
        const to = this.map.node(name);
        if (order.indexOf(to) < order.indexOf(from)) continue;
        const proxy = new LinkProxy({ from, to, port: links.get(name) ?? 0, rules: this.rules });
        this.#proxies.push(proxy);
        ports.set(`${from.name} ${name}`, await proxy.open());
      }
    }
    return ports;
  }

  /** The topology with addresses on this machine. */
  #topologyFor(addressOf: (node: string) => { link: number | undefined; http: number | undefined }): string {
    const { topologySource } = this.#options.loaded;
    const document = parseDocument(topologySource.text, { merge: true });
    for (const [siteIndex, site] of this.map.topology.sites.entries()) {
      for (const [nodeIndex, { name }] of site.nodes.entries()) {
        const { link, http } = addressOf(name);
        const path = ['sites', siteIndex, 'nodes', nodeIndex];
        document.setIn([...path, 'link'], `${host}:${link}`);
        if (http !== undefined) document.setIn([...path, 'http'], `${host}:${http}`);
      }
    }
    const { metadata } = this.map.topology;
    if (metadata !== undefined) document.set('metadata', resolve(dirname(topologySource.file), metadata));
    return document.toString();
  }
}

/** A free port, held until it is released. */
function holdPort(): Promise<{ readonly port: number; release(): Promise<void> }> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, host, () => {
      const { port } = server.address() as { port: number };
      resolve({ port, release: () => new Promise((released) => server.close(() => released())) });
    });
  });
}
