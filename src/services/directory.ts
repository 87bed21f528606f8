/** Who may log in: asks the active mdc or sdc that serves the domain, at this site first, else at the master site. */
import type { InstanceEntry } from '../model/cluster-map.ts';
import { FaultError, fault } from '../model/fault.ts';
import type { UserRecord } from '../model/protocol/session.ts';
import type { RoleScope } from '../runtime/role.ts';

export interface Credentials {
  readonly domain: string;
  readonly login: string;
  readonly pwd: string;
}

/** The user with these credentials, if there is one. Throws a fault when nobody who knows can be reached. */
export async function authenticate(scope: RoleScope, credentials: Credentials): Promise<UserRecord | undefined> {
  const { map, clock, ask } = scope;
  if (!map.domains.has(credentials.domain)) return undefined;
  const deadlineMs = clock.now() + map.topology.timings.requestDeadlineMs;
  const serving = directoryFor(scope, credentials.domain);
  const outcome = await ask(serving.address, 'directory.authenticate', credentials, { deadlineMs });
  if (!outcome.ok) throw new FaultError(outcome.fault);
  return outcome.value.user ?? undefined;
}

function directoryFor({ map, view, instance }: RoleScope, domain: string): InstanceEntry {
  const own = map.site(instance.site).isMaster ? [] : map.serving('sdc', instance.site, domain);
  const candidates = [...own, ...map.serving('mdc', map.masterSite.name, domain)];
  const active = candidates.find((each) => view.statusOf(each) === 'active');
  if (active !== undefined) return active;
  const role = own.length > 0 ? 'sdc' : 'mdc';
  throw new FaultError(fault('unreachable', `${role} is not reachable from site ${instance.site}`), {
    retryAfterSeconds: 1,
  });
}
