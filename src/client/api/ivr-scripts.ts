// Generated from src/http/routes by `npm run docs`.
import type { Filter, ItemQuery, ListQuery, RequestOptions } from '../requests.ts';
import type { ServiceScriptsCreateAnswer } from './service-scripts.ts';
import type { ServiceScriptsCreateBody } from './service-scripts.ts';
import type { ServiceScriptsListItem } from './service-scripts.ts';
import type { ServiceScriptsUpdateBody } from './service-scripts.ts';

export interface IvrScripts {
  /** Makes a IVR script; `id` may be given. (`POST /rest/v1/domain/ivrscripts`) */
  create(body: ServiceScriptsCreateBody, options?: RequestOptions): Promise<ServiceScriptsCreateAnswer>;
  /** Lists IVR scripts, with a reduced set of fields. (`GET /rest/v1/domain/ivrscripts`) */
  list<M extends keyof ServiceScriptsListItem = keyof ServiceScriptsListItem>(query?: ListQuery<ServiceScriptsListItem, M>, options?: RequestOptions): Promise<readonly Pick<ServiceScriptsListItem, M>[]>;
  /** How many items a filter selects. */
  count(query?: { readonly filter?: Filter<ServiceScriptsListItem> | undefined }, options?: RequestOptions): Promise<number>;
  /** Shows a IVR script. (`GET /rest/v1/domain/ivrscripts/:id`) */
  get<M extends keyof ServiceScriptsCreateAnswer = keyof ServiceScriptsCreateAnswer>(id: string, query?: ItemQuery<M>, options?: RequestOptions): Promise<Pick<ServiceScriptsCreateAnswer, M>>;
  /** Changes a IVR script: objects are merged, arrays replaced. (`PATCH /rest/v1/domain/ivrscripts/:id`) */
  update(id: string, body: ServiceScriptsUpdateBody, options?: RequestOptions): Promise<ServiceScriptsCreateAnswer>;
  /** Removes a IVR script. (`DELETE /rest/v1/domain/ivrscripts/:id`) */
  delete(id: string, options?: RequestOptions): Promise<void>;
  /** Finds ids of IVR scripts by `id` or `code`. (`LOOKUP /rest/v1/domain/ivrscripts`) */
  lookup(body: string, options?: RequestOptions): Promise<readonly string[]>;
}
