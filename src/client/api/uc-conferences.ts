// Generated from src/http/routes by `npm run docs`.
import type { Filter, ItemQuery, ListQuery, RequestOptions } from '../operation-types.ts';

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

export interface ConferencesListItem {
  /** Id of the conference in paths; unique while the conference lives, reused after some time */
  readonly confid: string;
  /** Number of the room, decimal digits */
  readonly confroomnum: string;
  /** Number with the feature-code prefix, in hexadecimal notation */
  readonly confnumber: string;
  /** URI of the room */
  readonly uri: string;
  /** The same as `uri` */
  readonly confuri: string;
  /** Site that serves the conference */
  readonly site: string;
  /** When the first INVITE reached the conference server, milliseconds since the epoch */
  readonly startts: number;
  /** URIs of the room and its participants */
  readonly uris: readonly string[];
}

export interface ConferencesLookupBody {
  /** Id of a live call */
  readonly dialogid?: string | undefined;
  /** Globally unique id of a call */
  readonly inviteid?: string | undefined;
  /** Call-Id of a leg */
  readonly callid?: string | undefined;
  /** URI of a party, as `<sip:user@domain>` */
  readonly uri?: string | undefined;
  /** Number of a party or, with `mode`, its SIP login */
  readonly from?: string | undefined;
  /** Id of a SIP user that takes part */
  readonly sipuserid?: string | undefined;
  /** Login of a SIP user that takes part */
  readonly sipuserlogin?: string | undefined;
  /** Phone number of a SIP user that takes part */
  readonly sipuserphonenumber?: string | undefined;
  /** Id of a user; any SIP user that is bound to it */
  readonly userid?: string | undefined;
  /** Id of a conference */
  readonly confid?: string | undefined;
  /** URI of the room */
  readonly confuri?: string | undefined;
  /** Number of the room, decimal digits */
  readonly confroomnum?: string | undefined;
  /** Number with the feature-code prefix, in hexadecimal notation */
  readonly confnumber?: string | undefined;
  /** What `from` is: `number` (default) or `sipuser`, a login */
  readonly mode?: 'number' | 'sipuser' | undefined;
}

export interface ConferencesItem {
  /** Id of the conference in paths; unique while the conference lives, reused after some time */
  readonly confid: string;
  /** Number of the room, decimal digits */
  readonly confroomnum: string;
  /** Number with the feature-code prefix, in hexadecimal notation */
  readonly confnumber: string;
  /** URI of the room */
  readonly uri: string;
  /** The same as `uri` */
  readonly confuri: string;
  /** Kind of conference; shown for a single conference, and usable in `filter` */
  readonly conftype: 'conference' | 'videoconference';
  /** Site that serves the conference */
  readonly site: string;
  /** When the first INVITE reached the conference server, milliseconds since the epoch */
  readonly startts: number;
  /** URIs of the room and its participants */
  readonly uris: readonly string[];
}

export interface ConferencesDeleteAnswer {
  /** Id of the conference */
  readonly confid: string;
}

export interface Conferences {
  /** Lists the conferences of the domain. (`GET /rest/v1/uc/conferences`) */
  list<M extends keyof ConferencesListItem = keyof ConferencesListItem>(query?: ListQuery<ConferencesListItem, M>, options?: RequestOptions): Promise<readonly Pick<ConferencesListItem, M>[]>;
  /** How many items a filter selects. */
  count(query?: { readonly filter?: Filter<ConferencesListItem> | undefined }, options?: RequestOptions): Promise<number>;
  /** Finds conferences of the domain by one key. (`LOOKUP /rest/v1/uc/conferences`) */
  lookup(body: ConferencesLookupBody, options?: RequestOptions): Promise<readonly string[]>;
  /** Shows a conference. (`GET /rest/v1/uc/conferences/:confid`) */
  get<M extends keyof ConferencesItem = keyof ConferencesItem>(confid: string, query?: ItemQuery<M>, options?: RequestOptions): Promise<Pick<ConferencesItem, M>>;
  /** Ends a conference: BYE to every participant, CANCEL to the devices that are being called; does not wait for them. (`DELETE /rest/v1/uc/conferences/:confid`) */
  delete(confid: string, options?: RequestOptions): Promise<ConferencesDeleteAnswer>;
}

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

