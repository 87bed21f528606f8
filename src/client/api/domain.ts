// Generated from src/http/routes by `npm run docs`.
import type { Content, Filter, ItemQuery, ListQuery, RequestOptions } from '../operation-types.ts';

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

export interface DomainsItem {
  /** Id of the domain, for the paths of its users */
  readonly id: string;
  /** Name of the domain, such as `acme.root.test` */
  readonly name: string;
  /** Id of the parent domain; empty for the master domain */
  readonly parent_id: string;
  /** Whether it is the master domain */
  readonly is_master: boolean;
  /** Solution type of the domain */
  readonly solution: string;
  /** Sites that serve the domain */
  readonly sites: readonly string[];
}

export interface Domains {
  /** Lists the session's domain and, for an administrator, those below it. (`GET /rest/v1/domain/domains`) */
  list<M extends keyof DomainsItem = keyof DomainsItem>(query?: ListQuery<DomainsItem, M>, options?: RequestOptions): Promise<readonly Pick<DomainsItem, M>[]>;
  /** How many items a filter selects. */
  count(query?: { readonly filter?: Filter<DomainsItem> | undefined }, options?: RequestOptions): Promise<number>;
  /** Shows a domain, by its id or its name. (`GET /rest/v1/domain/domains/:domain_id`) */
  get<M extends keyof DomainsItem = keyof DomainsItem>(domainId: string, query?: ItemQuery<M>, options?: RequestOptions): Promise<Pick<DomainsItem, M>>;
}

export interface IntegrationChannelsCreateBody {
  /** Id of the new item; default: a generated one */
  readonly id?: string | undefined;
  /** Code of the channel, unique in the domain */
  readonly code: string;
  /** `public`, or a type with a section in `webservices.json` of the metadata folder, which sets the maximum wait */
  readonly type?: string | undefined;
  /** Token that the external system sends as `Authorization: Bearer <token_local>`; unique in the domain */
  readonly token_local: string;
  /** Code of the service script of the channel; empty: none */
  readonly svcscriptcode?: string | undefined;
  /** Options */
  readonly opts?: {
    /** Title. Stored only: for people */
    readonly title?: string | undefined;
    /** Comment. Stored only: for people */
    readonly comment?: string | undefined;
    /** Seconds that a request may wait for the service script; for the type `public` */
    readonly recv_timeout?: number | undefined;
  } | undefined;
}

