/** Whom to ask: the role instances that serve now, as this node sees it. */
import type { InstanceEntry } from '../model/cluster-map.ts';
import { coverOf } from '../model/domain-tree.ts';
import type { RoleName } from '../model/roles.ts';
import type { RoleScope } from './role.ts';

type Finder = Pick<RoleScope, 'map' | 'view' | 'instance'>;

/** The sites in the order in which one asks: the own first, then as in the topology. */
export function sitesFrom({ map, instance }: Finder): string[] {
  return [instance.site, ...[...map.sites.keys()].filter((site) => site !== instance.site)];
}

/**
 * The instances of a role that are active and serve `domain` (any domain, where none is given): those of the own site
 * first, then those of the others; within a site by order.
 */
export function activeInstances(finder: Finder, role: RoleName, domain?: string): InstanceEntry[] {
  const { map, view } = finder;
  return sitesFrom(finder).flatMap((site) =>
    map
      .instancesOf(role)
      .filter((each) => each.site === site && (domain === undefined || coverOf(domain, each.domains) !== undefined))
      .filter((each) => view.statusOf(each) === 'active')
      .sort((a, b) => a.order - b.order),
  );
}

/** The active sdc or mdc that serves `domain`: at the own site where there is one, else the master site's. */
export function activeDirectory(finder: Finder, domain: string): InstanceEntry | undefined {
  const { map, instance } = finder;
  const own = map.site(instance.site).isMaster ? [] : activeInstances(finder, 'sdc', domain);
  const candidates = [
    ...own.filter((each) => each.site === instance.site),
    ...activeInstances(finder, 'mdc', domain),
    ...own,
  ];
  return candidates[0];
}
