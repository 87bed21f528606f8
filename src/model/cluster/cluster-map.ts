/** The topology as an index: sites, nodes and role instances by name, and the links between nodes. */

import { coverOf } from '../domain-tree.ts';
import { isMasterSite, masterDomainOf } from '../topology/checks.ts';
import { domainsOfGroup } from '../topology/group-checks.ts';
import type { Topology, TopologyDomain, TopologyNode } from '../topology/schema.ts';
import { type InstanceAddress, instanceAddress, type NodeAddress, nodeAddress } from './address.ts';
import type { RoleName } from './roles.ts';

export interface SiteEntry {
  readonly name: string;
  readonly isMaster: boolean;
  /** Domains that the site serves, each with its subtree. */
  readonly domains: readonly string[];
  readonly arbiters: readonly string[];
  readonly nodes: readonly NodeEntry[];
}

export interface NodeEntry {
  readonly name: string;
  readonly site: string;
  readonly address: NodeAddress;
  readonly ip: string;
  /** Where it listens for its peers when it runs as a process of its own, `host:port`. */
  readonly link: string | undefined;
  /** Where its ws instance listens then. */
  readonly http: string | undefined;
  readonly isGateway: boolean;
  readonly instances: readonly InstanceEntry[];
}

export interface InstanceEntry {
  readonly address: InstanceAddress;
  /** `role-srvidx`, unique in the cluster. */
  readonly name: string;
  readonly role: RoleName;
  readonly site: string;
  readonly node: string;
  readonly srvidx: number;
  /** Address of the server in the interface. */
  readonly addr: string;
  /** Address of the node. */
  readonly ip: string;
  readonly group: number | undefined;
  readonly order: number;
  /** The subtrees of the domain tree that its group serves. */
  readonly domains: readonly string[];
}

export class ClusterMap {
  readonly topology: Topology;
  readonly masterDomain: string;
  readonly sites: ReadonlyMap<string, SiteEntry>;
  readonly nodes: ReadonlyMap<string, NodeEntry>;
  /** By address, in topology order: site, node, instance. */
  readonly instances: ReadonlyMap<string, InstanceEntry>;
  readonly domains: ReadonlyMap<string, TopologyDomain>;
  readonly #byRole: ReadonlyMap<RoleName, readonly InstanceEntry[]>;
  /** The members of each group, by priority. */
  readonly #groups: ReadonlyMap<string, readonly InstanceEntry[]>;
  /** Those of a role at a site, by group priority. */
  readonly #atSite: ReadonlyMap<string, readonly InstanceEntry[]>;
  readonly #rows: ReadonlyMap<RoleName, readonly InstanceEntry[]>;
  readonly #byName: ReadonlyMap<string, InstanceEntry>;
  readonly #byServer: ReadonlyMap<string, readonly InstanceEntry[]>;

  constructor(topology: Topology) {
    this.topology = topology;
    this.masterDomain = masterDomainOf(topology);
    this.sites = new Map(topology.sites.map((site) => [site.name, siteEntry(site)]));
    const nodes = [...this.sites.values()].flatMap((site) => site.nodes);
    this.nodes = new Map(nodes.map((node) => [node.name, node]));
    this.instances = new Map(nodes.flatMap((node) => node.instances.map((each) => [each.address, each] as const)));
    this.domains = new Map(topology.domains.map((domain) => [domain.name, domain]));
    const all = [...this.instances.values()];
    this.#byRole = grouped(all, (instance) => [instance.role]);
    const byOrder = all.toSorted((a, b) => a.order - b.order);
    this.#atSite = grouped(byOrder, ({ role, site }) => [`${role} ${site}`]);
    this.#groups = grouped(byOrder, ({ role, site, group }) => [groupKey(role, site, group)]);
    this.#rows = grouped(all.toSorted(bySiteNodeAndNumber), (instance) => [instance.role]);
    this.#byName = new Map(all.map((instance) => [instance.name, instance]));
    this.#byServer = grouped(all, serverNames);
  }

  site(name: string): SiteEntry {
    return known(this.sites, name, 'site');
  }

  node(name: string): NodeEntry {
    return known(this.nodes, name, 'node');
  }

  instance(address: string): InstanceEntry {
    return known(this.instances, address, 'instance');
  }

  get masterSite(): SiteEntry {
    for (const site of this.sites.values()) if (site.isMaster) return site;
    throw new Error('a checked topology has a master site');
  }

  /** The solution type of a domain: it selects web applications and metadata. (documented) */
  solutionOf(domain: string): string {
    return domain === this.masterDomain ? 'master' : (this.domains.get(domain)?.solution ?? 'standard');
  }

