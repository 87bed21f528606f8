// Generated from src/http/routes by `npm run docs`.
import type { Filter, ItemQuery, ListQuery, RequestOptions } from '../../requests.ts';

export interface SelectorsCreateBody {
  /** Id of the new item; default: a generated one */
  readonly id?: string | undefined;
  /** Name to show. Stored only: for people */
  readonly displayname?: string | undefined;
  /** Whether the meeting starts at its time */
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
  /** Whether the meeting starts at its time */
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
  /** Whether the meeting starts at its time */
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
