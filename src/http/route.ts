/** A route of the interface: one operation, declared with all that is known of it before a request comes. */
import type { SessionRecord } from '../model/protocol/session.ts';
import type { Source } from '../model/source.ts';
import type { Patience } from '../ports/door.ts';
import type { Ws } from '../roles/ws/ws.ts';
import type { Contract } from './contract.ts';

export type { Source };

/**
 * Who may use it. `open`: anybody. `session`: any session. `master`, `child`, `any`: a session bound to such a domain.
 * To read, or for what is limited to one's own calls, the access role `user` or `admin` is needed; to change something,
 * `admin`. (chosen)
 */
export type Access =
  | 'open'
  | 'session'
  | { readonly domain: 'master' | 'child' | 'any'; readonly to: 'read' | 'change' | 'own' };

export interface Route extends Contract {
  readonly method: string;
  /** Hono's syntax: `/rest/v1/master/nodes/:name`. */
  readonly path: string;
  readonly does: string;
  readonly source: Source;
  readonly access: Access;
  /** The path of which this one is another name. */
  readonly sameAs?: string;
  /** It belongs to the tool, not to the interface: a strict server has it too. */
  readonly isTool?: boolean;
  readonly answer: (exchange: Exchange) => Response | Promise<Response>;
}

/** A request on its way through a route. */
export interface Exchange {
  readonly ws: Ws;
  readonly request: Request;
  /** IP address of the client. */
  readonly sender: string;
  /** Parameters of the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly identity: Identity | undefined;
  /** Throws where a page of another origin may have sent the request: for what an open route does by cookie. */
  readonly refuseForged: () => void;
  /** Gives the client more time to send its body, where that is a file. Absent: there is no hurry. */
  readonly allowMs?: Patience | undefined;
}

/** The session behind a request, and how the client showed it. */
export interface Identity {
  readonly session: SessionRecord;
  /** The session id that the client sent. */
  readonly id: string;
  readonly by: 'token' | 'cookie';
}

/** The identity of an exchange whose route is not open. */
export function identityOf({ identity }: Exchange): Identity {
  if (identity === undefined) throw new Error('an open route has no identity');
  return identity;
}
