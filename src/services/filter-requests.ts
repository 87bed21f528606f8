/** The network filters of the edge roles, over all instances in scope. */

import type { RoleScope } from '../cluster/role.ts';
import type { InstanceEntry } from '../model/cluster/cluster-map.ts';
import type { Banned } from '../model/protocol/messages/edge.ts';
import { askAll, type InstanceRow, rowOf } from './fan-out.ts';

export type FilterRow = InstanceRow & { readonly banned?: readonly Banned[] };
export type ResultRow = InstanceRow & { readonly result?: boolean };

/** Bans an address on every reachable instance; `result` says for each whether it did. */
export async function ban(scope: RoleScope, instances: readonly InstanceEntry[], banned: Banned): Promise<ResultRow[]> {
  const answers = await askAll(scope, instances, 'filter.add', banned);
  return answers.map((answer) => {
    const row: InstanceRow & { result?: boolean } = rowOf(answer);
    if (answer.outcome.ok) row.result = answer.outcome.value.result;
    return row;
  });
}

export async function listBans(scope: RoleScope, instances: readonly InstanceEntry[]): Promise<FilterRow[]> {
  const answers = await askAll(scope, instances, 'filter.list', {});
  return answers.map((answer) => {
    const row: InstanceRow & { banned?: readonly Banned[] } = rowOf(answer);
    if (answer.outcome.ok) row.banned = answer.outcome.value.banned;
    return row;
  });
}

/** Lifts the ban of an address, or all bans, on every reachable instance. */
export async function liftBans(scope: RoleScope, instances: readonly InstanceEntry[], ip?: string): Promise<void> {
  if (ip === undefined) await askAll(scope, instances, 'filter.clear', {});
  else await askAll(scope, instances, 'filter.remove', { ip });
}
