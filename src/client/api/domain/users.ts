// Generated from src/http/routes by `npm run docs`.
import type { Filter, ItemQuery, ListQuery, RequestOptions } from '../../requests.ts';

export interface UsersCreateBody {
  /** Id of the new item; default: a generated one */
  readonly id?: string | undefined;
  /** Name to show */
  readonly name: string;
  /** Login, unique in the domain */
  readonly login: string;
  /** Password, stored as a hash; `*` in PATCH leaves it as it is */
  readonly pwd: string;
  /** Offset from UTC in hours, that of SIP users bound to the user which have none of their own; `default`: that of the domain */
  readonly timezone?: 'default' | number | undefined;
  /** Options */
  readonly opts?: {
    /** Title. Stored only: for people */
    readonly title?: string | undefined;
    /** Comment. Stored only: for people */
    readonly comment?: string | undefined;
    /** Access roles: `admin`, `user`, or any name that a role application asks for. A session keeps the roles that it began with */
    readonly roles?: readonly string[] | undefined;
    /** Tags of the user; the session shows them */
    readonly tags?: readonly string[] | undefined;
    /** Whether service scripts may change and remove the user by the component Operation */
    readonly allow_script_crud?: boolean | undefined;
    /** Chat conversations that the user may have at a time. Stored only: chats are not simulated */
    readonly chat_dlg_limit?: number | undefined;
    /** Mode in which chat conversations are assigned to the user. Stored only: chats are not simulated */
    readonly chat_dlg_mode?: number | undefined;
    /** Chat conversations that the user may have in all. Stored only: chats are not simulated */
    readonly chat_full_limit?: number | undefined;
  } | undefined;
}

export interface UsersCreateAnswer {
  /** Id of the item, a uuid; never changes */
  readonly id: string;
  /** Name to show */
  readonly name: string;
  /** Login, unique in the domain */
  readonly login: string;
  /** Masked: a secret is never shown */
  readonly pwd: '*';
  /** Offset from UTC in hours, that of SIP users bound to the user which have none of their own; `default`: that of the domain */
  readonly timezone: 'default' | number;
  /** Options */
  readonly opts: {
    /** Title. Stored only: for people */
    readonly title: string;
    /** Comment. Stored only: for people */
    readonly comment: string;
    /** Access roles: `admin`, `user`, or any name that a role application asks for. A session keeps the roles that it began with */
    readonly roles: readonly string[];
    /** Tags of the user; the session shows them */
    readonly tags: readonly string[];
    /** Whether service scripts may change and remove the user by the component Operation */
    readonly allow_script_crud: boolean;
    /** Chat conversations that the user may have at a time. Stored only: chats are not simulated */
    readonly chat_dlg_limit: number;
    /** Mode in which chat conversations are assigned to the user. Stored only: chats are not simulated */
    readonly chat_dlg_mode: number;
    /** Chat conversations that the user may have in all. Stored only: chats are not simulated */
    readonly chat_full_limit: number;
  };
  /** Set by the platform */
  readonly ext: {
    /** When the item was created, ISO 8601 UTC */
    readonly ct: string;
    /** When the item was last changed, ISO 8601 UTC; moves forward with each change */
    readonly lwt: string;
  };
}

export interface UsersListItem {
  /** Id of the item, a uuid; never changes */
  readonly id: string;
  /** Name to show */
  readonly name: string;
  /** Login, unique in the domain */
  readonly login: string;
  /** Offset from UTC in hours, that of SIP users bound to the user which have none of their own; `default`: that of the domain */
  readonly timezone: 'default' | number;
  /** Options */
  readonly opts: {
    /** Title. Stored only: for people */
    readonly title?: string | undefined;
    /** Comment. Stored only: for people */
    readonly comment?: string | undefined;
    /** Access roles: `admin`, `user`, or any name that a role application asks for. A session keeps the roles that it began with */
    readonly roles?: readonly string[] | undefined;
    /** Tags of the user; the session shows them */
    readonly tags?: readonly string[] | undefined;
    /** Whether service scripts may change and remove the user by the component Operation */
    readonly allow_script_crud?: boolean | undefined;
    /** Chat conversations that the user may have at a time. Stored only: chats are not simulated */
    readonly chat_dlg_limit?: number | undefined;
    /** Mode in which chat conversations are assigned to the user. Stored only: chats are not simulated */
    readonly chat_dlg_mode?: number | undefined;
    /** Chat conversations that the user may have in all. Stored only: chats are not simulated */
    readonly chat_full_limit?: number | undefined;
  };
  /** Set by the platform */
  readonly ext: {
    /** When the item was created, ISO 8601 UTC */
    readonly ct?: string | undefined;
    /** When the item was last changed, ISO 8601 UTC; moves forward with each change */
    readonly lwt?: string | undefined;
  };
}

