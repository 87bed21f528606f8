/** Which registrar speaks for a device, of all that know its registration. */

import type { RoleScope } from '../../cluster/role.ts';
import type { Binding } from '../../model/binding.ts';
import { coverOf } from '../../model/domain-tree.ts';

/** Whether this instance does: the active one of the site through which the device registered, else the first that is active. */
export function speaksFor({ map, view, instance }: RoleScope, { domain, path }: Binding): boolean {
  const home = map.instances.get(path)?.site;
  for (const site of [...(home === undefined ? [] : [home]), ...map.sites.keys()]) {
    const active = map
      .instancesOf('sr')
      .find(
        (each) => each.site === site && coverOf(domain, each.domains) !== undefined && view.statusOf(each) === 'active',
      );
    if (active !== undefined) return active === instance;
  }
  return false;
}
