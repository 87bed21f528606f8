// Generated from src/http/routes by `npm run docs`.
import type { Filter, ItemQuery, ListQuery, RequestOptions } from '../../requests.ts';

export interface SipUserStatesItem {
  /** Id of the SIP user */
  readonly id: string;
  /** Login of the SIP user */
  readonly username: string;
  /** `online`: at least one device is registered; `offline`: none is */
  readonly status: 'online' | 'offline';
}

export interface SipUserStates {
  /** Lists the SIP users of the domain, `online` where a device is registered. (`GET /rest/v1/uc/sipuser_states`) */
  list<M extends keyof SipUserStatesItem = keyof SipUserStatesItem>(query?: ListQuery<SipUserStatesItem, M>, options?: RequestOptions): Promise<readonly Pick<SipUserStatesItem, M>[]>;
  /** How many items a filter selects. */
  count(query?: { readonly filter?: Filter<SipUserStatesItem> | undefined }, options?: RequestOptions): Promise<number>;
  /** Shows whether a SIP user can be reached. (`GET /rest/v1/uc/sipuser_states/:id`) */
  get<M extends keyof SipUserStatesItem = keyof SipUserStatesItem>(id: string, query?: ItemQuery<M>, options?: RequestOptions): Promise<Pick<SipUserStatesItem, M>>;
  /** Drops the registrations of a SIP user; its devices may register again. (`DELETE /rest/v1/uc/sipuser_states/:id`) */
  delete(id: string, options?: RequestOptions): Promise<void>;
}
