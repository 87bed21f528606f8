/**
 * Addresses of nodes and role instances.
 *
 * A node is `site/node` (`north/n2`), a role instance `site/node/role-srvidx` (`north/n2/esg-21`). Node names and srvidx
 * are unique in the cluster; the site in front is for readers and gateways.
 */
import type { RoleName } from './roles.ts';

export type NodeAddress = `${string}/${string}`;
export type InstanceAddress = `${string}/${string}/${RoleName}-${number}`;

export function nodeAddress(site: string, node: string): NodeAddress {
  return `${site}/${node}`;
}

export function instanceAddress(node: NodeAddress, role: RoleName, srvidx: number): InstanceAddress {
  return `${node}/${role}-${srvidx}`;
}

/** The name of the node in an address. */
export function nodeOf(address: string): string {
  const start = address.indexOf('/') + 1;
  const end = address.indexOf('/', start);
  return end < 0 ? address.slice(start) : address.slice(start, end);
}
