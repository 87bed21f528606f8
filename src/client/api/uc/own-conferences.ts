// Generated from src/http/routes by `npm run docs`.
import type { ConferencesDeleteAnswer } from './conferences.ts';
import type { ConferencesItem } from './conferences.ts';
import type { ConferencesListItem } from './conferences.ts';
import type { ConferencesLookupBody } from './conferences.ts';
import type { Filter, ItemQuery, ListQuery, RequestOptions } from '../../requests.ts';

export interface OwnConferences {
  /** Lists the conferences in which your own SIP users take part. (`GET /rest/v1/uc/conferences_by_participation`) */
  list<M extends keyof ConferencesListItem = keyof ConferencesListItem>(query?: ListQuery<ConferencesListItem, M>, options?: RequestOptions): Promise<readonly Pick<ConferencesListItem, M>[]>;
  /** How many items a filter selects. */
  count(query?: { readonly filter?: Filter<ConferencesListItem> | undefined }, options?: RequestOptions): Promise<number>;
  /** Finds conferences in which your own SIP users take part by one key. (`LOOKUP /rest/v1/uc/conferences_by_participation`) */
  lookup(body: ConferencesLookupBody, options?: RequestOptions): Promise<readonly string[]>;
  /** Shows a conference. (`GET /rest/v1/uc/conferences_by_participation/:confid`) */
  get<M extends keyof ConferencesItem = keyof ConferencesItem>(confid: string, query?: ItemQuery<M>, options?: RequestOptions): Promise<Pick<ConferencesItem, M>>;
  /** Ends a conference: BYE to every participant, CANCEL to the devices that are being called; does not wait for them. (`DELETE /rest/v1/uc/conferences_by_participation/:confid`) */
  delete(confid: string, options?: RequestOptions): Promise<ConferencesDeleteAnswer>;
}
