// Generated from src/http/routes by `npm run docs`.
import type { Filter, ItemQuery, ListQuery, RequestOptions } from '../../requests.ts';

export interface RecordRulesCreateBody {
  /** Id of the new item; default: a generated one */
  readonly id?: string | undefined;
  /** Of the rules that match the one with the lowest number decides; only the 500 lowest rules of a domain count */
  readonly priority?: number | undefined;
  /** Direction of the call: `incoming` from a provider or another domain; `outgoing` to one of them; `inner` within the domain; empty: any */
  readonly dir?: '' | 'incoming' | 'inner' | 'outgoing' | undefined;
  /** Number of the caller; `*` stands for any characters; empty: any number */
  readonly fromnumber?: string | undefined;
  /** Number of the callee; `*` stands for any characters; empty: any number */
  readonly tonumber?: string | undefined;
  /** Other domain of the call, `*` for any characters; empty: only calls without another domain; `*`: all calls */
  readonly crossdomain?: string | undefined;
  /** 1: record the call; 0: do not. A call of two domains is recorded if the rules of either say so. A change applies to later calls */
  readonly rec?: 0 | 1 | undefined;
  /** Storage rule of the domain (`storagerules` of the topology): so long after its end a recording has a file; another id, or all zeros: until it is deleted. A change applies to later calls (chosen) */
  readonly storageruleid?: string | undefined;
  /** `all`: at any time; `work`: only within `periods` */
  readonly schedule?: 'all' | 'work' | undefined;
  /** Working hours, in the time zone of the SIP user of the domain that calls, else of the one that is called, else of the domain; empty: Monday to Friday, 09:00 to 18:00 */
  readonly periods?: readonly {
    /** Days of the week: 1 is Monday, 7 is Sunday */
    readonly days: readonly number[];
    /** Start, `hh:mm` */
    readonly from: string;
    /** End, `hh:mm`; earlier than `from`: on the next day */
    readonly to: string;
  }[] | undefined;
  /** Options */
  readonly opts?: {
    /** Title. Stored only: for people */
    readonly title?: string | undefined;
    /** Comment. Stored only: for people */
    readonly comment?: string | undefined;
  } | undefined;
}

export interface RecordRulesCreateAnswer {
  /** Id of the item, a uuid; never changes */
  readonly id: string;
  /** Of the rules that match the one with the lowest number decides; only the 500 lowest rules of a domain count */
  readonly priority: number;
  /** Direction of the call: `incoming` from a provider or another domain; `outgoing` to one of them; `inner` within the domain; empty: any */
  readonly dir: '' | 'incoming' | 'inner' | 'outgoing';
  /** Number of the caller; `*` stands for any characters; empty: any number */
  readonly fromnumber: string;
  /** Number of the callee; `*` stands for any characters; empty: any number */
  readonly tonumber: string;
  /** Other domain of the call, `*` for any characters; empty: only calls without another domain; `*`: all calls */
  readonly crossdomain: string;
  /** 1: record the call; 0: do not. A call of two domains is recorded if the rules of either say so. A change applies to later calls */
  readonly rec: 0 | 1;
  /** Storage rule of the domain (`storagerules` of the topology): so long after its end a recording has a file; another id, or all zeros: until it is deleted. A change applies to later calls (chosen) */
  readonly storageruleid: string;
  /** `all`: at any time; `work`: only within `periods` */
  readonly schedule: 'all' | 'work';
  /** Working hours, in the time zone of the SIP user of the domain that calls, else of the one that is called, else of the domain; empty: Monday to Friday, 09:00 to 18:00 */
  readonly periods: readonly {
    /** Days of the week: 1 is Monday, 7 is Sunday */
    readonly days: readonly number[];
    /** Start, `hh:mm` */
    readonly from: string;
    /** End, `hh:mm`; earlier than `from`: on the next day */
    readonly to: string;
  }[];
  /** Options */
  readonly opts: {
    /** Title. Stored only: for people */
    readonly title: string;
    /** Comment. Stored only: for people */
    readonly comment: string;
  };
  /** Set by the platform */
  readonly ext: {
    /** When the item was created, ISO 8601 UTC */
    readonly ct: string;
    /** When the item was last changed, ISO 8601 UTC; moves forward with each change */
    readonly lwt: string;
  };
}

