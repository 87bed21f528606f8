/**
 * What ends with changes of the domain data: registrations of SIP users that are gone, sessions of users that are gone or
 * have another password.
 */
import type { InstanceEntry } from '../../model/cluster-map.ts';
import type { RowChange } from '../../model/protocol/data.ts';
import { activeInstances } from '../../runtime/finding.ts';
import type { RoleScope } from '../../runtime/role.ts';
import type { Database } from '../../storage/database.ts';

export interface Endings {
  /** SIP users that are gone, or have another login. */
  readonly accounts: readonly { readonly domain: string; readonly login: string }[];
  /** Ids of users that are gone, or have another password. */
  readonly users: readonly string[];
}

/** What ends by changes that the database has not seen yet. */
export function endingsOf(database: Database, changes: readonly RowChange[]): Endings {
  const accounts = changes.flatMap((change) => {
    const { kind, id } = 'put' in change ? { kind: change.put.kind, id: change.put.item.id } : change.gone;
    const before = kind === 'sipuser' ? database.table(kind).get(id) : undefined;
    const login = before?.item['login'];
    const isKept = 'put' in change && change.put.item['login'] === login;
    return before === undefined || isKept ? [] : [{ domain: before.domain, login: String(login) }];
  });
  return { accounts, users: changes.flatMap((change) => endedUser(database, change)) };
}

function endedUser(database: Database, change: RowChange): string[] {
  if ('gone' in change) return change.gone.kind === 'user' ? [change.gone.id] : [];
  const { kind, item, secret } = change.put;
  if (kind !== 'user') return [];
  const before = database.table(kind).get(item.id);
  return before === undefined || before.secret === secret ? [] : [item.id];
}

/** Tells those who keep registrations and sessions, as far as `isConcerned` picks them. */
export function tellEndings(
  scope: RoleScope,
  { accounts, users }: Endings,
  isConcerned: (instance: InstanceEntry) => boolean,
): void {
  for (const account of accounts) {
    const registrars = activeInstances(scope, 'sr', account.domain).filter(isConcerned);
    for (const { address } of registrars) void scope.ask(address, 'registrar.unbind', account);
  }
  for (const id of users) {
    const fronts = activeInstances(scope, 'ws').filter(isConcerned);
    for (const { address } of fronts) scope.tell(address, 'session.user_gone', { id });
  }
}
