// Generated from src/http/routes by `npm run docs`.
import type { Filter, ItemQuery, ListQuery, RequestOptions } from '../../requests.ts';

export interface ContactGroupsCreateBody {
  /** Id of the new item; default: a generated one */
  readonly id?: string | undefined;
  /** Code of the group, unique in the domain */
  readonly code: string;
  /** Name of the group. Stored only: for people */
  readonly name?: string | undefined;
  /** Numbers of its members, `number` or `number@domain` */
  readonly members?: readonly string[] | undefined;
  /** Options */
  readonly opts?: {
    /** Title. Stored only: for people */
    readonly title?: string | undefined;
    /** Comment. Stored only: for people */
    readonly comment?: string | undefined;
  } | undefined;
}

export interface ContactGroupsCreateAnswer {
  /** Id of the item, a uuid; never changes */
  readonly id: string;
  /** Code of the group, unique in the domain */
  readonly code: string;
  /** Name of the group. Stored only: for people */
  readonly name: string;
  /** Numbers of its members, `number` or `number@domain` */
  readonly members: readonly string[];
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

export interface ContactGroupsListItem {
  /** Id of the item, a uuid; never changes */
  readonly id: string;
  /** Code of the group, unique in the domain */
  readonly code: string;
  /** Name of the group. Stored only: for people */
  readonly name: string;
  /** Numbers of its members, `number` or `number@domain` */
  readonly members: readonly string[];
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

export interface ContactGroupsUpdateBody {
  /** Code of the group, unique in the domain */
  readonly code?: string | undefined;
  /** Name of the group. Stored only: for people */
  readonly name?: string | undefined;
  /** Numbers of its members, `number` or `number@domain` */
  readonly members?: readonly string[] | undefined;
  /** Options */
  readonly opts?: {
    /** Title. Stored only: for people */
    readonly title?: string | undefined;
    /** Comment. Stored only: for people */
    readonly comment?: string | undefined;
  } | undefined;
}

export interface ContactGroups {
  /** Makes a contact group; `id` may be given. (`POST /rest/v1/domain/contactgroups`) */
  create(body: ContactGroupsCreateBody, options?: RequestOptions): Promise<ContactGroupsCreateAnswer>;
  /** Lists contact groups, with a reduced set of fields. (`GET /rest/v1/domain/contactgroups`) */
  list<M extends keyof ContactGroupsListItem = keyof ContactGroupsListItem>(query?: ListQuery<ContactGroupsListItem, M>, options?: RequestOptions): Promise<readonly Pick<ContactGroupsListItem, M>[]>;
  /** How many items a filter selects. */
  count(query?: { readonly filter?: Filter<ContactGroupsListItem> | undefined }, options?: RequestOptions): Promise<number>;
  /** Shows a contact group. (`GET /rest/v1/domain/contactgroups/:id`) */
  get<M extends keyof ContactGroupsCreateAnswer = keyof ContactGroupsCreateAnswer>(id: string, query?: ItemQuery<M>, options?: RequestOptions): Promise<Pick<ContactGroupsCreateAnswer, M>>;
  /** Changes a contact group: objects are merged, arrays replaced. (`PATCH /rest/v1/domain/contactgroups/:id`) */
  update(id: string, body: ContactGroupsUpdateBody, options?: RequestOptions): Promise<ContactGroupsCreateAnswer>;
  /** Removes a contact group. (`DELETE /rest/v1/domain/contactgroups/:id`) */
  delete(id: string, options?: RequestOptions): Promise<void>;
  /** Finds ids of contact groups by `id` or `code`. (`LOOKUP /rest/v1/domain/contactgroups`) */
  lookup(body: string, options?: RequestOptions): Promise<readonly string[]>;
}
