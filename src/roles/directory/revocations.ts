/**
 * What is revoked by changes of the domain data: registrations of SIP users that are gone, have another login or password, or may
 * have fewer devices, or more: a registrar remembers how many, against requests of instances that have read the user before; sessions of users that are gone or have another password.
 */

import { activeInstances, type RoleScope } from '../../cluster/role.ts';
import type { InstanceEntry } from '../../model/cluster/cluster-map.ts';
import { coverOf } from '../../model/domain-tree.ts';
import type { SipUserItem } from '../../model/entities/user.ts';
import type { BodyOf } from '../../model/protocol/catalogue.ts';
import type { DataRowChange } from '../../model/protocol/messages/data.ts';
import { ha1Of } from '../../model/sip/digest.ts';
import type { Database } from '../../storage/database.ts';
import { passwordIdOf } from './passwords.ts';
import { devicesAllowed } from './routing-data.ts';

/** A SIP user that loses registrations. `keep`: how many devices stay registered; absent: none. `now`: as in `registrar.unbind`. */
export interface RevokedAccount {
  readonly domain: string;
  readonly login: string;
  readonly keep?: number;
  readonly now?: { readonly userid: string; readonly ha1?: string };
}

export interface Revocations {
  readonly accounts: readonly RevokedAccount[];
  /** Users that are gone, or have another password. */
  readonly users: readonly BodyOf<'session.user_gone'>[];
  /** How long ago that was, where a copy learns of it late. */
  readonly agoMs?: number;
}

/** What is revoked by changes that the database does not have yet. Of several changes of one item the last one counts. */
export function revocationsOf(database: Database, changes: readonly DataRowChange[]): Revocations {
  const latest = [...new Map(changes.map((change) => [itemRefOf(change).id, change])).values()];
  return {
    accounts: latest.flatMap((change) => revokedAccount(database, change)),
    users: latest.flatMap((change) => revokedUser(database, change)),
  };
}

function itemRefOf(change: DataRowChange): { kind: string; id: string } {
  return 'put' in change ? { kind: change.put.kind, id: change.put.item.id } : change.gone;
}

function revokedAccount(database: Database, change: DataRowChange): RevokedAccount[] {
  const { kind, id } = itemRefOf(change);
  const row = kind === 'sipuser' ? database.table(kind).get(id) : undefined;
  if (row === undefined) return [];
  const before = row.item as unknown as SipUserItem;
  const account = { domain: row.domain, login: before.login };
  if ('gone' in change) return [{ ...account, now: { userid: id } }];
  const after = change.put.item as unknown as SipUserItem;
  const keep = devicesAllowed(after);
  const now = { userid: id, ha1: ha1Of(after.login, row.domain, after.pwd) };
  if (after.login !== before.login || after.pwd !== before.pwd) return [{ ...account, now }];
  return keep === 0 || keep !== devicesAllowed(before) ? [{ ...account, keep }] : [];
}

function revokedUser(database: Database, change: DataRowChange): BodyOf<'session.user_gone'>[] {
  const { kind, id } = itemRefOf(change);
  if (kind !== 'user') return [];
  const before = database.table(kind).get(id);
  const former = before && { formerPasswordId: passwordIdOf(before.secret) };
  if ('gone' in change) return [{ id, ...former }];
  const { secret } = change.put;
  return before === undefined || before.secret === secret ? [] : [{ id, passwordId: passwordIdOf(secret), ...former }];
}

/** Sends revocations to the instances that keep registrations and sessions, as far as `isMeant` picks them. */
export function sendRevocations(
  scope: RoleScope,
  { accounts, users, agoMs }: Revocations,
  isMeant: (instance: InstanceEntry) => boolean,
): void {
  for (const account of accounts) {
    const serving = scope.map.instancesOf('sr').filter(({ domains }) => coverOf(account.domain, domains) !== undefined);
    const groups = new Set(serving.filter(isMeant).map((each) => scope.map.groupOf(each)));
    for (const group of groups) void revoke(scope, account, group);
  }
  for (const user of users) {
    const fronts = activeInstances(scope, 'ws').filter(isMeant);
    for (const { address } of fronts) scope.tell(address, 'session.user_gone', { ...user, ...(agoMs && { agoMs }) });
  }
}

/** Asks the registrar of a group that serves; where it does not answer, the stand-bys, of which one takes over. */
async function revoke(
  { view, ask }: RoleScope,
  account: RevokedAccount,
  group: readonly InstanceEntry[],
): Promise<void> {
  const active = group.find((each) => view.statusOf(each) === 'active');
  const answer = active && (await ask(active.address, 'registrar.unbind', account));
  if (answer?.ok) return;
  for (const each of group) if (each !== active) void ask(each.address, 'registrar.unbind', account);
}
