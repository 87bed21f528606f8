// Generated from src/http/routes by `npm run docs`.
import type { Filter, ItemQuery, ListQuery, RequestOptions } from '../../requests.ts';

export interface SipUsersCreateBody {
  /** Id of the new item; default: a generated one */
  readonly id?: string | undefined;
  /** Name to show; called phones see it as the name of the caller */
  readonly name?: string | undefined;
  /** Name under which devices register: `sip:<login>@<domain>`; unique in the domain */
  readonly login: string;
  /** Password of the devices; shown to administrators only */
  readonly pwd: string;
  /** Number at which the user is called; unique in the domain; empty: none */
  readonly phonenumber?: string | undefined;
  /** 1: devices may register; 0: none may */
  readonly reg?: 0 | 1 | undefined;
  /** Devices that are registered now: `device`, `contact`, `useragent` where it is known, `expires` in seconds, `site` of the gate; what a client sends is ignored; absent where no sr is in reach */
  readonly devices?: readonly unknown[] | undefined;
  /** Id of the user who is bound to the account and sees its calls as own calls; all zeros: none */
  readonly iduser?: string | undefined;
  /** License */
  readonly lic?: {
    /** How many devices may be registered at a time */
    readonly devices?: number | undefined;
  } | undefined;
  /** Offset from UTC in hours, as a text: the time zone of the working hours of record rules for calls of the SIP user; `default`: that of the user who is bound to the account, else that of the domain */
  readonly timezone?: string | undefined;
  /** Options */
  readonly opts?: {
    /** Title. Stored only: for people */
    readonly title?: string | undefined;
    /** Comment. Stored only: for people */
    readonly comment?: string | undefined;
    /** Seconds that a device of the user may ring; 0: no limit of its own */
    readonly calltimesec?: number | undefined;
    /** Seconds that a call of the user may last; 0: no limit */
    readonly dlgtimesec?: number | undefined;
    /** Calls that the user may have at a time; -1: any number */
    readonly trunks?: number | undefined;
    /** Longest time of a registration, seconds */
    readonly maxexpires?: number | undefined;
    /** Shortest time of a registration, seconds */
    readonly minexpires?: number | undefined;
    /** Modifier of the number of a caller from a provider, as devices of the SIP user see it: rules `prefix/replacement`, separated by commas, of which the first with a prefix of the number applies; `X` stands for a digit; empty: none (chosen) */
    readonly modextin?: string | undefined;
    /** Modifier of a number that the SIP user dials, as a provider gets it: rules `prefix/replacement`, separated by commas, of which the first with a prefix of the number applies; `X` stands for a digit; empty: none (chosen) */
    readonly modextout?: string | undefined;
    /** Chassis of the analog gateway; empty: none. A SIP user with chassis, module and port is an analog line: one device, one call at a time */
    readonly agat_chassis_id?: string | undefined;
    /** Line module of the analog gateway; empty: none */
    readonly agat_lm_id?: string | undefined;
    /** Port of the line module; empty: none */
    readonly agat_port_id?: string | undefined;
  } | undefined;
}

