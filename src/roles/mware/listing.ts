/** Lists over several sites: what each site is asked, and the one list that comes of their answers. */
import { applyCollection } from '../../model/collection/collection.ts';
import { type CollectionQuery, parseCollectionQuery } from '../../model/collection/query.ts';
import type { CollectionShape } from '../../model/collection/shape.ts';
import { done, failed, fault, type Outcome } from '../../model/fault.ts';
import type { ReplyOf } from '../../model/protocol/catalogue.ts';
import type { ListReply } from '../../model/protocol/mware.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RoleScope } from '../../runtime/role.ts';
import { Pace } from '../../storage/pace.ts';
import { type Piece, Pieces } from '../pieces.ts';

export type Params = [name: string, text: string][];
export type Item = Record<string, unknown>;

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
  readonly #pieces: Pieces<Item>;

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
    return done({ ...this.#named(this.#pieces.first(page.value as readonly Item[])), missing: [...missing] });
  }

  next(name: string): Outcome<ReplyOf<'mware.rest'>> {
    const piece = this.#pieces.next(name);
    return piece === undefined
      ? failed(fault('overloaded', 'the rest of this list is not kept any more'))
      : done(this.#named(piece));
  }

  #named({ items, rest }: Piece<Item>): ReplyOf<'mware.rest'> {
    return rest === undefined ? { items } : { items, rest: { name: rest, at: this.#address } };
  }
}
