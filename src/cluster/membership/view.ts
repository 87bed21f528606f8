/**
 * What one node can reach, and by which next hop: from its pings to its peers and from the digests of gateways. Every
 * answer with `online` uses it, so the two sides of a partition answer differently.
 */
import type { ClusterMap, InstanceEntry, NodeEntry } from '../../model/cluster/cluster-map.ts';
import type { InstanceStatus } from '../../model/cluster/states.ts';
import type { Digest } from '../../model/protocol/messages/peer.ts';
import { isSameReach, type NodeReach, type PeerView, Routes } from '../messaging/node-routes.ts';
import { merged, type Site, sameNodes } from './digest-parts.ts';

interface Versioned {
  readonly digest: Digest;
  readonly changes: number;
}

const noSites: Digest['sites'] = {};

export class ClusterView {
  readonly self: NodeEntry;
  readonly #map: ClusterMap;
  readonly #incarnation: number;
  readonly #peers: ReadonlyMap<string, PeerView>;
  readonly #siblings: readonly PeerView[];
  readonly #routes: Routes;
  readonly #instances = new Map<string, InstanceStatus>();
  readonly #listeners = new Set<() => void>();
  #reach: ReadonlyMap<string, NodeReach> = new Map();
  /** For the nodes of the own site. */
  #inner: Versioned;
  /** For gateways of other sites: only gateways of the master site route between sites for them. */
  #outer: Versioned;

