/** The sessions of a user end when the user is removed or gets another password. */
import { boundsOf } from '../../bounds.ts';
import type { OracleMaker } from '../../oracle.ts';
import { ClientRequests, type ObservedAnswer, type ObservedRequest } from '../kit/client-requests.ts';
import { setLast, together } from '../kit/shared.ts';
import { Undisturbed } from '../kit/undisturbed.ts';

const sessions = '/rest/v1/iam/sessions';
const users = /\/domains\/([^/]+)\/users(?:\/([^/?]+))?$/;
/** The last ones. */
const mostKept = 2_000;
/** Of these the fronts are asked in a quiescent cluster: each answers few wrong sessions of one client. */
const mostAsked = 2;
const sender = '10.8.0.1';

interface Revocation {
  readonly calledMs: number;
  readonly returnedMs: number;
  readonly why: string;
}

interface Opened {
  /** `login@domain`. */
  readonly user: string;
  readonly returnedMs: number;
}

type Item = Readonly<Record<string, unknown>>;

export const sessionsRevoked: OracleMaker = {
  name: 'sessions-revoked',
  rule: 'Five seconds after a user was removed, or was given another password, no front accepts a session that the user had opened before, while nothing is broken; in a quiescent cluster no front does, whatever was broken.',
  exclusions: 'Users that no client has made; users whose login was changed.',
  make: ({ map, now, stableMs, questions, check, fail }) => {
    const { promptMs, copiedMs, noticedMs } = boundsOf(map);
    const undisturbed = new Undisturbed();
    /** By id: `login@domain`. */
    const names = new Map<string, string>();
    const passwords = new Map<string, string>();
    const opened = new Map<string, Opened>();
    const revoked = new Map<string, Revocation>();
    const judge = ({ client, site, calledMs }: ObservedRequest, { status, returnedMs }: ObservedAnswer) => {
      const session = opened.get(client);
      const revocation = revoked.get(session?.user ?? '');
      if (session === undefined || revocation === undefined || session.returnedMs >= revocation.calledMs) return;
      const sinceMs = calledMs - revocation.returnedMs;
      if (sinceMs <= promptMs || !undisturbed.isSince(session.returnedMs - noticedMs, returnedMs)) return;
      if (status === 429 || status >= 500) return;
      check();
      if (status !== 401)
        fail(`${site} accepts a session (${status}) of ${session.user}, ${revocation.why} ${sinceMs} ms before`);
    };
    const changed = ({ method, sent, calledMs }: ObservedRequest, id: string, returnedMs: number) => {
      const user = names.get(id);
      const { pwd, login } = (sent ?? {}) as Item;
      if (login !== undefined) names.delete(id);
      if (user === undefined || login !== undefined) return;
      // A masked password changes nothing.
      const isOther = typeof pwd === 'string' && pwd !== '*' && passwords.get(id) !== pwd;
      if (method !== 'DELETE' && !isOther) return;
      const why = method === 'DELETE' ? 'who was removed' : 'whose password was changed';
      setLast(revoked, user, { calledMs, returnedMs, why }, mostKept);
      if (isOther) passwords.set(id, String(pwd));
    };
    const answered = (request: ObservedRequest, answer: ObservedAnswer) => {
      const { method, path, sent, client } = request;
      const { status, body, returnedMs } = answer;
      if (opened.has(client)) judge(request, answer);
      if (status >= 300) return;
      const { login, domain, pwd } = (sent ?? {}) as Item;
      const { id, session_token: token } = (body ?? {}) as Item;
      if (method === 'POST' && path === sessions && typeof token === 'string')
        setLast(opened, token, { user: `${String(login)}@${String(domain)}`, returnedMs }, mostKept);
      const [, home, user] = users.exec(path) ?? [];
      if (home === undefined) return;
      if (user !== undefined && method !== 'GET') changed(request, user, returnedMs);
      if (user !== undefined || method !== 'POST' || typeof id !== 'string') return;
      setLast(names, id, `${String(login)}@${home}`, mostKept);
      setLast(passwords, id, String(pwd), mostKept);
      // A login may be that of a user who was removed before.
      revoked.delete(`${String(login)}@${home}`);
    };
    const requests = new ClientRequests(
      (_, path) => path.startsWith(sessions) || users.test(path),
      answered,
      ({ path }) => void names.delete(users.exec(path)?.[2] ?? ''),
    );
    /** The sessions that were revoked last, and have not been found to be closed. */
    const revokedLast = () =>
      [...opened].flatMap(([token, { user, returnedMs }]) => {
        const revocation = revoked.get(user);
        if (revocation === undefined || returnedMs >= revocation.calledMs) return [];
        return now() - revocation.returnedMs > promptMs ? [{ token, user, why: revocation.why }] : [];
      });
    const atQuiescence = async () => {
      const sessionsThen = revokedLast().slice(-mostAsked);
      if (stableMs() === 0 || sessionsThen.length === 0) return;
      const look = async () => {
        const accepted: string[] = [];
        for (const { token, user, why } of sessionsThen)
          for (const site of questions.sites) {
            const answer = await questions.askAs({ token }, site, { path: `${sessions}/current`, sender });
            if (answer?.status === 200) accepted.push(`quiescent: ${site} accepts a session of ${user}, ${why}`);
          }
        return accepted;
      };
      const wrong = await questions.lasting(copiedMs, look);
      if (stableMs() === 0) return;
      check(sessionsThen.length);
      for (const what of wrong) fail(what);
    };
    return { listeners: together(undisturbed.listeners, requests.listeners), atQuiescence };
  },
};
