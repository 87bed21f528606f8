/** A login over the limit of a user ends one session: the one that was idle longest. */
import { limits } from '../../../../src/model/limits.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { ClientRequests, type ObservedAnswer, type ObservedRequest } from '../kit/client-requests.ts';
import { together } from '../kit/shared.ts';

const sessions = '/rest/v1/iam/sessions';
const users = /\/domains\/([^/]+)\/users(?:\/([^/?]+))?$/;
/** Uses within a second count as one. */
const grainMs = 1_500;
const mostUsers = 200;

interface Session {
  readonly site: string;
  /** Its last use that was answered, and the last one that was asked for. */
  usedMs: number;
  askedMs: number;
}

/** A user that a client has made, and who logs in at one front only. */
interface User {
  readonly sessions: Map<string, Session>;
  overLimit?: OverLimit;
}

/** The login of one session too many. */
interface OverLimit {
  readonly returnedMs: number;
  /** The sessions of the user, as they were then. */
  readonly before: ReadonlyMap<string, Readonly<Session>>;
  /** The tokens that were accepted afterwards, and the ones that were not. */
  readonly kept: Set<string>;
  readonly ended: Set<string>;
}

export const sessionsLimited: OracleMaker = {
  name: 'sessions-limited',
  rule: 'A login of a user with ten sessions ends the one that was idle longest: the front of all these logins accepts no eleven of them, and none that was idle for longer than the one that has ended.',
  exclusions:
    'Users that no client has made, or that one has changed since; sites with several fronts, and fronts that have restarted; sessions that were used at another site.',
  make: ({ map, check, fail }) => {
    const fronts = map.instancesOf('ws');
    const isSingle = (site: string) => fronts.filter((each) => each.site === site).length === 1;
    const known = new Map<string, User>();
    /** By id. */
    const names = new Map<string, string>();
    const owners = new Map<string, string>();
    const forget = (name: string) => {
      for (const token of known.get(name)?.sessions.keys() ?? []) owners.delete(token);
      known.delete(name);
    };
    const judge = (name: string, { kept, ended, before }: OverLimit) => {
      check();
      if (kept.size > limits.sessionsPerUser) fail(`${kept.size} sessions of ${name} are accepted`);
      for (const [one, other] of [...ended].flatMap((one) => [...kept].map((other) => [one, other] as const))) {
        const idleMs = (before.get(one)?.usedMs ?? 0) - (before.get(other)?.askedMs ?? Number.POSITIVE_INFINITY);
        if (idleMs > grainMs)
          fail(
            `a login of ${name} has ended a session, and kept one that was idle for ${Math.round(idleMs)} ms longer`,
          );
      }
    };
    const loggedIn = (name: string, token: string, { site, calledMs }: ObservedRequest, returnedMs: number) => {
      const user = known.get(name);
      if (user === undefined) return;
      const isElsewhere = !isSingle(site) || [...user.sessions.values()].some((each) => each.site !== site);
      if (isElsewhere || user.overLimit !== undefined) return forget(name);
      if (user.sessions.size >= limits.sessionsPerUser) {
        const before = new Map([...user.sessions].map(([each, session]) => [each, { ...session }]));
        for (const [each, session] of before) if (session.usedMs > calledMs) before.delete(each);
        user.overLimit = { returnedMs, before, kept: new Set([token]), ended: new Set() };
      }
      user.sessions.set(token, { site, usedMs: calledMs, askedMs: returnedMs });
      owners.set(token, name);
    };
    const used = (name: string, { client, site, calledMs, method, path }: ObservedRequest, status: number) => {
      const user = known.get(name);
      const session = user?.sessions.get(client);
      if (user === undefined || session === undefined) return;
      if (session.site !== site || (path === `${sessions}/current` && method !== 'GET')) return forget(name);
      if (status < 300) session.usedMs = Math.max(session.usedMs, calledMs);
      const { overLimit } = user;
      if (overLimit === undefined || calledMs < overLimit.returnedMs) return;
      if (status < 300) overLimit.kept.add(client);
      if (status === 401) overLimit.ended.add(client);
      if (status < 300 || status === 401) judge(name, overLimit);
    };
    const requests = new ClientRequests(
      (_, path) => users.test(path),
      (request, { status, body, returnedMs }: ObservedAnswer) => {
        const { method, path, sent } = request;
        const shown = (body ?? {}) as Readonly<Record<string, unknown>>;
        const [, domain = '', id] = users.exec(path) ?? [];
        if (method === 'POST' && domain !== '' && id === undefined && status < 300) {
          const name = `${shown['login']}@${domain}`;
          if (known.size >= mostUsers) return;
          names.set(String(shown['id']), name);
          known.set(name, { sessions: new Map() });
        }
        const owner = owners.get(request.client);
        if (owner !== undefined) used(owner, request, status);
        const token = shown['session_token'];
        if (method !== 'POST' || path !== sessions || typeof token !== 'string') return;
        const { login, domain: of } = (sent ?? {}) as Readonly<Record<string, unknown>>;
        loggedIn(`${login}@${of}`, token, request, returnedMs);
      },
      ({ path, sent }) => {
        // A login without an answer may have opened a session.
        const { login, domain } = (sent ?? {}) as Readonly<Record<string, unknown>>;
        if (path === sessions) forget(`${login}@${domain}`);
      },
    );
    const listeners: ObservationListeners = {
      'request.received': ({ method, target, client, atMs }) => {
        const session = known.get(owners.get(client) ?? '')?.sessions.get(client);
        if (session !== undefined) session.askedMs = atMs;
        const [, , id] = method === 'GET' ? [] : (users.exec(target) ?? []);
        if (id === undefined) return;
        forget(names.get(id) ?? '');
        names.delete(id);
      },
      'instance.status': ({ instance }) => {
        const { site, role } = map.instance(instance);
        if (role !== 'ws') return;
        for (const [name, user] of known)
          if ([...user.sessions.values()].some((each) => each.site === site)) forget(name);
      },
    };
    return { listeners: together(requests.listeners, listeners) };
  },
};
