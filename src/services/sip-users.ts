/** SIP users, and whether they can be reached. */
import { askRole } from '../cluster/messaging/ask-in-order.ts';
import { deadlineOf, timesOf, withDeadline } from '../cluster/messaging/deadline.ts';
import type { RoleScope } from '../cluster/role.ts';
import { FaultError, fault, unwrap } from '../model/fault.ts';
import type { SipUserRecord } from '../model/protocol/messages/directory.ts';
import type { SipUserState } from '../model/shapes/platform-shapes.ts';
import { wholeOf } from '../roles/pieces.ts';
import { listSipUsers } from '../roles/sip-users.ts';

/** All SIP users of a domain with their states, in the order of the domain's data. */
export async function listStates(scope: RoleScope, domain: string): Promise<SipUserState[]> {
  const last = withDeadline(scope);
  const [users, online] = await Promise.all([usersOf(last, domain), onlineLogins(last, domain)]);
  return users.map((user) => stateOf(user, online));
}

export async function showState(scope: RoleScope, domain: string, id: string): Promise<SipUserState> {
  const last = withDeadline(scope);
  const [user, online] = await Promise.all([userOf(last, domain, id), onlineLogins(last, domain)]);
  return stateOf(user, online);
}

/** Removes all registrations of a SIP user. Its devices may register again. */
export async function dropRegistrations(scope: RoleScope, domain: string, id: string): Promise<void> {
  const last = withDeadline(scope);
  const { login } = await userOf(last, domain, id);
  const question = { type: 'registrar.unbind' as const, body: { domain, login }, deadlineMs: deadlineOf(scope) };
  unwrap(await askRole(last, { role: 'sr', domain }, question));
}

async function onlineLogins(scope: RoleScope, domain: string): Promise<ReadonlySet<string>> {
  const question = { type: 'registrar.online' as const, body: { domain }, ...timesOf(scope) };
  const outcome = await askRole(scope, { role: 'sr', domain }, question);
  const { logins, rest } = unwrap(outcome);
  const first = { items: logins, ...(rest !== undefined && { rest: rest.name }) };
  const next = (name: string) => scope.ask(rest?.at ?? '', 'registrar.rest', { rest: name });
  return new Set(unwrap(await wholeOf(first, next)));
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

function stateOf({ id, login }: SipUserRecord, online: ReadonlySet<string>): SipUserState {
  return { id, username: login, status: online.has(login) ? 'online' : 'offline' };
}
