/** Lists the SIP users of a domain from the directory that serves it. */

import { unreachableFault } from '../cluster/messaging/ask-in-order.ts';
import { activeDirectory, type RoleScope } from '../cluster/role.ts';
import { done, failed, type Outcome } from '../model/fault.ts';
import { numberOf } from '../model/numbers/destination.ts';
import type { BodyOf } from '../model/protocol/catalogue.ts';
import type { Participation } from '../model/protocol/messages/dialog.ts';
import type { SipUserRecord } from '../model/protocol/messages/directory.ts';

type AskScope = Pick<RoleScope, 'map' | 'view' | 'instance' | 'ask'>;

/** All SIP users of a domain, or the ones that `which` selects. A fault if no directory is reachable. */
export async function listSipUsers(
  scope: AskScope,
  which: BodyOf<'directory.sipusers'>,
  deadlineMs: number,
): Promise<Outcome<SipUserRecord[]>> {
  const directory = activeDirectory(scope, which.domain);
  if (directory === undefined) {
    const { site } = scope.instance;
    return failed(unreachableFault(scope.map.site(site).isMaster ? 'mdc' : 'sdc', site));
  }
  const outcome = await scope.ask(directory.address, 'directory.sipusers', which, { deadlineMs });
  if (!outcome.ok) return outcome;
  const users = [...outcome.value.users];
  for (let { rest } = outcome.value; rest !== undefined; ) {
    const piece = await scope.ask(rest.at, 'data.rest', { name: rest.name }, { deadlineMs });
    if (!piece.ok) return piece;
    users.push(...(piece.value.items as unknown as SipUserRecord[]));
    rest = piece.value.rest;
  }
  return done(users);
}

/**
 * What is dialled to reach a party now: the number of a SIP user may have changed since its call began, and be that of another one. `undefined`:
 * the party is no SIP user, or no directory answers.
 */
export async function numberNowOf(
  scope: AskScope,
  { domain, id }: Participation,
  deadlineMs: number,
): Promise<string | undefined> {
  if (id === undefined) return undefined;
  const found = await listSipUsers(scope, { domain, where: { field: 'id', value: id } }, deadlineMs);
  const [user] = found.ok ? found.value : [];
  return user && numberOf(user);
}
