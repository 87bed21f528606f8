// Generated from src/http/routes by `npm run docs`.
import type { Filter, ItemQuery, ListQuery, RequestOptions } from '../operation-types.ts';

export interface AudioMatcherReloadBody {
  /** `reload`: load the reference samples again; absent: no action */
  readonly action?: 'reload' | undefined;
  /** Only matchers of these sites; absent: of all */
  readonly sites?: readonly string[] | undefined;
  /** Only matchers of these nodes; absent: of all */
  readonly nodes?: readonly string[] | undefined;
}

export type AudioMatcherStatusAnswer = Readonly<Record<string, readonly {
  /** State of the matcher */
  readonly info: {
    /** The matcher has samples to compare with */
    readonly is_loaded: boolean;
    /** Its folder differs from the loaded samples */
    readonly is_reload_needed: boolean;
    /** Folder of the reference samples */
    readonly samples_dir: string;
    /** Calls whose announcement it compares now */
    readonly jobs_count: number;
  };
  /** Node of the matcher */
  readonly node: string;
}[]>>;

export interface AudioMatcher {
  /** Starts reloading the samples of the audio matchers in scope; does not wait for the end. (`POST /rest/v1/master/audiomatcher`) */
  reload(body: AudioMatcherReloadBody, options?: RequestOptions): Promise<'ok'>;
  /** Shows the state of the audio matchers in scope, by site. (`GET /rest/v1/master/audiomatcher/status`) */
  status(query?: { readonly sites?: string | readonly string[] | undefined; readonly nodes?: string | readonly string[] | undefined }, options?: RequestOptions): Promise<AudioMatcherStatusAnswer>;
}

export interface BorderRulesCreateBody {
  /** Id of the new item; default: a generated one */
  readonly id?: string | undefined;
  /** Of the rules that match the one with the lowest number decides */
  readonly priority?: number | undefined;
  /** Name of a site to which the rule is limited; empty or `*`: all sites */
  readonly site?: string | undefined;
  /** Domain of From: a text, or a regular expression between slashes, without look-around and back-references; empty: any */
  readonly domain?: string | undefined;
  /** User part of From: a text, or a regular expression between slashes, without look-around and back-references; empty: any */
  readonly username?: string | undefined;
  /** User-Agent: a text, or a regular expression between slashes, without look-around and back-references; empty: any */
  readonly useragent?: string | undefined;
  /** Address of the sender: `10.1.0.1`, `10.1.0.0/16` or `10.1.0.1+9` (a range of ten addresses); empty: any */
  readonly remoteipmask?: string | undefined;
  /** `allow`: let the request in; `deny`: answer 403; `drop`: do not answer */
  readonly action: 'allow' | 'deny' | 'drop';
  /** 1: the rule is in force; 0: it is ignored */
  readonly enabled?: 0 | 1 | undefined;
  /** Options */
  readonly opts?: {
    /** Title. Stored only: for people */
    readonly title?: string | undefined;
    /** Comment. Stored only: for people */
    readonly comment?: string | undefined;
  } | undefined;
}

export interface BorderRulesCreateAnswer {
  /** Id of the item, a uuid; never changes */
  readonly id: string;
  /** Of the rules that match the one with the lowest number decides */
  readonly priority: number;
  /** Name of a site to which the rule is limited; empty or `*`: all sites */
  readonly site: string;
  /** Domain of From: a text, or a regular expression between slashes, without look-around and back-references; empty: any */
  readonly domain: string;
  /** User part of From: a text, or a regular expression between slashes, without look-around and back-references; empty: any */
  readonly username: string;
  /** User-Agent: a text, or a regular expression between slashes, without look-around and back-references; empty: any */
  readonly useragent: string;
  /** Address of the sender: `10.1.0.1`, `10.1.0.0/16` or `10.1.0.1+9` (a range of ten addresses); empty: any */
  readonly remoteipmask: string;
  /** `allow`: let the request in; `deny`: answer 403; `drop`: do not answer */
  readonly action: 'allow' | 'deny' | 'drop';
  /** 1: the rule is in force; 0: it is ignored */
  readonly enabled: 0 | 1;
  /** Options */
  readonly opts: {
    /** Title. Stored only: for people */
    readonly title: string;
    /** Comment. Stored only: for people */
    readonly comment: string;
  };
  /** What of a rule of an earlier version cannot be applied; such a rule refuses what its other fields match, and never allows */
  readonly problem?: string | undefined;
  /** Set by the platform */
  readonly ext: {
    /** When the item was created, ISO 8601 UTC */
    readonly ct: string;
    /** When the item was last changed, ISO 8601 UTC; moves forward with each change */
    readonly lwt: string;
  };
}

