/** A call of two devices lasts until one of them ends it, or a client does. */
import type { SipMessage } from '../../../../src/model/sip/message.ts';
import { phonesOf } from '../../../outside/population.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { byType, edgeEndpoints, setLast, together } from '../kit/shared.ts';
import { UndisturbedAround } from '../kit/undisturbed.ts';

/** A leg between an edge and a device or provider. */
interface OutsideLeg {
  readonly call: OutsideCall;
  /** When its INVITE was answered with 2xx. */
  answeredMs: number | undefined;
  isOver: boolean;
}

interface OutsideCall {
  readonly inviteid: string;
  readonly beganMs: number;
  readonly legs: Set<OutsideLeg>;
  /** Whether a party has been referred, or replaced. */
  isTransferred: boolean;
  /** Whether a SIP user takes part whose calls may last for a time only. */
  isLimited: boolean;
}

const mostLegs = 2_000;
const reads: ReadonlySet<string> = new Set(['GET', 'LOOKUP', 'HEAD', 'OPTIONS']);
/** A command to a call, whose dialogid is in its path; another one may be in its body. */
const command = /\/calls(?:_by_participation)?\/([^/?]+)/;
const inBody = /"dialogid":"([^"]+)"/;
/** A change of a SIP user, which may limit how long its calls last. */
const sipUser = /\/sipusers\/([^/?]+)/;
const ownLimit = /"dlgtimesec":(\d+)/;

export const callsLast: OracleMaker = {
  name: 'calls-last',
  rule: 'A call of two devices that has been answered lasts: the platform ends its legs only after one of them has ended its own or was referred, or a client has ended or changed a call, while nothing is broken.',
  exclusions:
    'Calls with conferences and with IVR, and those of SIP users whose calls may last for a time only: talks-limited judges these.',
  make: ({ map, now, check, fail }) => {
    const { noticedMs } = boundsOf(map);
    const calm = new UndisturbedAround(map);
    const edges = edgeEndpoints(map);
    /** The devices of users whose calls may last for a time only. */
    const limited = new Set(phonesOf(map).flatMap(({ endpoint, user }) => (user.dlgtimesec > 0 ? [endpoint] : [])));
    /** SIP users that a client has given a limit. */
    const changed = new Map<string, true>();
    const calls = new Map<string, OutsideCall>();
    const legs = new Map<string, OutsideLeg>();
    /** By inviteid. */
    const dialogs = new Map<string, string>();
    /** Dialogs to which a client has sent a command. */
    const commanded = new Map<string, true>();

    const legOf = (key: string, { inviteid }: SipMessage, atMs: number): OutsideLeg | undefined => {
      const known = legs.get(key);
      if (known !== undefined || inviteid === undefined) return known;
      const call = calls.get(inviteid) ?? {
        inviteid,
        beganMs: atMs,
        legs: new Set<OutsideLeg>(),
        isTransferred: false,
        isLimited: false,
      };
      setLast(calls, inviteid, call, mostLegs);
      const [endpoint = ''] = key.split(' ');
      call.isLimited ||= limited.has(endpoint) || changed.size > 0;
      const leg: OutsideLeg = { call, answeredMs: undefined, isOver: false };
      call.legs.add(leg);
      setLast(legs, key, leg, mostLegs);
      return leg;
    };
    const ended = (leg: OutsideLeg, isOurs: boolean, what: string, atMs: number) => {
      const { call } = leg;
      const talking = [...call.legs].filter(({ answeredMs }) => answeredMs !== undefined);
      const isFirst =
        call.legs.has(leg) && !leg.isOver && talking.length === 2 && talking.every(({ isOver }) => !isOver);
      leg.isOver = true;
      if (!isFirst || leg.answeredMs === undefined) return;
      const dialogid = dialogs.get(call.inviteid);
      if (call.isTransferred || call.isLimited || dialogid === undefined || commanded.has(dialogid)) return;
      if (calm.forMs(atMs) <= atMs - call.beganMs + noticedMs) return;
      check();
      if (isOurs) fail(`${what}: none of the parties has ended the call, and no client`);
    };
    const listeners: ObservationListeners = {
      'request.received': ({ method, target, sent = '' }) => {
        if (reads.has(method)) return;
        const [, seconds] = ownLimit.exec(sent) ?? [];
        const [, user] = sipUser.exec(target) ?? [];
        if (user !== undefined && Number(seconds) > 0) setLast(changed, user, true, mostLegs);
        else if (user !== undefined && seconds !== undefined) changed.delete(user);
        for (const id of [command.exec(target)?.[1], inBody.exec(sent)?.[1]])
          if (id !== undefined) setLast(commanded, id, true, mostLegs);
      },
      'published.event': ({ event: { data } }) => {
        const { inviteid, dialogid } = data;
        if (typeof inviteid === 'string' && typeof dialogid === 'string')
          setLast(dialogs, inviteid, dialogid, mostLegs);
      },
      'outside.sent': byType(['INVITE', 'REFER', 'CANCEL', 'BYE'], ({ from, to, message, atMs }) => {
        const isOurs = edges.has(from);
        const key = `${isOurs ? to : from} ${message.callid}`;
        const leg = legOf(key, message, atMs);
        if (leg === undefined) return;
        const { kind, method } = message;
        if (kind === 'response') {
          if (method === 'INVITE' && message.status >= 200 && message.status < 300) leg.answeredMs ??= atMs;
          return;
        }
        if (method === 'REFER' || message.replaces !== undefined || message.referredBy !== undefined)
          leg.call.isTransferred = true;
        // A fork that another one has forestalled: its device may have answered meanwhile.
        if (method === 'CANCEL') leg.call.legs.delete(leg);
        if (method === 'BYE') ended(leg, isOurs, `${from} has sent BYE of ${message.callid} to ${to}`, atMs);
      }),
    };
    return {
      listeners: together(calm.listeners, listeners),
      tick: () => calm.look(now()),
    };
  },
};
