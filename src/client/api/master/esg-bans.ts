// Generated from src/http/routes by `npm run docs`.
import type { Filter, ListQuery, RequestOptions } from '../../requests.ts';

export interface EsgBansBanBody {
  /** Address to ban */
  readonly ip: string;
  /** Seconds until the ban ends, as a number or a text of digits; again: counts from now */
  readonly expires: number;
}

export type EsgBansBanAnswer = readonly {
  /** Site of the role instance */
  readonly site: string;
  /** Server of the role instance */
  readonly node: string;
  /** Number of the role instance, unique in the platform */
  readonly srvidx: number;
  /** Address of the server */
  readonly addr: string;
  /** Whether the instance has answered */
  readonly online: boolean;
  /** Whether the address is banned now; only for online instances */
  readonly result?: boolean | undefined;
}[];

export interface EsgBansItem {
  /** Site of the role instance */
  readonly site: string;
  /** Server of the role instance */
  readonly node: string;
  /** Number of the role instance, unique in the platform */
  readonly srvidx: number;
  /** Address of the server */
  readonly addr: string;
  /** Whether the instance has answered */
  readonly online: boolean;
  /** Banned addresses; only for online instances */
  readonly banned?: readonly {
    /** Banned address, IPv4 or IPv6 */
    readonly ip: string;
    /** Seconds until the ban ends */
    readonly expires: number;
  }[] | undefined;
}

export interface EsgBans {
  /** Bans an address on every esg instance in scope; again: prolongs its ban. (`POST /rest/v1/master/logicalroles/esg/bannedaddrs`) */
  ban(body: EsgBansBanBody, query?: { readonly site?: string | undefined; readonly sites?: string | readonly string[] | undefined; readonly server?: string | undefined; readonly servers?: string | readonly string[] | undefined }, options?: RequestOptions): Promise<EsgBansBanAnswer>;
  /** Lists the banned addresses of every esg instance in scope. (`GET /rest/v1/master/logicalroles/esg/bannedaddrs`) */
  list<M extends keyof EsgBansItem = keyof EsgBansItem>(query?: ListQuery<EsgBansItem, M> & { readonly site?: string | undefined; readonly sites?: string | readonly string[] | undefined; readonly server?: string | undefined; readonly servers?: string | readonly string[] | undefined }, options?: RequestOptions): Promise<readonly Pick<EsgBansItem, M>[]>;
  /** How many items a filter selects. */
  count(query?: { readonly filter?: Filter<EsgBansItem> | undefined } & { readonly site?: string | undefined; readonly sites?: string | readonly string[] | undefined; readonly server?: string | undefined; readonly servers?: string | readonly string[] | undefined }, options?: RequestOptions): Promise<number>;
  /** Lifts all bans on every esg instance in scope. (`DELETE /rest/v1/master/logicalroles/esg/bannedaddrs`) */
  deleteAll(query?: { readonly site?: string | undefined; readonly sites?: string | readonly string[] | undefined; readonly server?: string | undefined; readonly servers?: string | readonly string[] | undefined }, options?: RequestOptions): Promise<void>;
  /** Lifts the ban of one address on every esg instance in scope. (`DELETE /rest/v1/master/logicalroles/esg/bannedaddrs/:ip`) */
  delete(ip: string, query?: { readonly site?: string | undefined; readonly sites?: string | readonly string[] | undefined; readonly server?: string | undefined; readonly servers?: string | readonly string[] | undefined }, options?: RequestOptions): Promise<void>;
}