export interface BorderRulesListItem {
  /** Id of the item, a uuid; never changes */
  readonly id: string;
  /** Of the rules that match the one with the lowest number decides */
  readonly priority: number;
  /** Name of a site to which the rule is limited; empty or `*`: all sites */
  readonly site: string;
  /** Domain of From: a text, or a regular expression between slashes, without look-around and back-references; empty: any */
  readonly domain: string;
  /** User part of From: a text, or a regular expression between slashes, without look-around and back-references; empty: any */
  readonly username: string;
  /** User-Agent: a text, or a regular expression between slashes, without look-around and back-references; empty: any */
  readonly useragent: string;
  /** Address of the sender: `10.1.0.1`, `10.1.0.0/16` or `10.1.0.1+9` (a range of ten addresses); empty: any */
  readonly remoteipmask: string;
  /** Options */
  readonly opts: {
    /** Title. Stored only: for people */
    readonly title?: string | undefined;
    /** Comment. Stored only: for people */
    readonly comment?: string | undefined;
  };
  /** What of a rule of an earlier version cannot be applied; such a rule refuses what its other fields match, and never allows */
  readonly problem?: string | undefined;
  /** Set by the platform */
  readonly ext: {
    /** When the item was created, ISO 8601 UTC */
    readonly ct?: string | undefined;
    /** When the item was last changed, ISO 8601 UTC; moves forward with each change */
    readonly lwt?: string | undefined;
  };
}

export interface BorderRulesUpdateBody {
  /** Of the rules that match the one with the lowest number decides */
  readonly priority?: number | undefined;
  /** Name of a site to which the rule is limited; empty or `*`: all sites */
  readonly site?: string | undefined;
  /** Domain of From: a text, or a regular expression between slashes, without look-around and back-references; empty: any */
  readonly domain?: string | undefined;
  /** User part of From: a text, or a regular expression between slashes, without look-around and back-references; empty: any */
  readonly username?: string | undefined;
  /** User-Agent: a text, or a regular expression between slashes, without look-around and back-references; empty: any */
  readonly useragent?: string | undefined;
  /** Address of the sender: `10.1.0.1`, `10.1.0.0/16` or `10.1.0.1+9` (a range of ten addresses); empty: any */
  readonly remoteipmask?: string | undefined;
  /** `allow`: let the request in; `deny`: answer 403; `drop`: do not answer */
  readonly action?: 'allow' | 'deny' | 'drop' | undefined;
  /** 1: the rule is in force; 0: it is ignored */
  readonly enabled?: 0 | 1 | undefined;
  /** Options */
  readonly opts?: {
    /** Title. Stored only: for people */
    readonly title?: string | undefined;
    /** Comment. Stored only: for people */
    readonly comment?: string | undefined;
  } | undefined;
}

