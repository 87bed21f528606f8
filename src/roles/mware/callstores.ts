/** The callstore instances with the calls of a domain: one at each site that serves it, all asked at once. */
import { unreachableFault } from '../../cluster/messaging/ask-in-order.ts';
import type { RoleScope } from '../../cluster/role.ts';
import type { InstanceEntry } from '../../model/cluster/cluster-map.ts';
import { applyCollection } from '../../model/collection/collection.ts';
import { type CollectionQuery, parseCollectionQuery } from '../../model/collection/query.ts';
import type { CollectionShape } from '../../model/collection/shape.ts';
import { coverOf } from '../../model/domain-tree.ts';
import { done, failed, fault, type Outcome } from '../../model/fault.ts';
import type { BodyOf, ReplyOf } from '../../model/protocol/catalogue.ts';
import type { ListReply } from '../../model/protocol/messages/mware.ts';
import type { Clock } from '../../ports/clock.ts';
import { Pace } from '../../ports/pace.ts';
import { streamConsumersOf } from '../../replication/stream-source.ts';
import { type Piece, Pieces } from '../pieces.ts';
import { lookUntilMs, notFound, type RequestContext } from './request-context.ts';

type StoreAsk = 'callstore.list' | 'callstore.get' | 'callstore.find' | 'callstore.records' | 'callstore.recordings';

/** The answers of the sites, and the sites that did not answer. */
export interface Gathered<T> {
  readonly found: readonly T[];
  readonly missing: readonly string[];
}

/** The first piece of a list, and the instance that returned it. */
export interface FirstPiece<T> {
  readonly items: readonly T[];
  readonly rest: string | undefined;
  readonly from: InstanceEntry;
}

interface SiteStore {
  readonly site: string;
  /** The active instance, if this node sees one. */
  readonly active: InstanceEntry | undefined;
}

export class Callstores {
  readonly #scope: RoleScope;

  constructor(scope: RoleScope) {
    this.#scope = scope;
  }

  /** Asks every site that serves the domain. A fault if no site answers. */
  async gather<T extends StoreAsk>(
    context: RequestContext,
    type: T,
    body: Omit<BodyOf<T>, 'domain'>,
  ): Promise<Outcome<Gathered<{ readonly reply: ReplyOf<T>; readonly from: InstanceEntry }>>> {
    const { site } = this.#scope.instance;
    const stores = this.#siteStores(context.domain);
    const answers = await Promise.all(
      stores.map(async ({ active }) => {
        if (active === undefined) return undefined;
        const reply = await this.#ask(active, type, { domain: context.domain, ...body } as BodyOf<T>, context);
        return reply && { reply, from: active };
      }),
    );
    const found = answers.filter((answer) => answer !== undefined);
    if (found.length === 0) return failed(unreachableFault('callstore', site));
    return done({ found, missing: stores.flatMap((store, i) => (answers[i] === undefined ? [store.site] : [])) });
  }

