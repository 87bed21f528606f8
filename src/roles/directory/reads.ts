/** What mdc and sdc answer alike from the domain data that they have: items and lists, logins, numbers. */
import type { Handlers, RoleScope } from '../../cluster/role.ts';
import type { ClusterMap } from '../../model/cluster/cluster-map.ts';
import type { Envelope } from '../../model/cluster/envelope.ts';
import { parseCollectionQuery } from '../../model/collection/query.ts';
import { entityOf } from '../../model/entities/entities.ts';
import type { EntityItem } from '../../model/entities/entity.ts';
import { shownTo } from '../../model/entities/item.ts';
import type { UserItem } from '../../model/entities/user.ts';
import { done, failed, fault, type Outcome } from '../../model/fault.ts';
import { limits } from '../../model/limits.ts';
import { destinationOf } from '../../model/numbers/destination.ts';
import type { BodyOf, ReplyOf } from '../../model/protocol/catalogue.ts';
import type { DataRow, DataRowChange } from '../../model/protocol/messages/data.ts';
import type { Callee, DomainRules, SipUserRecord } from '../../model/protocol/messages/directory.ts';
import type { UserRecord } from '../../model/protocol/messages/session.ts';
import type { Contents } from '../../storage/contents.ts';
import type { Database } from '../../storage/database.ts';
import { search } from '../../storage/search.ts';
import { collectionKeyOf } from '../../storage/table.ts';
import { type Piece, Pieces } from '../pieces.ts';
import { isPassword, passwordIdOf } from './passwords.ts';
import { calleeOf, sipUserOf, sipUsersOf } from './routing-data.ts';
import { borderRulesIn, named, recordRulesIn } from './rules.ts';

type ReadingAsk =
  | 'data.get'
  | 'data.list'
  | 'data.rest'
  | 'data.lookup'
  | 'directory.authenticate'
  | 'directory.route'
  | 'directory.sipusers'
  | 'directory.borderrules';
type ReadingHandlers = Pick<Handlers<'mdc'> & Handlers<'sdc'>, ReadingAsk>;

/** Asks another who may know what a number leads to in a domain whose data are not here. */
export type AskElsewhere = (body: BodyOf<'directory.route'>) => Promise<Outcome<ReplyOf<'directory.route'>>>;

export function readingHandlers(
  scope: RoleScope,
  provider: DomainDataProvider,
  askElsewhere?: AskElsewhere,
): ReadingHandlers {
  const { masterDomain } = scope.map;
  const pages = new DataPages(scope);
  const inDomain = <T>(domain: string, work: (data: DomainData) => Outcome<T> | Promise<Outcome<T>>) =>
    withData(scope, provider, domain, work);
  return {
    'data.get': (body) => inDomain(body.domain, (data) => get(data, body)),
    'data.list': (body, envelope) => inDomain(body.domain, (data) => list(scope, pages, { data, body, envelope })),
    'data.rest': ({ name }) => pages.next(name),
    'data.lookup': (body) => inDomain(body.domain, (data) => lookUp(data, body)),
    'directory.authenticate': (body) => inDomain(body.domain, (data) => done({ user: authenticated(data, body) })),
    'directory.route': (body) => inDomain(body.domain, (data) => route(scope, { data, provider, body, askElsewhere })),
    'directory.sipusers': (body) =>
      inDomain(body.domain, ({ database }) => {
        const { items, rest } = pages.first(sipUsersOf(database, body));
        return done({ users: items as unknown as SipUserRecord[], ...(rest !== undefined && { rest }) });
      }),
    'directory.borderrules': () => {
      const database = provider.shared()?.database;
      return done(database === undefined ? {} : { rules: borderRulesIn(database, masterDomain) });
    },
  };
}

function get(data: DomainData, { kind, id, isAdmin, ...collection }: BodyOf<'data.get'>): Outcome<ReplyOf<'data.get'>> {
  const entity = entityOf(kind);
  const row = data.database.table(kind).get(id);
  if (row === undefined || collectionKeyOf(row) !== collectionKeyOf(collection)) return noSuchItem(kind, id, data);
  return done({ item: shownTo(entity, isAdmin)(row.item as EntityItem), ...ageOf(data) });
}

export function noSuchItem(kind: string, id: string, data: Pick<DomainData, 'ageMs'> = {}): Outcome<never> {
  return failed({ ...fault('not_found', `no ${entityOf(kind).noun} with id ${JSON.stringify(id)}`), ...ageOf(data) });
}