export interface BorderRules {
  /** Makes a border rule; `id` may be given. (`POST /rest/v1/master/borderrules`) */
  create(body: BorderRulesCreateBody, options?: RequestOptions): Promise<BorderRulesCreateAnswer>;
  /** Lists border rules, with a reduced set of fields. (`GET /rest/v1/master/borderrules`) */
  list<M extends keyof BorderRulesListItem = keyof BorderRulesListItem>(query?: ListQuery<BorderRulesListItem, M>, options?: RequestOptions): Promise<readonly Pick<BorderRulesListItem, M>[]>;
  /** How many items a filter selects. */
  count(query?: { readonly filter?: Filter<BorderRulesListItem> | undefined }, options?: RequestOptions): Promise<number>;
  /** Shows a border rule. (`GET /rest/v1/master/borderrules/:id`) */
  get<M extends keyof BorderRulesCreateAnswer = keyof BorderRulesCreateAnswer>(id: string, query?: ItemQuery<M>, options?: RequestOptions): Promise<Pick<BorderRulesCreateAnswer, M>>;
  /** Changes a border rule: objects are merged, arrays replaced. (`PATCH /rest/v1/master/borderrules/:id`) */
  update(id: string, body: BorderRulesUpdateBody, options?: RequestOptions): Promise<BorderRulesCreateAnswer>;
  /** Removes a border rule. (`DELETE /rest/v1/master/borderrules/:id`) */
  delete(id: string, options?: RequestOptions): Promise<void>;
  /** Finds ids of border rules by `id`. (`LOOKUP /rest/v1/master/borderrules`) */
  lookup(body: string, options?: RequestOptions): Promise<readonly string[]>;
}

export interface EsgBansBanBody {
  /** Address to ban */
  readonly ip: string;
  /** Seconds until the ban ends, as a number or a text of digits; again: counts from now */
  readonly expires: number;
}

export type EsgBansBanAnswer = readonly {
  /** Site of the role instance */
  readonly site: string;
  /** Server of the role instance */
  readonly node: string;
  /** Number of the role instance, unique in the platform */
  readonly srvidx: number;
  /** Address of the server */
  readonly addr: string;
  /** Whether the instance has answered */
  readonly online: boolean;
  /** Whether the address is banned, also when the instance restarts; only for online instances */
  readonly result?: boolean | undefined;
}[];

export interface EsgBansItem {
  /** Site of the role instance */
  readonly site: string;
  /** Server of the role instance */
  readonly node: string;
  /** Number of the role instance, unique in the platform */
  readonly srvidx: number;
  /** Address of the server */
  readonly addr: string;
  /** Whether the instance has answered */
  readonly online: boolean;
  /** Banned addresses; only for online instances */
  readonly banned?: readonly {
    /** Banned address, IPv4 or IPv6 */
    readonly ip: string;
    /** Seconds until the ban ends */
    readonly expires: number;
  }[] | undefined;
}

export interface EsgBans {
  /** Bans an address on every esg instance in scope; again: prolongs its ban. (`POST /rest/v1/master/logicalroles/esg/bannedaddrs`) */
  ban(body: EsgBansBanBody, query?: { readonly site?: string | undefined; readonly sites?: string | readonly string[] | undefined; readonly server?: string | undefined; readonly servers?: string | readonly string[] | undefined }, options?: RequestOptions): Promise<EsgBansBanAnswer>;
  /** Lists the banned addresses of every esg instance in scope. (`GET /rest/v1/master/logicalroles/esg/bannedaddrs`) */
  list<M extends keyof EsgBansItem = keyof EsgBansItem>(query?: ListQuery<EsgBansItem, M> & { readonly site?: string | undefined; readonly sites?: string | readonly string[] | undefined; readonly server?: string | undefined; readonly servers?: string | readonly string[] | undefined }, options?: RequestOptions): Promise<readonly Pick<EsgBansItem, M>[]>;
  /** How many items a filter selects. */
  count(query?: { readonly filter?: Filter<EsgBansItem> | undefined } & { readonly site?: string | undefined; readonly sites?: string | readonly string[] | undefined; readonly server?: string | undefined; readonly servers?: string | readonly string[] | undefined }, options?: RequestOptions): Promise<number>;
  /** Lifts all bans on every esg instance in scope. (`DELETE /rest/v1/master/logicalroles/esg/bannedaddrs`) */
  deleteAll(query?: { readonly site?: string | undefined; readonly sites?: string | readonly string[] | undefined; readonly server?: string | undefined; readonly servers?: string | readonly string[] | undefined }, options?: RequestOptions): Promise<void>;
  /** Lifts the ban of one address on every esg instance in scope. (`DELETE /rest/v1/master/logicalroles/esg/bannedaddrs/:ip`) */
  delete(ip: string, query?: { readonly site?: string | undefined; readonly sites?: string | readonly string[] | undefined; readonly server?: string | undefined; readonly servers?: string | readonly string[] | undefined }, options?: RequestOptions): Promise<void>;
}

