/** The records of calls that are over. */
import type { RoleScope } from '../runtime/role.ts';
import { type Asker, type Listed, list, lookUp } from './mware.ts';

export function listRecords(scope: RoleScope, asker: Asker, params: [string, string][]): Promise<Listed> {
  return list(scope, 'mware.records', { ...asker, params });
}

export async function showRecord(
  scope: RoleScope,
  asker: Asker,
  inviteid: string,
): Promise<Readonly<Record<string, unknown>>> {
  return (await lookUp(scope, 'mware.record', { ...asker, inviteid })).item;
}
