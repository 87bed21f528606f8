// Generated from src/http/routes by `npm run docs`.
import type { EsgBansItem } from './esg-bans.ts';
import type { Filter, ListQuery, RequestOptions } from '../../requests.ts';

export interface WsBans {
  /** Lists the banned addresses of every ws instance in scope. (`GET /rest/v1/master/logicalroles/ws/bannedaddrs`) */
  list<M extends keyof EsgBansItem = keyof EsgBansItem>(query?: ListQuery<EsgBansItem, M> & { readonly site?: string | undefined; readonly sites?: string | readonly string[] | undefined; readonly server?: string | undefined; readonly servers?: string | readonly string[] | undefined }, options?: RequestOptions): Promise<readonly Pick<EsgBansItem, M>[]>;
  /** How many items a filter selects. */
  count(query?: { readonly filter?: Filter<EsgBansItem> | undefined } & { readonly site?: string | undefined; readonly sites?: string | readonly string[] | undefined; readonly server?: string | undefined; readonly servers?: string | readonly string[] | undefined }, options?: RequestOptions): Promise<number>;
  /** Lifts all bans on every ws instance in scope. (`DELETE /rest/v1/master/logicalroles/ws/bannedaddrs`) */
  deleteAll(query?: { readonly site?: string | undefined; readonly sites?: string | readonly string[] | undefined; readonly server?: string | undefined; readonly servers?: string | readonly string[] | undefined }, options?: RequestOptions): Promise<void>;
  /** Lifts the ban of one address on every ws instance in scope. (`DELETE /rest/v1/master/logicalroles/ws/bannedaddrs/:ip`) */
  delete(ip: string, query?: { readonly site?: string | undefined; readonly sites?: string | readonly string[] | undefined; readonly server?: string | undefined; readonly servers?: string | readonly string[] | undefined }, options?: RequestOptions): Promise<void>;
}