export type EsgDashboardsListAnswer = readonly {
  /** Name of the dashboard */
  readonly name: string;
  /** Links */
  readonly _links: {
    /** The dashboard */
    readonly self: {
      /** Path of the dashboard */
      readonly href: string;
      /** Query parameters that it takes */
      readonly params: readonly string[];
    };
  };
}[];

export interface EsgDashboardsInfoAnswer {
  /** Number of dialogs */
  readonly dlgcount: number;
  /** Number of dialog legs */
  readonly callcount: number;
  /** Sites in scope */
  readonly sites: readonly {
    /** Site of the role instance */
    readonly site: string;
    /** Number of dialogs */
    readonly dlgcount: number;
    /** Number of dialog legs */
    readonly callcount: number;
    /** esg instances of the site in scope */
    readonly servers: readonly ({
      /** Number of the role instance, unique in the platform */
      readonly srvidx: number;
      /** Server of the role instance */
      readonly node: string;
      /** Whether the instance has answered */
      readonly online: true;
      /** Address of the server */
      readonly addr: string;
      /** Number of dialogs */
      readonly dlgcount: number;
      /** Number of dialog legs */
      readonly callcount: number;
      /** Domains whose provider accounts the instance serves */
      readonly domains: readonly string[];
      /** Active provider accounts; only with `regs` */
      readonly regs?: readonly {
        /** Code of the provider account */
        readonly code: string;
        /** Domain of the platform that the account belongs to */
        readonly d: string;
        /** User name of the account at the provider */
        readonly user: string;
        /** Domain that the account presents to the provider */
        readonly domain: string;
        /** Port of the provider */
        readonly port: number;
        /** Transport to the provider */
        readonly proto: 'udp' | 'tcp' | 'tls';
        /** Addresses of the provider */
        readonly addrs: readonly string[];
        /** `disabled`: works without registration; `wait_result`: REGISTER sent; `registered`; `retry`: failed, the next attempt waits; `detached`: being removed from this instance */
        readonly regstate: 'disabled' | 'wait_result' | 'registered' | 'retry' | 'detached';
        /** Check of the connection by OPTIONS: `disabled`, `ok` or `error`, of the last check */
        readonly pingstate: 'disabled' | 'ok' | 'error';
        /** Header lines of the last response to REGISTER */
        readonly last_response: readonly string[];
        /** Calls that go through the account now */
        readonly onlinetrunkcount: number;
      }[] | undefined;
    } | {
      /** Number of the role instance, unique in the platform */
      readonly srvidx: number;
      /** Server of the role instance */
      readonly node: string;
      /** Whether the instance has answered */
      readonly online: false;
    })[];
  }[];
}

export interface EsgDashboardsCountAnswer {
  /** Number of dialogs */
  readonly dlgcount: number;
  /** Number of dialog legs */
  readonly callcount: number;
}

export interface EsgDashboardsSitesAnswer {
  /** Number of dialogs */
  readonly dlgcount: number;
  /** Number of dialog legs */
  readonly callcount: number;
  /** Figures of each site in scope */
  readonly sites: readonly {
    /** Site of the role instance */
    readonly site: string;
    /** Number of dialogs */
    readonly dlgcount: number;
    /** Number of dialog legs */
    readonly callcount: number;
  }[];
}

