// Generated from src/http/routes by `npm run docs`.
import type { Filter, ItemQuery, ListQuery, RequestOptions } from '../../requests.ts';

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
