/** The users, SIP users and border rules of a topology as domain data: what an empty database begins with. */

import type { TopologyBorderRule } from '../../model/border-rules.ts';
import type { ClusterMap } from '../../model/cluster-map.ts';
import { coverOf } from '../../model/domain-tree.ts';
import { entityOf } from '../../model/entities/entities.ts';
import type { Entity } from '../../model/entities/entity.ts';
import { createdItem } from '../../model/entities/item.ts';
import type { DataRow } from '../../model/protocol/data.ts';
import type { TopologyDomain, TopologySipUser, TopologyUser } from '../../model/topology/schema.ts';
import { namedUuid, randomUuid } from '../../model/uuid.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Random, RandomStream } from '../../ports/random.ts';
import type { Database } from '../../storage/database.ts';
import type { Pace } from '../../storage/pace.ts';
import { hashedPassword, leastCost } from './passwords.ts';

interface Fixture {
  readonly entity: Entity;
  readonly domain: string;
  readonly id: string;
  readonly given: Readonly<Record<string, unknown>>;
  readonly pwd?: string;
}

const user = entityOf('user');
const sipUser = entityOf('sipuser');
const borderRule = entityOf('borderrule');

/** Where fixtures come from, and for which parts of the domain tree. */
export interface FixtureSource {
  readonly map: ClusterMap;
  readonly domains: readonly string[];
  readonly clock: Clock;
  readonly random: Random;
  readonly pace: Pace;
}

/** Fills a database with the fixtures of the domains that it has never had; all else stays as it is. */
export async function fillWithFixtures(
  database: Database,
  { map, domains, clock, random, pace }: FixtureSource,
): Promise<void> {
  const ids = random.stream('ids');
  const { position } = database;
  const before = new Set(position?.filled);
  const served = [...map.domains.keys()].filter((domain) => coverOf(domain, domains) !== undefined);
  const fresh = new Set(served.filter((domain) => !before.has(domain)));
  if (fresh.size === 0 && position !== undefined) return;
  const rows = fixtureRows(map, (domain) => fresh.has(domain), { nowMs: clock.now(), salts: ids });
  const filled = [...before, ...fresh];
  if (position === undefined) {
    await database.refill(rows, { database: randomUuid(ids.bytes(16)), sequence: 0, filled }, pace);
    return;
  }
  const changes = rows.map((row) => ({ put: row }));
  await database.commit(changes, undefined, filled);
}

/** The rows of the domains that `isServed` picks. Lists show them in the order of the topology. */
function fixtureRows(
  { topology, masterDomain }: ClusterMap,
  isServed: (domain: string) => boolean,
  { nowMs, salts }: { nowMs: number; salts: RandomStream },
): DataRow[] {
  const served = topology.domains.filter(({ name }) => isServed(name));
  const rules = isServed(masterDomain) ? topology.borderrules : [];
  const fixtures = [
    ...served.flatMap((domain) => [
      ...domain.users.map((each) => userFixture(domain, each)),
      ...domain.sipusers.map((each) => sipUserFixture(domain, each)),
    ]),
    ...rules.map((rule, index) => ruleFixture(masterDomain, rule, index)),
  ];
  return fixtures.map(({ entity, domain, id, given, pwd }, index) => {
    const item = createdItem(entity, id, { given, atMs: nowMs - fixtures.length + index });
    const secret = pwd === undefined ? {} : { secret: hashedPassword(pwd, salts.bytes(16), leastCost) };
    return { kind: entity.kind, domain, item, ...secret };
  });
}

/** The id of a user of the topology. */
function userId(domain: TopologyDomain, { id, login }: TopologyUser): string {
  return id?.toLowerCase() ?? namedUuid(`${domain.name}/${login}`);
}

function userFixture(domain: TopologyDomain, each: TopologyUser): Fixture {
  const { login, pwd, name = login, roles, tags } = each;
  const given = { name, login, opts: { roles, tags } };
  return { entity: user, domain: domain.name, id: userId(domain, each), given, pwd };
}

function sipUserFixture(domain: TopologyDomain, each: TopologySipUser): Fixture {
  const { login, pwd = login, name = login, phonenumber, devices } = each;
  const { calltimesec, dlgtimesec, trunks, maxexpires, minexpires, modextin, modextout } = each;
  const bound = domain.users.find((other) => other.login === each.user);
  const given = {
    name,
    login,
    pwd,
    phonenumber,
    ...(bound !== undefined && { iduser: userId(domain, bound) }),
    lic: { devices },
    opts: { calltimesec, dlgtimesec, trunks, maxexpires, minexpires, modextin, modextout },
  };
  const id = each.id?.toLowerCase() ?? namedUuid(`${domain.name}/sip/${login}`);
  return { entity: sipUser, domain: domain.name, id, given };
}

function ruleFixture(domain: string, rule: TopologyBorderRule, index: number): Fixture {
  return { entity: borderRule, domain, id: namedUuid(`${domain}/borderrule/${index}`), given: rule };
}
