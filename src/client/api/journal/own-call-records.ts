// Generated from src/http/routes by `npm run docs`.
import type { CallRecordsItem } from './call-records.ts';
import type { Filter, ItemQuery, ListQuery, RequestOptions } from '../../requests.ts';

export interface OwnCallRecords {
  /** Lists the records of ended calls in which your own SIP users took part. (`GET /rest/v1/journal/calls_by_participation`) */
  list<M extends keyof CallRecordsItem = keyof CallRecordsItem>(query?: ListQuery<CallRecordsItem, M>, options?: RequestOptions): Promise<readonly Pick<CallRecordsItem, M>[]>;
  /** How many items a filter selects. */
  count(query?: { readonly filter?: Filter<CallRecordsItem> | undefined }, options?: RequestOptions): Promise<number>;
  /** Shows the record of an ended call. (`GET /rest/v1/journal/calls_by_participation/:inviteid`) */
  get<M extends keyof CallRecordsItem = keyof CallRecordsItem>(inviteid: string, query?: ItemQuery<M>, options?: RequestOptions): Promise<Pick<CallRecordsItem, M>>;
}
