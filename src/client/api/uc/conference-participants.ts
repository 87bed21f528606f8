// Generated from src/http/routes by `npm run docs`.
import type { Filter, ItemQuery, ListQuery, RequestOptions } from '../../requests.ts';

export interface ConferenceParticipantsItem {
  /** Id of the participant in paths */
  readonly participantid: string;
  /** `calling`: INVITE sent; `ringing`; `active`; `held`: put on hold by the device; `leaving`: BYE sent */
  readonly state: 'calling' | 'ringing' | 'active' | 'held' | 'leaving';
  /** Call-Id of the leg between b2b and conf */
  readonly callid: string;
  /** URI of the conference; the same for all participants */
  readonly luri: string;
  /** SIP tag of the conference on this leg */
  readonly ltag: string;
  /** URI of the participant, as `<sip:user@domain>` */
  readonly ruri: string;
  /** SIP tag of the participant on this leg; empty until the participant responds */
  readonly rtag: string;
  /** It asks to speak */
  readonly isHandRaised?: boolean | undefined;
}

export interface ConferenceParticipantsCreateBody {
  /** Number to call */
  readonly to: string;
}

export interface ConferenceParticipantsCreateAnswer {
  /** Id of the conference */
  readonly confid: string;
  /** Id of the participant */
  readonly participantid: string;
}

export interface ConferenceParticipants {
  /** Lists the participants of a conference. (`GET /rest/v1/uc/conferences/:confid/participants`) */
  list<M extends keyof ConferenceParticipantsItem = keyof ConferenceParticipantsItem>(confid: string, query?: ListQuery<ConferenceParticipantsItem, M>, options?: RequestOptions): Promise<readonly Pick<ConferenceParticipantsItem, M>[]>;
  /** How many items a filter selects. */
  count(confid: string, query?: { readonly filter?: Filter<ConferenceParticipantsItem> | undefined }, options?: RequestOptions): Promise<number>;
  /** Calls a number from a conference; does not wait for its answer. (`POST /rest/v1/uc/conferences/:confid/participants`) */
  create(confid: string, body: ConferenceParticipantsCreateBody, options?: RequestOptions): Promise<ConferenceParticipantsCreateAnswer>;
  /** Shows a participant. (`GET /rest/v1/uc/conferences/:confid/participants/:participantid`) */
  get<M extends keyof ConferenceParticipantsItem = keyof ConferenceParticipantsItem>(confid: string, participantid: string, query?: ItemQuery<M>, options?: RequestOptions): Promise<Pick<ConferenceParticipantsItem, M>>;
  /** Removes a participant; does not wait until it has left. (`DELETE /rest/v1/uc/conferences/:confid/participants/:participantid`) */
  delete(confid: string, participantid: string, options?: RequestOptions): Promise<ConferenceParticipantsCreateAnswer>;
}
