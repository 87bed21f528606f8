// Generated from src/http/routes by `npm run docs`.
import type { RequestOptions } from '../../requests.ts';

export interface ConferenceTopologyGetAnswer {
  /** For each participant, by id, the ids of the participants that it hears */
  readonly hears: Readonly<Record<string, readonly string[]>>;
}

export interface ConferenceTopology {
  /** Shows which participants hear which others. (`GET /rest/v1/uc/conferences/:confid/topology`) */
  get(confid: string, options?: RequestOptions): Promise<ConferenceTopologyGetAnswer>;
  /** Sets which participants hear which others. (`POST /rest/v1/uc/conferences/:confid/topology`) */
  set(confid: string, body: ConferenceTopologyGetAnswer, options?: RequestOptions): Promise<ConferenceTopologyGetAnswer>;
}
