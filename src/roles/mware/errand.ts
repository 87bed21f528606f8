/** What one request to mware is about: whose it is, and until when it may take. */
import type { Envelope } from '../../model/envelope.ts';
import { done, fault, type Outcome } from '../../model/fault.ts';
import type { SipUserRecord } from '../../model/protocol/directory.ts';
import type { RoleScope } from '../../runtime/role.ts';
import { listSipUsers } from '../sip-users.ts';

export interface Errand {
  readonly domain: string;
  /** SIP users to whose calls and conferences it is limited; absent: all of the domain. */
  readonly own: readonly SipUserRecord[] | undefined;
  /** When it must be answered (ms since the epoch). */
  readonly untilMs: number;
}

/** So much time is left for the way back of an answer that does not wait for somebody who is late. */
const wayBackMs = 300;

/** The errand of a message. With `iduser` it is limited to the SIP users bound to that user. */
export async function errandOf(
  scope: RoleScope,
  { domain, iduser }: { readonly domain: string; readonly iduser?: string | undefined },
  { deadlineMs }: Envelope,
): Promise<Outcome<Errand>> {
  const untilMs = deadlineMs ?? scope.clock.now() + scope.map.topology.timings.requestDeadlineMs;
  const errand: Errand = { domain, own: undefined, untilMs };
  if (iduser === undefined) return done(errand);
  const where = { field: 'iduser' as const, value: iduser };
  const users = await listSipUsers(scope, { domain, where }, lookUntilMs(scope, errand));
  return users.ok ? done({ ...errand, own: users.value }) : users;
}

/** How long a look-up waits for an instance: who is late is left out. */
export function lookUntilMs({ clock, map }: RoleScope, { untilMs }: Errand): number {
  return Math.min(clock.now() + map.topology.timings.edgeWaitMs, untilMs - wayBackMs);
}

/** The logins to which an errand is limited, as callstore takes them. */
export function ownLogins({ own }: Errand): { own?: string[] } {
  return own === undefined ? {} : { own: own.map((user) => user.login) };
}

/** What is not there, by the words of the interface. (documented) */
export const notFound = fault('not_found', 'Call/Participant not found');
