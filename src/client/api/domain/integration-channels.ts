// Generated from src/http/routes by `npm run docs`.
import type { Filter, ItemQuery, ListQuery, RequestOptions } from '../../requests.ts';

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