  /**
   * The SIP endpoint of an edge instance outside: port 5060 of its address for sg, 5080 for esg; a second instance of the
   * role on the same address has the next port. (chosen)
   */
  endpointOf(instance: InstanceEntry): string {
    const alike = this.instancesOf(instance.role).filter((each) => each.addr === instance.addr);
    const port = (instance.role === 'esg' ? 5_080 : 5_060) + alike.indexOf(instance);
    return `${instance.addr}:${port}`;
  }

  /** The instance with a name such as `b2b-214`. */
  instanceNamed(name: string): InstanceEntry | undefined {
    return this.#byName.get(name);
  }

  /** The instances of a role, in topology order. */
  instancesOf(role: RoleName): readonly InstanceEntry[] {
    return this.#byRole.get(role) ?? [];
  }

  /** The instances of a role in the order of listings: by site, node, srvidx. (chosen) */
  rowsOf(role: RoleName): readonly InstanceEntry[] {
    return this.#rows.get(role) ?? [];
  }

  /**
   * The instances on a server, given by address, number (srvidx), or name: `n2`, `north/n2`, `esg-221`,
   * `esg-221@10.2.0.12`, `n2@10.2.0.12`.
   */
  instancesOn(server: string): readonly InstanceEntry[] {
    return this.#byServer.get(server) ?? [];
  }

  /** The nodes linked to `name`: those of its site and, between gateways, those of other sites. In topology order. */
  peersOf(name: string): NodeEntry[] {
    const self = this.node(name);
    return [...this.nodes.values()].filter(
      (peer) => peer !== self && (peer.site === self.site || (peer.isGateway && self.isGateway)),
    );
  }

  /** The members of the active-passive group of `instance`, by group priority. */
  groupOf({ role, site, group }: InstanceEntry): readonly InstanceEntry[] {
    return this.#groups.get(groupKey(role, site, group)) ?? [];
  }

  /** The instances of `role` at `site` whose group serves `domain` (absent: any domain), by group priority. */
  serving(role: RoleName, site: string, domain?: string): readonly InstanceEntry[] {
    const all = this.#atSite.get(`${role} ${site}`) ?? [];
    return domain === undefined ? all : all.filter(({ domains }) => coverOf(domain, domains) !== undefined);
  }
}

function groupKey(role: RoleName, site: string, group: number | undefined): string {
  return `${role} ${site} ${group}`;
}

function bySiteNodeAndNumber(a: InstanceEntry, b: InstanceEntry): number {
  return compare(a.site, b.site) || compare(a.node, b.node) || a.srvidx - b.srvidx;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Groups items by each of their keys, keeping their order. */
function grouped<K, V>(items: readonly V[], keysOf: (item: V) => readonly K[]): Map<K, V[]> {
  const groups = new Map<K, V[]>();
  for (const item of items) {
    for (const key of keysOf(item)) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [item]);
      else group.push(item);
    }
  }
  return groups;
}

function serverNames({ addr, address, ip, name, node, site, srvidx }: InstanceEntry): string[] {
  const own = [String(srvidx), name, address, `${name}@${ip}`];
  return [...new Set([...own, addr, ip, node, `${site}/${node}`, `${node}@${ip}`])];
}

function siteEntry(site: Topology['sites'][number]): SiteEntry {
  const { name, domains, arbiters } = site;
  const nodes = site.nodes.map((node) => nodeEntry(site, node));
  return { name, isMaster: isMasterSite(site), domains, arbiters, nodes };
}

function nodeEntry(site: Topology['sites'][number], node: TopologyNode): NodeEntry {
  const address = nodeAddress(site.name, node.name);
  const instances = node.instances.map(({ role, srvidx, addr, group, order }): InstanceEntry => {
    const domains = group === undefined ? site.domains : domainsOfGroup(site, group);
    const name = `${role}-${srvidx}`;
    const identity = { address: instanceAddress(address, role, srvidx), name, site: site.name, node: node.name };
    return { ...identity, role, srvidx, addr: addr ?? node.ip, ip: node.ip, group, order: order ?? srvidx, domains };
  });
  const isGateway = node.instances.some((instance) => instance.role === 'rpco');
  const { name, ip, link, http } = node;
  return { name, site: site.name, address, ip, link, http, isGateway, instances };
}

function known<T>(map: ReadonlyMap<string, T>, name: string, what: string): T {
  const found = map.get(name);
  if (found === undefined) throw new Error(`no ${what} named "${name}"`);
  return found;
}
