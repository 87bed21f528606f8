// Generated from src/http/routes by `npm run docs`.
import type { Filter, ItemQuery, ListQuery, RequestOptions } from '../../requests.ts';

export interface SelectorParticipantsCreateBody {
  /** Id of the new item; default: a generated one */
  readonly id?: string | undefined;
  /** Name to show */
  readonly name?: string | undefined;
  /** Number that the meeting calls; `group#CODE`: each number of the contact group with this code */
  readonly number: string;
  /** Whether the others hear the participant; default: `default_mic` of its parent */
  readonly mic?: boolean | undefined;
  /** Whether the participant hears the others; default: `default_spk` of its parent */
  readonly spk?: boolean | undefined;
  /** Whether the participant is called again after it has left; the last one is not, because the meeting ends with it; default: `default_recall` of its parent */
  readonly recall?: boolean | undefined;
  /** Whether the picture of the participant is shown. Stored only: video is not simulated */
  readonly video_out?: boolean | undefined;
  /** Cell of the video layout; 0: any. Stored only: video is not simulated */
  readonly video_cell?: number | undefined;
  /** `listener` hears speakers; `speaker` hears speakers and assistants; `assistant` hears all */
  readonly topology_type: 'listener' | 'speaker' | 'assistant';
}

export interface SelectorParticipantsCreateAnswer {
  /** Id of the item, a uuid; never changes */
  readonly id: string;
  /** Name to show */
  readonly name: string;
  /** Number that the meeting calls; `group#CODE`: each number of the contact group with this code */
  readonly number: string;
  /** Whether the others hear the participant */
  readonly mic: boolean;
  /** Whether the participant hears the others */
  readonly spk: boolean;
  /** Whether the participant is called again after it has left; the last one is not, because the meeting ends with it */
  readonly recall: boolean;
  /** Whether the picture of the participant is shown. Stored only: video is not simulated */
  readonly video_out: boolean;
  /** Cell of the video layout; 0: any. Stored only: video is not simulated */
  readonly video_cell: number;
  /** `listener` hears speakers; `speaker` hears speakers and assistants; `assistant` hears all */
  readonly topology_type: 'listener' | 'speaker' | 'assistant';
  /** Set by the platform */
  readonly ext: {
    /** When the item was created, ISO 8601 UTC */
    readonly ct: string;
    /** When the item was last changed, ISO 8601 UTC; moves forward with each change */
    readonly lwt: string;
  };
}

export interface SelectorParticipantsItem {
  /** Id of the item, a uuid; never changes */
  readonly id: string;
  /** Name to show */
  readonly name: string;
  /** Number that the meeting calls; `group#CODE`: each number of the contact group with this code */
  readonly number: string;
  /** `waiting`: not called now; `calling`: INVITE sent; `ringing`; `active`; `held`: on hold; `leaving`: BYE sent */
  readonly state: 'waiting' | 'calling' | 'ringing' | 'active' | 'held' | 'leaving';
  /** Whether the participant is on hold */
  readonly hold: boolean;
  /** Whether the participant asks to speak: its phone has pressed *9, and not #9 since */
  readonly is_hand_raised: boolean;
  /** Whether the others hear the participant */
  readonly mic: boolean;
  /** Whether the participant hears the others */
  readonly spk: boolean;
  /** Whether the participant is called again after it has left; the last one is not, because the meeting ends with it */
  readonly recall: boolean;
  /** Whether the picture of the participant is shown. Stored only: video is not simulated */
  readonly video_out: boolean;
  /** Cell of the video layout; 0: any. Stored only: video is not simulated */
  readonly video_cell: number;
  /** `listener` hears speakers; `speaker` hears speakers and assistants; `assistant` hears all */
  readonly topology_type: 'listener' | 'speaker' | 'assistant';
  /** Set by the platform */
  readonly ext: {
    /** When the item was created, ISO 8601 UTC */
    readonly ct: string;
    /** When the item was last changed, ISO 8601 UTC; moves forward with each change */
    readonly lwt: string;
  };
}

export interface SelectorParticipantsUpdateBody {
  /** Name to show */
  readonly name?: string | undefined;
  /** Number that the meeting calls; `group#CODE`: each number of the contact group with this code */
  readonly number?: string | undefined;
  /** Whether the others hear the participant */
  readonly mic?: boolean | undefined;
  /** Whether the participant hears the others */
  readonly spk?: boolean | undefined;
  /** Whether the participant is called again after it has left; the last one is not, because the meeting ends with it */
  readonly recall?: boolean | undefined;
  /** Whether the picture of the participant is shown. Stored only: video is not simulated */
  readonly video_out?: boolean | undefined;
  /** Cell of the video layout; 0: any. Stored only: video is not simulated */
  readonly video_cell?: number | undefined;
  /** `listener` hears speakers; `speaker` hears speakers and assistants; `assistant` hears all */
  readonly topology_type?: 'listener' | 'speaker' | 'assistant' | undefined;
}

export interface SelectorParticipants {
  /** Makes a participant of a selector meeting; `id` may be given. (`POST /rest/v1/uc/selectors/:selector_id/participants`) */
  create(selectorId: string, body: SelectorParticipantsCreateBody, options?: RequestOptions): Promise<SelectorParticipantsCreateAnswer>;
  /** Lists participants of a selector meeting, with a reduced set of fields. (`GET /rest/v1/uc/selectors/:selector_id/participants`) */
  list<M extends keyof SelectorParticipantsItem = keyof SelectorParticipantsItem>(selectorId: string, query?: ListQuery<SelectorParticipantsItem, M>, options?: RequestOptions): Promise<readonly Pick<SelectorParticipantsItem, M>[]>;
  /** How many items a filter selects. */
  count(selectorId: string, query?: { readonly filter?: Filter<SelectorParticipantsItem> | undefined }, options?: RequestOptions): Promise<number>;
  /** Shows a participant of a selector meeting. (`GET /rest/v1/uc/selectors/:selector_id/participants/:id`) */
  get<M extends keyof SelectorParticipantsItem = keyof SelectorParticipantsItem>(selectorId: string, id: string, query?: ItemQuery<M>, options?: RequestOptions): Promise<Pick<SelectorParticipantsItem, M>>;
  /** Changes a participant of a selector meeting: objects are merged, arrays replaced. (`PATCH /rest/v1/uc/selectors/:selector_id/participants/:id`) */
  update(selectorId: string, id: string, body: SelectorParticipantsUpdateBody, options?: RequestOptions): Promise<SelectorParticipantsCreateAnswer>;
  /** Removes a participant of a selector meeting. (`DELETE /rest/v1/uc/selectors/:selector_id/participants/:id`) */
  delete(selectorId: string, id: string, options?: RequestOptions): Promise<void>;
}