export interface SipUsersCreateAnswer {
  /** Id of the item, a uuid; never changes */
  readonly id: string;
  /** Name to show; called phones see it as the name of the caller */
  readonly name: string;
  /** Name under which devices register: `sip:<login>@<domain>`; unique in the domain */
  readonly login: string;
  /** Password of the devices; shown to administrators only */
  readonly pwd?: string | undefined;
  /** Number at which the user is called; unique in the domain; empty: none */
  readonly phonenumber: string;
  /** 1: devices may register; 0: none may */
  readonly reg: 0 | 1;
  /** Devices that are registered now: `device`, `contact`, `useragent` where it is known, `expires` in seconds, `site` of the gate; what a client sends is ignored; absent where no sr is in reach */
  readonly devices?: readonly unknown[] | undefined;
  /** Id of the user who is bound to the account and sees its calls as own calls; all zeros: none */
  readonly iduser: string;
  /** License */
  readonly lic: {
    /** How many devices may be registered at a time */
    readonly devices: number;
  };
  /** Offset from UTC in hours, as a text: the time zone of the working hours of record rules for calls of the SIP user; `default`: that of the user who is bound to the account, else that of the domain */
  readonly timezone: string;
  /** Options */
  readonly opts: {
    /** Title. Stored only: for people */
    readonly title: string;
    /** Comment. Stored only: for people */
    readonly comment: string;
    /** Seconds that a device of the user may ring; 0: no limit of its own */
    readonly calltimesec: number;
    /** Seconds that a call of the user may last; 0: no limit */
    readonly dlgtimesec: number;
    /** Calls that the user may have at a time; -1: any number */
    readonly trunks: number;
    /** Longest time of a registration, seconds */
    readonly maxexpires: number;
    /** Shortest time of a registration, seconds */
    readonly minexpires: number;
    /** Modifier of the number of a caller from a provider, as devices of the SIP user see it: rules `prefix/replacement`, separated by commas, of which the first with a prefix of the number applies; `X` stands for a digit; empty: none (chosen) */
    readonly modextin: string;
    /** Modifier of a number that the SIP user dials, as a provider gets it: rules `prefix/replacement`, separated by commas, of which the first with a prefix of the number applies; `X` stands for a digit; empty: none (chosen) */
    readonly modextout: string;
    /** Chassis of the analog gateway; empty: none. A SIP user with chassis, module and port is an analog line: one device, one call at a time */
    readonly agat_chassis_id: string;
    /** Line module of the analog gateway; empty: none */
    readonly agat_lm_id: string;
    /** Port of the line module; empty: none */
    readonly agat_port_id: string;
  };
  /** Set by the platform */
  readonly ext: {
    /** When the item was created, ISO 8601 UTC */
    readonly ct: string;
    /** When the item was last changed, ISO 8601 UTC; moves forward with each change */
    readonly lwt: string;
  };
}

export interface SipUsersListItem {
  /** Id of the item, a uuid; never changes */
  readonly id: string;
  /** Name to show; called phones see it as the name of the caller */
  readonly name: string;
  /** Name under which devices register: `sip:<login>@<domain>`; unique in the domain */
  readonly login: string;
  /** Number at which the user is called; unique in the domain; empty: none */
  readonly phonenumber: string;
  /** 1: devices may register; 0: none may */
  readonly reg: 0 | 1;
  /** Id of the user who is bound to the account and sees its calls as own calls; all zeros: none */
  readonly iduser: string;
  /** Options */
  readonly opts: {
    /** Title. Stored only: for people */
    readonly title?: string | undefined;
    /** Comment. Stored only: for people */
    readonly comment?: string | undefined;
    /** Seconds that a device of the user may ring; 0: no limit of its own */
    readonly calltimesec?: number | undefined;
    /** Seconds that a call of the user may last; 0: no limit */
    readonly dlgtimesec?: number | undefined;
    /** Calls that the user may have at a time; -1: any number */
    readonly trunks?: number | undefined;
    /** Longest time of a registration, seconds */
    readonly maxexpires?: number | undefined;
    /** Shortest time of a registration, seconds */
    readonly minexpires?: number | undefined;
    /** Modifier of the number of a caller from a provider, as devices of the SIP user see it: rules `prefix/replacement`, separated by commas, of which the first with a prefix of the number applies; `X` stands for a digit; empty: none (chosen) */
    readonly modextin?: string | undefined;
    /** Modifier of a number that the SIP user dials, as a provider gets it: rules `prefix/replacement`, separated by commas, of which the first with a prefix of the number applies; `X` stands for a digit; empty: none (chosen) */
    readonly modextout?: string | undefined;
    /** Chassis of the analog gateway; empty: none. A SIP user with chassis, module and port is an analog line: one device, one call at a time */
    readonly agat_chassis_id?: string | undefined;
    /** Line module of the analog gateway; empty: none */
    readonly agat_lm_id?: string | undefined;
    /** Port of the line module; empty: none */
    readonly agat_port_id?: string | undefined;
  };
  /** Set by the platform */
  readonly ext: {
    /** When the item was created, ISO 8601 UTC */
    readonly ct?: string | undefined;
    /** When the item was last changed, ISO 8601 UTC; moves forward with each change */
    readonly lwt?: string | undefined;
  };
}

