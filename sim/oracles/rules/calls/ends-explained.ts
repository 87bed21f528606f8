/** A call ends for the reason that its last event says. */
import type { SipRequest } from '../../../../src/model/sip/message.ts';
import { phonesOf, providersOf } from '../../../outside/population.ts';
import type { OracleMaker } from '../../oracle.ts';
import { HeldBack } from '../kit/held-back.ts';
import { byType, edgeEndpoints, setLast, together } from '../kit/shared.ts';

/** Legs that their device has ended, or left because it has got where it was referred to. */
interface Leg {
  readonly owners: readonly string[];
  /** Whether its device has begun it. */
  isOwn: boolean;
  hasLeft: boolean;
  hasCancelled: boolean;
}

interface Party {
  readonly side: string;
  readonly kind: string;
  readonly domain: string;
  readonly name: string;
}

const mostLegs = 3_000;
const arrived = /^SIP\/2\.0 2/;

export const endsExplained: OracleMaker = {
  name: 'ends-explained',
  rule: 'Where `dlg_end` says that a SIP user or a provider has hung up (`bye`), a device of that party has sent BYE in the call, or has said that a transfer has succeeded; where it says that a SIP user has taken the call back (`cancel`), its device has sent CANCEL or BYE.',
  exclusions:
    'Parties inside the platform, and those outside that a scenario or a client has added. Calls that were taken back before any answer of the platform said which call it is.',
  make: ({ map, now, check, fail }) => {
    const edges = edgeEndpoints(map);
    const held = new HeldBack();
    /** Who has an endpoint: `domain/login` of a SIP user, `domain/code` of accounts. */
    const owners = new Map<string, readonly string[]>([
      ...phonesOf(map).map(({ endpoint, domain, user }) => [endpoint, [`${domain}/${user.login}`]] as const),
      ...providersOf(map).map(({ endpoint, accounts }) => [endpoint, accounts.map(({ key }) => key)] as const),
    ]);
    const known = new Set([...owners.values()].flat());
    const legs = new Map<string, Leg>();
    /** The legs outside of each call. */
    const calls = new Map<string, Set<Leg>>();
    const legAt = (endpoint: string, callid: string): Leg | undefined => {
      const of = owners.get(endpoint);
      if (of === undefined) return undefined;
      const leg = legs.get(callid) ?? { owners: of, isOwn: false, hasLeft: false, hasCancelled: false };
      setLast(legs, callid, leg, held.mostOf(mostLegs, now()));
      return leg;
    };
    const join = (inviteid: string, leg: Leg | undefined) => {
      const joined = calls.get(inviteid) ?? new Set();
      if (leg !== undefined) joined.add(leg);
      setLast(calls, inviteid, joined, held.mostOf(mostLegs, now()));
    };
    const said = (endpoint: string, { method, callid, to, event, sipfrag = '' }: SipRequest) => {
      if (method === 'INVITE' && to.tag === undefined) {
        const begun = legAt(endpoint, callid);
        if (begun !== undefined) begun.isOwn = true;
      }
      const isEnd = method === 'BYE' || (method === 'NOTIFY' && event === 'refer' && arrived.test(sipfrag));
      if (!isEnd && method !== 'CANCEL') return;
      const leg = legAt(endpoint, callid);
      if (leg === undefined) return;
      leg.hasCancelled = true;
      leg.hasLeft ||= isEnd;
    };
    const judge = (data: Readonly<Record<string, unknown>>) => {
      const { type, by, inviteid, dialogid } = data;
      const joined = calls.get(String(inviteid));
      const party = (data['participations'] as readonly Party[] | undefined)?.find(({ side }) => side === by);
      const owner = `${party?.domain}/${party?.name}`;
      if (joined === undefined || party === undefined || !known.has(owner)) return;
      const own = [...joined].filter((leg) => leg.owners.includes(owner));
      if (type === 'bye') {
        check();
        if (!own.some(({ hasLeft }) => hasLeft))
          fail(`${dialogid} ends because ${owner} has hung up, whose devices have not`);
      } else if (type === 'cancel' && own.some(({ isOwn }) => isOwn)) {
        check();
        if (!own.some(({ hasCancelled }) => hasCancelled))
          fail(`${dialogid} ends because ${owner} has taken it back, whose devices have not`);
      }
    };
    return {
      listeners: together(held.listeners, {
        'outside.sent': byType(['INVITE', 'CANCEL', 'BYE', 'NOTIFY'], ({ from, to, message }) => {
          const { inviteid, callid, kind } = message;
          const isFromEdge = edges.has(from);
          if (isFromEdge && inviteid !== undefined) join(inviteid, legAt(to, callid));
          if (!isFromEdge && kind === 'request') said(from, message);
        }),
        'published.event': {
          callevents: ({ event: { name, data } }) => {
            if (name === 'dlg_end') judge(data);
          },
        },
      }),
    };
  },
};
