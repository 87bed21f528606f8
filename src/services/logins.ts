/** Login, logout, and the session of a request. */
import { isWithin } from '../model/domain-tree.ts';
import { FaultError, fault, type Outcome } from '../model/fault.ts';
import { limits } from '../model/limits.ts';
import type { SessionRecord, UserRecord } from '../model/protocol/messages/session.ts';
import type { SessionLookup } from '../roles/ws/sessions.ts';
import type { WsParts } from '../roles/ws/ws.ts';
import { authenticate, type LoginCredentials } from './domains.ts';
import { runScript } from './script-services.ts';
import { roleAppsOf, type WebApp, type WebApps } from './web-apps/web-apps.ts';

/** Refuses a request from a banned address before its content is read. */
export function refuseBanned(ws: WsParts, sender: string): void {
  if (!ws.intruders.refuseIfBanned(sender)) return;
  const seconds = limits.loginWindowMs / 1_000;
  throw new FaultError(
    fault('banned', `address ${sender} is banned until ${seconds} s have passed without another attempt`),
    { retryAfterSeconds: seconds },
  );
}

/** Opens a session for the user with these credentials. */
export async function logIn(
  ws: WsParts,
  sender: string,
  credentials: LoginCredentials,
): Promise<{ id: string; session: SessionRecord }> {
  const user = await authenticate(ws.scope, credentials);
  // A client that sends many logins at once learns no results decided after its ban.
  refuseBanned(ws, sender);
  if (user === undefined) {
    ws.intruders.failed(sender);
    throw new FaultError(fault('unauthorized', 'no user with this domain, login and pwd'));
  }
  return orThrow(await ws.sessions.open(user, credentials.domain));
}

/** Opens a session for the user that the script for external tokens names in its variables `domain` and `login`. (public) */
export async function logInByToken(
  ws: WsParts,
  sender: string,
  token: string,
): Promise<{ id: string; session: SessionRecord }> {
  const { map, instance } = ws.scope;
  const domain = map.masterDomain;
  const code = map.domains.get(domain)?.opts.iam_token_svcscript_code ?? '';
  const user = code === '' ? undefined : await tokenUser(ws, { domain, code, token, front: instance.address });
  refuseBanned(ws, sender);
  if (user === undefined) {
    ws.intruders.failed(sender);
    throw new FaultError(fault('unauthorized', 'external_token: no user is known for it'));
  }
  return orThrow(await ws.sessions.open(user.record, user.domain));
}

async function tokenUser(
  ws: WsParts,
  { domain, code, token, front }: { domain: string; code: string; token: string; front: string },
): Promise<{ domain: string; record: UserRecord } | undefined> {
  const requester = { by: 'token', front } as const;
  const params = [{ external_token: token }, 'POST', '/rest/v1/iam/sessions'];
  const { result } = await runScript(ws.scope, { domain, code, params, requester, waitMs: limits.externalWaitMs });
  const { domain: home, login } = result.variables;
  if (result.status === 'failed' || typeof home !== 'string' || typeof login !== 'string') return undefined;
  if (!ws.scope.map.domains.has(home)) return undefined;
  const record = orThrow(await ws.scriptSessions.userOf(home, login));
  return record && { domain: home, record };
}

/** Opens another session with the credentials of `session`, bound to the same domain. */
export async function cloneSession(
  ws: WsParts,
  session: SessionRecord,
): Promise<{ id: string; session: SessionRecord }> {
  return orThrow(await ws.sessions.open(session.user, session.homeDomain, session.domain));
}

/** The session with this id if this front knows it, and does not wait for other fronts to say which sessions are closed. */
export function knownSession({ sessions }: WsParts, id: string): SessionRecord | undefined {
  return sessions.met === undefined ? sessions.use(id) : undefined;
}

/** The session with this id, opened at any site, if there is one. Refuses a banned sender unless the session is known here. */
export async function findSession(ws: WsParts, sender: string, id: string): Promise<SessionLookup> {
  await ws.sessions.met;
  const session = ws.sessions.use(id);
  if (session !== undefined) return { session, isCertain: true };
  refuseBanned(ws, sender);
  return orThrow(await ws.sessions.find(id));
}

/** The session with this id. An id that no instance knows counts as a failure of the sender, unless one of them was silent. (chosen) */
export async function identify(ws: WsParts, sender: string, id: string): Promise<SessionRecord> {
  const { session, isCertain } = await findSession(ws, sender, id);
  if (session !== undefined) return session;
  if (isCertain) ws.intruders.failed(sender);
  throw new FaultError(fault('unauthorized', 'no session with this id: it has ended or does not exist; log in'));
}

/** Domains that a session may switch to: its own and, for an administrator, all below it. (chosen) */
export function reachableDomains(ws: WsParts, session: SessionRecord): string[] {
  const { homeDomain, user } = session;
  if (!user.roles.includes('admin')) return [homeDomain];
  return [...ws.scope.map.domains.keys()].filter((domain) => isWithin(domain, homeDomain));
}

/** Binds a session to another of its domains. */
export async function switchDomain(ws: WsParts, session: SessionRecord, domain: string): Promise<void> {
  const reachable = reachableDomains(ws, session);
  if (!reachable.includes(domain)) {
    const message = `domain: expected one of ${reachable.join(', ')}, got ${JSON.stringify(domain)}`;
    throw new FaultError(fault('forbidden', message));
  }
  orThrow(await ws.sessions.switchDomain(session, domain));
}

/** Closes a session. From now on every instance that could have been notified rejects it, restarts included. */
export async function logOut(ws: WsParts, session: SessionRecord): Promise<void> {
  orThrow(await ws.sessions.close(session));
}

/** The session object of the interface. (documented) */
export interface SessionData {
  readonly domain: string;
  readonly domain_is_master: boolean;
  readonly domains: readonly { domain: string; is_master: boolean }[];
  readonly login: string;
  readonly name: string;
  readonly name_login: string;
  readonly roles: readonly string[];
  readonly solution: string;
  readonly tags: readonly string[];
  readonly user_id: string;
  readonly webapps: readonly WebApp[];
}

export async function describeSession(ws: WsParts, session: SessionRecord, webApps: WebApps): Promise<SessionData> {
  const { map } = ws.scope;
  const { domain, user } = session;
  const isMaster = (name: string) => name === map.masterDomain;
  const solution = map.solutionOf(domain);
  const ofSolution = webApps(solution).filter((app) => app.roles.some((role) => user.roles.includes(role)));
  return {
    domain,
    domain_is_master: isMaster(domain),
    domains: reachableDomains(ws, session).map((name) => ({ domain: name, is_master: isMaster(name) })),
    login: user.login,
    name: user.name,
    name_login: `${user.name} (${user.login})`,
    roles: user.roles,
    solution,
    tags: user.tags,
    user_id: user.id,
    webapps: [...ofSolution, ...(await roleAppsOf(ws.scope, session))].sort((a, b) => a.order - b.order),
  };
}

function orThrow<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new FaultError(outcome.fault);
  return outcome.value;
}
