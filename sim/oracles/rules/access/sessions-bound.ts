/** A session shows what it was opened with and bound to. */
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { ClientRequests, type ObservedAnswer, type ObservedRequest } from '../kit/client-requests.ts';
import { setLast, together } from '../kit/shared.ts';

const sessions = '/rest/v1/iam/sessions';
const current = `${sessions}/current`;
/** Of the last sessions; clients open them all the time. */
const mostSessions = 1_000;

interface Bound {
  readonly login: unknown;
  readonly domain: unknown;
  /** When the binding was acknowledged; `undefined`: it is that of the login. */
  readonly atMs: number | undefined;
  /** How often ws instances had withheld sessions when it was asked for. */
  readonly withheld: number;
}

export const sessionsBound: OracleMaker = {
  name: 'sessions-bound',
  rule: 'A session shows at every front the user that opened it and the domain that it was bound to last: two seconds after an acknowledged change if nothing was broken, at the latest after 25 seconds of stability, and for as long as it lives.',
  exclusions: 'Sessions with a change that had no definite answer, or with two at once.',
  make: ({ map, stableMs, fired, check, fail }) => {
    const { quickMs, closedMs: knownMs } = boundsOf(map);
    const bound = new Map<string, Bound>();
    /** Changes that are under way, by session. */
    const changing = new Map<string, { count: number; readonly withheld: number }>();
    const set = (token: string, to: Bound) => setLast(bound, token, to, mostSessions);
    const read = (one: Bound, { site, calledMs }: ObservedRequest, { body, returnedMs }: ObservedAnswer) => {
      const shown = body as Readonly<Record<string, unknown>>;
      if (one.atMs !== undefined) {
        const sinceMs = calledMs - one.atMs;
        const stableForMs = stableMs() - (returnedMs - calledMs);
        const isTold = one.withheld === fired('session.untold') && sinceMs > quickMs && stableForMs > sinceMs + quickMs;
        if (!isTold && Math.min(stableForMs, sinceMs) <= knownMs) return;
      }
      check();
      for (const name of ['domain', 'login'] as const)
        if (shown[name] !== one[name])
          fail(`${site} shows ${name} ${String(shown[name])} of a session that has ${String(one[name])}`);
    };
    const answered = (request: ObservedRequest, answer: ObservedAnswer) => {
      const { client, method, path, sent } = request;
      const { status, body, returnedMs } = answer;
      const given = (sent ?? {}) as Readonly<Record<string, unknown>>;
      if (path === sessions && method === 'POST' && status === 200 && given['login'] !== undefined) {
        const token = (body as Readonly<Record<string, unknown>>)['session_token'];
        const { login, domain, session_type: type } = given;
        // A copy of a session is bound as that is.
        const isCopy = String(type).includes('clone');
        if (typeof token === 'string' && !isCopy) set(token, { login, domain, atMs: undefined, withheld: 0 });
      }
      if (path !== current) return;
      const one = bound.get(client);
      const change = changing.get(client);
      if (method === 'GET' && status === 200 && one !== undefined && change === undefined) read(one, request, answer);
      if (method !== 'PATCH' || change === undefined) return;
      const isAlone = change.count === 1;
      if (change.count > 1) change.count -= 1;
      else changing.delete(client);
      if (!isAlone) bound.delete(client);
      else if (one !== undefined && status < 300)
        set(client, { ...one, domain: given['domain'], atMs: returnedMs, withheld: change.withheld });
    };
    const requests = new ClientRequests(
      () => false,
      answered,
      ({ client, method, path }) => {
        if (path === current && method === 'PATCH') bound.delete(client);
      },
    );
    const listeners: ObservationListeners = {
      'request.received': ({ method, target, client }) => {
        if (method !== 'PATCH' || target !== current) return;
        const change = changing.get(client) ?? { count: 0, withheld: fired('session.untold') };
        changing.set(client, change);
        change.count += 1;
      },
    };
    return { listeners: together(requests.listeners, listeners) };
  },
};
