import type { ClusterMap, InstanceEntry, NodeEntry } from '../model/cluster/cluster-map.ts';
import type { InstanceStatus } from '../model/cluster/states.ts';
import type { Digest, NodeState } from '../model/protocol/peer.ts';

/**
 * What one node can reach, and by which next hop: from its pings to its peers and from the digests of gateways. Every
 * answer with `online` uses it, so the two sides of a partition answer differently.
 *
 * Routes to another site, in order of preference: a direct link of this gateway; a gateway of the own site with a direct
 * link; the master site's gateways; a gateway of the own site that routes through the master site.
 */

interface Reach {
  /** The next hop. */
  readonly next: string;
  readonly state: NodeState;
}

interface Peer {
  readonly entry: NodeEntry;
  isKnown: boolean;
  isUp: boolean;
  version: string;
  digest: Digest | undefined;
}

export class View {
  readonly self: NodeEntry;
  readonly #map: ClusterMap;
  readonly #incarnation: number;
  readonly #peers: ReadonlyMap<string, Peer>;
  readonly #siblings: readonly Peer[];
  readonly #remotes: readonly Peer[];
  readonly #instances = new Map<string, InstanceStatus>();
  readonly #listeners = new Set<() => void>();
  #reach = new Map<string, Reach>();
  #digest: Digest;
  /** The digest as JSON, to compare. */
  #digestText: string;
  #changes = 0;