export interface EsgDashboards {
  /** Lists the dashboards. (`GET /rest/v1/master/logicalroles/esg/dashboards`) */
  list(options?: RequestOptions): Promise<EsgDashboardsListAnswer>;
  /** Shows the dialogs and legs of each esg instance, and with `regs` its provider accounts. (`GET /rest/v1/master/logicalroles/esg/dashboards/info`) */
  info(query?: { readonly site?: string | undefined; readonly sites?: string | readonly string[] | undefined; readonly server?: string | undefined; readonly servers?: string | readonly string[] | undefined; readonly regs?: boolean | undefined; readonly code?: string | undefined }, options?: RequestOptions): Promise<EsgDashboardsInfoAnswer>;
  /** Counts dialogs and legs. (`GET /rest/v1/master/logicalroles/esg/dashboards/count`) */
  count(query?: { readonly site?: string | undefined; readonly sites?: string | readonly string[] | undefined; readonly server?: string | undefined; readonly servers?: string | readonly string[] | undefined }, options?: RequestOptions): Promise<EsgDashboardsCountAnswer>;
  /** Counts dialogs and legs by site. (`GET /rest/v1/master/logicalroles/esg/dashboards/sites`) */
  sites(query?: { readonly site?: string | undefined; readonly sites?: string | readonly string[] | undefined; readonly server?: string | undefined; readonly servers?: string | readonly string[] | undefined }, options?: RequestOptions): Promise<EsgDashboardsSitesAnswer>;
}

export interface NodesItem {
  /** Name of the server or role node */
  readonly name: string;
  /** Name and address, such as `ws1@10.1.0.11` */
  readonly fullName: string;
  /** Address of the server */
  readonly ipAddress: string;
  /** Site of the server */
  readonly site: string;
  /** Server that runs it; for a server its own name */
  readonly server: string;
  /** Whether it is a supervisor */
  readonly isSystem: boolean;
  /** `supervisor`: a server; `role`: a role instance on a server */
  readonly type: 'supervisor' | 'role';
  /** Start time, ISO 8601 UTC; null while it is unreachable */
  readonly dtStart: string | null;
  /** Seconds since `dtStart`; null while it is unreachable */
  readonly upTimeSec: number | null;
  /** `active`, `standby`, `starting`, `draining`, `stopped`; `unreachable`: the site that answers cannot reach it */
  readonly status: string;
  /** Most detailed level of the lines that it logs; the log of its process may bound it further */
  readonly maxLogLevel: 'debug' | 'info' | 'warn' | 'error';
  /** Role of the node; empty for a server */
  readonly roles: readonly string[];
  /** Number of the role instance, unique in the platform; null for a server */
  readonly srvIdx: number | null;
}

export interface NodesUpdateBody {
  /** Most detailed level of the lines that it logs; the log of its process may bound it further */
  readonly maxLogLevel: 'debug' | 'info' | 'warn' | 'error';
}

export interface Nodes {
  /** Lists servers and role nodes, as the site that answers sees them. (`GET /rest/v1/master/nodes`) */
  list<M extends keyof NodesItem = keyof NodesItem>(query?: ListQuery<NodesItem, M>, options?: RequestOptions): Promise<readonly Pick<NodesItem, M>[]>;
  /** How many items a filter selects. */
  count(query?: { readonly filter?: Filter<NodesItem> | undefined }, options?: RequestOptions): Promise<number>;
  /** Shows one server or role node. (`GET /rest/v1/master/nodes/:name`) */
  get<M extends keyof NodesItem = keyof NodesItem>(name: string, query?: ItemQuery<M>, options?: RequestOptions): Promise<Pick<NodesItem, M>>;
  /** Sets the log level of a server or a role node, until its server restarts. No other field can be changed. (`PATCH /rest/v1/master/nodes/:name`) */
  update(name: string, body: NodesUpdateBody, options?: RequestOptions): Promise<NodesItem>;
  /** Terminates a server or a role node. The supervisor restarts a role node. (`DELETE /rest/v1/master/nodes/:name`) */
  delete(name: string, options?: RequestOptions): Promise<void>;
}

