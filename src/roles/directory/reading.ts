/** What mdc and sdc answer alike from the domain data that they hold: items and lists, logins, numbers. */

import type { Handlers, RoleScope } from '../../cluster/role.ts';
import type { ClusterMap } from '../../model/cluster-map.ts';
import { parseCollectionQuery } from '../../model/collection/query.ts';
import { entityOf } from '../../model/entities/entities.ts';
import type { EntityItem } from '../../model/entities/entity.ts';
import { shownTo } from '../../model/entities/item.ts';
import type { UserItem } from '../../model/entities/user.ts';
import type { Envelope } from '../../model/envelope.ts';
import { done, failed, fault, type Outcome } from '../../model/fault.ts';
import { limits } from '../../model/limits.ts';
import type { BodyOf, ReplyOf } from '../../model/protocol/catalogue.ts';
import type { Callee, DomainRules, SipUserRecord } from '../../model/protocol/directory.ts';
import type { UserRecord } from '../../model/protocol/session.ts';
import { search } from '../../storage/search.ts';
import { scopeOf } from '../../storage/table.ts';
import { type Piece, Pieces } from '../pieces.ts';
import { borderRulesIn } from './border.ts';
import { ageOf, type Held, type Holder, withData } from './held.ts';
import { calleeOf, destinationOf } from './numbering.ts';
import { isPassword } from './passwords.ts';
import { named, recordRulesIn } from './record-rules.ts';
import { sipUserOf, sipUsersOf } from './sip-users.ts';

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

/** Asks another who may know what a number leads to in a domain whose data are not held here. */
export type AskElsewhere = (body: BodyOf<'directory.route'>) => Promise<Outcome<ReplyOf<'directory.route'>>>;

export function readingHandlers(scope: RoleScope, holder: Holder, askElsewhere?: AskElsewhere): ReadingHandlers {
  const { masterDomain } = scope.map;
  const pages = new Pages(scope);
  const inDomain = <T>(domain: string, work: (held: Held) => Outcome<T> | Promise<Outcome<T>>) =>
    withData(scope, holder, domain, work);
  return {
    'data.get': (body) => inDomain(body.domain, (held) => get(held, body)),
    'data.list': (body, envelope) => inDomain(body.domain, (held) => list(scope, pages, { held, body, envelope })),
    'data.rest': ({ name }) => pages.next(name),
    'data.lookup': (body) => inDomain(body.domain, (held) => lookUp(held, body)),
    'directory.authenticate': (body) => inDomain(body.domain, (held) => done({ user: authenticated(held, body) })),
    'directory.route': (body) => inDomain(body.domain, (held) => route(scope, { held, holder, body, askElsewhere })),
    'directory.sipusers': (body) =>
      inDomain(body.domain, ({ database }) => {
        const { items, rest } = pages.first(sipUsersOf(database, body));
        return done({ users: items as unknown as SipUserRecord[], ...(rest !== undefined && { rest }) });
      }),
    'directory.borderrules': () => {
      const database = holder.ofEverybody()?.database;
      return done(database === undefined ? {} : { rules: borderRulesIn(database, masterDomain) });
    },
  };
}

function get(held: Held, { kind, id, isAdmin, ...place }: BodyOf<'data.get'>): Outcome<ReplyOf<'data.get'>> {
  const entity = entityOf(kind);
  const row = held.database.table(kind).get(id);
  if (row === undefined || scopeOf(row) !== scopeOf(place)) return noSuchItem(kind, id);
  return done({ item: shownTo(entity, isAdmin)(row.item as EntityItem), ...ageOf(held) });
}

export function noSuchItem(kind: string, id: string): Outcome<never> {
  return failed(fault('not_found', `no ${entityOf(kind).noun} with id ${JSON.stringify(id)}`));
}

/** The item that others belong to, where it is missing. */
export function missingParent(
  { database }: Pick<Held, 'database'>,
  place: { kind: string; domain: string; parent?: string | undefined },
) {
  const { parent } = entityOf(place.kind);
  if (parent === undefined || place.parent === undefined) return undefined;
  const row = database.table(parent.kind).get(place.parent);
  return row?.domain === place.domain ? undefined : noSuchItem(parent.kind, place.parent);
}

interface Listing {
  readonly held: Held;
  readonly body: BodyOf<'data.list'>;
  readonly envelope: Envelope;
}

