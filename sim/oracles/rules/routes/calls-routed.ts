/** A call comes to what its number leads to, and to nothing else, and its caller hears how it ended there. */
import type { SipRequest, SipResponse } from '../../../../src/model/sip/message.ts';
import { hostOf, userOf } from '../../../../src/model/sip/uri.ts';
import { type PhoneEntry, phonesOf, providersOf } from '../../../outside/population.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { DialPlan, type Lead } from '../kit/dial-plan.ts';
import { HeldBack } from '../kit/held-back.ts';
import { byType, edgeEndpoints, setLast, together } from '../kit/shared.ts';
import { UndisturbedAround } from '../kit/undisturbed.ts';

/** A call of a phone to the platform. */
interface Outgoing {
  readonly caller: PhoneEntry;
  /** A number, or `number@domain` of another domain. */
  readonly dialled: string;
  readonly lead: Lead;
  readonly atMs: number;
  isTakenBack: boolean;
}

/** A call of the platform to a device or a provider. */
interface Incoming {
  readonly callid: string;
  readonly to: string;
  readonly request: SipRequest;
  status: number | undefined;
  hasPlayed: boolean;
}

/** What belongs to one id of the platform. */
interface Joined {
  outgoing: Outgoing | undefined;
  readonly incoming: Incoming[];
  /** The contacts of redirections. */
  readonly contacts: string[];
}

const mostCalls = 1_000;
const [forbidden, notFound, unavailable, busy] = [403, 404, 480, 486];
const taken = 200;
/** The path of a call, which a client may end. */
const ending = /\/calls(_by_participation)?\/[^/]+$/;

