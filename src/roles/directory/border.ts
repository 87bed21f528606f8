/** The border rules of the domain data, for the SIP edges, which apply them. */

import { activeInstances, type RoleScope } from '../../cluster/role.ts';
import { entityOf } from '../../model/entities/entities.ts';
import type { DataRowChange } from '../../model/protocol/data.ts';
import type { BorderRuleRecord } from '../../model/protocol/directory.ts';
import type { Database } from '../../storage/database.ts';

const { kind } = entityOf('borderrule');

/** The rules that are enabled, in the order of lists. */
export function borderRulesIn(database: Database, masterDomain: string): BorderRuleRecord[] {
  const rows = database
    .table(kind)
    .inOrder(masterDomain)
    .filter(({ item }) => item['enabled'] === 1);
  return rows.map(({ item }) => {
    const { id, priority, site, domain, username, useragent, remoteipmask, action } =
      item as unknown as BorderRuleRecord;
    return { id, priority, site, domain, username, useragent, remoteipmask, action };
  });
}

/** Tells the edges that ask here, where changes that can be seen now concern them. */
export function tellBorder(scope: RoleScope, changes: readonly DataRowChange[] | 'all'): void {
  const isConcerned = (change: DataRowChange) => ('put' in change ? change.put.kind : change.gone.kind) === kind;
  if (changes !== 'all' && !changes.some(isConcerned)) return;
  for (const role of ['sg', 'esg'] as const) {
    for (const edge of activeInstances(scope, role)) {
      if (isServedFrom(scope, edge.site)) scope.tell(edge.address, 'border.changed', {});
    }
  }
}

/** Whether the edges of a site ask here: those of the own site do and, at the master site, those of sites without a copy. */
function isServedFrom({ map, instance }: RoleScope, site: string): boolean {
  if (site === instance.site) return true;
  return instance.role === 'mdc' && !map.instancesOf('sdc').some((each) => each.site === site);
}
