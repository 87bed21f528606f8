import { unreachableFault } from '../../cluster/ask-in-order.ts';
import type { RoleScope } from '../../cluster/role.ts';
import type { InstanceEntry } from '../../model/cluster-map.ts';
import { applyCollection } from '../../model/collection/collection.ts';
import { type CollectionQuery, parseCollectionQuery } from '../../model/collection/query.ts';
import type { CollectionShape } from '../../model/collection/shape.ts';
import { coverOf } from '../../model/domain-tree.ts';
import { done, failed, fault, type Outcome } from '../../model/fault.ts';
import type { BodyOf, ReplyOf } from '../../model/protocol/catalogue.ts';
import type { ListReply } from '../../model/protocol/mware.ts';
import type { Clock } from '../../ports/clock.ts';
import { streamConsumersOf } from '../../replication/stream-source.ts';
import { Pace } from '../../storage/pace.ts';
import { type Piece, Pieces } from '../pieces.ts';
import { lookUntilMs, notFound, type RequestContext } from './request-context.ts';

/** The callstore instances that know the calls of a domain: one at each site that serves it, asked all at once. */

type StoreAsk = 'callstore.list' | 'callstore.get' | 'callstore.find' | 'callstore.records' | 'callstore.recordings';

/** What the sites said, and the names of those that said nothing. */
export interface Gathered<T> {
  readonly found: readonly T[];
  readonly missing: readonly string[];
}

/** The first piece of a list, and who gave it. */
export interface FirstPiece<T> {
  readonly items: readonly T[];
  readonly rest: string | undefined;
  readonly from: InstanceEntry;
}

interface Place {
  readonly site: string;
  /** The one that serves now, as far as this node sees one. */
  readonly active: InstanceEntry | undefined;
}

export class Callstores {
  readonly #scope: RoleScope;

  constructor(scope: RoleScope) {
    this.#scope = scope;
  }

  /** Asks at every site that serves the domain. A fault where not one of them answers. */
  async gather<T extends StoreAsk>(
    errand: RequestContext,
    type: T,
    body: Omit<BodyOf<T>, 'domain'>,
  ): Promise<Outcome<Gathered<{ readonly reply: ReplyOf<T>; readonly from: InstanceEntry }>>> {
    const { site } = this.#scope.instance;
    const places = this.#places(errand.domain);
    const answers = await Promise.all(
      places.map(async ({ active }) => {
        if (active === undefined) return undefined;
        const reply = await this.#ask(active, type, { domain: errand.domain, ...body } as BodyOf<T>, errand);
        return reply && { reply, from: active };
      }),
    );
    const found = answers.filter((answer) => answer !== undefined);
    if (found.length === 0) return failed(unreachableFault('callstore', site));
    return done({ found, missing: places.flatMap((place, i) => (answers[i] === undefined ? [place.site] : [])) });
  }

  /** All pieces of a list of which an instance has given the first. `undefined` where it broke off. */
  async wholeOf<T>(
    { items: first, rest: name, from }: FirstPiece<T>,
    errand: RequestContext,
  ): Promise<T[] | undefined> {
    const items = [...first];
    let rest = name;
    while (rest !== undefined) {
      const deadlineMs = lookUntilMs(this.#scope, errand);
      const outcome = await this.#scope.ask(from.address, 'callstore.rest', { rest }, { deadlineMs });
      if (!outcome.ok) return undefined;
      items.push(...(outcome.value.items as T[]));
      rest = outcome.value.rest;
    }
    return items;
  }

  /**
   * The one site's answer that has a live call: as soon as it is there, without waiting for the others. `not_found` only when
   * the site where the call would be has answered.
   */
  call(errand: RequestContext, dialogid: string, own: { own?: string[] }): Promise<Outcome<LiveCall>> {
    const places = this.#places(errand.domain);
    const missing = new Set(places.map(({ site }) => site));
    const body = { domain: errand.domain, dialogid, ...own };
    return new Promise((resolve) => {
      const asked = places.map(async ({ site, active }) => {
        const reply = active && (await this.#ask(active, 'callstore.get', body, errand));
        if (reply === undefined) return;
        missing.delete(site);
        const { record, dialog } = reply;
        if (record !== null && dialog !== null) resolve(done({ record, dialog }));
      });
      void Promise.all(asked).then(() => resolve(failed(this.#absence(dialogid, missing, places.length))));
    });
  }

  /** Why there is no such call: it is over or never was, or it may be where nobody answers. */
  #absence(dialogid: string, missing: ReadonlySet<string>, places: number) {
    const { map, instance } = this.#scope;
    if (missing.size === places) return unreachableFault('callstore', instance.site);
    const home = map.instanceNamed(`b2b-${dialogid.split('-')[0]}`);
    const site = home && streamConsumersOf({ map, instance: home })[0]?.site;
    if (site === undefined || !missing.has(site)) return notFound;
    return unreachableFault(`callstore of site ${site}`, instance.site);
  }

  async #ask<T extends StoreAsk>(
    instance: InstanceEntry,
    type: T,
    body: BodyOf<T>,
    errand: RequestContext,
  ): Promise<ReplyOf<T> | undefined> {
    const deadlineMs = lookUntilMs(this.#scope, errand);
    const outcome = await this.#scope.ask(instance.address, type, body, { deadlineMs });
    return outcome.ok ? outcome.value : undefined;
  }

  /** For each site that serves the domain the group that does so: where there are several, the one named most exactly. */
  #places(domain: string): Place[] {
    const { map, view } = this.#scope;
    return [...map.sites.keys()].flatMap((site): Place[] => {
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

/** Lists over several sites: what each site is asked, and the one list that comes of their answers. */

export type Params = [name: string, text: string][];
export type ListItem = Record<string, unknown>;

export function readParams<T extends object>(params: Params, shape: CollectionShape<T>): Outcome<CollectionQuery> {
  const query = parseCollectionQuery(params, shape);
  return query.ok ? done(query.value) : failed(fault('invalid', query.fault.message));
}

/** More than any site has. */
const all = 999_999_999;

/** What each site is asked: the same filter and order, and as many items as the page could need if all were from there. */
export function paramsForSites(params: Params, { offset, limit, countonly }: CollectionQuery): Params {
  const kept = params.filter(([name]) => name === 'filter' || name === 'order');
  const most = countonly ? 0 : Math.min(offset + limit, all);
  return [...kept, ['limit', String(most)]];
}

interface Answering<T extends object> {
  readonly shape: CollectionShape<T>;
  /** Sites that said nothing. */
  readonly missing: readonly string[];
  /** When the answer must be there (ms since the epoch). */
  readonly untilMs: number;
}

/** Answers with pages of lists, and keeps what of a page is too long for one answer. */
export class Pages {
  readonly #address: string;
  readonly #clock: Clock;
  readonly #pieces: Pieces<ListItem>;

  constructor(scope: RoleScope) {
    this.#address = scope.instance.address;
    this.#clock = scope.clock;
    this.#pieces = new Pieces(scope);
  }

  /** What a query wants of items: a page of them, or their number. */
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
      ? failed(fault('overloaded', 'the rest of this list is not kept any more'))
      : done(this.#named(piece));
  }

  #named({ items, rest }: Piece<ListItem>): ReplyOf<'mware.rest'> {
    return rest === undefined ? { items } : { items, rest: { name: rest, at: this.#address } };
  }
}
