/** The SIP users of a domain, asked of the directory that serves it. */

import { unreachableFault } from '../cluster/ask-in-order.ts';
import { activeDirectory, type RoleScope } from '../cluster/role.ts';
import { done, failed, type Outcome } from '../model/fault.ts';
import type { BodyOf } from '../model/protocol/catalogue.ts';
import type { SipUserRecord } from '../model/protocol/directory.ts';

type Asker = Pick<RoleScope, 'map' | 'view' | 'instance' | 'ask'>;

/** All SIP users of a domain, or those that `which` picks. A fault when nobody who knows can be reached. */
export async function listSipUsers(
  asker: Asker,
  which: BodyOf<'directory.sipusers'>,
  deadlineMs: number,
): Promise<Outcome<SipUserRecord[]>> {
  const directory = activeDirectory(asker, which.domain);
  if (directory === undefined) {
    const { site } = asker.instance;
    return failed(unreachableFault(asker.map.site(site).isMaster ? 'mdc' : 'sdc', site));
  }
  const outcome = await asker.ask(directory.address, 'directory.sipusers', which, { deadlineMs });
  if (!outcome.ok) return outcome;
  const users = [...outcome.value.users];
  for (let { rest } = outcome.value; rest !== undefined; ) {
    const piece = await asker.ask(rest.at, 'data.rest', { name: rest.name }, { deadlineMs });
    if (!piece.ok) return piece;
    users.push(...(piece.value.items as unknown as SipUserRecord[]));
    rest = piece.value.rest;
  }
  return done(users);
}