async function list(
  scope: RoleScope,
  pages: Pages,
  { held, body, envelope }: Listing,
): Promise<Outcome<ReplyOf<'data.list'>>> {
  const { kind, params, isAdmin } = body;
  const missing = missingParent(held, body);
  if (missing !== undefined) return missing;
  const query = parseCollectionQuery(params, entityOf(kind).shape);
  if (!query.ok) return failed(fault('invalid', query.fault.message));
  const untilMs = (envelope.deadlineMs ?? Infinity) - limits.searchMarginMs;
  const table = held.database.table(kind);
  const found = await search(table, scopeOf(body), { query: query.value, params, isAdmin, untilMs }, scope.clock);
  if (!found.ok) return found;
  const { items, count } = found.value;
  return done({ ...pages.first(items), ...(count !== undefined && { count }), ...ageOf(held) });
}

function lookUp(held: Held, body: BodyOf<'data.lookup'>): Outcome<ReplyOf<'data.lookup'>> {
  const missing = missingParent(held, body);
  if (missing !== undefined) return missing;
  const { kind, key } = body;
  const table = held.database.table(kind);
  const ids = entityOf(kind).lookup.flatMap((name) => {
    const sought = name === 'id' ? key.toLowerCase() : key;
    return table.find(scopeOf(body), name, sought).map(({ item }) => item.id);
  });
  return done({ ids: [...new Set(ids)], ...ageOf(held) });
}

function authenticated(
  { database }: Held,
  { domain, login, pwd }: BodyOf<'directory.authenticate'>,
): UserRecord | null {
  const row = database.table('user').findOne(domain, 'login', login);
  if (row?.secret === undefined || !isPassword(pwd, row.secret)) return null;
  const { id, name, opts } = row.item as unknown as UserItem;
  return { id, login, name, roles: [...opts.roles], tags: [...opts.tags] };
}

interface Routing {
  readonly held: Held;
  readonly holder: Holder;
  readonly body: BodyOf<'directory.route'>;
  readonly askElsewhere: AskElsewhere | undefined;
}

function route({ map }: RoleScope, { held, holder, body, askElsewhere }: Routing) {
  const { domain, number: dialled, mode, caller: login } = body;
  const caller = (login === undefined ? undefined : sipUserOf(held.database, domain, 'login', login)) ?? null;
  const { number, home } = destinationOf(domain, dialled);
  const there = map.domains.get(home);
  if (there === undefined) return done({ caller, callee: nobody });
  const isFromOutside = home !== domain;
  const data = isFromOutside ? holder.of(home) : held;
  const rules = (callee?: Callee) => rulesOf(map, held, { domain, user: caller ?? userIn(callee) });
  if (data !== undefined) {
    const callee = calleeOf(data.database, there, { number, mode, isFromOutside });
    if (!isFromOutside) return done({ caller, callee, ...named(rules(callee)) });
    return done({ caller, callee, ...named(rules(), rulesOf(map, data, { domain: home, user: userIn(callee) })) });
  }
  if (askElsewhere === undefined) return done({ caller, callee: nobody });
  return askElsewhere({ domain: home, number, mode }).then((answer) => {
    if (!answer.ok) return answer;
    const { callee, recordrules } = answer.value;
    return done({
      caller,
      callee: callee.kind === 'outside' ? nobody : callee,
      ...named(rules(), ...(recordrules ?? [])),
    });
  });
}

/** The record rules of a domain, for a call of this SIP user of it. */
function rulesOf(
  map: ClusterMap,
  { database }: Held,
  { domain, user }: { domain: string; user: SipUserRecord | undefined },
): DomainRules | undefined {
  const settings = map.domains.get(domain);
  return settings && recordRulesIn(database, settings, user);
}

function userIn(callee: Callee | undefined): SipUserRecord | undefined {
  return callee?.kind === 'sipuser' ? callee.user : undefined;
}

const nobody: Callee = { kind: 'nobody' };

/** Answers with lists, and keeps what of one is too long for one answer. */
class Pages {
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
    return failed(fault('not_found', 'nobody came for the rest of this list in time'));
  }

  #named({ items, rest }: Piece<Record<string, unknown>>): ReplyOf<'data.rest'> {
    return rest === undefined ? { items } : { items, rest: { name: rest, at: this.#address } };
  }
}