export interface OwnConferenceTopology {
  /** Shows which participants hear which others. (`GET /rest/v1/uc/conferences_by_participation/:confid/topology`) */
  get(confid: string, options?: RequestOptions): Promise<ConferenceTopologyGetAnswer>;
  /** Sets which participants hear which others. (`POST /rest/v1/uc/conferences_by_participation/:confid/topology`) */
  set(confid: string, body: ConferenceTopologyGetAnswer, options?: RequestOptions): Promise<ConferenceTopologyGetAnswer>;
}

export interface OwnConferences {
  /** Lists the conferences in which your own SIP users take part. (`GET /rest/v1/uc/conferences_by_participation`) */
  list<M extends keyof ConferencesListItem = keyof ConferencesListItem>(query?: ListQuery<ConferencesListItem, M>, options?: RequestOptions): Promise<readonly Pick<ConferencesListItem, M>[]>;
  /** How many items a filter selects. */
  count(query?: { readonly filter?: Filter<ConferencesListItem> | undefined }, options?: RequestOptions): Promise<number>;
  /** Finds conferences in which your own SIP users take part by one key. (`LOOKUP /rest/v1/uc/conferences_by_participation`) */
  lookup(body: ConferencesLookupBody, options?: RequestOptions): Promise<readonly string[]>;
  /** Shows a conference. (`GET /rest/v1/uc/conferences_by_participation/:confid`) */
  get<M extends keyof ConferencesItem = keyof ConferencesItem>(confid: string, query?: ItemQuery<M>, options?: RequestOptions): Promise<Pick<ConferencesItem, M>>;
  /** Ends a conference: BYE to every participant, CANCEL to the devices that are being called; does not wait for them. (`DELETE /rest/v1/uc/conferences_by_participation/:confid`) */
  delete(confid: string, options?: RequestOptions): Promise<ConferencesDeleteAnswer>;
}

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

export interface SelectorsCreateBody {
  /** Id of the new item; default: a generated one */
  readonly id?: string | undefined;
  /** Name to show. Stored only: for people */
  readonly displayname?: string | undefined;
  /** Whether the meeting starts at its time; `false` ends the conference of one that runs, which is `waiting` then and starts again with `true` */
  readonly enabled?: boolean | undefined;
  /** Start time, ISO 8601 UTC; a past time: at once */
  readonly timestartutc: string;
  /** Longest duration in seconds; 0: no limit but the 9800 s of the platform */
  readonly calldurationsec?: number | undefined;
  /** Seconds that a participant may ring */
  readonly calltimeout?: number | undefined;
  /** Which others a participant hears: `topology`: as its topology says, else by types; `abonent`: by types; `direct`: all others */
  readonly topology_mode: 'topology' | 'abonent' | 'direct';
  /** Sound file that a participant hears who hears no other one: a name or an address (`:SYNC_DOMAIN_DATA/selector/`…); empty: none */
  readonly mediafile?: string | undefined;
  /** Value of `mic` for new participants */
  readonly default_mic?: boolean | undefined;
  /** Value of `spk` for new participants */
  readonly default_spk?: boolean | undefined;
  /** Value of `recall` for new participants */
  readonly default_recall?: boolean | undefined;
  /** Comment. Stored only: for people */
  readonly comment?: string | undefined;
}