  constructor(map: ClusterMap, node: string, incarnation: number) {
    this.#map = map;
    this.self = map.node(node);
    this.#incarnation = incarnation;
    const peers = map
      .peersOf(node)
      .map((entry): PeerView => ({ entry, isKnown: false, isUp: false, version: '', digest: undefined, found: 1 }));
    this.#peers = new Map(peers.map((peer) => [peer.entry.name, peer]));
    this.#routes = new Routes(map, this.self, peers);
    this.#siblings = this.#routes.siblings;
    for (const instance of this.self.instances) this.#instances.set(instance.name, 'starting');
    const digest: Digest = { self: this.#makeSelf(), home: {}, sites: noSites };
    this.#inner = { digest, changes: 0 };
    this.#outer = { digest, changes: 0 };
  }

  /** Calls `listener` after each change of reachability or of an instance's status, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Whether a message to the node would be sent: the node itself, a peer that answers pings, or a node in a digest. */
  isReachable(node: string): boolean {
    return node === this.self.name || this.#reach.has(node);
  }

  /** The next hop to the node. */
  nextHop(node: string): string | undefined {
    return this.#reach.get(node)?.next;
  }

  /** Identifies one start of a node; `undefined` when it is unreachable. */
  incarnationOf(node: string): number | undefined {
    if (node === this.self.name) return this.#incarnation;
    return this.#reach.get(node)?.state.incarnation;
  }

  /**
   * Changes when messages of a node to this one may have been lost: it has started again, the way to it is another one, or the next node
   * on the way had lost this one and found it again, which this node may not have noticed; `undefined` when it is unreachable.
   */
  contactOf(node: string): string | undefined {
    const incarnation = this.incarnationOf(node);
    if (incarnation === undefined) return undefined;
    const next = this.nextHop(node) ?? '';
    return `${incarnation}.${next}.${this.#peers.get(next)?.found ?? 0}`;
  }

  /** An instance's status as this node sees it; `undefined` when its node is unreachable. */
  statusOf(instance: InstanceEntry): InstanceStatus | undefined {
    if (instance.node === this.self.name) return this.#instances.get(instance.name);
    return this.#reach.get(instance.node)?.state.instances[instance.name];
  }

  /** The same, or, when only other nodes of the own site reach the instance's node, the status that they report. */
  reportedStatusOf(instance: InstanceEntry): InstanceStatus | undefined {
    const seen = this.statusOf(instance);
    if (seen !== undefined) return seen;
    for (const peer of this.#siblings) {
      const reported = peer.isUp ? peer.digest?.home[instance.node]?.instances[instance.name] : undefined;
      if (reported !== undefined) return reported;
    }
    return undefined;
  }

  /** Whether this node or another node of the own site reaches the node. */
  isReportedReachable({ name }: NodeEntry): boolean {
    if (this.isReachable(name)) return true;
    return this.#siblings.some((peer) => peer.isUp && peer.digest?.home[name] !== undefined);
  }

  /** Nodes of the own site: reachable (this one included), undecided, all. */
  get members(): { reachable: string[]; pending: number; total: number } {
    const reachable = [this.self.name, ...this.#siblings.filter((peer) => peer.isUp).map((peer) => peer.entry.name)];
    const pending = this.#siblings.filter((peer) => !peer.isKnown).length;
    return { reachable, pending, total: this.#siblings.length + 1 };
  }

  /** Whether an instance of this node drains or has stopped. */
  get isEnding(): boolean {
    for (const status of this.#instances.values()) if (status === 'draining' || status === 'stopped') return true;
    return false;
  }

  /** Whether every peer is known to be up or down: the view rests on pings. */
  get isFormed(): boolean {
    return [...this.#peers.values()].every((peer) => peer.isKnown);
  }

  /** The digest that this node sends to a peer, and its version. */
  digestFor(peer: NodeEntry): { readonly digest: Digest; readonly version: string } {
    const { digest, changes } = peer.site === this.self.site ? this.#inner : this.#outer;
    return { digest, version: `${this.#incarnation}.${changes}` };
  }

  /** The version of a peer's digest that this node has. */
  versionOf(peer: string): string {
    return this.#peers.get(peer)?.version ?? '';
  }

  setInstance(name: string, status: InstanceStatus): void {
    if (this.#instances.get(name) === status) return;
    const wasGateway = this.#isGateway;
    this.#instances.set(name, status);
    const self = this.#makeSelf();
    if (this.#isGateway === wasGateway) this.#publish({ ...this.#inner.digest, self });
    else this.#refresh(self);
    this.#notify();
  }

  setPeer(name: string, isUp: boolean): void {
    const peer = this.#peers.get(name);
    if (peer === undefined || (peer.isKnown && peer.isUp === isUp)) return;
    peer.isKnown = true;
    peer.isUp = isUp;
    this.#refresh();
    this.#notify();
  }

  /** How often a peer has found this node. */
  setFound(name: string, times: number): void {
    const peer = this.#peers.get(name);
    const found = Math.max(1, times);
    if (peer === undefined || peer.found === found) return;
    peer.found = found;
    this.#notify();
  }

  setDigest(name: string, version: string, digest: Digest): void {
    const peer = this.#peers.get(name);
    if (peer === undefined || peer.version === version) return;
    peer.version = version;
    const { digest: before } = peer;
    peer.digest = before === undefined ? digest : merged(before, digest);
    if (peer.digest === before) return;
    const hasRoutes = this.#refresh();
    // What gateways of other sites report counts only for routes.
    if (hasRoutes || peer.entry.site === this.self.site) this.#notify();
  }

  get #isGateway(): boolean {
    return this.self.instances.some((each) => each.role === 'rpco' && this.#instances.get(each.name) === 'active');
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Finds the routes again. Returns whether they, or what is known of the nodes, have changed. */
  #refresh(self = this.#inner.digest.self): boolean {
    const before = this.#inner.digest;
    const { reach, sites } = this.#routes.find(this.#isGateway);
    const home: Record<string, Digest['self']> = {};
    for (const peer of this.#siblings) {
      if (peer.isUp && peer.digest !== undefined) home[peer.entry.name] = peer.digest.self;
    }
    this.#publish({ self, home: sameNodes(before.home, home) ? before.home : home, sites: this.#vouched(sites) });
    const isSame = isSameReach(this.#reach, reach);
    this.#reach = reach;
    return !isSame;
  }

  /** The part of the digest about other sites; unchanged parts stay the same objects. */
  #vouched(found: ReadonlyMap<string, Site>): Digest['sites'] {
    const { sites: before } = this.#inner.digest;
    const sites: Record<string, Site> = {};
    let isSame = found.size === Object.keys(before).length;
    for (const [name, site] of found) {
      const known = before[name];
      const isKnown = known === site || (known?.direct === site.direct && sameNodes(known.nodes, site.nodes));
      sites[name] = isKnown ? known : site;
      isSame &&= isKnown;
    }
    return isSame ? before : sites;
  }

  /** Gives both digests new versions if their parts are others. */
  #publish({ self, home, sites }: Digest): void {
    const next = (last: Versioned, shown: Digest['sites']): Versioned => {
      const { digest, changes } = last;
      if (digest.self === self && digest.home === home && digest.sites === shown) return last;
      return { digest: { self, home, sites: shown }, changes: changes + 1 };
    };
    this.#inner = next(this.#inner, sites);
    this.#outer = next(this.#outer, this.#map.site(this.self.site).isMaster ? sites : noSites);
  }

  #makeSelf(): Digest['self'] {
    return { incarnation: this.#incarnation, instances: Object.fromEntries(this.#instances) };
  }
}
