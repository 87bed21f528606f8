// Generated from src/http/routes by `npm run docs`.
import type { Filter, ItemQuery, ListQuery, RequestOptions } from '../../requests.ts';

export interface IvrScriptsCreateBody {
  /** Id of the new item; default: a generated one */
  readonly id?: string | undefined;
  /** Code of the script, unique in the domain */
  readonly code: string;
  /** Name of the script. Stored only: for people */
  readonly name?: string | undefined;
  /** Number that leads to the script, unique in the domain; empty: none. A phone number of a SIP user comes first */
  readonly number?: string | undefined;
  /** Components of the script, at most 262144 bytes of JSON; see scripts.md. The syntax of the first 10000 characters of code is checked */
  readonly components: readonly Readonly<Record<string, unknown>>[];
  /** Options */
  readonly opts?: {
    /** Title. Stored only: for people */
    readonly title?: string | undefined;
    /** Comment. Stored only: for people */
    readonly comment?: string | undefined;
  } | undefined;
}

export interface IvrScriptsCreateAnswer {
  /** Id of the item, a uuid; never changes */
  readonly id: string;
  /** Code of the script, unique in the domain */
  readonly code: string;
  /** Name of the script. Stored only: for people */
  readonly name: string;
  /** Number that leads to the script, unique in the domain; empty: none. A phone number of a SIP user comes first */
  readonly number: string;
  /** Components of the script, at most 262144 bytes of JSON; see scripts.md. The syntax of the first 10000 characters of code is checked */
  readonly components: readonly Readonly<Record<string, unknown>>[];
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

export interface IvrScriptsListItem {
  /** Id of the item, a uuid; never changes */
  readonly id: string;
  /** Code of the script, unique in the domain */
  readonly code: string;
  /** Name of the script. Stored only: for people */
  readonly name: string;
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

export interface IvrScriptsUpdateBody {
  /** Code of the script, unique in the domain */
  readonly code?: string | undefined;
  /** Name of the script. Stored only: for people */
  readonly name?: string | undefined;
  /** Number that leads to the script, unique in the domain; empty: none. A phone number of a SIP user comes first */
  readonly number?: string | undefined;
  /** Components of the script, at most 262144 bytes of JSON; see scripts.md. The syntax of the first 10000 characters of code is checked */
  readonly components?: readonly Readonly<Record<string, unknown>>[] | undefined;
  /** Options */
  readonly opts?: {
    /** Title. Stored only: for people */
    readonly title?: string | undefined;
    /** Comment. Stored only: for people */
    readonly comment?: string | undefined;
  } | undefined;
}

export interface IvrScripts {
  /** Makes an IVR script; `id` may be given. (`POST /rest/v1/domain/ivrscripts`) */
  create(body: IvrScriptsCreateBody, options?: RequestOptions): Promise<IvrScriptsCreateAnswer>;
  /** Lists IVR scripts, with a reduced set of fields. (`GET /rest/v1/domain/ivrscripts`) */
  list<M extends keyof IvrScriptsListItem = keyof IvrScriptsListItem>(query?: ListQuery<IvrScriptsListItem, M>, options?: RequestOptions): Promise<readonly Pick<IvrScriptsListItem, M>[]>;
  /** How many items a filter selects. */
  count(query?: { readonly filter?: Filter<IvrScriptsListItem> | undefined }, options?: RequestOptions): Promise<number>;
  /** Shows an IVR script. (`GET /rest/v1/domain/ivrscripts/:id`) */
  get<M extends keyof IvrScriptsCreateAnswer = keyof IvrScriptsCreateAnswer>(id: string, query?: ItemQuery<M>, options?: RequestOptions): Promise<Pick<IvrScriptsCreateAnswer, M>>;
  /** Changes an IVR script: objects are merged, arrays replaced. (`PATCH /rest/v1/domain/ivrscripts/:id`) */
  update(id: string, body: IvrScriptsUpdateBody, options?: RequestOptions): Promise<IvrScriptsCreateAnswer>;
  /** Removes an IVR script. (`DELETE /rest/v1/domain/ivrscripts/:id`) */
  delete(id: string, options?: RequestOptions): Promise<void>;
  /** Finds ids of IVR scripts by `id` or `code`. (`LOOKUP /rest/v1/domain/ivrscripts`) */
  lookup(body: string, options?: RequestOptions): Promise<readonly string[]>;
}