export interface RecordRulesListItem {
  /** Id of the item, a uuid; never changes */
  readonly id: string;
  /** Of the rules that match the one with the lowest number decides; only the 500 lowest rules of a domain count */
  readonly priority: number;
  /** Direction of the call: `incoming` from a provider or another domain; `outgoing` to one of them; `inner` within the domain; empty: any */
  readonly dir: '' | 'incoming' | 'inner' | 'outgoing';
  /** Number of the caller; `*` stands for any characters; empty: any number */
  readonly fromnumber: string;
  /** Number of the callee; `*` stands for any characters; empty: any number */
  readonly tonumber: string;
  /** Other domain of the call, `*` for any characters; empty: only calls without another domain; `*`: all calls */
  readonly crossdomain: string;
  /** 1: record the call; 0: do not. A call of two domains is recorded if the rules of either say so. A change applies to later calls */
  readonly rec: 0 | 1;
  /** Storage rule of the domain (`storagerules` of the topology): so long after its end a recording has a file; another id, or all zeros: until it is deleted. A change applies to later calls (chosen) */
  readonly storageruleid: string;
  /** `all`: at any time; `work`: only within `periods` */
  readonly schedule: 'all' | 'work';
  /** Options */
  readonly opts: {
    /** Title. Stored only: for people */
    readonly title?: string | undefined;
    /** Comment. Stored only: for people */
    readonly comment?: string | undefined;
  };
  /** Set by the platform */
  readonly ext: {
    /** When the item was created, ISO 8601 UTC */
    readonly ct?: string | undefined;
    /** When the item was last changed, ISO 8601 UTC; moves forward with each change */
    readonly lwt?: string | undefined;
  };
}

export interface RecordRulesUpdateBody {
  /** Of the rules that match the one with the lowest number decides; only the 500 lowest rules of a domain count */
  readonly priority?: number | undefined;
  /** Direction of the call: `incoming` from a provider or another domain; `outgoing` to one of them; `inner` within the domain; empty: any */
  readonly dir?: '' | 'incoming' | 'inner' | 'outgoing' | undefined;
  /** Number of the caller; `*` stands for any characters; empty: any number */
  readonly fromnumber?: string | undefined;
  /** Number of the callee; `*` stands for any characters; empty: any number */
  readonly tonumber?: string | undefined;
  /** Other domain of the call, `*` for any characters; empty: only calls without another domain; `*`: all calls */
  readonly crossdomain?: string | undefined;
  /** 1: record the call; 0: do not. A call of two domains is recorded if the rules of either say so. A change applies to later calls */
  readonly rec?: 0 | 1 | undefined;
  /** Storage rule of the domain (`storagerules` of the topology): so long after its end a recording has a file; another id, or all zeros: until it is deleted. A change applies to later calls (chosen) */
  readonly storageruleid?: string | undefined;
  /** `all`: at any time; `work`: only within `periods` */
  readonly schedule?: 'all' | 'work' | undefined;
  /** Working hours, in the time zone of the SIP user of the domain that calls, else of the one that is called, else of the domain; empty: Monday to Friday, 09:00 to 18:00 */
  readonly periods?: readonly {
    /** Days of the week: 1 is Monday, 7 is Sunday */
    readonly days: readonly number[];
    /** Start, `hh:mm` */
    readonly from: string;
    /** End, `hh:mm`; earlier than `from`: on the next day */
    readonly to: string;
  }[] | undefined;
  /** Options */
  readonly opts?: {
    /** Title. Stored only: for people */
    readonly title?: string | undefined;
    /** Comment. Stored only: for people */
    readonly comment?: string | undefined;
  } | undefined;
}

export interface RecordRules {
  /** Makes a record rule; `id` may be given. (`POST /rest/v1/uc/recordrules`) */
  create(body: RecordRulesCreateBody, options?: RequestOptions): Promise<RecordRulesCreateAnswer>;
  /** Lists record rules, with a reduced set of fields. (`GET /rest/v1/uc/recordrules`) */
  list<M extends keyof RecordRulesListItem = keyof RecordRulesListItem>(query?: ListQuery<RecordRulesListItem, M>, options?: RequestOptions): Promise<readonly Pick<RecordRulesListItem, M>[]>;
  /** How many items a filter selects. */
  count(query?: { readonly filter?: Filter<RecordRulesListItem> | undefined }, options?: RequestOptions): Promise<number>;
  /** Shows a record rule. (`GET /rest/v1/uc/recordrules/:id`) */
  get<M extends keyof RecordRulesCreateAnswer = keyof RecordRulesCreateAnswer>(id: string, query?: ItemQuery<M>, options?: RequestOptions): Promise<Pick<RecordRulesCreateAnswer, M>>;
  /** Changes a record rule: objects are merged, arrays replaced. (`PATCH /rest/v1/uc/recordrules/:id`) */
  update(id: string, body: RecordRulesUpdateBody, options?: RequestOptions): Promise<RecordRulesCreateAnswer>;
  /** Removes a record rule. (`DELETE /rest/v1/uc/recordrules/:id`) */
  delete(id: string, options?: RequestOptions): Promise<void>;
  /** Finds ids of record rules by `id`. (`LOOKUP /rest/v1/uc/recordrules`) */
  lookup(body: string, options?: RequestOptions): Promise<readonly string[]>;
}