export interface SipUsersUpdateBody {
  /** Name to show; called phones see it as the name of the caller */
  readonly name?: string | undefined;
  /** Name under which devices register: `sip:<login>@<domain>`; unique in the domain */
  readonly login?: string | undefined;
  /** Password of the devices; shown to administrators only */
  readonly pwd?: string | undefined;
  /** Number at which the user is called; unique in the domain; empty: none */
  readonly phonenumber?: string | undefined;
  /** 1: devices may register; 0: none may */
  readonly reg?: 0 | 1 | undefined;
  /** Devices that are registered now: `device`, `contact`, `useragent` where it is known, `expires` in seconds, `site` of the gate; what a client sends is ignored; absent where no sr is in reach */
  readonly devices?: readonly unknown[] | undefined;
  /** Id of the user who is bound to the account and sees its calls as own calls; all zeros: none */
  readonly iduser?: string | undefined;
  /** License */
  readonly lic?: {
    /** How many devices may be registered at a time */
    readonly devices?: number | undefined;
  } | undefined;
  /** Offset from UTC in hours, as a text: the time zone of the working hours of record rules for calls of the SIP user; `default`: that of the user who is bound to the account, else that of the domain */
  readonly timezone?: string | undefined;
  /** Options */
  readonly opts?: {
    /** Title. Stored only: for people */
    readonly title?: string | undefined;
    /** Comment. Stored only: for people */
    readonly comment?: string | undefined;
    /** Seconds that a device of the user may ring; 0: no limit of its own */
    readonly calltimesec?: number | undefined;
    /** Seconds that a call of the user may last; 0: no limit */
    readonly dlgtimesec?: number | undefined;
    /** Calls that the user may have at a time; -1: any number */
    readonly trunks?: number | undefined;
    /** Longest time of a registration, seconds */
    readonly maxexpires?: number | undefined;
    /** Shortest time of a registration, seconds */
    readonly minexpires?: number | undefined;
    /** Modifier of the number of a caller from a provider, as devices of the SIP user see it: rules `prefix/replacement`, separated by commas, of which the first with a prefix of the number applies; `X` stands for a digit; empty: none (chosen) */
    readonly modextin?: string | undefined;
    /** Modifier of a number that the SIP user dials, as a provider gets it: rules `prefix/replacement`, separated by commas, of which the first with a prefix of the number applies; `X` stands for a digit; empty: none (chosen) */
    readonly modextout?: string | undefined;
    /** Chassis of the analog gateway; empty: none. A SIP user with chassis, module and port is an analog line: one device, one call at a time */
    readonly agat_chassis_id?: string | undefined;
    /** Line module of the analog gateway; empty: none */
    readonly agat_lm_id?: string | undefined;
    /** Port of the line module; empty: none */
    readonly agat_port_id?: string | undefined;
  } | undefined;
}

export interface SipUsers {
  /** Makes a SIP user; `id` may be given. (`POST /rest/v1/uc/sipusers`) */
  create(body: SipUsersCreateBody, options?: RequestOptions): Promise<SipUsersCreateAnswer>;
  /** Lists SIP users, with a reduced set of fields. (`GET /rest/v1/uc/sipusers`) */
  list<M extends keyof SipUsersListItem = keyof SipUsersListItem>(query?: ListQuery<SipUsersListItem, M>, options?: RequestOptions): Promise<readonly Pick<SipUsersListItem, M>[]>;
  /** How many items a filter selects. */
  count(query?: { readonly filter?: Filter<SipUsersListItem> | undefined }, options?: RequestOptions): Promise<number>;
  /** Shows a SIP user. (`GET /rest/v1/uc/sipusers/:id`) */
  get<M extends keyof SipUsersCreateAnswer = keyof SipUsersCreateAnswer>(id: string, query?: ItemQuery<M>, options?: RequestOptions): Promise<Pick<SipUsersCreateAnswer, M>>;
  /** Changes a SIP user: objects are merged, arrays replaced. (`PATCH /rest/v1/uc/sipusers/:id`) */
  update(id: string, body: SipUsersUpdateBody, options?: RequestOptions): Promise<SipUsersCreateAnswer>;
  /** Removes a SIP user. (`DELETE /rest/v1/uc/sipusers/:id`) */
  delete(id: string, options?: RequestOptions): Promise<void>;
  /** Finds ids of SIP users by `id` or `login` or `phonenumber`. (`LOOKUP /rest/v1/uc/sipusers`) */
  lookup(body: string, options?: RequestOptions): Promise<readonly string[]>;
}
