/**
 * What ends with changes of the domain data: registrations of SIP users that are gone, have another login or password, or may
 * have fewer devices; sessions of users that are gone or have another password.
 */

import { activeInstances, type RoleScope } from '../../cluster/role.ts';
import type { InstanceEntry } from '../../model/cluster-map.ts';
import type { SipUserItem } from '../../model/entities/user.ts';
import type { RowChange } from '../../model/protocol/data.ts';
import type { Database } from '../../storage/database.ts';
import { devicesAllowed } from './sip-users.ts';

/** A SIP user of whose devices at most `keep` stay registered; none where it does not say. */
export interface EndedAccount {
  readonly domain: string;
  readonly login: string;
  readonly keep?: number;
}

export interface Endings {
  readonly accounts: readonly EndedAccount[];
  /** Ids of users that are gone, or have another password. */
  readonly users: readonly string[];
}

/** What ends by changes that the database has not seen yet. */
export function endingsOf(database: Database, changes: readonly RowChange[]): Endings {
  return {
    accounts: changes.flatMap((change) => endedAccount(database, change)),
    users: changes.flatMap((change) => endedUser(database, change)),
  };
}

function endedAccount(database: Database, change: RowChange): EndedAccount[] {
  const { kind, id } = 'put' in change ? { kind: change.put.kind, id: change.put.item.id } : change.gone;
  const row = kind === 'sipuser' ? database.table(kind).get(id) : undefined;
  if (row === undefined) return [];
  const before = row.item as unknown as SipUserItem;
  const account = { domain: row.domain, login: before.login };
  if ('gone' in change) return [account];
  const now = change.put.item as unknown as SipUserItem;
  const keep = devicesAllowed(now);
  if (now.login !== before.login || now.pwd !== before.pwd || keep === 0) return [account];
  return keep < devicesAllowed(before) ? [{ ...account, keep }] : [];
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
