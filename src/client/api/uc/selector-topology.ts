// Generated from src/http/routes by `npm run docs`.
import type { RequestOptions } from '../../requests.ts';

export interface SelectorTopologyGetAnswer {
  /** For each participant, by id, the ids of the participants that it hears */
  readonly hears: Readonly<Record<string, readonly string[]>>;
}

export interface SelectorTopology {
  /** Shows which participants of a selector meeting hear which others: as set, else by their types. (`GET /rest/v1/uc/selectors/:selector_id/topology`) */
  get(selectorId: string, options?: RequestOptions): Promise<SelectorTopologyGetAnswer>;
  /** Sets which others some participants of a selector meeting hear; the rest is unchanged. (`PATCH /rest/v1/uc/selectors/:selector_id/topology`) */
  update(selectorId: string, body: SelectorTopologyGetAnswer, options?: RequestOptions): Promise<SelectorTopologyGetAnswer>;
  /** Resets a selector meeting: every participant hears the others by its type. (`DELETE /rest/v1/uc/selectors/:selector_id/topology`) */
  reset(selectorId: string, options?: RequestOptions): Promise<void>;
}