  constructor(map: ClusterMap, node: string, incarnation: number) {
    this.#map = map;
    this.self = map.node(node);
    this.#incarnation = incarnation;
    const peers = map
      .peersOf(node)
      .map((entry): Peer => ({ entry, isKnown: false, isUp: false, version: '', digest: undefined }));
    this.#peers = new Map(peers.map((peer) => [peer.entry.name, peer]));
    const byPreference = peers.toSorted((a, b) => preference(a.entry) - preference(b.entry));
    this.#siblings = byPreference.filter((peer) => peer.entry.site === this.self.site);
    this.#remotes = byPreference.filter((peer) => peer.entry.site !== this.self.site);
    for (const instance of this.self.instances) this.#instances.set(instance.name, 'starting');
    this.#digest = this.#makeDigest();
    this.#digestText = JSON.stringify(this.#digest);
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

  /** Whether every peer is known to be up or down: the view rests on pings. */
  get isFormed(): boolean {
    return [...this.#peers.values()].every((peer) => peer.isKnown);
  }

  /** The digest that this node sends to peers, and its version. */
  get digest(): Digest {
    return this.#digest;
  }

  get version(): string {
    return `${this.#incarnation}.${this.#changes}`;
  }

  /** The version of a peer's digest that this node has. */
  versionOf(peer: string): string {
    return this.#peers.get(peer)?.version ?? '';
  }

  setInstance(name: string, status: InstanceStatus): void {
    if (this.#instances.get(name) === status) return;
    this.#instances.set(name, status);
    this.#refresh();
  }

  setPeer(name: string, isUp: boolean): void {
    const peer = this.#peers.get(name);
    if (peer === undefined || (peer.isKnown && peer.isUp === isUp)) return;
    peer.isKnown = true;
    peer.isUp = isUp;
    this.#refresh();
  }

  setDigest(name: string, version: string, digest: Digest): void {
    const peer = this.#peers.get(name);
    if (peer === undefined || peer.version === version) return;
    peer.version = version;
    peer.digest = digest;
    this.#refresh();
  }

  get #isGateway(): boolean {
    return this.self.instances.some((each) => each.role === 'rpco' && this.#instances.get(each.name) === 'active');
  }

  #refresh(): void {
    this.#reach = this.#findRoutes();
    const digest = this.#makeDigest();
    const text = JSON.stringify(digest);
    if (text !== this.#digestText) {
      this.#digest = digest;
      this.#digestText = text;
      this.#changes += 1;
    }
    for (const listener of this.#listeners) listener();
  }

  #findRoutes(): Map<string, Reach> {
    const found = new Map<string, Reach>();
    for (const peer of this.#siblings) if (peer.isUp) add(found, peer.entry.name, peer, peer.digest?.self);
    for (const site of this.#map.sites.keys()) {
      if (site === this.self.site) continue;
      for (const [node, reach] of this.#routesInto(site)) if (!found.has(node)) found.set(node, reach);
    }
    return found;
  }

  #routesInto(site: string): Map<string, Reach> {
    const found = this.#isGateway ? this.#directRoutes(site) : new Map<string, Reach>();
    this.#routesByGateways(found, this.#siblings, site, true);
    if (found.size > 0) return found;
    if (this.#isGateway) this.#routesByGateways(found, this.#masters(site), site, true);
    if (found.size === 0) this.#routesByGateways(found, this.#siblings, site, false);
    return found;
  }

  #directRoutes(site: string): Map<string, Reach> {
    const found = new Map<string, Reach>();
    const gateways = this.#remotes.filter((peer) => peer.entry.site === site && peer.isUp);
    for (const peer of gateways) add(found, peer.entry.name, peer, peer.digest?.self);
    for (const peer of gateways) {
      // A node without an active rpco forwards nothing.
      if (!isGateway(peer.digest)) continue;
      for (const [node, state] of Object.entries(peer.digest?.home ?? {})) add(found, node, peer, state);
    }
    return found;
  }

  /** Adds the nodes of `site` in the digest of one of `gateways`. */
  #routesByGateways(found: Map<string, Reach>, gateways: readonly Peer[], site: string, direct: boolean): void {
    for (const peer of gateways) {
      const vouched = peer.isUp ? peer.digest?.sites[site] : undefined;
      if (vouched === undefined || vouched.direct !== direct) continue;
      for (const [node, state] of Object.entries(vouched.nodes)) add(found, node, peer, state);
    }
  }

  /** The master site's gateways, unless the route starts or ends at the master site. */
  #masters(site: string): readonly Peer[] {
    const master = this.#map.masterSite.name;
    if (site === master || this.self.site === master) return [];
    return this.#remotes.filter((peer) => peer.entry.site === master);
  }

  #makeDigest(): Digest {
    const self = { incarnation: this.#incarnation, instances: Object.fromEntries(this.#instances) };
    const digest: Digest = { self, home: {}, sites: {} };
    for (const peer of this.#siblings) {
      if (peer.isUp && peer.digest !== undefined) digest.home[peer.entry.name] = peer.digest.self;
    }
    if (!this.#isGateway) return digest;
    for (const site of this.#map.sites.keys()) {
      if (site === this.self.site) continue;
      const direct = this.#directRoutes(site);
      const routes = direct.size > 0 ? direct : new Map<string, Reach>();
      if (direct.size === 0) this.#routesByGateways(routes, this.#masters(site), site, true);
      if (routes.size === 0) continue;
      const nodes = Object.fromEntries([...routes].map(([node, reach]) => [node, reach.state]));
      digest.sites[site] = { direct: direct.size > 0, nodes };
    }
    return digest;
  }
}

function add(found: Map<string, Reach>, node: string, peer: Peer, state: NodeState | undefined): void {
  if (state !== undefined && !found.has(node)) found.set(node, { next: peer.entry.name, state });
}

function isGateway(digest: Digest | undefined): boolean {
  return Object.entries(digest?.self.instances ?? {}).some(
    ([name, status]) => name.startsWith('rpco-') && status === 'active',
  );
}

/** Gateways are tried in the order of their rpco instances. */
function preference(node: NodeEntry): number {
  return node.instances.find((instance) => instance.role === 'rpco')?.order ?? Number.MAX_SAFE_INTEGER;
}

/**
 * The esg instance that has a provider account, computed by every node from its own view: the instance that the account is
 * pinned to while that is active, else the next active one of the same site by priority, wrapping around (choices, section
 * 6). `undefined`: the account is unassigned.
 */
export function accountHome(
  map: ClusterMap,
  view: Pick<View, 'statusOf'>,
  account: { readonly esg: number },
): InstanceEntry | undefined {
  const gates = map.instancesOf('esg');
  const pinned = gates.find((each) => each.srvidx === account.esg);
  if (pinned === undefined || view.statusOf(pinned) === 'active') return pinned;
  const others = gates
    .filter((each) => each.site === pinned.site && each !== pinned && view.statusOf(each) === 'active')
    .sort((a, b) => a.order - b.order);
  return others.find((each) => each.order > pinned.order) ?? others[0];
}
