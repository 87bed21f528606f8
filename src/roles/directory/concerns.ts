/** Which changes of the domain data concern who serves a part of the domain tree. */
import { coverOf } from '../../model/domain-tree.ts';
import { entityOf } from '../../model/entities/entities.ts';
import type { DataRowChange } from '../../model/protocol/data.ts';

/** Whether a change concerns somebody who serves these parts of the domain tree. */
export function isConcerned(domains: readonly string[], change: DataRowChange): boolean {
  const { kind, domain } = 'put' in change ? change.put : change.gone;
  return entityOf(kind).isEverywhere === true || coverOf(domain, domains) !== undefined;
}
