/** Who has the domain data: mdc, which everybody may ask, and the sdc of the own site. And who may log in. */
import type { InstanceEntry } from '../model/cluster-map.ts';
import { type Fault, FaultError } from '../model/fault.ts';
import type { UserRecord } from '../model/protocol/session.ts';
import { askInTurn, awayFault } from '../runtime/asking.ts';
import { activeInstances } from '../runtime/finding.ts';
import type { RoleScope } from '../runtime/role.ts';

export interface Credentials {
  readonly domain: string;
  readonly login: string;
  readonly pwd: string;
}

/** The user with these credentials, if there is one. Throws a fault when nobody who knows can be reached. */
export async function authenticate(scope: RoleScope, credentials: Credentials): Promise<UserRecord | undefined> {
  const { domain } = credentials;
  if (!scope.map.domains.has(domain)) return undefined;
  const { masters, copies, away } = directoriesOf(scope, domain);
  const { requestDeadlineMs } = scope.map.topology.timings;
  const deadlineMs = scope.clock.now() + requestDeadlineMs;
  const question = { type: 'directory.authenticate', body: credentials, deadlineMs } as const;
  // Who a site's own sdc knows may log in there, whatever else is in reach.
  const outcome = await askInTurn(
    scope,
    [...copies, ...masters],
    { ...question, patienceMs: requestDeadlineMs / 2 },
    { away },
  );
  if (!outcome.ok) throw new FaultError(outcome.fault, { retryAfterSeconds: 1 });
  return outcome.value.user ?? undefined;
}

/** Those that serve a domain now: the mdc, and the sdc of this site. `away`: the fault where nobody of them is there. */
export function directoriesOf(
  scope: RoleScope,
  domain: string,
): { masters: InstanceEntry[]; copies: InstanceEntry[]; away: Fault } {
  const { map, instance } = scope;
  const { site } = instance;
  const hasCopy = !map.site(site).isMaster && map.serving('sdc', site, domain).length > 0;
  const copies = hasCopy ? activeInstances(scope, 'sdc', domain).filter((each) => each.site === site) : [];
  return { masters: activeInstances(scope, 'mdc', domain), copies, away: awayFault(hasCopy ? 'sdc' : 'mdc', site) };
}