export interface SgBans {
  /** Bans an address on every sg instance in scope; again: prolongs its ban. (`POST /rest/v1/master/logicalroles/sg/bannedaddrs`) */
  ban(body: EsgBansBanBody, query?: { readonly site?: string | undefined; readonly sites?: string | readonly string[] | undefined; readonly server?: string | undefined; readonly servers?: string | readonly string[] | undefined }, options?: RequestOptions): Promise<EsgBansBanAnswer>;
  /** Lists the banned addresses of every sg instance in scope. (`GET /rest/v1/master/logicalroles/sg/bannedaddrs`) */
  list<M extends keyof EsgBansItem = keyof EsgBansItem>(query?: ListQuery<EsgBansItem, M> & { readonly site?: string | undefined; readonly sites?: string | readonly string[] | undefined; readonly server?: string | undefined; readonly servers?: string | readonly string[] | undefined }, options?: RequestOptions): Promise<readonly Pick<EsgBansItem, M>[]>;
  /** How many items a filter selects. */
  count(query?: { readonly filter?: Filter<EsgBansItem> | undefined } & { readonly site?: string | undefined; readonly sites?: string | readonly string[] | undefined; readonly server?: string | undefined; readonly servers?: string | readonly string[] | undefined }, options?: RequestOptions): Promise<number>;
  /** Lifts all bans on every sg instance in scope. (`DELETE /rest/v1/master/logicalroles/sg/bannedaddrs`) */
  deleteAll(query?: { readonly site?: string | undefined; readonly sites?: string | readonly string[] | undefined; readonly server?: string | undefined; readonly servers?: string | readonly string[] | undefined }, options?: RequestOptions): Promise<void>;
  /** Lifts the ban of one address on every sg instance in scope. (`DELETE /rest/v1/master/logicalroles/sg/bannedaddrs/:ip`) */
  delete(ip: string, query?: { readonly site?: string | undefined; readonly sites?: string | readonly string[] | undefined; readonly server?: string | undefined; readonly servers?: string | readonly string[] | undefined }, options?: RequestOptions): Promise<void>;
}

export interface WsBans {
  /** Lists the banned addresses of every ws instance in scope. (`GET /rest/v1/master/logicalroles/ws/bannedaddrs`) */
  list<M extends keyof EsgBansItem = keyof EsgBansItem>(query?: ListQuery<EsgBansItem, M> & { readonly site?: string | undefined; readonly sites?: string | readonly string[] | undefined; readonly server?: string | undefined; readonly servers?: string | readonly string[] | undefined }, options?: RequestOptions): Promise<readonly Pick<EsgBansItem, M>[]>;
  /** How many items a filter selects. */
  count(query?: { readonly filter?: Filter<EsgBansItem> | undefined } & { readonly site?: string | undefined; readonly sites?: string | readonly string[] | undefined; readonly server?: string | undefined; readonly servers?: string | readonly string[] | undefined }, options?: RequestOptions): Promise<number>;
  /** Lifts all bans on every ws instance in scope. (`DELETE /rest/v1/master/logicalroles/ws/bannedaddrs`) */
  deleteAll(query?: { readonly site?: string | undefined; readonly sites?: string | readonly string[] | undefined; readonly server?: string | undefined; readonly servers?: string | readonly string[] | undefined }, options?: RequestOptions): Promise<void>;
  /** Lifts the ban of one address on every ws instance in scope. (`DELETE /rest/v1/master/logicalroles/ws/bannedaddrs/:ip`) */
  delete(ip: string, query?: { readonly site?: string | undefined; readonly sites?: string | readonly string[] | undefined; readonly server?: string | undefined; readonly servers?: string | readonly string[] | undefined }, options?: RequestOptions): Promise<void>;
}

export interface WsSiteBans {
  /** Lists the banned addresses of every ws instance of this site. (`GET /rest/v1/master/logicalroles/ws/bannedaddrs/site`) */
  list<M extends keyof EsgBansItem = keyof EsgBansItem>(query?: ListQuery<EsgBansItem, M>, options?: RequestOptions): Promise<readonly Pick<EsgBansItem, M>[]>;
  /** How many items a filter selects. */
  count(query?: { readonly filter?: Filter<EsgBansItem> | undefined }, options?: RequestOptions): Promise<number>;
  /** Lifts all bans on every ws instance of this site. (`DELETE /rest/v1/master/logicalroles/ws/bannedaddrs/site`) */
  deleteAll(options?: RequestOptions): Promise<void>;
  /** Lifts the ban of one address on every ws instance of this site. (`DELETE /rest/v1/master/logicalroles/ws/bannedaddrs/site/:ip`) */
  delete(ip: string, options?: RequestOptions): Promise<void>;
}
