/** A SIP user has as many calls at once as its limit says: no more, and no fewer. */
import { wrongCredentials } from '../../../../src/model/sip/digest.ts';
import type { SipRequest, SipResponse } from '../../../../src/model/sip/message.ts';
import { userOf } from '../../../../src/model/sip/uri.ts';
import { type PhoneEntry, phonesOf } from '../../../outside/population.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { DialPlan } from '../kit/dial-plan.ts';
import { byType, edgeEndpoints, sipKeptMs, together } from '../kit/shared.ts';
import { UndisturbedAround } from '../kit/undisturbed.ts';

/** A leg between an edge and a device of a user with a limit, or the INVITE of any phone. */
interface Leg {
  readonly caller: string | undefined;
  readonly dialled: string | undefined;
  readonly beganMs: number;
  inviteid: string | undefined;
  endedMs: number | undefined;
}

/** A call of users with a limit. */
interface UserCall {
  readonly beganMs: number;
  /** When each user has answered, or was answered; `undefined` before. */
  readonly users: Map<string, number | undefined>;
  /** A transfer, a redirection or a replacement may have changed whose call it is. */
  isMoved: boolean;
  overMs: number | undefined;
}

const [forbidden, busy] = [403, 486];

export const usersCalls: OracleMaker = {
  name: 'users-calls',
  rule: 'While a SIP user has as many answered calls as its limit (opts.trunks) allows, it begins no other one, and its devices are not called for one; and it is not refused for its limit (403 as the caller, 486 as the callee) for longer than five seconds while it has no call; while nothing is broken.',
  exclusions:
    'Calls after a transfer, a redirection or a replacement. Runs in which a client changes a SIP user of the topology.',
  make: ({ map, now, fired, check, fail }) => {
    const { noticedMs, quickMs, promptMs, streamCatchUpMs } = boundsOf(map);
    const undisturbed = new UndisturbedAround(map);
    const plan = new DialPlan(map);
    const edges = edgeEndpoints(map);
    const phones = new Map(phonesOf(map).map((phone) => [phone.endpoint, phone]));
    const limits = new Map(
      [...phones.values()].filter(({ user }) => user.trunks > 0).map((phone) => [nameOf(phone), phone.user.trunks]),
    );
    const legs = new Map<string, Leg>();
    const calls = new Map<string, UserCall>();
    /** When users were refused who seemed to have no call, since they had one. */
    const refusals = new Map<string, number>();
    let withheld = { count: 0, atMs: Number.NEGATIVE_INFINITY };

    const callOf = (inviteid: string, beganMs: number): UserCall => {
      const known = calls.get(inviteid) ?? { beganMs, users: new Map(), isMoved: false, overMs: undefined };
      calls.set(inviteid, known);
      return known;
    };
    const isUndisturbed = (sinceMs: number, atMs: number) => {
      const count = fired('stream.unheard');
      if (count !== withheld.count) withheld = { count, atMs };
      return undisturbed.forMs(atMs) > noticedMs + atMs - sinceMs && atMs - withheld.atMs > streamCatchUpMs;
    };
    /** The other calls that a user surely had when one began. */
    const surely = (user: string, call: UserCall, atMs: number) =>
      [...calls.values()].filter((each) => {
        const answeredMs = each.users.get(user);
        if (each === call || each.isMoved || each.overMs !== undefined || answeredMs === undefined) return false;
        return answeredMs + quickMs < call.beganMs && isUndisturbed(each.beganMs, atMs);
      });
    const judgeTaken = (user: string, call: UserCall, inviteid: string, atMs: number) => {
      refusals.delete(user);
      const most = limits.get(user);
      if (most === undefined || call.isMoved || !plan.isAsAtFirst) return;
      const before = surely(user, call, atMs);
      if (before.length === 0) return;
      check();
      if (before.length >= most)
        fail(`${user} may have ${most} calls, and has ${before.length} when ${inviteid} is taken`);
    };
    const isOpen = (overMs: number | undefined, atMs: number) => overMs === undefined || atMs - overMs <= promptMs;
    const overMsOf = ({ endedMs, inviteid = '' }: Leg) => endedMs ?? calls.get(inviteid)?.overMs;
    /** Whether it has, or may have, a call other than one. */
    const possibly = (user: string, leg: Leg, atMs: number) => {
      for (const [inviteid, { users, overMs }] of calls)
        if (inviteid !== leg.inviteid && users.has(user) && isOpen(overMs, atMs)) return true;
      for (const each of legs.values())
        if (each !== leg && (each.caller === user || each.dialled === user) && isOpen(overMsOf(each), atMs))
          return true;
      return false;
    };
    /** A device that is away is called and has a call for a moment, unseen: two refusals are not both in such a moment. */
    const judgeRefused = (user: string, leg: Leg, { status, reason }: SipResponse, atMs: number) => {
      const most = limits.get(user);
      if (most === undefined || !plan.isAsAtFirst) return;
      if (possibly(user, leg, atMs)) return void refusals.delete(user);
      const firstMs = refusals.get(user) ?? atMs;
      if (!isUndisturbed(firstMs - promptMs, atMs)) return void refusals.delete(user);
      refusals.set(user, firstMs);
      check();
      if (atMs - firstMs > promptMs)
        fail(
          `${user} may have ${most} calls, has had none for ${Math.round(atMs - firstMs)} ms, and is refused: ${status} ${reason}`,
        );
    };
    const came = ({ callid, inviteid }: SipRequest, phone: PhoneEntry, atMs: number) => {
      const user = nameOf(phone);
      if (inviteid === undefined || legs.has(callid)) return;
      legs.set(callid, { caller: user, dialled: undefined, beganMs: atMs, inviteid, endedMs: undefined });
      const call = callOf(inviteid, atMs);
      const isFirst = !call.users.has(user);
      if (isFirst) call.users.set(user, undefined);
      if (isFirst) judgeTaken(user, call, inviteid, atMs);
    };
    const began = ({ callid, uri }: SipRequest, phone: PhoneEntry, atMs: number) => {
      const known = legs.get(callid);
      if (known !== undefined) known.endedMs = undefined;
      if (known !== undefined) return;
      const lead = plan.leadOf(phone.domain, userOf(uri));
      const dialled = lead?.kind === 'user' ? `${lead.domain}/${lead.login}` : undefined;
      legs.set(callid, { caller: nameOf(phone), dialled, beganMs: atMs, inviteid: undefined, endedMs: undefined });
    };
    const answeredByPlatform = (response: SipResponse, phone: PhoneEntry, atMs: number) => {
      const { callid, status, reason, inviteid } = response;
      const leg = legs.get(callid);
      if (leg === undefined || status <= 100) return;
      const user = nameOf(phone);
      if (inviteid !== undefined) {
        const call = callOf(inviteid, leg.beganMs);
        const isNew = leg.inviteid === undefined;
        leg.inviteid = inviteid;
        if (status < 300 && !call.users.has(user)) call.users.set(user, undefined);
        if (status < 300 && isNew) judgeTaken(user, call, inviteid, atMs);
        if (status >= 200 && status < 300) call.users.set(user, call.users.get(user) ?? atMs);
      }
      // A final response may be sent again, and another b2b that was asked in vain may answer late.
      if (status < 300 || leg.endedMs !== undefined) return;
      leg.endedMs = atMs;
      if (status === forbidden && reason !== wrongCredentials.reason) judgeRefused(user, leg, response, atMs);
      const isUncalled = inviteid !== undefined && leg.dialled !== undefined && calls.get(inviteid)?.users.size === 0;
      if (status === busy && isUncalled && calls.get(inviteid)?.isMoved === false)
        judgeRefused(leg.dialled ?? '', leg, response, atMs);
    };
    const answeredByDevice = ({ callid, status }: SipResponse, phone: PhoneEntry, atMs: number) => {
      const call = calls.get(legs.get(callid)?.inviteid ?? '');
      if (call === undefined || status < 200) return;
      if (status >= 300 && status < 400) moved(callid);
      if (status < 300) call.users.set(nameOf(phone), call.users.get(nameOf(phone)) ?? atMs);
    };
    const moved = (callid: string) => {
      const call = calls.get(legs.get(callid)?.inviteid ?? '');
      if (call !== undefined) call.isMoved = true;
    };
    const listeners: ObservationListeners = {
      'outside.sent': byType(['INVITE', 'REFER', 'BYE'], ({ from, to, message, atMs }) => {
        const { method, kind, callid } = message;
        const isInward = !edges.has(from);
        const phone = phones.get(isInward ? from : to);
        if (method === 'REFER' && kind === 'request') return moved(callid);
        const leg = legs.get(callid);
        if (method === 'BYE' && leg !== undefined) leg.endedMs ??= atMs;
        if (method !== 'INVITE' || phone === undefined) return undefined;
        if (kind === 'response')
          return isInward ? answeredByDevice(message, phone, atMs) : answeredByPlatform(message, phone, atMs);
        if (message.to.tag !== undefined) return undefined;
        if (message.replaces !== undefined) moved(message.replaces.callid);
        return isInward ? began(message, phone, atMs) : came(message, phone, atMs);
      }),
      'published.event': {
        callevents: ({ event: { name, data }, atMs }) => {
          const call = name === 'dlg_end' ? calls.get(String(data['inviteid'])) : undefined;
          if (call !== undefined) call.overMs ??= atMs;
        },
      },
    };
    const tick = (nowMs: number) => {
      undisturbed.look(nowMs);
      for (const [key, { endedMs = nowMs }] of legs) if (endedMs < nowMs - sipKeptMs) legs.delete(key);
      for (const [key, { overMs = nowMs }] of calls) if (overMs < nowMs - sipKeptMs) calls.delete(key);
    };
    if (limits.size === 0) return {};
    return {
      listeners: together(undisturbed.listeners, plan.listeners, listeners),
      tick: () => tick(now()),
    };
  },
};

function nameOf({ domain, user }: PhoneEntry): string {
  return `${domain}/${user.login}`;
}
