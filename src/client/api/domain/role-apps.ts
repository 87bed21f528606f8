// Generated from src/http/routes by `npm run docs`.
import type { Filter, ItemQuery, ListQuery, RequestOptions } from '../../requests.ts';

export interface RoleAppsCreateBody {
  /** Id of the new item; default: a generated one */
  readonly id?: string | undefined;
  /** Title, for people */
  readonly title?: string | undefined;
  /** Folder of the application: its address is `/app/<folder>`; unique in the domain */
  readonly folder: string;
  /** Access roles for which the application is open; empty: for all users. Administrators may use all applications */
  readonly roles?: readonly string[] | undefined;
  /** Code of the service script of the application; empty: none */
  readonly svcscriptcode?: string | undefined;
  /** Options */
  readonly opts?: {
    /** Title. Stored only: for people */
    readonly title?: string | undefined;
    /** Comment. Stored only: for people */
    readonly comment?: string | undefined;
    /** Seconds that a request to `/exec` may wait for the service script */
    readonly recv_timeout?: number | undefined;
  } | undefined;
}

export interface RoleAppsCreateAnswer {
  /** Id of the item, a uuid; never changes */
  readonly id: string;
  /** Title, for people */
  readonly title: string;
  /** Folder of the application: its address is `/app/<folder>`; unique in the domain */
  readonly folder: string;
  /** Archive with the files of the application */
  readonly archive: {
    /** Links */
    readonly _links: {
      /** The archive */
      readonly self: {
        /** Path to upload and download the archive */
        readonly href: string;
      };
    };
  };
  /** Access roles for which the application is open; empty: for all users. Administrators may use all applications */
  readonly roles: readonly string[];
  /** Code of the service script of the application; empty: none */
  readonly svcscriptcode: string;
  /** Options */
  readonly opts: {
    /** Title. Stored only: for people */
    readonly title: string;
    /** Comment. Stored only: for people */
    readonly comment: string;
    /** Seconds that a request to `/exec` may wait for the service script */
    readonly recv_timeout: number;
  };
  /** Set by the platform */
  readonly ext: {
    /** When the item was created, ISO 8601 UTC */
    readonly ct: string;
    /** When the item was last changed, ISO 8601 UTC; moves forward with each change */
    readonly lwt: string;
  };
}

export interface RoleAppsListItem {
  /** Id of the item, a uuid; never changes */
  readonly id: string;
  /** Title, for people */
  readonly title: string;
  /** Folder of the application: its address is `/app/<folder>`; unique in the domain */
  readonly folder: string;
  /** Archive with the files of the application */
  readonly archive: {
    /** Links */
    readonly _links: {
      /** The archive */
      readonly self: {
        /** Path to upload and download the archive */
        readonly href: string;
      };
    };
  };
  /** Access roles for which the application is open; empty: for all users. Administrators may use all applications */
  readonly roles: readonly string[];
  /** Code of the service script of the application; empty: none */
  readonly svcscriptcode: string;
  /** Set by the platform */
  readonly ext: {
    /** When the item was created, ISO 8601 UTC */
    readonly ct?: string | undefined;
    /** When the item was last changed, ISO 8601 UTC; moves forward with each change */
    readonly lwt?: string | undefined;
  };
}

export interface RoleAppsUpdateBody {
  /** Title, for people */
  readonly title?: string | undefined;
  /** Folder of the application: its address is `/app/<folder>`; unique in the domain */
  readonly folder?: string | undefined;
  /** Access roles for which the application is open; empty: for all users. Administrators may use all applications */
  readonly roles?: readonly string[] | undefined;
  /** Code of the service script of the application; empty: none */
  readonly svcscriptcode?: string | undefined;
  /** Options */
  readonly opts?: {
    /** Title. Stored only: for people */
    readonly title?: string | undefined;
    /** Comment. Stored only: for people */
    readonly comment?: string | undefined;
    /** Seconds that a request to `/exec` may wait for the service script */
    readonly recv_timeout?: number | undefined;
  } | undefined;
}

export interface RoleApps {
  /** Makes a role application; `id` may be given. (`POST /rest/v1/domain/roleapps`) */
  create(body: RoleAppsCreateBody, options?: RequestOptions): Promise<RoleAppsCreateAnswer>;
  /** Lists role applications, with a reduced set of fields. (`GET /rest/v1/domain/roleapps`) */
  list<M extends keyof RoleAppsListItem = keyof RoleAppsListItem>(query?: ListQuery<RoleAppsListItem, M>, options?: RequestOptions): Promise<readonly Pick<RoleAppsListItem, M>[]>;
  /** How many items a filter selects. */
  count(query?: { readonly filter?: Filter<RoleAppsListItem> | undefined }, options?: RequestOptions): Promise<number>;
  /** Shows a role application. (`GET /rest/v1/domain/roleapps/:id`) */
  get<M extends keyof RoleAppsCreateAnswer = keyof RoleAppsCreateAnswer>(id: string, query?: ItemQuery<M>, options?: RequestOptions): Promise<Pick<RoleAppsCreateAnswer, M>>;
  /** Changes a role application: objects are merged, arrays replaced. (`PATCH /rest/v1/domain/roleapps/:id`) */
  update(id: string, body: RoleAppsUpdateBody, options?: RequestOptions): Promise<RoleAppsCreateAnswer>;
  /** Removes a role application. (`DELETE /rest/v1/domain/roleapps/:id`) */
  delete(id: string, options?: RequestOptions): Promise<void>;
  /** Finds ids of role applications by `id`. (`LOOKUP /rest/v1/domain/roleapps`) */
  lookup(body: string, options?: RequestOptions): Promise<readonly string[]>;
}
