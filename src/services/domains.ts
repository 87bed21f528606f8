/** Domains: which directories serve one, who logs in to it, and which of them a session sees. */
import { askInTurn, unreachableFault } from '../cluster/messaging/ask-in-order.ts';
import { timesOf } from '../cluster/messaging/deadline.ts';
import { activeInstances, type RoleScope } from '../cluster/role.ts';
import type { ClusterMap, InstanceEntry } from '../model/cluster/cluster-map.ts';
import { coverOf, isWithin } from '../model/domain-tree.ts';
import { type Fault, FaultError, fault, type Outcome } from '../model/fault.ts';
import type { AskType, BodyOf, ReplyOf } from '../model/protocol/catalogue.ts';
import type { SessionRecord, UserRecord } from '../model/protocol/messages/session.ts';
import { namedUuid, nilUuid } from '../model/uuid.ts';

export interface LoginCredentials {
  readonly domain: string;
  readonly login: string;
  readonly pwd: string;
}

/** The user with these credentials, or `undefined`. Throws a fault when no directory is reachable. */
export async function authenticate(scope: RoleScope, credentials: LoginCredentials): Promise<UserRecord | undefined> {
  const { domain } = credentials;
  if (!scope.map.domains.has(domain)) return undefined;
  // A user that the site's own sdc knows may log in even if no other directory is reachable.
  const outcome = await askDirectories(scope, domain, 'directory.authenticate', credentials);
  if (!outcome.ok) throw new FaultError(outcome.fault, { retryAfterSeconds: 1 });
  return outcome.value.user ?? undefined;
}

/** Asks the directories of a domain one after the other, the copy of this site first; a silent one is skipped after half of the time. */
export function askDirectories<T extends AskType>(
  scope: RoleScope,
  domain: string,
  type: T,
  body: BodyOf<T>,
): Promise<Outcome<ReplyOf<T>>> {
  const { masters, copies, unreachable } = directoriesOf(scope, domain);
  return askInTurn(scope, [...copies, ...masters], { type, body, ...timesOf(scope) }, { unreachable });
}

/**
 * The active directories of a domain: the mdc, and the sdc of this site. `unreachable`: the fault to report when there is
 * none.
 */
export function directoriesOf(
  scope: RoleScope,
  domain: string,
): { masters: InstanceEntry[]; copies: InstanceEntry[]; unreachable: Fault } {
  const { map, instance } = scope;
  const { site } = instance;
  const hasCopy = !map.site(site).isMaster && map.serving('sdc', site, domain).length > 0;
  const copies = hasCopy ? activeInstances(scope, 'sdc', domain).filter((each) => each.site === site) : [];
  return {
    masters: activeInstances(scope, 'mdc', domain),
    copies,
    unreachable: unreachableFault(hasCopy ? 'sdc' : 'mdc', site),
  };
}

export interface DomainRow {
  readonly id: string;
  readonly name: string;
  /** Id of the parent domain; all zeros for the master domain. */
  readonly parent_id: string;
  readonly is_master: boolean;
  /** Solution type. */
  readonly solution: string;
  /** Sites that serve it. */
  readonly sites: readonly string[];
}

type Viewer = Pick<SessionRecord, 'domain' | 'user'>;

/** The domain of a session and, for an administrator, all domains below it, in the order of the topology. (chosen) */
export function listDomains(map: ClusterMap, viewer: Viewer): DomainRow[] {
  return [...map.domains.keys()].filter((name) => isSeen(name, viewer)).map((name) => rowOf(map, name));
}

function isSeen(name: string, { domain, user }: Viewer): boolean {
  return user.roles.includes('admin') ? isWithin(name, domain) : name === domain;
}

/** A domain by its id or name. Throws `not_found`, and `forbidden` when the session may not see it. */
export function findDomain(map: ClusterMap, viewer: Viewer, idOrName: string): DomainRow {
  const sought = idOrName.toLowerCase();
  const name = [...map.domains.keys()].find((each) => each === sought || idOf(each) === sought);
  if (name === undefined) {
    throw new FaultError(fault('not_found', `no domain with id or name ${JSON.stringify(idOrName)}`));
  }
  if (isSeen(name, viewer)) return rowOf(map, name);
  throw new FaultError(
    fault('forbidden', `the session is bound to ${viewer.domain}, which is not ${name} or above it`),
  );
}

function rowOf(map: ClusterMap, name: string): DomainRow {
  const parent = coverOf(
    name,
    [...map.domains.keys()].filter((each) => each !== name),
  );
  const sites = [...map.sites.values()].filter(({ domains }) => coverOf(name, domains) !== undefined);
  return {
    id: idOf(name),
    name,
    parent_id: parent === undefined ? nilUuid : idOf(parent),
    is_master: name === map.masterDomain,
    solution: map.solutionOf(name),
    sites: sites.map((site) => site.name),
  };
}

/** A stable id: the same at every site and after every start. */
function idOf(name: string): string {
  return namedUuid(name);
}
