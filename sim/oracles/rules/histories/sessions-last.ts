/** The sessions of clients, by what fronts answered to them. */
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';

const path = '/rest/v1/iam/sessions';
/** Of a user; with one more the session that was idle longest ends. (documented) */
const mostOfUser = 10;

interface Session {
  readonly user: string;
  readonly openedMs: number;
  /** When its logout was acknowledged. */
  closedMs: number | undefined;
  /** Something may have ended it: a logout without an answer, an eviction, a change of its user. */
  mayBeOver: boolean;
  /** When a client has used it last. */
  usedMs: number;
}

/** A session ends so long after its last use. */
const longestIdleMs = 3_600_000;

export const sessionsLast: OracleMaker = {
  name: 'sessions-last',
  rule: 'While the cluster is stable, every front accepts a session from its login to its end; five seconds after an acknowledged logout no front accepts it, nor ever again after 25 seconds of stability.',
  exclusions:
    'Sessions of users with more than ten of them, or of which an eleventh ended less than two seconds before, and of users that were changed or removed, also while they logged in: these end earlier. Sessions that were not used for an hour: sessions-expired.',
  make: ({ map, stableMs, check, fail }) => {
    const { promptMs, quickMs, closedMs: knownMs } = boundsOf(map);
    const sessions = new Map<string, Session>();
    const requests = new Map<
      number,
      { readonly client: string; readonly sent: string | undefined; readonly atMs: number }
    >();
    /** Whether a front may not have heard yet that a session is over: then it counts towards the limit of the user. */
    const mayCount = ({ closedMs }: Session, { atMs, calledMs }: Login) => {
      if (closedMs === undefined) return true;
      const sinceMs = calledMs - closedMs;
      const stableForMs = stableMs() - (atMs - calledMs);
      const hasHeard = sinceMs > quickMs && (stableForMs > sinceMs || Math.min(stableForMs, sinceMs) > knownMs);
      return !hasHeard;
    };
    /** Changes of users that have no answer yet, and the time of the last answer to one. */
    const changing = new Set<number>();
    let changedMs = Number.NEGATIVE_INFINITY;
    const opened = (token: string, login: Login) => {
      const { user, atMs, calledMs } = login;
      const mayBeOver = changing.size > 0 || changedMs >= calledMs;
      sessions.set(token, { user, openedMs: atMs, closedMs: undefined, mayBeOver, usedMs: atMs });
      const own = [...sessions.values()].filter((each) => each.user === user && mayCount(each, login));
      if (own.length > mostOfUser) for (const session of own) session.mayBeOver = true;
    };
    const judge = (session: Session, { site, status, atMs, calledMs }: Answered) => {
      const { openedMs, closedMs, mayBeOver } = session;
      const idleMs = calledMs - session.usedMs;
      if (status !== 401) session.usedMs = Math.max(session.usedMs, calledMs);
      if (idleMs > longestIdleMs - promptMs) return;
      const stableForMs = stableMs() - (atMs - calledMs);
      if (closedMs === undefined) {
        if (mayBeOver || stableForMs <= calledMs - openedMs) return;
        check();
        if (status === 401)
          fail(`${site} refuses a session that was opened ${atMs - openedMs} ms before and not closed`);
        return;
      }
      const sinceMs = calledMs - closedMs;
      const mustKnow =
        (stableForMs > sinceMs + quickMs && sinceMs > promptMs) || Math.min(stableForMs, sinceMs) > knownMs;
      if (!mustKnow || status === 429 || status >= 500) return;
      check();
      if (status !== 401)
        fail(`${site} accepts a session (${status}) whose logout was acknowledged ${sinceMs} ms before`);
    };
    const listeners: ObservationListeners = {
      'request.received': ({ id, method, target, client, sent, atMs }) => {
        requests.set(id, { client, sent, atMs });
        // The request may end the session while others are on their way.
        const session = sessions.get(client);
        if (session !== undefined && method === 'DELETE' && target === `${path}/current`) session.mayBeOver = true;
        if (method === 'GET' || !target.includes('/users/')) return;
        changing.add(id);
        for (const each of sessions.values()) each.mayBeOver = true;
      },
      'request.answered': ({ id, site, method, target, status, body, atMs }) => {
        const request = requests.get(id);
        requests.delete(id);
        if (changing.delete(id)) changedMs = atMs;
        if (request === undefined || status === 0) return;
        const session = sessions.get(request.client);
        const isLogin = method === 'POST' && target === path;
        // A login is refused for what it sends.
        if (session !== undefined && !isLogin) judge(session, { site, status, atMs, calledMs: request.atMs });
        if (isLogin && status < 300) {
          const { domain, login } = JSON.parse(request.sent ?? '{}') as Record<string, unknown>;
          const { session_token: token } = JSON.parse(body || '{}') as Record<string, unknown>;
          // A session by cookie counts towards the limit of the user.
          const name = typeof token === 'string' ? token : `cookie ${id}`;
          opened(name, { user: `${String(login)}@${String(domain)}`, atMs, calledMs: request.atMs });
        }
        if (session !== undefined && method === 'DELETE' && target === `${path}/current` && status < 300)
          session.closedMs ??= atMs;
      },
    };
    return { listeners };
  },
};

interface Login {
  readonly user: string;
  readonly atMs: number;
  readonly calledMs: number;
}

interface Answered {
  readonly site: string;
  readonly status: number;
  readonly atMs: number;
  readonly calledMs: number;
}
