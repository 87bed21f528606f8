// Generated from src/http/routes by `npm run docs`.
import type { Filter, ItemQuery, ListQuery, RequestOptions } from '../../requests.ts';

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