export const callsRouted: OracleMaker = {
  name: 'calls-routed',
  rule: 'A call of a phone comes only to devices of the SIP user, or to provider accounts of the domain, that the number leads to by the topology, or to which one of these has redirected it; there it shows the number of the caller. While nothing is broken a number that leads to nothing is refused with 404, a room takes the call, a SIP user who is not called is away (480) or busy (486), and the only device that was called decides the answer.',
  exclusions:
    'Numbers that clients use for what they make, and runs in which a client changes a SIP user of the topology. Calls by the interface: calls-reported.',
  make: ({ map, now, check, fail }) => {
    const { noticedMs, quickMs } = boundsOf(map);
    const plan = new DialPlan(map);
    const undisturbed = new UndisturbedAround(map);
    const held = new HeldBack();
    const edges = edgeEndpoints(map);
    const phones = new Map(phonesOf(map).map((phone) => [phone.endpoint, phone]));
    const providers = new Map(providersOf(map).map((provider) => [provider.endpoint, provider]));
    const outgoing = new Map<string, Outgoing>();
    const incoming = new Map<string, { readonly call: Incoming; readonly joined: Joined }>();
    const calls = new Map<string, Joined>();
    /** When a client wanted to end a call. */
    let endedMs = Number.NEGATIVE_INFINITY;

    const joinedAs = (inviteid: string): Joined => {
      const known = calls.get(inviteid) ?? { outgoing: undefined, incoming: [], contacts: [] };
      setLast(calls, inviteid, known, held.mostOf(mostCalls, now()));
      return known;
    };
    const isMeant = ({ to, request }: Incoming, lead: Lead | undefined): boolean => {
      if (lead === undefined) return true;
      if (lead.kind === 'user') return lead.devices.some(({ endpoint }) => endpoint === to);
      if (lead.kind !== 'outside') return false;
      return lead.accounts.some(
        ({ provider: { addrs, port, username } }) =>
          addrs.some((address) => `${address}:${port}` === to) && userOf(request.from.uri) === username,
      );
    };
    /** Where the contacts of redirections lead that devices or providers have given. */
    const redirected = ({ contacts }: Joined, { caller }: Outgoing): (Lead | undefined)[] =>
      contacts.map((uri) => {
        const home = hostOf(uri);
        if (!map.domains.has(home)) return plan.leadOf(caller.domain, userOf(uri));
        return plan.leadOf(home, userOf(uri));
      });
    const judgeWay = (joined: Joined, call: Incoming) => {
      const { outgoing: from } = joined;
      if (from === undefined) return;
      check();
      const { caller, dialled, lead } = from;
      const said = `${caller.name} has called ${dialled}`;
      if (![lead, ...redirected(joined, from)].some((each) => isMeant(call, each)))
        return fail(`${said}, which leads to ${textOf(lead)}, and ${call.to} was called`);
      const called = phones.get(call.to);
      const shown = userOf(call.request.from.uri);
      if (called !== undefined && shown !== caller.user.phonenumber)
        fail(`${said}, and ${called.name} sees ${shown} as the caller`);
      if (called !== undefined && userOf(call.request.to.uri) !== called.user.phonenumber)
        fail(`${said}, and ${called.name} sees ${call.request.to.uri} as the number that was called`);
      const isDirect = providers.has(call.to) && joined.contacts.length === 0 && caller.user.modextout === '';
      if (isDirect && userOf(call.request.uri) !== dialled)
        fail(`${said}, and the provider is asked for ${call.request.uri}`);
    };
    const judgeEnd = (from: Outgoing, { status, reason }: SipResponse, { incoming: called, contacts }: Joined) => {
      const { caller, dialled, lead } = from;
      const [only, ...others] = called;
      const isOnly = only !== undefined && others.length === 0 && contacts.length === 0 && !only.hasPlayed;
      const wanted = wantedOf(lead, isOnly ? only.status : undefined, called.length === 0);
      if (wanted === undefined || (only?.status ?? 0) === 487) return;
      // users-calls judges the limits of callers.
      if (status === forbidden && only === undefined && caller.user.trunks >= 0) return;
      check();
      if (!wanted.includes(status))
        fail(
          `${caller.name} has called ${dialled}, which leads to ${textOf(lead)}, and was answered with ${status} ${reason}; expected ${wanted.join(' or ')}`,
        );
    };
    const began = (message: SipRequest, caller: PhoneEntry, atMs: number) => {
      const host = hostOf(message.uri);
      const dialled = host === caller.domain ? userOf(message.uri) : `${userOf(message.uri)}@${host}`;
      const lead = map.domains.has(host) ? plan.leadOf(caller.domain, dialled) : undefined;
      if (lead !== undefined)
        setLast(
          outgoing,
          message.callid,
          { caller, dialled, lead, atMs, isTakenBack: false },
          held.mostOf(mostCalls, atMs),
        );
    };
    const came = (message: SipRequest, to: string) => {
      const { inviteid, callid } = message;
      if (inviteid === undefined || incoming.has(callid) || !(phones.has(to) || providers.has(to))) return;
      const joined = joinedAs(inviteid);
      const call: Incoming = { callid, to, request: message, status: undefined, hasPlayed: false };
      joined.incoming.push(call);
      setLast(incoming, callid, { call, joined }, held.mostOf(mostCalls, now()));
      judgeWay(joined, call);
    };
    const answeredOutside = ({ callid, status, plays, contacts = [] }: SipResponse) => {
      const known = incoming.get(callid);
      if (known === undefined) return;
      known.call.hasPlayed ||= plays !== undefined;
      if (status >= 300 && status < 400) known.joined.contacts.push(...contacts);
      if (status >= taken) known.call.status ??= status;
    };
    const answeredInside = (message: SipResponse, atMs: number) => {
      const { callid, inviteid, status } = message;
      const from = outgoing.get(callid);
      if (from === undefined || status === 401 || status === 407) return;
      const joined = inviteid === undefined ? undefined : joinedAs(inviteid);
      if (joined !== undefined && joined.outgoing === undefined) {
        joined.outgoing = from;
        for (const call of joined.incoming) judgeWay(joined, call);
      }
      if (status < taken) return;
      outgoing.delete(callid);
      // Ended by command, just as a device answered.
      if (status === unavailable && atMs - endedMs <= quickMs) return;
      if (from.isTakenBack || undisturbed.forMs(atMs) <= noticedMs + quickMs + atMs - from.atMs) return;
      judgeEnd(from, message, joined ?? { outgoing: from, incoming: [], contacts: [] });
    };
    const listeners: ObservationListeners = {
      'request.received': ({ method, target, atMs }) => {
        if (method === 'DELETE' && ending.test(target)) endedMs = atMs;
      },
      'outside.sent': byType(['CANCEL', 'INVITE'], ({ from, to, message, atMs }) => {
        const { method, kind } = message;
        const isFromEdge = edges.has(from);
        if (method === 'CANCEL' && !isFromEdge) {
          const call = outgoing.get(message.callid);
          if (call !== undefined) call.isTakenBack = true;
        }
        if (method !== 'INVITE') return;
        if (kind === 'response') return isFromEdge ? answeredInside(message, atMs) : answeredOutside(message);
        if (message.to.tag !== undefined || message.replaces !== undefined) return;
        if (isFromEdge) return came(message, to);
        const caller = phones.get(from);
        if (caller !== undefined && !outgoing.has(message.callid)) began(message, caller, atMs);
      }),
    };
    return {
      listeners: together(undisturbed.listeners, held.listeners, plan.listeners, listeners),
      tick: (nowMs) => undisturbed.look(nowMs),
    };
  },
};

/** The answers that a caller may have. `undefined`: not known. `only`: the final answer of the only one that was called. */
function wantedOf({ kind }: Lead, only: number | undefined, isUncalled: boolean): readonly number[] | undefined {
  if (kind === 'none') return [notFound];
  if (kind === 'conference') return [taken];
  // A redirection that names no contact is a refusal.
  if (only !== undefined && kind !== 'ivr') return [only >= 300 && only < 400 ? unavailable : only];
  if (kind === 'user' && isUncalled) return [unavailable, busy];
  return undefined;
}

function textOf(lead: Lead): string {
  if (lead.kind === 'user') return `the SIP user ${lead.login} of ${lead.domain}`;
  if (lead.kind === 'outside') return `the accounts ${lead.accounts.map(({ key }) => key).join(', ')}`;
  return lead.kind === 'none' ? 'nothing' : `a ${lead.kind}`;
}
