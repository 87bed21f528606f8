/** A call of a phone to a number of its domain comes to a device there. */

import { coverOf } from '../../../../src/model/domain-tree.ts';
import { wrongCredentials } from '../../../../src/model/sip/digest.ts';
import type { SipMessage, SipRequest } from '../../../../src/model/sip/message.ts';
import { hostOf, userOf } from '../../../../src/model/sip/uri.ts';
import { type PhoneEntry, phonesOf } from '../../../outside/population.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { byType, edgeEndpoints, forgetBefore, sipKeptMs, together } from '../kit/shared.ts';
import { UndisturbedAround } from '../kit/undisturbed.ts';

/** What the platform says in place of a device: the number is unknown, it has no device, a part of the platform is away. */
const unserved: ReadonlySet<number> = new Set([404, 480, 500, 503]);

/** A call that no device has been offered, and that has no final response. */
interface Attempt {
  readonly from: string;
  readonly to: string;
  readonly devices: readonly PhoneEntry[];
  /** Whether one of the devices was registered everywhere when the call came. */
  readonly isReachable: boolean;
  readonly atMs: number;
}

export const callsServed: OracleMaker = {
  name: 'calls-served',
  rule: 'A call of a phone to a SIP user of its domain is offered to a device of that user, or refused, within five seconds, and where a device is registered it is not refused because the user is unknown or away; while nothing is broken. Right credentials are never called wrong.',
  exclusions: 'Phones that a scenario adds, and SIP users that clients make.',
  make: ({ map, check, fail }) => {
    const { promptMs, noticedMs, quickMs } = boundsOf(map);
    const undisturbed = new UndisturbedAround(map);
    const edges = edgeEndpoints(map);
    const phones = phonesOf(map);
    const byEndpoint = new Map(phones.map((phone) => [phone.endpoint, phone]));
    const attempts = new Map<string, Attempt>();
    /** When each call began, by Call-Id: what comes again is not a new attempt. */
    const begun = new Map<string, number>();
    /** The state of each device at the sr instances, as `instance device`, and when one has changed, by `domain/login`. */
    const bindings = new Map<string, { readonly states: Map<string, string>; changedMs: number }>();

    const registrarsOf = (domain: string) =>
      map.instancesOf('sr').filter(({ domains }) => coverOf(domain, domains) !== undefined);
    /** At every registrar of the domain: one that has missed the registration compares itself with the others later. */
    const isRegistered = ({ domain, user }: PhoneEntry, nowMs: number) => {
      const { states = new Map<string, string>(), changedMs = nowMs } = bindings.get(`${domain}/${user.login}`) ?? {};
      if (nowMs - changedMs <= quickMs || [...states.values()].some((state) => state !== 'registered')) return false;
      const owners = new Set([...states.keys()].map((name) => name.slice(0, name.indexOf(' '))));
      return registrarsOf(domain).every(({ address }) => owners.has(address));
    };
    const call = (message: SipRequest, caller: PhoneEntry, atMs: number) => {
      const dialled = userOf(message.uri);
      const name = `${message.callid} ${message.cseq}`;
      if (hostOf(message.uri) !== caller.domain || begun.has(name)) return;
      begun.set(name, atMs);
      const devices = phones.filter(
        ({ domain, user }) => domain === caller.domain && [user.phonenumber, user.login].includes(dialled),
      );
      const [device] = devices;
      if (device === undefined || device.user.login === caller.user.login) return;
      const isReachable = isRegistered(device, atMs);
      attempts.set(message.callid, { from: caller.name, to: dialled, devices, isReachable, atMs });
    };
    const refused = (message: Extract<SipMessage, { kind: 'response' }>, atMs: number) => {
      const { callid, status, reason } = message;
      const attempt = attempts.get(callid);
      if (status < 200 || attempt === undefined) return;
      attempts.delete(callid);
      const { from, to, isReachable, devices } = attempt;
      if (status === 403 && reason === wrongCredentials.reason)
        return fail(`${from}, which calls ${to}, has wrong credentials`);
      const [device] = devices;
      const isJudged = isReachable && device !== undefined && isRegistered(device, atMs);
      if (!isJudged || undisturbed.forMs(atMs) <= noticedMs + atMs - attempt.atMs) return;
      check();
      if (unserved.has(status))
        fail(`${from} has called ${to}, which is registered, and was refused: ${status} ${reason}`);
    };
    const listeners: ObservationListeners = {
      'outside.sent': byType(['CANCEL', 'INVITE'], ({ from, to, message, atMs }) => {
        const { method, kind, callid } = message;
        if (method === 'CANCEL') return void attempts.delete(callid);
        const caller = byEndpoint.get(from);
        if (kind === 'response') {
          if (edges.has(from)) refused(message, atMs);
          return;
        }
        if (message.to.tag !== undefined) return;
        if (caller !== undefined && message.replaces === undefined) return call(message, caller, atMs);
        // Which call it is for it does not say.
        for (const [id, { devices }] of attempts)
          if (devices.some(({ endpoint }) => endpoint === to) && attempts.delete(id)) check();
      }),
      'entity.state': {
        binding: ({ owner, key, state, atMs }) => {
          const user = key.split('/', 2).join('/');
          const binding = bindings.get(user) ?? { states: new Map<string, string>(), changedMs: atMs };
          bindings.set(user, binding);
          const name = `${owner} ${key}`;
          if (binding.states.get(name) !== state) binding.changedMs = atMs;
          if (state === undefined) binding.states.delete(name);
          else binding.states.set(name, state);
        },
      },
    };
    const tick = (nowMs: number) => {
      undisturbed.look(nowMs);
      forgetBefore(begun, nowMs - sipKeptMs);
      for (const [callid, { from, to, atMs }] of attempts) {
        if (nowMs - atMs <= promptMs) continue;
        attempts.delete(callid);
        if (undisturbed.forMs(nowMs) <= noticedMs + nowMs - atMs) continue;
        check();
        fail(
          `${from} has called ${to}, and for ${Math.round(nowMs - atMs)} ms no device was called, and nothing refused`,
        );
      }
    };
    return { listeners: together(undisturbed.listeners, listeners), tick };
  },
};
