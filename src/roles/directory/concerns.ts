/** Which changes of the domain data concern whom. */
import { coverOf } from '../../model/domain-tree.ts';
import { entityOf } from '../../model/entities/entities.ts';
import type { RowChange } from '../../model/protocol/data.ts';
import type { Database } from '../../storage/database.ts';

/** Whether a change concerns somebody who serves these parts of the domain tree. */
export function isConcerned(domains: readonly string[], change: RowChange): boolean {
  const { kind, domain } = 'put' in change ? change.put : change.gone;
  return entityOf(kind).isEverywhere === true || coverOf(domain, domains) !== undefined;
}

export interface Account {
  readonly domain: string;
  readonly login: string;
}

/** The logins of SIP users that end by changes which the database has not seen yet. */
export function endingAccounts(database: Database, changes: readonly RowChange[]): Account[] {
  const table = database.table('sipuser');
  return changes.flatMap((change) => {
    const { kind, id } = 'put' in change ? { kind: change.put.kind, id: change.put.item.id } : change.gone;
    const before = kind === 'sipuser' ? table.get(id) : undefined;
    if (before === undefined) return [];
    const login = String(before.item['login']);
    const isKept = 'put' in change && change.put.item['login'] === login;
    return isKept ? [] : [{ domain: before.domain, login }];
  });
}
