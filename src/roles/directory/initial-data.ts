/** The first rows of a database, from the topology, and the rows of a domain that an administrator imports. */
import { hash } from 'node:crypto';
import type { ClusterMap } from '../../model/cluster/cluster-map.ts';
import { coverOf } from '../../model/domain-tree.ts';
import type { ReadRow } from '../../model/entities/document.ts';
import { childrenOf, documentKinds, entities, entityOf, isFileKind } from '../../model/entities/entities.ts';
import type { Entity, EntityItem } from '../../model/entities/entity.ts';
import { createdItem, maskedSecretOf, newSecret } from '../../model/entities/item.ts';
import { parkingFile } from '../../model/entities/stored-file.ts';
import { limits } from '../../model/limits.ts';
import type { TopologyBorderRule } from '../../model/numbers/border-rules.ts';
import type { DataRow, DataRowChange } from '../../model/protocol/messages/data.ts';
import { toneWav } from '../../model/recording/wav.ts';
import { plainTime } from '../../model/time.ts';
import type {
  Topology,
  TopologyDomain,
  TopologyParkingFile,
  TopologySipUser,
  TopologyUser,
} from '../../model/topology/schema.ts';
import { namedUuid, randomUuid } from '../../model/uuid.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Pace } from '../../ports/pace.ts';
import type { Random, RandomStream } from '../../ports/random.ts';
import type { Contents } from '../../storage/contents.ts';
import type { Database } from '../../storage/database.ts';
import { collectionKeyOf } from '../../storage/table.ts';
import { defaultCost, hashedPassword, readableCost } from './passwords.ts';

interface Fixture {
  readonly entity: Entity;
  readonly domain: string;
  readonly id: string;
  readonly given: Readonly<Record<string, unknown>>;
  readonly pwd?: string | undefined;
  readonly parent?: string | undefined;
}

const user = entityOf('user');
const sipUser = entityOf('sipuser');
const borderRule = entityOf('borderrule');

/** Where fixtures come from, and for which parts of the domain tree. */
export interface FixtureSource {
  readonly map: ClusterMap;
  readonly domains: readonly string[];
  /** Where bytes of files go. */
  readonly contents: Contents;
  readonly clock: Clock;
  readonly random: Random;
  readonly pace: Pace;
}

