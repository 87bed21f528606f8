// Generated from src/http/routes by `npm run docs`.
import type { RequestOptions } from '../../requests.ts';

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
