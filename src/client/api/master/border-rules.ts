// Generated from src/http/routes by `npm run docs`.
import type { Filter, ItemQuery, ListQuery, RequestOptions } from '../../requests.ts';

export interface BorderRulesCreateBody {
  /** Id of the new item; default: a generated one */
  readonly id?: string | undefined;
  /** Of the rules that match the one with the lowest number decides */
  readonly priority?: number | undefined;
  /** Name of a site to which the rule is limited; empty or `*`: all sites */
  readonly site?: string | undefined;
  /** Domain of From: a text, or a regular expression between slashes, without look-around and back-references; empty: any */
  readonly domain?: string | undefined;
  /** User part of From: a text, or a regular expression between slashes, without look-around and back-references; empty: any */
  readonly username?: string | undefined;
  /** User-Agent: a text, or a regular expression between slashes, without look-around and back-references; empty: any */
  readonly useragent?: string | undefined;
  /** Address of the sender: `10.1.0.1`, `10.1.0.0/16` or `10.1.0.1+9` (a range of ten addresses); empty: any */
  readonly remoteipmask?: string | undefined;
  /** `allow`: let the request in; `deny`: answer 403; `drop`: do not answer */
  readonly action: 'allow' | 'deny' | 'drop';
  /** 1: the rule is in force; 0: it is ignored */
  readonly enabled?: 0 | 1 | undefined;
  /** Options */
  readonly opts?: {
    /** Title. Stored only: for people */
    readonly title?: string | undefined;
    /** Comment. Stored only: for people */
    readonly comment?: string | undefined;
  } | undefined;
}

export interface BorderRulesCreateAnswer {
  /** Id of the item, a uuid; never changes */
  readonly id: string;
  /** Of the rules that match the one with the lowest number decides */
  readonly priority: number;
  /** Name of a site to which the rule is limited; empty or `*`: all sites */
  readonly site: string;
  /** Domain of From: a text, or a regular expression between slashes, without look-around and back-references; empty: any */
  readonly domain: string;
  /** User part of From: a text, or a regular expression between slashes, without look-around and back-references; empty: any */
  readonly username: string;
  /** User-Agent: a text, or a regular expression between slashes, without look-around and back-references; empty: any */
  readonly useragent: string;
  /** Address of the sender: `10.1.0.1`, `10.1.0.0/16` or `10.1.0.1+9` (a range of ten addresses); empty: any */
  readonly remoteipmask: string;
  /** `allow`: let the request in; `deny`: answer 403; `drop`: do not answer */
  readonly action: 'allow' | 'deny' | 'drop';
  /** 1: the rule is in force; 0: it is ignored */
  readonly enabled: 0 | 1;
  /** Options */
  readonly opts: {
    /** Title. Stored only: for people */
    readonly title: string;
    /** Comment. Stored only: for people */
    readonly comment: string;
  };
  /** What of a rule of an earlier version cannot be applied; such a rule refuses what its other fields match, and never allows */
  readonly problem?: string | undefined;
  /** Set by the platform */
  readonly ext: {
    /** When the item was created, ISO 8601 UTC */
    readonly ct: string;
    /** When the item was last changed, ISO 8601 UTC; moves forward with each change */
    readonly lwt: string;
  };
}

export interface BorderRulesListItem {
  /** Id of the item, a uuid; never changes */
  readonly id: string;
  /** Of the rules that match the one with the lowest number decides */
  readonly priority: number;
  /** Name of a site to which the rule is limited; empty or `*`: all sites */
  readonly site: string;
  /** Domain of From: a text, or a regular expression between slashes, without look-around and back-references; empty: any */
  readonly domain: string;
  /** User part of From: a text, or a regular expression between slashes, without look-around and back-references; empty: any */
  readonly username: string;
  /** User-Agent: a text, or a regular expression between slashes, without look-around and back-references; empty: any */
  readonly useragent: string;
  /** Address of the sender: `10.1.0.1`, `10.1.0.0/16` or `10.1.0.1+9` (a range of ten addresses); empty: any */
  readonly remoteipmask: string;
  /** Options */
  readonly opts: {
    /** Title. Stored only: for people */
    readonly title?: string | undefined;
    /** Comment. Stored only: for people */
    readonly comment?: string | undefined;
  };
  /** What of a rule of an earlier version cannot be applied; such a rule refuses what its other fields match, and never allows */
  readonly problem?: string | undefined;
  /** Set by the platform */
  readonly ext: {
    /** When the item was created, ISO 8601 UTC */
    readonly ct?: string | undefined;
    /** When the item was last changed, ISO 8601 UTC; moves forward with each change */
    readonly lwt?: string | undefined;
  };
}

export interface BorderRulesUpdateBody {
  /** Of the rules that match the one with the lowest number decides */
  readonly priority?: number | undefined;
  /** Name of a site to which the rule is limited; empty or `*`: all sites */
  readonly site?: string | undefined;
  /** Domain of From: a text, or a regular expression between slashes, without look-around and back-references; empty: any */
  readonly domain?: string | undefined;
  /** User part of From: a text, or a regular expression between slashes, without look-around and back-references; empty: any */
  readonly username?: string | undefined;
  /** User-Agent: a text, or a regular expression between slashes, without look-around and back-references; empty: any */
  readonly useragent?: string | undefined;
  /** Address of the sender: `10.1.0.1`, `10.1.0.0/16` or `10.1.0.1+9` (a range of ten addresses); empty: any */
  readonly remoteipmask?: string | undefined;
  /** `allow`: let the request in; `deny`: answer 403; `drop`: do not answer */
  readonly action?: 'allow' | 'deny' | 'drop' | undefined;
  /** 1: the rule is in force; 0: it is ignored */
  readonly enabled?: 0 | 1 | undefined;
  /** Options */
  readonly opts?: {
    /** Title. Stored only: for people */
    readonly title?: string | undefined;
    /** Comment. Stored only: for people */
    readonly comment?: string | undefined;
  } | undefined;
}

export interface BorderRules {
  /** Makes a border rule; `id` may be given. (`POST /rest/v1/master/borderrules`) */
  create(body: BorderRulesCreateBody, options?: RequestOptions): Promise<BorderRulesCreateAnswer>;
  /** Lists border rules, with a reduced set of fields. (`GET /rest/v1/master/borderrules`) */
  list<M extends keyof BorderRulesListItem = keyof BorderRulesListItem>(query?: ListQuery<BorderRulesListItem, M>, options?: RequestOptions): Promise<readonly Pick<BorderRulesListItem, M>[]>;
  /** How many items a filter selects. */
  count(query?: { readonly filter?: Filter<BorderRulesListItem> | undefined }, options?: RequestOptions): Promise<number>;
  /** Shows a border rule. (`GET /rest/v1/master/borderrules/:id`) */
  get<M extends keyof BorderRulesCreateAnswer = keyof BorderRulesCreateAnswer>(id: string, query?: ItemQuery<M>, options?: RequestOptions): Promise<Pick<BorderRulesCreateAnswer, M>>;
  /** Changes a border rule: objects are merged, arrays replaced. (`PATCH /rest/v1/master/borderrules/:id`) */
  update(id: string, body: BorderRulesUpdateBody, options?: RequestOptions): Promise<BorderRulesCreateAnswer>;
  /** Removes a border rule. (`DELETE /rest/v1/master/borderrules/:id`) */
  delete(id: string, options?: RequestOptions): Promise<void>;
  /** Finds ids of border rules by `id`. (`LOOKUP /rest/v1/master/borderrules`) */
  lookup(body: string, options?: RequestOptions): Promise<readonly string[]>;
}
