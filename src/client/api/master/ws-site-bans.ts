// Generated from src/http/routes by `npm run docs`.
import type { EsgBansItem } from './esg-bans.ts';
import type { Filter, ListQuery, RequestOptions } from '../../requests.ts';

export interface WsSiteBans {
  /** Lists the banned addresses of every ws instance of this site. (`GET /rest/v1/master/logicalroles/ws/bannedaddrs/site`) */
  list<M extends keyof EsgBansItem = keyof EsgBansItem>(query?: ListQuery<EsgBansItem, M>, options?: RequestOptions): Promise<readonly Pick<EsgBansItem, M>[]>;
  /** How many items a filter selects. */
  count(query?: { readonly filter?: Filter<EsgBansItem> | undefined }, options?: RequestOptions): Promise<number>;
  /** Lifts all bans on every ws instance of this site. (`DELETE /rest/v1/master/logicalroles/ws/bannedaddrs/site`) */
  deleteAll(options?: RequestOptions): Promise<void>;
  /** Lifts the ban of one address on every ws instance of this site. (`DELETE /rest/v1/master/logicalroles/ws/bannedaddrs/site/:ip`) */
  delete(ip: string, options?: RequestOptions): Promise<void>;
}
