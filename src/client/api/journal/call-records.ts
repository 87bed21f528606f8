// Generated from src/http/routes by `npm run docs`.
import type { Filter, ItemQuery, ListQuery, RequestOptions } from '../../requests.ts';

export interface CallRecordsItem {
  /** Globally unique id of the call, as in its events */
  readonly inviteid: string;
  /** Id that the call had while it was live */
  readonly dialogid: string;
  /** Call-Id of the leg of side a */
  readonly acallid: string;
  /** Site whose b2b instance served the call */
  readonly site: string;
  /** Number or login of the caller */
  readonly from: string;
  /** Number or login that was called */
  readonly to: string;
  /** When the first INVITE entered the platform, milliseconds since the epoch */
  readonly startts: number;
  /** When the callee answered, milliseconds since the epoch; null: never */
  readonly answerts: number | null;
  /** When the call ended, milliseconds since the epoch */
  readonly endts: number;
  /** From `startts` to `endts`, milliseconds */
  readonly durationms: number;
  /** From `answerts` to `endts`, milliseconds; 0: not answered */
  readonly talkms: number;
  /** How the call ended: the completion type of its `dlg_end` event, such as `bye`, `cancel`, `timeout` or `error`; `dead`: its b2b instance was lost */
  readonly type: string;
  /** SIP status that ended the call; null where none did */
  readonly status: number | null;
  /** Reason phrase of that status; may be empty */
  readonly reason: string;
  /** Parties of the call: `side`, `kind` (`sipuser`, `account`, `conference`, `ivr`, `outside`), `domain`, `name` (login, provider code, confid or srvidx) and `number` */
  readonly participations: readonly unknown[];
  /** Domains that the call belongs to, as the domain of at least one leg */
  readonly domains: readonly string[];
  /** Number of recordings that can be downloaded */
  readonly recordings: number;
}

export interface CallRecords {
  /** Lists the records of ended calls of the domain. (`GET /rest/v1/journal/calls`) */
  list<M extends keyof CallRecordsItem = keyof CallRecordsItem>(query?: ListQuery<CallRecordsItem, M>, options?: RequestOptions): Promise<readonly Pick<CallRecordsItem, M>[]>;
  /** How many items a filter selects. */
  count(query?: { readonly filter?: Filter<CallRecordsItem> | undefined }, options?: RequestOptions): Promise<number>;
  /** Shows the record of an ended call. (`GET /rest/v1/journal/calls/:inviteid`) */
  get<M extends keyof CallRecordsItem = keyof CallRecordsItem>(inviteid: string, query?: ItemQuery<M>, options?: RequestOptions): Promise<Pick<CallRecordsItem, M>>;
}
