/** A SIP user has as many devices as it may, among them the one that registered last. */
import { coverOf } from '../../../../src/model/domain-tree.ts';
import { hostOf, userOf } from '../../../../src/model/sip/uri.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { ClientRequests, type ObservedAnswer, type ObservedRequest } from '../kit/client-requests.ts';
import { edgeEndpoints, setLast, together, whenLost } from '../kit/shared.ts';
import { Undisturbed } from '../kit/undisturbed.ts';

const users = /^\/rest\/v1\/uc\/sipusers(?:\/([^/?]+))?$/;
/** The last ones. */
const mostKept = 500;

interface Account {
  /** How many devices may be registered. */
  devices: number;
  readonly madeMs: number;
  changedMs: number;
  isJudged: boolean;
  /** The devices whose REGISTER was accepted, the last one at the end, and when the first of these registrations ends. */
  readonly accepted: Set<string>;
  endsMs: number;
}

interface Asked {
  readonly account: string;
  readonly device: string;
  readonly cseq: number;
  readonly expires: number | undefined;
}

type Item = Readonly<Record<string, unknown>>;

export const devicesLimited: OracleMaker = {
  name: 'devices-limited',
  rule: 'Of the devices of a SIP user as many stay registered as it may have, and the one that registered last is one of them: five seconds after a change, a device has left only because fewer are allowed, or because another one took the place of a silent one; while nothing is broken.',
  exclusions: 'SIP users that no client has made, and devices that unregister, or that have not refreshed in time.',
  make: ({ map, now, fired, check, fail }) => {
    const { promptMs, noticedMs } = boundsOf(map);
    const edges = edgeEndpoints(map);
    const undisturbed = new Undisturbed();
    /** By `domain/login`. */
    const accounts = new Map<string, Account>();
    const names = new Map<string, string>();
    /** REGISTERs under way, by sender and Call-Id. */
    const asked = new Map<string, Asked>();
    /** The registrations of each sr instance, by owner. */
    const held = new Map<string, Set<string>>();
    const changed = ({ method, sent }: ObservedRequest, id: string, returnedMs: number) => {
      const name = names.get(id) ?? '';
      const account = accounts.get(name);
      const { login, pwd, reg, lic, opts } = (sent ?? {}) as Item;
      if (account === undefined) return;
      const isOther = [login, pwd, reg, opts].some((each) => each !== undefined);
      if (method === 'DELETE' || isOther) return void accounts.delete(name);
      const { devices } = (lic ?? {}) as Item;
      if (typeof devices === 'number') change(account, { devices, changedMs: returnedMs });
    };
    const change = (account: Account, more: Partial<Account>) => Object.assign(account, { isJudged: false, ...more });
    const answered = (request: ObservedRequest, { status, body, returnedMs }: ObservedAnswer) => {
      const { method, path, domain, sent } = request;
      if (status >= 300 || domain === undefined) return;
      const [, id] = users.exec(path) ?? [];
      if (id !== undefined) return method === 'GET' ? undefined : changed(request, id, returnedMs);
      const { id: made } = (body ?? {}) as Item;
      const { login, lic } = (sent ?? {}) as Item;
      const { devices } = (lic ?? {}) as Item;
      if (method !== 'POST' || typeof made !== 'string' || typeof devices !== 'number') return;
      const name = `${domain}/${String(login)}`;
      const times = { madeMs: request.calledMs, changedMs: returnedMs, endsMs: Number.POSITIVE_INFINITY };
      setLast(names, made, name, mostKept);
      setLast(accounts, name, { devices, ...times, isJudged: false, accepted: new Set() }, mostKept);
    };
    const requests = new ClientRequests(
      (_, path) => users.test(path),
      answered,
      ({ path }) => void accounts.delete(names.get(users.exec(path)?.[1] ?? '') ?? ''),
    );
    const judge = (name: string, account: Account) => {
      account.isJudged = true;
      const { accepted, devices } = account;
      const last = [...accepted].at(-1);
      const wanted = Math.min(devices, accepted.size);
      const [domain = ''] = name.split('/');
      for (const { address: owner, domains } of map.instancesOf('sr')) {
        const all = held.get(owner);
        if (all === undefined || coverOf(domain, domains) === undefined) continue;
        const here = [...all].filter((key) => key.startsWith(`${name}/`));
        check();
        if (here.length !== wanted)
          fail(
            `${owner} has ${here.length} registrations of ${name}, of which ${accepted.size} were accepted and ${devices} may be; expected ${wanted}`,
          );
        else if (last !== undefined && wanted > 0 && !here.includes(last))
          fail(`${owner} has no registration of ${last}, which registered last; ${devices} may be`);
      }
    };
    const take = ({ account: name, device, expires }: Asked, granted: number | undefined, atMs: number) => {
      const account = accounts.get(name);
      if (account === undefined) return;
      if (expires === 0) return void accounts.delete(name);
      account.accepted.delete(device);
      account.accepted.add(device);
      change(account, { changedMs: atMs, endsMs: Math.min(account.endsMs, atMs + (granted ?? 0) * 1_000) });
    };
    const listeners: ObservationListeners = {
      'outside.sent': {
        REGISTER: ({ from, to, message, atMs }) => {
          if (message.kind === 'request') {
            if (edges.has(from) || message.device === undefined) return;
            const account = `${hostOf(message.to.uri)}/${userOf(message.to.uri)}`;
            const { cseq, expires, device } = message;
            if (!accounts.has(account)) return;
            setLast(
              asked,
              `${from} ${message.callid}`,
              { account, device: `${account}/${device}`, cseq, expires },
              mostKept,
            );
            // What it removes may be removed before it is answered.
            if (expires === 0) accounts.delete(account);
            return;
          }
          const one = asked.get(`${to} ${message.callid}`);
          if (one?.cseq === message.cseq && message.status >= 200 && message.status < 300)
            take(one, message.expires, atMs);
        },
      },
      'entity.state': {
        binding: ({ owner, key, state }) => {
          const keys = held.get(owner) ?? new Set();
          held.set(owner, keys);
          if (state === 'registered') keys.add(key);
          else keys.delete(key);
        },
      },
    };
    const lost = whenLost(map, (address) => void held.delete(address));
    let withheld = 0;
    const tick = (nowMs: number) => {
      const count = fired('registrar.untold') + fired('data.unheard');
      if (count > withheld) accounts.clear();
      withheld = count;
      // The change of a user is known before it is answered.
      const changing = [...requests.open].filter(({ method }) => method !== 'GET').map(({ path }) => path);
      const isChanging = new Set(changing.map((path) => names.get(users.exec(path)?.[1] ?? '')));
      for (const [name, account] of accounts) {
        if (account.isJudged || nowMs - account.changedMs <= promptMs || isChanging.has(name)) continue;
        const isCalm = undisturbed.isSince(account.madeMs - noticedMs, now()) && nowMs < account.endsMs;
        if (isCalm) judge(name, account);
        else accounts.delete(name);
      }
    };
    return {
      listeners: together(undisturbed.listeners, requests.listeners, lost, listeners),
      tick,
    };
  },
};
