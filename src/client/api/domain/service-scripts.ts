// Generated from src/http/routes by `npm run docs`.
import type { Filter, ItemQuery, ListQuery, RequestOptions } from '../../requests.ts';

export interface ServiceScriptsCreateBody {
  /** Id of the new item; default: a generated one */
  readonly id?: string | undefined;
  /** Code of the script, unique in the domain */
  readonly code: string;
  /** Name of the script. Stored only: for people */
  readonly name?: string | undefined;
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

export interface ServiceScriptsCreateAnswer {
  /** Id of the item, a uuid; never changes */
  readonly id: string;
  /** Code of the script, unique in the domain */
  readonly code: string;
  /** Name of the script. Stored only: for people */
  readonly name: string;
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

export interface ServiceScriptsListItem {
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

export interface ServiceScriptsUpdateBody {
  /** Code of the script, unique in the domain */
  readonly code?: string | undefined;
  /** Name of the script. Stored only: for people */
  readonly name?: string | undefined;
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

export interface ServiceScripts {
  /** Makes a service script; `id` may be given. (`POST /rest/v1/domain/svcscripts`) */
  create(body: ServiceScriptsCreateBody, options?: RequestOptions): Promise<ServiceScriptsCreateAnswer>;
  /** Lists service scripts, with a reduced set of fields. (`GET /rest/v1/domain/svcscripts`) */
  list<M extends keyof ServiceScriptsListItem = keyof ServiceScriptsListItem>(query?: ListQuery<ServiceScriptsListItem, M>, options?: RequestOptions): Promise<readonly Pick<ServiceScriptsListItem, M>[]>;
  /** How many items a filter selects. */
  count(query?: { readonly filter?: Filter<ServiceScriptsListItem> | undefined }, options?: RequestOptions): Promise<number>;
  /** Shows a service script. (`GET /rest/v1/domain/svcscripts/:id`) */
  get<M extends keyof ServiceScriptsCreateAnswer = keyof ServiceScriptsCreateAnswer>(id: string, query?: ItemQuery<M>, options?: RequestOptions): Promise<Pick<ServiceScriptsCreateAnswer, M>>;
  /** Changes a service script: objects are merged, arrays replaced. (`PATCH /rest/v1/domain/svcscripts/:id`) */
  update(id: string, body: ServiceScriptsUpdateBody, options?: RequestOptions): Promise<ServiceScriptsCreateAnswer>;
  /** Removes a service script. (`DELETE /rest/v1/domain/svcscripts/:id`) */
  delete(id: string, options?: RequestOptions): Promise<void>;
  /** Finds ids of service scripts by `id` or `code`. (`LOOKUP /rest/v1/domain/svcscripts`) */
  lookup(body: string, options?: RequestOptions): Promise<readonly string[]>;
}
