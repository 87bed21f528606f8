/** Who a request comes from, and whether that may use the route. The `Authorization` header wins over the cookie. (documented) */
import { FaultError, fault } from '../model/fault.ts';
import type { SessionRecord } from '../model/protocol/session.ts';
import type { HeaderReader } from '../ports/door.ts';
import type { Ws } from '../roles/ws/ws.ts';
import { identify } from '../services/sessions.ts';
import { sessionIdIn } from './cookie.ts';
import type { Access, Identity } from './route.ts';

export interface Admission {
  readonly access: Exclude<Access, 'open'>;
  /** IP address of the client. */
  readonly sender: string;
  /** Throws where another page may have sent what is shown by cookie. A forged request is no failure of its sender. */
  readonly refuseForged: () => void;
}

/** The identity that the route needs. Throws `unauthorized` or `forbidden`. */
export async function authorize(
  ws: Ws,
  header: HeaderReader,
  { access, sender, refuseForged }: Admission,
): Promise<Identity> {
  const shown = shownId(header);
  if (shown === undefined)
    throw new FaultError(fault('unauthorized', 'no session: log in at POST /rest/v1/iam/sessions'));
  if (shown.by === 'cookie') refuseForged();
  const session = await identify(ws, sender, shown.id);
  if (access !== 'session') permit(ws, session, access);
  return { session, ...shown };
}

function shownId(header: HeaderReader): { id: string; by: Identity['by'] } | undefined {
  const authorization = header('authorization');
  if (authorization !== null) {
    const token = /^Bearer +(\S+)\s*$/i.exec(authorization)?.[1];
    if (token === undefined)
      throw new FaultError(fault('unauthorized', 'authorization: expected "Bearer <session_token>"'));
    return { id: token, by: 'token' };
  }
  const id = sessionIdIn(header('cookie'));
  return id === undefined ? undefined : { id, by: 'cookie' };
}

function permit(ws: Ws, session: SessionRecord, access: Exclude<Access, string>): void {
  const isMaster = session.domain === ws.scope.map.masterDomain;
  if (access.domain !== 'any' && isMaster !== (access.domain === 'master')) {
    const kind = access.domain === 'master' ? 'the master domain' : 'a working domain';
    throw new FaultError(fault('forbidden', `this path is for ${kind}; the session is bound to ${session.domain}`));
  }
  const wanted = access.to === 'change' ? ['admin'] : ['user', 'admin'];
  if (!wanted.some((role) => session.user.roles.includes(role))) {
    throw new FaultError(fault('forbidden', `this needs the access role ${wanted.join(' or ')}`));
  }
}
