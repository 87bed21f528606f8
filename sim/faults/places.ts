/**
 * Places of faults by name: a site (`north`), a node (`n2`), a role (`conf`: all its instances), a role instance
 * (`esg-221`, or its number), `*` for all nodes, or several of these. A name that fits several kinds means the first of
 * these.
 */
import { nodeOf } from '../../src/model/cluster/address.ts';
import type { ClusterMap, InstanceEntry, NodeEntry } from '../../src/model/cluster/cluster-map.ts';
import type { RoleName } from '../../src/model/cluster/roles.ts';

export type FaultPlace = string | readonly string[];

/** Roles that load what they have from the disk of their node. */
export const storingRoles: ReadonlySet<RoleName> = new Set(['mdc', 'sdc', 'ws', 'callstore', 'mware', 'esg', 'sg']);

/** The members of a place: whole nodes, and single role instances. */
export interface Members {
  readonly nodes: readonly NodeEntry[];
  readonly instances: readonly InstanceEntry[];
}

/** Throws an error that lists the known names. */
export function membersOf(map: ClusterMap, place: FaultPlace): Members {
  const all = namesIn(place).map((name) => named(map, name) ?? refuse(map, name));
  return {
    nodes: [...new Set(all.flatMap(({ nodes }) => nodes))],
    instances: [...new Set(all.flatMap(({ instances }) => instances))],
  };
}

/** The first name of a place that the cluster does not have. */
export function unknownIn(map: ClusterMap, place: FaultPlace): string | undefined {
  return namesIn(place).find((name) => named(map, name) === undefined);
}

/** Whether an address is a member: a node of the place, or an instance. */
export function coverOf({ nodes, instances }: Members): (address: string) => boolean {
  const [names, addresses] = [
    new Set(nodes.map(({ name }) => name)),
    new Set<string>(instances.map((each) => each.address)),
  ];
  return (address) => names.has(nodeOf(address)) || addresses.has(address);
}

function named(map: ClusterMap, name: string): Members | undefined {
  if (name === '*') return { nodes: [...map.nodes.values()], instances: [] };
  const site = map.sites.get(name);
  if (site !== undefined) return { nodes: site.nodes, instances: [] };
  const node = map.nodes.get(name);
  if (node !== undefined) return { nodes: [node], instances: [] };
  const instances = [...map.instances.values()].filter(
    (each) => each.name === name || each.role === name || String(each.srvidx) === name,
  );
  return instances.length === 0 ? undefined : { nodes: [], instances };
}

/** The topology lacks what a fault, a workload or a behaviour needs: the input is wrong, not the simulator. */
export class NotInTopology extends Error {}

function refuse(map: ClusterMap, name: string): never {
  throw new NotInTopology(
    `no site, node, role or role instance named "${name}"; expected one of ${[...map.sites.keys(), ...map.nodes.keys()].join(', ')}, a role or an instance (such as ${exampleOf(map)}), or *`,
  );
}

function exampleOf(map: ClusterMap): string {
  const [first] = map.instances.values();
  return first === undefined ? 'none' : `${first.role}, ${first.name}`;
}

function namesIn(place: FaultPlace): readonly string[] {
  return typeof place === 'string' ? [place] : place;
}
