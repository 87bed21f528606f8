/**
 * A cluster with a process for each node, on this machine. The faults are real: SIGKILL, SIGSTOP, connections that stop or are
 * reset. A fault that would need frames, clocks or stores of another process is refused.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseDocument } from 'yaml';
import { SystemClock } from '../../src/adapters/system-clock.ts';
import { systemRandom } from '../../src/adapters/system-random.ts';
import type { ClusterMap } from '../../src/model/cluster/cluster-map.ts';
import { FaultError, fault } from '../../src/model/fault.ts';
import type { Breakable } from '../faults/faults.ts';
import { TrafficRules } from '../faults/rules.ts';
import type { LoadedTopology } from '../topology/load.ts';
import { LinkProxy } from './link-proxy.ts';
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
}

const host = '127.0.0.1';
const leastRestartMs = 1_000;

export class ProcessCluster implements Breakable {
  readonly map: ClusterMap;
  readonly rules = new TrafficRules();
  readonly random = systemRandom.stream('faults');
  readonly clock = new SystemClock();
  readonly #options: ProcessClusterOptions;
  readonly #folder = mkdtempSync(join(tmpdir(), 'strowger-up-'));
  readonly #nodes = new Map<string, NodeProcess>();
  readonly #proxies: LinkProxy[] = [];
  readonly #urls = new Map<string, string>();

  constructor(options: ProcessClusterOptions) {
    this.#options = options;
    this.map = options.loaded.map;
  }

  /** Base URLs of the fronts by site: the first of each. */
  get urls(): ReadonlyMap<string, string> {
    return this.#urls;
  }

  get views() {
    return [...this.#nodes].map(([name, each]) => ({ site: this.map.node(name).site, ...each.view }));
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

  pauseNode(name: string): void {
    this.#node(name).pause();
  }

  resumeNode(name: string): void {
    this.#node(name).resume();
  }

  crashInstance(): void {
    refuse('crash of a role instance', 'crash its node, or use the control interface of the node');
  }

  restartInstance(): void {
    refuse('restart of a role instance', 'restart its node');
  }

  breakHalf(node: string, peer: string): () => void {
    for (const proxy of this.#proxies) {
      if (proxy.ends.includes(node) && proxy.ends.includes(peer)) proxy.breakHalf(node);
    }
    return () => {};
  }

  shiftClock(): void {
    refuse('skew', 'processes of one machine have one clock');
  }

  slowStores(): void {
    refuse('slowStore', 'the stores are in other processes');
  }

  fillStores(): void {
    refuse('fillStore', 'give the node a --data folder on a small file system, and fill that');
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
    return new NodeProcess({
      ...{ name, env },
      args: ['--topology', file, '--control', '0', ...args],
      restartMs: Math.max(leastRestartMs, this.map.topology.timings.nodeRestartMs),
      onLine: (line) => onLine(name, line),
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

function refuse(verb: string, instead: string): never {
  throw new FaultError(fault('invalid', `${verb}: not for a cluster of processes; ${instead}`));
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
