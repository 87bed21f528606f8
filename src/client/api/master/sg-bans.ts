// Generated from src/http/routes by `npm run docs`.
import type { EsgBansBanAnswer } from './esg-bans.ts';
import type { EsgBansBanBody } from './esg-bans.ts';
import type { EsgBansItem } from './esg-bans.ts';
import type { Filter, ListQuery, RequestOptions } from '../../requests.ts';

export interface SgBans {
  /** Bans an address on every sg instance in scope; again: prolongs its ban. (`POST /rest/v1/master/logicalroles/sg/bannedaddrs`) */
  ban(body: EsgBansBanBody, query?: { readonly site?: string | undefined; readonly sites?: string | readonly string[] | undefined; readonly server?: string | undefined; readonly servers?: string | readonly string[] | undefined }, options?: RequestOptions): Promise<EsgBansBanAnswer>;
  /** Lists the banned addresses of every sg instance in scope. (`GET /rest/v1/master/logicalroles/sg/bannedaddrs`) */
  list<M extends keyof EsgBansItem = keyof EsgBansItem>(query?: ListQuery<EsgBansItem, M> & { readonly site?: string | undefined; readonly sites?: string | readonly string[] | undefined; readonly server?: string | undefined; readonly servers?: string | readonly string[] | undefined }, options?: RequestOptions): Promise<readonly Pick<EsgBansItem, M>[]>;
  /** How many items a filter selects. */
  count(query?: { readonly filter?: Filter<EsgBansItem> | undefined } & { readonly site?: string | undefined; readonly sites?: string | readonly string[] | undefined; readonly server?: string | undefined; readonly servers?: string | readonly string[] | undefined }, options?: RequestOptions): Promise<number>;
  /** Lifts all bans on every sg instance in scope. (`DELETE /rest/v1/master/logicalroles/sg/bannedaddrs`) */
  deleteAll(query?: { readonly site?: string | undefined; readonly sites?: string | readonly string[] | undefined; readonly server?: string | undefined; readonly servers?: string | readonly string[] | undefined }, options?: RequestOptions): Promise<void>;
  /** Lifts the ban of one address on every sg instance in scope. (`DELETE /rest/v1/master/logicalroles/sg/bannedaddrs/:ip`) */
  delete(ip: string, query?: { readonly site?: string | undefined; readonly sites?: string | readonly string[] | undefined; readonly server?: string | undefined; readonly servers?: string | readonly string[] | undefined }, options?: RequestOptions): Promise<void>;
}
