/**
 * The rules of active-passive groups: every instance of such a role has a group and an order in it, a group lies within
 * one site and one role, and the groups of a site cover its part of the domain tree exactly once.
 */

import { type RoleName, roles } from '../cluster/roles.ts';
import { coverOf } from '../domain-tree.ts';
import type { Problem, Topology, TopologyInstance, TopologySite } from './schema.ts';

type LocatedInstance = { readonly instance: TopologyInstance; readonly path: Problem['path'] };

export function checkGroups(topology: Topology): Problem[] {
  return topology.sites.flatMap((site, s) => {
    const instances = site.nodes.flatMap((node, n) =>
      node.instances.map(
        (instance, i): LocatedInstance => ({ instance, path: ['sites', s, 'nodes', n, 'instances', i] }),
      ),
    );
    return [
      ...checkMembers(instances),
      ...checkListed(site, s, instances),
      ...checkCover(topology, site, s, instances),
    ];
  });
}

function checkMembers(instances: readonly LocatedInstance[]): Problem[] {
  const problems: Problem[] = [];
  const roleOfGroup = new Map<number, RoleName>();
  const slots = new Set<string>();
  for (const { instance, path } of instances) {
    const { role, group, order } = instance;
    if (roles[role].redundancy === 'active-active') {
      if (group !== undefined) {
        problems.push({ path: [...path, 'group'], message: `${role} is active-active; expected no group` });
      }
      continue;
    }
    if (group === undefined || order === undefined) {
      problems.push({ path, message: `${role} is active-passive; expected a group and an order` });
      continue;
    }
    const owner = roleOfGroup.get(group);
    if (owner !== undefined && owner !== role) {
      problems.push({
        path: [...path, 'group'],
        message: `group ${group} is one of ${owner}; expected one of ${role}`,
      });
    }
    roleOfGroup.set(group, owner ?? role);
    const slot = `${group}/${order}`;
    if (slots.has(slot)) {
      problems.push({ path: [...path, 'order'], message: `order ${order} is taken in group ${group}` });
    }
    slots.add(slot);
  }
  return problems;
}

function checkListed(site: TopologySite, s: number, instances: readonly LocatedInstance[]): Problem[] {
  const known = new Set(instances.map(({ instance }) => instance.group));
  return site.groups.flatMap(({ group }, g) =>
    known.has(group)
      ? []
      : [
          {
            path: ['sites', s, 'groups', g, 'group'],
            message: `no instance of site "${site.name}" is in group ${group}`,
          },
        ],
  );
}

function checkCover(
  topology: Topology,
  site: TopologySite,
  s: number,
  instances: readonly LocatedInstance[],
): Problem[] {
  const problems: Problem[] = [];
  const groupsOfRole = new Map<RoleName, Set<number>>();
  for (const { instance } of instances) {
    if (instance.group === undefined || roles[instance.role].redundancy === 'active-active') continue;
    const groups = groupsOfRole.get(instance.role) ?? new Set();
    groupsOfRole.set(instance.role, groups.add(instance.group));
  }
  const served = topology.domains.filter((domain) => coverOf(domain.name, site.domains) !== undefined);
  for (const [role, groups] of groupsOfRole) {
    for (const domain of served) {
      const serving = [...groups].filter((group) => coverOf(domain.name, domainsOfGroup(site, group)) !== undefined);
      if (serving.length === 1) continue;
      const message =
        serving.length === 0
          ? `no ${role} group of site "${site.name}" covers domain "${domain.name}"`
          : `the ${role} groups ${serving.join(' and ')} of site "${site.name}" both cover domain "${domain.name}"`;
      problems.push({ path: site.groups.length > 0 ? ['sites', s, 'groups'] : ['sites', s, 'nodes'], message });
    }
  }
  return problems;
}

/** The parts of the domain tree that a group of the site serves. */
export function domainsOfGroup(site: TopologySite, group: number): readonly string[] {
  return site.groups.find((each) => each.group === group)?.domains ?? site.domains;
}