export interface SelectorsCreateAnswer {
  /** Id of the item, a uuid; never changes */
  readonly id: string;
  /** `waiting`: not started; `initing`: starting; `connecting`: participants are being called; `online`; `terminating` */
  readonly state: 'initing' | 'connecting' | 'waiting' | 'online' | 'terminating';
  /** Name to show. Stored only: for people */
  readonly displayname: string;
  /** Whether the meeting starts at its time; `false` ends the conference of one that runs, which is `waiting` then and starts again with `true` */
  readonly enabled: boolean;
  /** Start time, ISO 8601 UTC; a past time: at once */
  readonly timestartutc: string;
  /** Longest duration in seconds; 0: no limit but the 9800 s of the platform */
  readonly calldurationsec: number;
  /** Seconds that a participant may ring */
  readonly calltimeout: number;
  /** Which others a participant hears: `topology`: as its topology says, else by types; `abonent`: by types; `direct`: all others */
  readonly topology_mode: 'topology' | 'abonent' | 'direct';
  /** Sound file that a participant hears who hears no other one: a name or an address (`:SYNC_DOMAIN_DATA/selector/`…); empty: none */
  readonly mediafile: string;
  /** Value of `mic` for new participants */
  readonly default_mic: boolean;
  /** Value of `spk` for new participants */
  readonly default_spk: boolean;
  /** Value of `recall` for new participants */
  readonly default_recall: boolean;
  /** Comment. Stored only: for people */
  readonly comment: string;
  /** Set by the platform */
  readonly ext: {
    /** When the item was created, ISO 8601 UTC */
    readonly ct: string;
    /** When the item was last changed, ISO 8601 UTC; moves forward with each change */
    readonly lwt: string;
  };
}

export interface SelectorsUpdateBody {
  /** Name to show. Stored only: for people */
  readonly displayname?: string | undefined;
  /** Whether the meeting starts at its time; `false` ends the conference of one that runs, which is `waiting` then and starts again with `true` */
  readonly enabled?: boolean | undefined;
  /** Start time, ISO 8601 UTC; a past time: at once */
  readonly timestartutc?: string | undefined;
  /** Longest duration in seconds; 0: no limit but the 9800 s of the platform */
  readonly calldurationsec?: number | undefined;
  /** Seconds that a participant may ring */
  readonly calltimeout?: number | undefined;
  /** Which others a participant hears: `topology`: as its topology says, else by types; `abonent`: by types; `direct`: all others */
  readonly topology_mode?: 'topology' | 'abonent' | 'direct' | undefined;
  /** Sound file that a participant hears who hears no other one: a name or an address (`:SYNC_DOMAIN_DATA/selector/`…); empty: none */
  readonly mediafile?: string | undefined;
  /** Value of `mic` for new participants */
  readonly default_mic?: boolean | undefined;
  /** Value of `spk` for new participants */
  readonly default_spk?: boolean | undefined;
  /** Value of `recall` for new participants */
  readonly default_recall?: boolean | undefined;
  /** Comment. Stored only: for people */
  readonly comment?: string | undefined;
}

export interface Selectors {
  /** Makes a selector meeting; `id` may be given. (`POST /rest/v1/uc/selectors`) */
  create(body: SelectorsCreateBody, options?: RequestOptions): Promise<SelectorsCreateAnswer>;
  /** Lists selector meetings, with a reduced set of fields. (`GET /rest/v1/uc/selectors`) */
  list<M extends keyof SelectorsCreateAnswer = keyof SelectorsCreateAnswer>(query?: ListQuery<SelectorsCreateAnswer, M>, options?: RequestOptions): Promise<readonly Pick<SelectorsCreateAnswer, M>[]>;
  /** How many items a filter selects. */
  count(query?: { readonly filter?: Filter<SelectorsCreateAnswer> | undefined }, options?: RequestOptions): Promise<number>;
  /** Shows a selector meeting. (`GET /rest/v1/uc/selectors/:id`) */
  get<M extends keyof SelectorsCreateAnswer = keyof SelectorsCreateAnswer>(id: string, query?: ItemQuery<M>, options?: RequestOptions): Promise<Pick<SelectorsCreateAnswer, M>>;
  /** Changes a selector meeting: objects are merged, arrays replaced. (`PATCH /rest/v1/uc/selectors/:id`) */
  update(id: string, body: SelectorsUpdateBody, options?: RequestOptions): Promise<SelectorsCreateAnswer>;
  /** Removes a selector meeting. (`DELETE /rest/v1/uc/selectors/:id`) */
  delete(id: string, options?: RequestOptions): Promise<void>;
}
