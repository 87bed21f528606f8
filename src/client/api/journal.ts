// Generated from src/http/routes by `npm run docs`.
import type { Filter, ItemQuery, ListQuery, RequestOptions } from '../operation-types.ts';

export interface CallRecordsItem {
  /** Globally unique id of the call, as in its events */
  readonly inviteid: string;
  /** Id that the call had while it was live */
  readonly dialogid: string;
  /** Call-Id of the leg of side a */
  readonly acallid: string;
  /** Site whose b2b instance served the call */
  readonly site: string;
  /** URI of the caller, as `<sip:user@domain>` */
  readonly from: string;
  /** URI that was called, as `<sip:user@domain>` */
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
  /** SIP status that ended the call (480 where a client ended it by DELETE before an answer); null where none did */
  readonly status: number | null;
  /** Reason phrase of that status; may be empty */
  readonly reason: string;
  /** Parties of the call: `side`, `kind` (`sipuser`, `account`, `conference`, `ivr`, `outside`), `domain`, `name` (login, provider code, confid or srvidx), `id` (of a SIP user) and `number` */
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

export interface JournalScriptsItem {
  /** Id of the run */
  readonly id: string;
  /** Kind of the script: `svcscript` */
  readonly kind: string;
  /** Code of the script */
  readonly code: string;
  /** What started it: `exec`, `external`, `token` … */
  readonly by: string;
  /** Site that runs it */
  readonly site: string;
  /** How far it is */
  readonly status: 'running' | 'finished' | 'failed';
  /** Why it failed: script, component, field */
  readonly problem?: string | undefined;
  /** When it started, milliseconds since the epoch */
  readonly startts: number;
  /** When it ended, milliseconds since the epoch */
  readonly endts?: number | undefined;
  /** Number of components executed */
  readonly passed: number;
}

export interface JournalScriptsItem {
  /** Id of the run */
  readonly id: string;
  /** Kind of the script: `svcscript` */
  readonly kind: string;
  /** Code of the script */
  readonly code: string;
  /** What started it: `exec`, `external`, `token` … */
  readonly by: string;
  /** Site that runs it */
  readonly site: string;
  /** How far it is */
  readonly status: 'running' | 'finished' | 'failed';
  /** Why it failed: script, component, field */
  readonly problem?: string | undefined;
  /** When it started, milliseconds since the epoch */
  readonly startts: number;
  /** When it ended, milliseconds since the epoch */
  readonly endts?: number | undefined;
  /** Number of components executed */
  readonly passed: number;
  /** The last components executed */
  readonly steps: readonly {
    /** When, milliseconds since the epoch */
    readonly at: number;
    /** Code of the script */
    readonly script: string;
    /** Name of the component */
    readonly component: string;
    /** Type of the component */
    readonly type: string;
    /** The branch taken, the line of a log, or the nested script */
    readonly note?: string | undefined;
  }[];
  /** Variables of the script */
  readonly variables: Readonly<Record<string, unknown>>;
}

export interface JournalScripts {
  /** Lists the last runs of service scripts of the domain. (`GET /rest/v1/journal/scripts`) */
  list<M extends keyof JournalScriptsItem = keyof JournalScriptsItem>(query?: ListQuery<JournalScriptsItem, M>, options?: RequestOptions): Promise<readonly Pick<JournalScriptsItem, M>[]>;
  /** How many items a filter selects. */
  count(query?: { readonly filter?: Filter<JournalScriptsItem> | undefined }, options?: RequestOptions): Promise<number>;
  /** Shows a run of a service script with its steps and variables. (`GET /rest/v1/journal/scripts/:id`) */
  get<M extends keyof JournalScriptsItem = keyof JournalScriptsItem>(id: string, query?: ItemQuery<M>, options?: RequestOptions): Promise<Pick<JournalScriptsItem, M>>;
}

export interface OwnCallRecords {
  /** Lists the records of ended calls in which your own SIP users took part. (`GET /rest/v1/journal/calls_by_participation`) */
  list<M extends keyof CallRecordsItem = keyof CallRecordsItem>(query?: ListQuery<CallRecordsItem, M>, options?: RequestOptions): Promise<readonly Pick<CallRecordsItem, M>[]>;
  /** How many items a filter selects. */
  count(query?: { readonly filter?: Filter<CallRecordsItem> | undefined }, options?: RequestOptions): Promise<number>;
  /** Shows the record of an ended call. (`GET /rest/v1/journal/calls_by_participation/:inviteid`) */
  get<M extends keyof CallRecordsItem = keyof CallRecordsItem>(inviteid: string, query?: ItemQuery<M>, options?: RequestOptions): Promise<Pick<CallRecordsItem, M>>;
}

export interface OwnRecordings {
  /** Lists the recordings of a call in which your own SIP users took part by the sites that have any; the list is empty until the call has ended. (`GET /rest/v1/journal/calls_by_participation/:inviteid/attachments`) */
  list(inviteid: string, options?: RequestOptions): Promise<RecordingsListAnswer>;
  /** Returns a recording of a call in which your own SIP users took part as WAV, or a range of it; with `attachment`, the browser saves it. (`GET /rest/v1/journal/calls_by_participation/:inviteid/attachments/:name`) */
  download(inviteid: string, name: string, query?: { readonly attachment?: boolean | undefined }, options?: RequestOptions): Promise<Response>;
  /** Deletes a recording of a call in which your own SIP users took part permanently. (`DELETE /rest/v1/journal/calls_by_participation/:inviteid/attachments/:name`) */
  delete(inviteid: string, name: string, options?: RequestOptions): Promise<void>;
  /** Deletes all recordings of a call in which your own SIP users took part permanently, at the reachable sites; `X-Missing-Sites` names the others. (`DELETE /rest/v1/journal/calls_by_participation/:inviteid/attachments`) */
  deleteAll(inviteid: string, options?: RequestOptions): Promise<void>;
}

export type RecordingsListAnswer = readonly {
  /** Site that keeps the files */
  readonly site: string;
  /** Recordings of the call at this site */
  readonly files: readonly {
    /** Name of the file */
    readonly name: string;
    /** Size in bytes */
    readonly size: number;
    /** Links */
    readonly _links: {
      /** The file */
      readonly self: {
        /** Path of the file */
        readonly href: string;
      };
    };
  }[];
}[];

export interface Recordings {
  /** Lists the recordings of a call of the domain by the sites that have any; the list is empty until the call has ended. (`GET /rest/v1/journal/calls/:inviteid/attachments`) */
  list(inviteid: string, options?: RequestOptions): Promise<RecordingsListAnswer>;
  /** Returns a recording of a call of the domain as WAV, or a range of it; with `attachment`, the browser saves it. (`GET /rest/v1/journal/calls/:inviteid/attachments/:name`) */
  download(inviteid: string, name: string, query?: { readonly attachment?: boolean | undefined }, options?: RequestOptions): Promise<Response>;
  /** Deletes a recording of a call of the domain permanently. (`DELETE /rest/v1/journal/calls/:inviteid/attachments/:name`) */
  delete(inviteid: string, name: string, options?: RequestOptions): Promise<void>;
  /** Deletes all recordings of a call of the domain permanently, at the reachable sites; `X-Missing-Sites` names the others. (`DELETE /rest/v1/journal/calls/:inviteid/attachments`) */
  deleteAll(inviteid: string, options?: RequestOptions): Promise<void>;
}