/** Fills a database with the fixtures of the domains that it has never had; all else stays as it is. */
export async function fillWithFixtures(
  database: Database,
  { map, domains, contents, clock, random, pace }: FixtureSource,
): Promise<void> {
  const ids = random.stream('ids');
  const { position } = database;
  const before = new Set(position?.filled);
  const served = [...map.domains.keys()].filter((domain) => coverOf(domain, domains) !== undefined);
  const fresh = new Set(served.filter((domain) => !before.has(domain)));
  if (fresh.size === 0 && position !== undefined) return;
  const rows = fixtureRows(map, (domain) => fresh.has(domain), { nowMs: clock.now(), salts: ids });
  const filled = [...before, ...fresh];
  await writeContents(map, (domain) => fresh.has(domain), contents);
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
      ...domain.parkingfiles.map((each) => parkingFixture(domain, each, nowMs)),
      ...itemFixtures(domain),
    ]),
    ...rules.map((rule, index) => ruleFixture(masterDomain, rule, index)),
  ];
  return fixtures.map(({ entity, domain, id, given, pwd, parent }, index) => {
    const item = createdItem(entity, id, { given, atMs: nowMs - fixtures.length + index });
    const secret = pwd === undefined ? {} : { secret: hashedPassword(pwd, salts.bytes(16), readableCost) };
    return { kind: entity.kind, domain, item, ...(parent !== undefined && { parent }), ...secret };
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

/** Items of any entity, parents first. The checks of topologies have validated them. */
function itemFixtures({ name, items }: TopologyDomain): Fixture[] {
  return documentKinds.flatMap((entity) =>
    (items[entity.kind] ?? []).map(({ parent, ...values }, index) => {
      const { id = namedUuid(`${name}/${entity.kind}/${index}`), ...given } = entity.create.parse(values);
      const secret = maskedSecretOf(entity);
      const pwd = secret === undefined ? undefined : newSecret(given, secret);
      return { entity, domain: name, id: String(id), given, pwd, parent: parent as string | undefined };
    }),
  );
}

/** A sound file of a topology: its length, its hash and its bytes in base64. */
interface Sound {
  readonly bytes: number;
  readonly etag: string;
  readonly base64: string;
}

/** Computed once: every database that begins with a file has the same. */
const sounds = new WeakMap<TopologyParkingFile, Sound>();

function soundOf(file: TopologyParkingFile): Sound {
  const known = sounds.get(file);
  if (known !== undefined) return known;
  const wav = file.base64 === undefined ? toneWav(file) : Buffer.from(file.base64, 'base64');
  const etag = hash('sha256', wav, 'base64url');
  const sound = { bytes: wav.length, etag, base64: Buffer.from(wav).toString('base64') };
  sounds.set(file, sound);
  return sound;
}

function parkingFixture(domain: TopologyDomain, each: TopologyParkingFile, nowMs: number): Fixture {
  const { bytes, etag } = soundOf(each);
  const given = {
    ...{ name: each.name, size: bytes, bytes, last_modified: plainTime(nowMs) },
    ...{ etag, content: contentId(domain, each) },
  };
  return { entity: parkingFile, domain: domain.name, id: namedUuid(`${domain.name}/parking/${each.name}`), given };
}

/** Bytes are durable before the rows that name them; bytes of an interrupted start stay. */
async function writeContents(
  { topology }: ClusterMap,
  isServed: (domain: string) => boolean,
  contents: Contents,
): Promise<void> {
  for (const domain of topology.domains.filter(({ name }) => isServed(name))) {
    for (const each of domain.parkingfiles) {
      const id = contentId(domain, each);
      if (contents.bytesOf(id) > 0) contents.touch(id);
      else await contents.append(id, soundOf(each).base64);
    }
  }
}

/** Computed once for each topology: every copy of its data begins with the same contents. */
const firstContents = new WeakMap<Topology, ReadonlyMap<string, string>>();

/** The contents that the topology itself has, by id, in base64: no instance has to fetch them from another one. */
export function contentsOf(topology: Topology): ReadonlyMap<string, string> {
  const known = firstContents.get(topology);
  if (known !== undefined) return known;
  const all = topology.domains.flatMap((domain) =>
    domain.parkingfiles.map((file): [string, string] => [contentId(domain, file), soundOf(file).base64]),
  );
  const contents = new Map(all);
  firstContents.set(topology, contents);
  return contents;
}

function contentId({ name }: TopologyDomain, file: TopologyParkingFile): string {
  const content = file.base64 === undefined ? `${file.hertz}/${file.ms}` : soundOf(file).etag;
  return namedUuid(`${name}/parking/${file.name}/${content}`);
}

function ruleFixture(domain: string, rule: TopologyBorderRule, index: number): Fixture {
  return { entity: borderRule, domain, id: namedUuid(`${domain}/borderrule/${index}`), given: rule };
}

/** The changes that replace the rows of `domain` by the rows that were read; or why that cannot be done. */
export function importChanges(
  database: Database,
  domain: string,
  { read, salts }: { read: readonly ReadRow[]; salts: RandomStream },
): { changes: DataRowChange[] } | { problem: string } {
  const rows = read.map(({ row, newSecret }) =>
    newSecret === undefined ? row : { ...row, secret: hashedPassword(newSecret, salts.bytes(16), defaultCost) },
  );
  if (rows.length > limits.dataRows)
    return { problem: `expected at most ${limits.dataRows} items, got ${rows.length}` };
  const problem = clashIn(rows) ?? foreignIn(database, domain, rows) ?? orphanIn(rows) ?? crowdIn(rows);
  if (problem !== undefined) return { problem };
  const kept = new Set(rows.map(({ kind, item }) => `${kind}/${item.id}`));
  const gone = [...database.rows()].filter((row) => row.domain === domain && !isKept(row, kept));
  return {
    changes: [
      ...gone.map(({ kind, item }) => ({ gone: { kind, domain, id: item.id } })),
      ...rows.map((row) => ({ put: row })),
    ],
  };
}

/** A document has no files: they stay, but for those of what goes. */
function isKept({ kind, parent, item }: DataRow, kept: ReadonlySet<string>): boolean {
  if (!isFileKind(kind)) return kept.has(`${kind}/${item.id}`);
  return parent === undefined || kept.has(`${entityOf(kind).parent?.kind}/${parent}`);
}

/** Two rows with one id, or one value that must be unique. */
function clashIn(rows: readonly DataRow[]): string | undefined {
  const taken = new Set<string>();
  for (const row of rows) {
    const unique = entities.find(({ kind }) => kind === row.kind)?.unique ?? [];
    const names = [`${row.kind} id ${row.item.id}`];
    for (const name of unique)
      if (row.item[name] !== '')
        names.push(`${row.kind} ${name} ${JSON.stringify(row.item[name])} in ${collectionKeyOf(row)}`);
    for (const name of names) {
      if (taken.has(name)) return `${name}: there are two`;
      taken.add(name);
    }
  }
  return undefined;
}

/** Items of one kind that are too much together. */
function crowdIn(rows: readonly DataRow[]): string | undefined {
  for (const { kind, nouns, together } of entities) {
    const problem = together?.(rows.filter((row) => row.kind === kind).map(({ item }) => item as EntityItem));
    if (problem !== undefined) return `${nouns}: ${problem}`;
  }
  return undefined;
}

function foreignIn(database: Database, domain: string, rows: readonly DataRow[]): string | undefined {
  const taken = rows.find(({ kind, item }) => (database.table(kind).get(item.id)?.domain ?? domain) !== domain);
  return taken && `${taken.kind} id ${taken.item.id} is taken in another domain`;
}

function orphanIn(rows: readonly DataRow[]): string | undefined {
  const ids = new Set(rows.map(({ kind, item }) => `${kind}/${item.id}`));
  for (const parent of entities) {
    for (const { kind } of childrenOf(parent)) {
      const orphan = rows.find((row) => row.kind === kind && !ids.has(`${parent.kind}/${row.parent}`));
      if (orphan !== undefined)
        return `${kind} id ${orphan.item.id}: no ${parent.noun} with id ${JSON.stringify(orphan.parent)}`;
    }
  }
  return undefined;
}
