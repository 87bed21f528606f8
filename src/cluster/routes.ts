/**
 * The routes of one node to all others, from the digests of its peers. Routes to another site, in order of preference: a
 * direct link of this gateway; a gateway of the own site with a direct link; the master site's gateways; a gateway of the
 * own site that routes through the master site.
 */
import type { ClusterMap, NodeEntry } from '../model/cluster/cluster-map.ts';
import type { Digest, NodeState } from '../model/protocol/peer.ts';
import type { Site } from './digest-parts.ts';

/** What a node knows of a peer. */
export interface PeerView {
  readonly entry: NodeEntry;
  isKnown: boolean;
  isUp: boolean;
  version: string;
  digest: Digest | undefined;
}

export interface Reach {
  /** The next hop. */
  readonly next: string;
  readonly state: NodeState;
}

/** All reachable nodes and, for a gateway, the sites to which it routes for others. */
export interface FoundRoutes {
  readonly reach: ReadonlyMap<string, Reach>;
  readonly sites: ReadonlyMap<string, Site>;
}

type Found = Map<string, Reach>;

export class Routes {
  /** Peers of the own site; gateways in the order of their rpco instances. */
  readonly siblings: readonly PeerView[];
  readonly #remotes: ReadonlyMap<string, readonly PeerView[]>;
  /** Gateways of the master site that route to a site, by that site. */
  readonly #masters: (site: string) => readonly PeerView[];

  constructor(map: ClusterMap, self: NodeEntry, peers: readonly PeerView[]) {
    const byPreference = peers.toSorted((a, b) => preference(a.entry) - preference(b.entry));
    const at = (site: string) => byPreference.filter(({ entry }) => entry.site === site);
    const others = [...map.sites.keys()].filter((site) => site !== self.site);
    this.siblings = at(self.site);
    this.#remotes = new Map(others.map((site) => [site, at(site)]));
    const master = map.masterSite.name;
    // Unless the route starts or ends at the master site.
    const masters = self.site === master ? [] : at(master);
    this.#masters = (site) => (site === master ? [] : masters);
  }

  find(isGateway: boolean): FoundRoutes {
    const reach: Found = new Map();
    const sites = new Map<string, Site>();
    for (const peer of this.siblings) if (peer.isUp) add(reach, peer.entry.name, peer, peer.digest?.self);
    for (const [site, gateways] of this.#remotes) {
      const direct = isGateway ? directRoutes(gateways) : undefined;
      this.#addRoutesInto(reach, site, direct);
      if (direct === undefined) continue;
      const routes = direct.size > 0 ? direct : addVouched(new Map(), this.#masters(site), site, true);
      if (routes.size > 0) sites.set(site, { direct: direct.size > 0, nodes: statesOf(routes) });
    }
    return { reach, sites };
  }

  /** `direct`: the routes of this gateway over its own links; absent: this node is not a gateway. */
  #addRoutesInto(reach: Found, site: string, direct: Found | undefined): void {
    const before = reach.size;
    if (direct !== undefined) for (const [node, route] of direct) if (!reach.has(node)) reach.set(node, route);
    addVouched(reach, this.siblings, site, true);
    if (reach.size > before) return;
    if (direct !== undefined) addVouched(reach, this.#masters(site), site, true);
    if (reach.size === before) addVouched(reach, this.siblings, site, false);
  }
}

/** Whether two nodes' routes are the same: next hops and states. */
export function isSameReach(one: ReadonlyMap<string, Reach>, other: ReadonlyMap<string, Reach>): boolean {
  if (one.size !== other.size) return false;
  for (const [node, { next, state }] of one) {
    const found = other.get(node);
    if (found?.next !== next || found.state !== state) return false;
  }
  return true;
}

function directRoutes(gateways: readonly PeerView[]): Found {
  const found: Found = new Map();
  const up = gateways.filter(({ isUp }) => isUp);
  for (const peer of up) add(found, peer.entry.name, peer, peer.digest?.self);
  for (const peer of up) {
    // A node without an active rpco forwards nothing.
    if (peer.digest === undefined || !isGateway(peer.digest)) continue;
    for (const [node, state] of Object.entries(peer.digest.home)) add(found, node, peer, state);
  }
  return found;
}

/** Adds the nodes of `site` in the digests of `gateways`. */
function addVouched(found: Found, gateways: readonly PeerView[], site: string, direct: boolean): Found {
  for (const peer of gateways) {
    const vouched = peer.isUp ? peer.digest?.sites[site] : undefined;
    if (vouched === undefined || vouched.direct !== direct) continue;
    for (const [node, state] of Object.entries(vouched.nodes)) add(found, node, peer, state);
  }
  return found;
}

function add(found: Found, node: string, peer: PeerView, state: NodeState | undefined): void {
  if (state !== undefined && !found.has(node)) found.set(node, { next: peer.entry.name, state });
}

function statesOf(routes: Found): Record<string, NodeState> {
  return Object.fromEntries([...routes].map(([node, { state }]) => [node, state]));
}

function isGateway({ self }: Digest): boolean {
  for (const name in self.instances) if (name.startsWith('rpco-') && self.instances[name] === 'active') return true;
  return false;
}

/** Gateways are tried in the order of their rpco instances. */
function preference(node: NodeEntry): number {
  return node.instances.find((instance) => instance.role === 'rpco')?.order ?? Number.MAX_SAFE_INTEGER;
}