export interface IntegrationChannelsCreateAnswer {
  /** Id of the item, a uuid; never changes */
  readonly id: string;
  /** Code of the channel, unique in the domain */
  readonly code: string;
  /** `public`, or a type with a section in `webservices.json` of the metadata folder, which sets the maximum wait */
  readonly type: string;
  /** Token that the external system sends as `Authorization: Bearer <token_local>`; unique in the domain */
  readonly token_local?: string | undefined;
  /** Code of the service script of the channel; empty: none */
  readonly svcscriptcode: string;
  /** Options */
  readonly opts: {
    /** Title. Stored only: for people */
    readonly title: string;
    /** Comment. Stored only: for people */
    readonly comment: string;
    /** Seconds that a request may wait for the service script; for the type `public` */
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

export interface IntegrationChannelsListItem {
  /** Id of the item, a uuid; never changes */
  readonly id: string;
  /** Code of the channel, unique in the domain */
  readonly code: string;
  /** `public`, or a type with a section in `webservices.json` of the metadata folder, which sets the maximum wait */
  readonly type: string;
  /** Code of the service script of the channel; empty: none */
  readonly svcscriptcode: string;
  /** Options */
  readonly opts: {
    /** Title. Stored only: for people */
    readonly title?: string | undefined;
    /** Comment. Stored only: for people */
    readonly comment?: string | undefined;
    /** Seconds that a request may wait for the service script; for the type `public` */
    readonly recv_timeout?: number | undefined;
  };
  /** Set by the platform */
  readonly ext: {
    /** When the item was created, ISO 8601 UTC */
    readonly ct?: string | undefined;
    /** When the item was last changed, ISO 8601 UTC; moves forward with each change */
    readonly lwt?: string | undefined;
  };
}

export interface IntegrationChannelsUpdateBody {
  /** Code of the channel, unique in the domain */
  readonly code?: string | undefined;
  /** `public`, or a type with a section in `webservices.json` of the metadata folder, which sets the maximum wait */
  readonly type?: string | undefined;
  /** Token that the external system sends as `Authorization: Bearer <token_local>`; unique in the domain */
  readonly token_local?: string | undefined;
  /** Code of the service script of the channel; empty: none */
  readonly svcscriptcode?: string | undefined;
  /** Options */
  readonly opts?: {
    /** Title. Stored only: for people */
    readonly title?: string | undefined;
    /** Comment. Stored only: for people */
    readonly comment?: string | undefined;
    /** Seconds that a request may wait for the service script; for the type `public` */
    readonly recv_timeout?: number | undefined;
  } | undefined;
}

export interface IntegrationChannels {
  /** Makes an integration channel; `id` may be given. (`POST /rest/v1/domain/integrationchannels`) */
  create(body: IntegrationChannelsCreateBody, options?: RequestOptions): Promise<IntegrationChannelsCreateAnswer>;
  /** Lists integration channels, with a reduced set of fields. (`GET /rest/v1/domain/integrationchannels`) */
  list<M extends keyof IntegrationChannelsListItem = keyof IntegrationChannelsListItem>(query?: ListQuery<IntegrationChannelsListItem, M>, options?: RequestOptions): Promise<readonly Pick<IntegrationChannelsListItem, M>[]>;
  /** How many items a filter selects. */
  count(query?: { readonly filter?: Filter<IntegrationChannelsListItem> | undefined }, options?: RequestOptions): Promise<number>;
  /** Shows an integration channel. (`GET /rest/v1/domain/integrationchannels/:id`) */
  get<M extends keyof IntegrationChannelsCreateAnswer = keyof IntegrationChannelsCreateAnswer>(id: string, query?: ItemQuery<M>, options?: RequestOptions): Promise<Pick<IntegrationChannelsCreateAnswer, M>>;
  /** Changes an integration channel: objects are merged, arrays replaced. (`PATCH /rest/v1/domain/integrationchannels/:id`) */
  update(id: string, body: IntegrationChannelsUpdateBody, options?: RequestOptions): Promise<IntegrationChannelsCreateAnswer>;
  /** Removes an integration channel. (`DELETE /rest/v1/domain/integrationchannels/:id`) */
  delete(id: string, options?: RequestOptions): Promise<void>;
  /** Finds ids of integration channels by `id` or `code`. (`LOOKUP /rest/v1/domain/integrationchannels`) */
  lookup(body: string, options?: RequestOptions): Promise<readonly string[]>;
}

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

export interface RoleAppArchivesUploadAnswer {
  /** Size of the archive in bytes */
  readonly size: number;
  /** Number of files in the archive */
  readonly files: number;
  /** When the archive was uploaded, as `YYYY-MM-DD hh:mm:ss`, UTC */
  readonly last_modified: string;
}

export interface RoleAppArchives {
  /** Returns the archive of a role application, or a range of it. (`GET /rest/v1/domain/roleapps/:roleapp_id/attachment`) */
  download(roleappId: string, query?: { readonly attachment?: boolean | undefined }, options?: RequestOptions): Promise<Response>;
  /** Uploads the archive (zip) of a role application, raw or as the first file of a `multipart/form-data`. (`POST /rest/v1/domain/roleapps/:roleapp_id/attachment`) */
  upload(roleappId: string, content: Content, options?: RequestOptions): Promise<RoleAppArchivesUploadAnswer>;
  /** Uploads the archive of a role application, as POST does. (`PUT /rest/v1/domain/roleapps/:roleapp_id/attachment`) */
  put(roleappId: string, content: Content, options?: RequestOptions): Promise<RoleAppArchivesUploadAnswer>;
  /** Removes the archive of a role application, with its files. (`DELETE /rest/v1/domain/roleapps/:roleapp_id/attachment`) */
  delete(roleappId: string, options?: RequestOptions): Promise<void>;
}

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
