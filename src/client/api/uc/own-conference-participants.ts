// Generated from src/http/routes by `npm run docs`.
import type { ConferenceParticipantsCreateAnswer } from './conference-participants.ts';
import type { ConferenceParticipantsCreateBody } from './conference-participants.ts';
import type { ConferenceParticipantsItem } from './conference-participants.ts';
import type { Filter, ItemQuery, ListQuery, RequestOptions } from '../../requests.ts';

export interface OwnConferenceParticipants {
  /** Lists the participants of a conference. (`GET /rest/v1/uc/conferences_by_participation/:confid/participants`) */
  list<M extends keyof ConferenceParticipantsItem = keyof ConferenceParticipantsItem>(confid: string, query?: ListQuery<ConferenceParticipantsItem, M>, options?: RequestOptions): Promise<readonly Pick<ConferenceParticipantsItem, M>[]>;
  /** How many items a filter selects. */
  count(confid: string, query?: { readonly filter?: Filter<ConferenceParticipantsItem> | undefined }, options?: RequestOptions): Promise<number>;
  /** Calls a number from a conference; does not wait for its answer. (`POST /rest/v1/uc/conferences_by_participation/:confid/participants`) */
  create(confid: string, body: ConferenceParticipantsCreateBody, options?: RequestOptions): Promise<ConferenceParticipantsCreateAnswer>;
  /** Shows a participant. (`GET /rest/v1/uc/conferences_by_participation/:confid/participants/:participantid`) */
  get<M extends keyof ConferenceParticipantsItem = keyof ConferenceParticipantsItem>(confid: string, participantid: string, query?: ItemQuery<M>, options?: RequestOptions): Promise<Pick<ConferenceParticipantsItem, M>>;
  /** Removes a participant; does not wait until it has left. (`DELETE /rest/v1/uc/conferences_by_participation/:confid/participants/:participantid`) */
  delete(confid: string, participantid: string, options?: RequestOptions): Promise<ConferenceParticipantsCreateAnswer>;
}
