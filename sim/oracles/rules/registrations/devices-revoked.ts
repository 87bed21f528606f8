/** The registrations of a SIP user end when the user is removed, or changed so that its devices may not register. */
import type { SipMessage } from '../../../../src/model/sip/message.ts';
import { hostOf, userOf } from '../../../../src/model/sip/uri.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { ClientRequests, type ObservedAnswer, type ObservedRequest } from '../kit/client-requests.ts';
import { edgeEndpoints, setLast, together, whenLost } from '../kit/shared.ts';
import { Undisturbed } from '../kit/undisturbed.ts';

const users = /^\/rest\/v1\/uc\/sipusers(?:\/([^/?]+))?$/;
/** The last ones. */
const mostKept = 1_000;

interface Account {
  /** `domain/login`. */
  readonly name: string;
  readonly pwd: string;
}

/** What has not reached some copy at once, and does so later. */
const withholding = ['registrar.untold', 'data.unheard'] as const;

/** Devices that have the credentials of before. */
interface Revocation {
  readonly why: string;
  readonly calledMs: number;
  readonly returnedMs: number;
  isJudged: boolean;
}

interface Asked {
  readonly device: string;
  readonly atMs: number;
}

type Item = Readonly<Record<string, unknown>>;

export const devicesRevoked: OracleMaker = {
  name: 'devices-revoked',
  rule: 'Five seconds after a SIP user was removed, or was given another login or password, or may not register any more, no sr instance has a registration of a device that had registered before, and no REGISTER of it is accepted, while nothing is broken; in a quiescent cluster no sr instance has one, whatever was broken.',
  exclusions: 'SIP users that no client has made.',
  make: ({ map, now, fired, stableMs, questions, check, fail }) => {
    const { promptMs, noticedMs, comparedMs } = boundsOf(map);
    const edges = edgeEndpoints(map);
    const undisturbed = new Undisturbed();
    /** By id. */
    const accounts = new Map<string, Account>();
    /** The devices that have wanted to register, by account. */
    const devices = new Map<string, Set<string>>();
    /** By device. */
    const revoked = new Map<string, Revocation>();
    /** REGISTERs under way, by sender and Call-Id. */
    const asked = new Map<string, Asked & { readonly cseq: number }>();
    /** The sr instances that have a registration, by device. */
    const holders = new Map<string, Set<string>>();
    /** How often something had been withheld, and when that was noticed last. */
    const withheld = { count: 0, atMs: Number.NEGATIVE_INFINITY };
    const isWithheldSince = (sinceMs: number) => {
      const count = withholding.reduce((sum, point) => sum + fired(point), 0);
      if (count > withheld.count) Object.assign(withheld, { count, atMs: now() });
      return withheld.atMs >= sinceMs;
    };
    const revoke = (name: string, why: string, { calledMs }: ObservedRequest, returnedMs: number) => {
      const known = devices.get(name) ?? new Set<string>();
      for (const each of known) setLast(revoked, each, { why, calledMs, returnedMs, isJudged: false }, mostKept);
      devices.delete(name);
    };
    const allow = (name: string) => {
      for (const device of revoked.keys()) if (device.startsWith(`${name}/`)) revoked.delete(device);
    };
    const changed = (request: ObservedRequest, id: string, returnedMs: number) => {
      const account = accounts.get(id);
      if (account === undefined) return;
      const { login, pwd, reg } = (request.sent ?? {}) as Item;
      const [domain = ''] = account.name.split('/');
      const name = typeof login === 'string' ? `${domain}/${login}` : account.name;
      const after = { name, pwd: typeof pwd === 'string' ? pwd : account.pwd };
      if (request.method === 'DELETE') revoke(account.name, 'was removed', request, returnedMs);
      else if (after.name !== account.name) revoke(account.name, 'has another login', request, returnedMs);
      else if (after.pwd !== account.pwd) revoke(account.name, 'has another password', request, returnedMs);
      else if (reg === 0) revoke(account.name, 'may not register', request, returnedMs);
      // Another client may let it register again.
      if (typeof reg === 'number' && reg !== 0) allow(account.name);
      if (request.method === 'DELETE') accounts.delete(id);
      else accounts.set(id, after);
    };
    const answered = (request: ObservedRequest, { status, body, returnedMs }: ObservedAnswer) => {
      const { method, path, domain, sent } = request;
      if (status >= 300 || domain === undefined) return;
      const [, id] = users.exec(path) ?? [];
      if (id !== undefined) return method === 'GET' ? undefined : changed(request, id, returnedMs);
      const { login, pwd } = (sent ?? {}) as Item;
      const { id: made } = (body ?? {}) as Item;
      if (method !== 'POST' || typeof made !== 'string') return;
      const name = `${domain}/${String(login)}`;
      // Another user with the same login.
      allow(name);
      setLast(accounts, made, { name, pwd: String(pwd) }, mostKept);
    };
    const requests = new ClientRequests(
      (_, path) => users.test(path),
      answered,
      ({ path }) => void accounts.delete(users.exec(path)?.[1] ?? ''),
    );
    /** How long ago every instance must have known that a device is revoked. */
    const lateMs = ({ calledMs, returnedMs }: Revocation, atMs: number) => {
      if (isWithheldSince(calledMs - comparedMs) || !undisturbed.isSince(calledMs - noticedMs, now())) return undefined;
      return atMs - returnedMs > promptMs ? atMs - returnedMs : undefined;
    };
    const register = (from: string, message: Extract<SipMessage, { kind: 'request' }>, atMs: number) => {
      const { callid, cseq, device, to } = message;
      const account = `${hostOf(to.uri)}/${userOf(to.uri)}`;
      const name = `${account}/${device}`;
      asked.delete(`${from} ${callid}`);
      if (device === undefined || message.expires === 0) return;
      setLast(asked, `${from} ${callid}`, { device: name, cseq, atMs }, mostKept);
      if (revoked.has(name)) return;
      const known = devices.get(account) ?? new Set();
      known.add(name);
      setLast(devices, account, known, mostKept);
    };
    const listeners: ObservationListeners = {
      'outside.sent': {
        REGISTER: ({ from, to, message, atMs }) => {
          if (message.kind === 'request') {
            if (!edges.has(from)) register(from, message, atMs);
            return;
          }
          const one = asked.get(`${to} ${message.callid}`);
          const revocation = revoked.get(one?.device ?? '');
          if (one === undefined || one.cseq !== message.cseq || message.status < 200) return;
          asked.delete(`${to} ${message.callid}`);
          const ms = revocation && lateMs(revocation, one.atMs);
          if (revocation === undefined || ms === undefined) return;
          check();
          if (message.status < 300)
            fail(`${one.device} registers ${Math.round(ms)} ms after its user ${revocation.why}`);
        },
      },
      'entity.state': {
        binding: ({ owner, key, state }) => {
          const known = holders.get(key) ?? new Set();
          if (state === 'registered') holders.set(key, known.add(owner));
          else if (known.delete(owner) && known.size === 0) holders.delete(key);
        },
      },
    };
    const lost = whenLost(map, (address) => {
      for (const known of holders.values()) known.delete(address);
    });
    const tick = (nowMs: number) => {
      isWithheldSince(nowMs);
      for (const [device, revocation] of revoked) {
        const ms = revocation.isJudged ? undefined : lateMs(revocation, nowMs);
        if (ms === undefined) continue;
        check();
        revocation.isJudged = true;
        const [holder] = holders.get(device) ?? [];
        if (holder !== undefined)
          fail(`${holder} has a registration of ${device} ${Math.round(ms)} ms after its user ${revocation.why}`);
      }
    };
    const atQuiescence = async () => {
      if (stableMs() === 0) return;
      const held = () =>
        [...revoked].flatMap(([device, { why }]) =>
          [...(holders.get(device) ?? [])].map(
            (holder) => `quiescent: ${holder} has a registration of ${device}, whose user ${why}`,
          ),
        );
      const wrong = await questions.lasting(comparedMs, async () => held());
      if (stableMs() === 0) return;
      if (revoked.size > 0) check();
      for (const what of wrong) fail(what);
    };
    return {
      listeners: together(undisturbed.listeners, requests.listeners, lost, listeners),
      tick,
      atQuiescence,
    };
  },
};