/** The item that others belong to, where it is missing. */
export function missingParent(
  data: Pick<DomainData, 'database' | 'ageMs'>,
  collection: { kind: string; domain: string; parent?: string | undefined },
) {
  const { parent } = entityOf(collection.kind);
  if (parent === undefined || collection.parent === undefined) return undefined;
  const row = data.database.table(parent.kind).get(collection.parent);
  return row?.domain === collection.domain ? undefined : noSuchItem(parent.kind, collection.parent, data);
}

interface Listing {
  readonly data: DomainData;
  readonly body: BodyOf<'data.list'>;
  readonly envelope: Envelope;
}

async function list(
  scope: RoleScope,
  pages: DataPages,
  { data, body, envelope }: Listing,
): Promise<Outcome<ReplyOf<'data.list'>>> {
  const { kind, params, isAdmin } = body;
  const missing = missingParent(data, body);
  if (missing !== undefined) return missing;
  const query = parseCollectionQuery(params, entityOf(kind).shape);
  if (!query.ok) return failed(fault('invalid', query.fault.message));
  const untilMs = (envelope.deadlineMs ?? Infinity) - limits.searchMarginMs;
  const table = data.database.table(kind);
  const found = await search(
    table,
    collectionKeyOf(body),
    { query: query.value, params, isAdmin, untilMs },
    scope.clock,
  );
  if (!found.ok) return found;
  const { items, count } = found.value;
  return done({ ...pages.first(items), ...(count !== undefined && { count }), ...ageOf(data) });
}

function lookUp(data: DomainData, body: BodyOf<'data.lookup'>): Outcome<ReplyOf<'data.lookup'>> {
  const missing = missingParent(data, body);
  if (missing !== undefined) return missing;
  const { kind, key } = body;
  const table = data.database.table(kind);
  const ids = entityOf(kind).lookup.flatMap((name) => {
    const sought = name === 'id' ? key.toLowerCase() : key;
    return table.find(collectionKeyOf(body), name, sought).map(({ item }) => item.id);
  });
  return done({ ids: [...new Set(ids)], ...ageOf(data) });
}

function authenticated(
  { database }: DomainData,
  { domain, login, pwd }: BodyOf<'directory.authenticate'>,
): UserRecord | null {
  const row = database.table('user').findOne(domain, 'login', login);
  if (row?.secret === undefined || !isPassword(pwd, row.secret)) return null;
  return userRecordOf(row);
}

/** A user as sessions have it. */
export function userRecordOf({ item, secret }: Pick<DataRow, 'item' | 'secret'>): UserRecord {
  const { id, login, name, opts } = item as unknown as UserItem;
  return { id, login, name, roles: [...opts.roles], tags: [...opts.tags], passwordId: passwordIdOf(secret) };
}

interface Routing {
  readonly data: DomainData;
  readonly provider: DomainDataProvider;
  readonly body: BodyOf<'directory.route'>;
  readonly askElsewhere: AskElsewhere | undefined;
}

function route({ map }: RoleScope, { data, provider, body, askElsewhere }: Routing) {
  const { domain, number: dialled, mode, caller: login } = body;
  const caller = (login === undefined ? undefined : sipUserOf(data.database, domain, 'login', login)) ?? null;
  const { number, home } = destinationOf(domain, dialled);
  const there = map.domains.get(home);
  if (there === undefined) return done({ caller, callee: noCallee });
  const isFromOutside = home !== domain;
  const homeData = isFromOutside ? provider.of(home) : data;
  const rules = (callee?: Callee) => rulesOf(map, data, { domain, user: caller ?? userIn(callee) });
  if (homeData !== undefined) {
    const callee = calleeOf(homeData.database, there, { number, mode, isFromOutside });
    if (!isFromOutside) return done({ caller, callee, ...named(rules(callee)) });
    return done({ caller, callee, ...named(rules(), rulesOf(map, homeData, { domain: home, user: userIn(callee) })) });
  }
  if (askElsewhere === undefined) return done({ caller, callee: noCallee });
  return askElsewhere({ domain: home, number, mode }).then((answer) => {
    if (!answer.ok) return answer;
    const { callee, recordrules } = answer.value;
    return done({
      caller,
      callee: callee.kind === 'outside' ? noCallee : callee,
      ...named(rules(), ...(recordrules ?? [])),
    });
  });
}

/** The record rules of a domain, for a call of this SIP user of it. */
function rulesOf(
  map: ClusterMap,
  { database }: DomainData,
  { domain, user }: { domain: string; user: SipUserRecord | undefined },
): DomainRules | undefined {
  const settings = map.domains.get(domain);
  return settings && recordRulesIn(database, settings, user);
}

