/** Which SIP users can be reached: who they are the directory knows, who is registered sr knows. */
import { FaultError, fault } from '../model/fault.ts';
import type { SipUserRecord } from '../model/protocol/directory.ts';
import type { SipUserState } from '../model/shapes/sipuser-state.ts';
import { listSipUsers } from '../roles/sip-users.ts';
import { askFirst } from '../runtime/asking.ts';
import type { RoleScope } from '../runtime/role.ts';
import { unwrap } from './mware.ts';

/** All SIP users of a domain with their states, in the order of the domain's data. */
export async function listStates(scope: RoleScope, domain: string): Promise<SipUserState[]> {
  const [users, online] = await Promise.all([usersOf(scope, domain), onlineLogins(scope, domain)]);
  return users.map((user) => stateOf(user, online));
}

export async function showState(scope: RoleScope, domain: string, id: string): Promise<SipUserState> {
  const [user, online] = await Promise.all([userOf(scope, domain, id), onlineLogins(scope, domain)]);
  return stateOf(user, online);
}

/** Removes all devices of a SIP user. They may register again. */
export async function dropRegistrations(scope: RoleScope, domain: string, id: string): Promise<void> {
  const { login } = await userOf(scope, domain, id);
  const question = { type: 'registrar.unbind' as const, body: { domain, login }, deadlineMs: deadlineOf(scope) };
  unwrap(await askFirst(scope, { role: 'sr', domain }, question));
}

async function onlineLogins(scope: RoleScope, domain: string): Promise<ReadonlySet<string>> {
  const { requestDeadlineMs } = scope.map.topology.timings;
  const question = { type: 'registrar.online' as const, body: { domain }, deadlineMs: deadlineOf(scope) };
  const outcome = await askFirst(scope, { role: 'sr', domain }, { ...question, patienceMs: requestDeadlineMs / 2 });
  return new Set(unwrap(outcome).logins);
}

async function usersOf(scope: RoleScope, domain: string): Promise<SipUserRecord[]> {
  return unwrap(await listSipUsers(scope, { domain }, deadlineOf(scope)));
}

async function userOf(scope: RoleScope, domain: string, id: string): Promise<SipUserRecord> {
  const where = { field: 'id' as const, value: id };
  const [user] = unwrap(await listSipUsers(scope, { domain, where }, deadlineOf(scope)));
  if (user === undefined) throw new FaultError(fault('not_found', `no SIP user with id ${JSON.stringify(id)}`));
  return user;
}

function deadlineOf({ clock, map }: RoleScope): number {
  return clock.now() + map.topology.timings.requestDeadlineMs;
}

function stateOf({ id, login }: SipUserRecord, online: ReadonlySet<string>): SipUserState {
  return { id, username: login, status: online.has(login) ? 'online' : 'offline' };
}
