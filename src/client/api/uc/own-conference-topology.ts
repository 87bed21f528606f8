// Generated from src/http/routes by `npm run docs`.
import type { ConferenceTopologyGetAnswer } from './conference-topology.ts';
import type { RequestOptions } from '../../requests.ts';

export interface OwnConferenceTopology {
  /** Shows which participants hear which others. (`GET /rest/v1/uc/conferences_by_participation/:confid/topology`) */
  get(confid: string, options?: RequestOptions): Promise<ConferenceTopologyGetAnswer>;
  /** Sets which participants hear which others. (`POST /rest/v1/uc/conferences_by_participation/:confid/topology`) */
  set(confid: string, body: ConferenceTopologyGetAnswer, options?: RequestOptions): Promise<ConferenceTopologyGetAnswer>;
}