function userIn(callee: Callee | undefined): SipUserRecord | undefined {
  return callee?.kind === 'sipuser' ? callee.user : undefined;
}

const noCallee: Callee = { kind: 'none' };

/** Answers with lists, and keeps what of one is too long for one answer. */
class DataPages {
  readonly #address: string;
  readonly #pieces: Pieces<Record<string, unknown>>;

  constructor(scope: RoleScope) {
    this.#address = scope.instance.address;
    this.#pieces = new Pieces(scope);
  }

  first(items: readonly object[]): ReplyOf<'data.rest'> {
    return this.#named(this.#pieces.first(items as readonly Record<string, unknown>[]));
  }

  next(name: string): Outcome<ReplyOf<'data.rest'>> {
    const piece = this.#pieces.next(name);
    if (piece !== undefined) return done(this.#named(piece));
    return failed(fault('overloaded', 'the rest of the list has expired: ask for the list again'));
  }

  #named({ items, rest }: Piece<Record<string, unknown>>): ReplyOf<'data.rest'> {
    return rest === undefined ? { items } : { items, rest: { name: rest, at: this.#address } };
  }
}

/** The domain data that an instance has: of an mdc its database, of an sdc a copy. */
export interface DomainData {
  readonly database: Database;
  /** Contents of the files; a copy may not have all of them yet. */
  readonly contents: Contents;
  /** Of a copy: how old it may be, in milliseconds. */
  readonly ageMs?: number;
}

/** How old an answer from them may be. */
export function ageOf({ ageMs }: Pick<DomainData, 'ageMs'>): { ageMs?: number } {
  return ageMs === undefined ? {} : { ageMs };
}

/** Finds the data of a domain. */
export interface DomainDataProvider {
  /** `undefined`: they are not there (yet). */
  of(domain: string): DomainData | undefined;
  /** The data that every site has. */
  shared(): DomainData | undefined;
  /** Calls `look` once, when data have come. Returns a function that unsubscribes it. */
  onNextChange(look: () => void): () => void;
}

/** Answers from the data of a domain: at once where they are there, else when they come, if that is soon. */
export function withData<T>(
  scope: RoleScope,
  provider: DomainDataProvider,
  domain: string,
  work: (data: DomainData) => Outcome<T> | Promise<Outcome<T>>,
): Outcome<T> | Promise<Outcome<T>> {
  const data = provider.of(domain);
  return data === undefined
    ? waitFor(scope, provider, domain).then((later) => (later.ok ? work(later.value) : later))
    : work(data);
}

function waitFor(
  { clock, instance }: RoleScope,
  provider: DomainDataProvider,
  domain: string,
): Promise<Outcome<DomainData>> {
  return new Promise((resolve) => {
    // Without data nothing was done: another instance may be asked.
    const timeout = clock.setTimer(limits.dataReadyMs, () => {
      unsubscribe();
      resolve(failed(fault('unreachable', `${instance.address} does not have the data of ${domain} yet`)));
    });
    let unsubscribe = () => {};
    const look = () => {
      const data = provider.of(domain);
      if (data === undefined) {
        unsubscribe = provider.onNextChange(look);
        return;
      }
      timeout.cancel();
      resolve({ ok: true, value: data });
    };
    unsubscribe = provider.onNextChange(look);
  });
}

/** Requests that wait for data. */
export class WaitingRequests {
  readonly #looks = new Set<() => void>();

  add(look: () => void): () => void {
    this.#looks.add(look);
    return () => this.#looks.delete(look);
  }

  /** Something has come. */
  call(): void {
    const looks = [...this.#looks];
    this.#looks.clear();
    for (const look of looks) look();
  }
}

type Row = Extract<DataRowChange, { put: unknown }>['put'];

/** `rows <domain>` and `stamp <domain>`. Looks at every row. */
export function figuresOf(database: Database): Map<string, number> {
  const figures = new Map<string, number>();
  const add = (name: string, value: number) => figures.set(name, (figures.get(name) ?? 0) + value);
  for (const row of database.rows()) {
    add(`rows ${row.domain}`, 1);
    add(`stamp ${row.domain}`, stampOf(row));
  }
  return figures;
}

/** FNV-1a over the fields that differ between two states of an item. */
function stampOf({ item: { id, ext } }: Row): number {
  let hash = 0x811c9dc5;
  for (const letter of `${id} ${ext.lwt}`) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193);
  return hash >>> 0;
}