export interface UsersUpdateBody {
  /** Name to show */
  readonly name?: string | undefined;
  /** Login, unique in the domain */
  readonly login?: string | undefined;
  /** Password, stored as a hash; `*` in PATCH leaves it as it is */
  readonly pwd?: '*' | string | undefined;
  /** Offset from UTC in hours, that of SIP users bound to the user which have none of their own; `default`: that of the domain */
  readonly timezone?: 'default' | number | undefined;
  /** Options */
  readonly opts?: {
    /** Title. Stored only: for people */
    readonly title?: string | undefined;
    /** Comment. Stored only: for people */
    readonly comment?: string | undefined;
    /** Access roles: `admin`, `user`, or any name that a role application asks for. A session keeps the roles that it began with */
    readonly roles?: readonly string[] | undefined;
    /** Tags of the user; the session shows them */
    readonly tags?: readonly string[] | undefined;
    /** Whether service scripts may change and remove the user by the component Operation */
    readonly allow_script_crud?: boolean | undefined;
    /** Chat conversations that the user may have at a time. Stored only: chats are not simulated */
    readonly chat_dlg_limit?: number | undefined;
    /** Mode in which chat conversations are assigned to the user. Stored only: chats are not simulated */
    readonly chat_dlg_mode?: number | undefined;
    /** Chat conversations that the user may have in all. Stored only: chats are not simulated */
    readonly chat_full_limit?: number | undefined;
  } | undefined;
}

export interface Users {
  /** Makes a user; `id` may be given. (`POST /rest/v1/domain/domains/:domain_id/users`) */
  create(domainId: string, body: UsersCreateBody, options?: RequestOptions): Promise<UsersCreateAnswer>;
  /** Lists users, with a reduced set of fields. (`GET /rest/v1/domain/domains/:domain_id/users`) */
  list<M extends keyof UsersListItem = keyof UsersListItem>(domainId: string, query?: ListQuery<UsersListItem, M>, options?: RequestOptions): Promise<readonly Pick<UsersListItem, M>[]>;
  /** How many items a filter selects. */
  count(domainId: string, query?: { readonly filter?: Filter<UsersListItem> | undefined }, options?: RequestOptions): Promise<number>;
  /** Shows a user. (`GET /rest/v1/domain/domains/:domain_id/users/:id`) */
  get<M extends keyof UsersCreateAnswer = keyof UsersCreateAnswer>(domainId: string, id: string, query?: ItemQuery<M>, options?: RequestOptions): Promise<Pick<UsersCreateAnswer, M>>;
  /** Changes a user: objects are merged, arrays replaced. (`PATCH /rest/v1/domain/domains/:domain_id/users/:id`) */
  update(domainId: string, id: string, body: UsersUpdateBody, options?: RequestOptions): Promise<UsersCreateAnswer>;
  /** Removes a user. (`DELETE /rest/v1/domain/domains/:domain_id/users/:id`) */
  delete(domainId: string, id: string, options?: RequestOptions): Promise<void>;
  /** Finds ids of users by `id` or `login`. (`LOOKUP /rest/v1/domain/domains/:domain_id/users`) */
  lookup(domainId: string, body: string, options?: RequestOptions): Promise<readonly string[]>;
}
