/**
 * The routes of one node to all others, from the digests of its peers. Routes to another site, in order of preference: a
 * direct link of this gateway; a gateway of the own site with a direct link; the master site's gateways; a gateway of the
 * own site that routes through the master site.
 */
import type { ClusterMap, NodeEntry } from '../../model/cluster/cluster-map.ts';
import type { Digest, NodeState } from '../../model/protocol/messages/peer.ts';
import { type Site, sameNodes } from '../membership/digest-parts.ts';

/** What a node knows of a peer. */
export interface PeerView {
  readonly entry: NodeEntry;
  isKnown: boolean;
  isUp: boolean;
  version: string;
  digest: Digest | undefined;
  /** How often it has found this node, at least 1: between two times, its messages to this node were dropped. */
  found: number;
}

export interface NodeReach {
  /** The next hop. */
  readonly next: string;
  readonly state: NodeState;
}

/** All reachable nodes and, for a gateway, the sites to which it routes for others. */
export interface FoundRoutes {
  readonly reach: ReadonlyMap<string, NodeReach>;
  readonly sites: ReadonlyMap<string, Site>;
}

type Found = Map<string, NodeReach>;

interface SiteRoutes {
  /** What they were found from. */
  readonly grounds: readonly unknown[];
  readonly routes: Found;
  /** What a gateway says of the site to others. */
  readonly forwarded: Site | undefined;
}

export class Routes {
  /** Peers of the own site; gateways in the order of their rpco instances. */
  readonly siblings: readonly PeerView[];
  readonly #remotes: ReadonlyMap<string, readonly PeerView[]>;
  /** By site. */
  readonly #found = new Map<string, SiteRoutes>();
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
    for (const site of this.#remotes.keys()) {
      const { routes, forwarded } = this.#routesTo(site, isGateway);
      for (const [node, route] of routes) if (!reach.has(node)) reach.set(node, route);
      if (forwarded !== undefined) sites.set(site, forwarded);
    }
    return { reach, sites };
  }

  /** Most changes are about one site: the routes to all others are the ones that were found before. */
  #routesTo(site: string, isGateway: boolean): SiteRoutes {
    const grounds = this.#groundsOf(site, isGateway);
    const before = this.#found.get(site);
    if (before !== undefined && isSameList(before.grounds, grounds)) return before;
    const direct = isGateway ? directRoutes(this.#remotes.get(site) ?? []) : undefined;
    const routes = this.#chosen(site, direct);
    const found = { grounds, routes, forwarded: this.#forwarded(site, direct, before?.forwarded) };
    this.#found.set(site, found);
    return found;
  }

  /** All that the routes to a site depend on. Parts of digests that have not changed are the same objects. */
  #groundsOf(site: string, isGateway: boolean): unknown[] {
    const grounds: unknown[] = [isGateway];
    for (const { isUp, digest } of this.siblings) grounds.push(isUp ? digest?.sites[site] : undefined);
    if (!isGateway) return grounds;
    for (const { isUp, digest } of this.#remotes.get(site) ?? []) {
      grounds.push(isUp ? digest?.self : undefined, isUp ? digest?.home : undefined);
    }
    for (const { isUp, digest } of this.#masters(site)) grounds.push(isUp ? digest?.sites[site] : undefined);
    return grounds;
  }

  /** `direct`: the routes of this gateway over its own links; absent: this node is not a gateway. */
  #chosen(site: string, direct: Found | undefined): Found {
    const routes = addVouched(new Map(direct), this.siblings, site, true);
    if (routes.size === 0 && direct !== undefined) addVouched(routes, this.#masters(site), site, true);
    return routes.size > 0 ? routes : addVouched(routes, this.siblings, site, false);
  }

  /** What a gateway says to others of a site to which it routes for them. */
  #forwarded(site: string, direct: Found | undefined, before: Site | undefined): Site | undefined {
    if (direct === undefined) return undefined;
    const isDirect = direct.size > 0;
    const routes = isDirect ? direct : addVouched(new Map(), this.#masters(site), site, true);
    if (routes.size === 0) return undefined;
    const nodes = statesOf(routes);
    return before?.direct === isDirect && sameNodes(before.nodes, nodes) ? before : { direct: isDirect, nodes };
  }
}

function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((each, index) => each === other[index]);
}

/** Whether two nodes' routes are the same: next hops and states. */
export function isSameReach(one: ReadonlyMap<string, NodeReach>, other: ReadonlyMap<string, NodeReach>): boolean {
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