  /** All pieces of a list whose first piece an instance has returned. `undefined` if a later piece is missing. */
  async wholeOf<T>(
    { items: first, rest: name, from }: FirstPiece<T>,
    context: RequestContext,
  ): Promise<T[] | undefined> {
    const items = [...first];
    let rest = name;
    while (rest !== undefined) {
      const deadlineMs = lookUntilMs(this.#scope, context);
      const outcome = await this.#scope.ask(from.address, 'callstore.rest', { rest }, { deadlineMs });
      if (!outcome.ok) return undefined;
      items.push(...(outcome.value.items as T[]));
      rest = outcome.value.rest;
    }
    return items;
  }

  /**
   * A live call, from the site to which its b2b publishes. An id that names no b2b is of none: all sites are asked, and one
   * answer is enough for `not_found`.
   */
  call(
    context: RequestContext,
    dialogid: string,
    own: Pick<BodyOf<'callstore.get'>, 'own'>,
  ): Promise<Outcome<LiveCall>> {
    const all = this.#siteStores(context.domain);
    const home = this.#homeOf(dialogid);
    const atHome = all.filter(({ site }) => site === home);
    const stores = atHome.length > 0 ? atHome : all;
    const missing = new Set(stores.map(({ site }) => site));
    const body = { domain: context.domain, dialogid, ...own };
    return new Promise((resolve) => {
      const asked = stores.map(async ({ site, active }) => {
        const reply = active && (await this.#ask(active, 'callstore.get', body, context));
        if (reply === undefined) return;
        missing.delete(site);
        const { record, dialog } = reply;
        if (record !== null && dialog !== null) resolve(done({ record, dialog }));
      });
      void Promise.all(asked).then(() => resolve(failed(this.#absence(home, missing, all.length))));
    });
  }

  /** The site whose callstores have the calls of the b2b that a dialogid names. */
  #homeOf(dialogid: string): string | undefined {
    const { map } = this.#scope;
    const b2b = map.instanceNamed(`b2b-${dialogid.split('-')[0]}`);
    return b2b && streamConsumersOf({ map, instance: b2b })[0]?.site;
  }

  #absence(home: string | undefined, missing: ReadonlySet<string>, sites: number) {
    const { site } = this.#scope.instance;
    if (missing.size === sites) return unreachableFault('callstore', site);
    if (home === undefined || !missing.has(home)) return notFound;
    return unreachableFault(`callstore of site ${home}`, site);
  }

  async #ask<T extends StoreAsk>(
    instance: InstanceEntry,
    type: T,
    body: BodyOf<T>,
    context: RequestContext,
  ): Promise<ReplyOf<T> | undefined> {
    const deadlineMs = lookUntilMs(this.#scope, context);
    const outcome = await this.#scope.ask(instance.address, type, body, { deadlineMs });
    return outcome.ok ? outcome.value : undefined;
  }

  /** For each site that serves the domain, its callstore group; of several, the one whose domain pattern is most specific. */
  #siteStores(domain: string): SiteStore[] {
    const { map, view } = this.#scope;
    return [...map.sites.keys()].flatMap((site): SiteStore[] => {
      const serving = map.serving('callstore', site, domain);
      if (serving.length === 0) return [];
      const cover = (instance: InstanceEntry) => coverOf(domain, instance.domains)?.length ?? 0;
      const closest = Math.max(...serving.map(cover));
      const group = serving.filter((instance) => cover(instance) === closest);
      return [{ site, active: group.find((instance) => view.statusOf(instance) === 'active') }];
    });
  }
}

export type LiveCall = {
  readonly [K in keyof ReplyOf<'callstore.get'>]: NonNullable<ReplyOf<'callstore.get'>[K]>;
};

export type Params = [name: string, text: string][];
export type ListItem = Record<string, unknown>;

export function readParams<T extends object>(params: Params, shape: CollectionShape<T>): Outcome<CollectionQuery> {
  const query = parseCollectionQuery(params, shape);
  return query.ok ? done(query.value) : failed(fault('invalid', query.fault.message));
}

/** More than the items of any site. */
const all = 999_999_999;

/** The parameters for each site: the same filter and order, and as many items as the page needs if all are at that site. */
export function paramsForSites(params: Params, { offset, limit, countonly }: CollectionQuery): Params {
  const kept = params.filter(([name]) => name === 'filter' || name === 'order');
  const most = countonly ? 0 : Math.min(offset + limit, all);
  return [...kept, ['limit', String(most)]];
}

interface Answering<T extends object> {
  readonly shape: CollectionShape<T>;
  /** Sites that did not answer. */
  readonly missing: readonly string[];
  /** Deadline of the answer (ms since the epoch). */
  readonly untilMs: number;
}

/** Answers with pages of lists, and keeps the rest of a page that is too long for one answer. */
export class ListPages {
  readonly #address: string;
  readonly #clock: Clock;
  readonly #pieces: Pieces<ListItem>;

  constructor(scope: RoleScope) {
    this.#address = scope.instance.address;
    this.#clock = scope.clock;
    this.#pieces = new Pieces(scope);
  }

  /** A page of the items, or their count, as the query asks. */
  async answer<T extends object>(
    items: readonly T[],
    query: CollectionQuery,
    how: Answering<T>,
  ): Promise<Outcome<ListReply>> {
    const { shape, missing, untilMs } = how;
    const pace = new Pace(this.#clock, untilMs);
    const page = await pace.inTime(applyCollection(items, query, shape), `${items.length} items`);
    if (!page.ok) return page;
    if ('count' in page.value) return done({ items: [], count: page.value.count, missing: [...missing] });
    return done({ ...this.#named(this.#pieces.first(page.value as readonly ListItem[])), missing: [...missing] });
  }

  next(name: string): Outcome<ReplyOf<'mware.rest'>> {
    const piece = this.#pieces.next(name);
    return piece === undefined
      ? failed(fault('overloaded', 'the rest of this list has expired'))
      : done(this.#named(piece));
  }

  #named({ items, rest }: Piece<ListItem>): ReplyOf<'mware.rest'> {
    return rest === undefined ? { items } : { items, rest: { name: rest, at: this.#address } };
  }
}
