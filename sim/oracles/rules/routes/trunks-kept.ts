/** A provider account has as many calls at once as it has trunks: no more, and no fewer. */
import type { SipMessage, SipRequest, SipResponse } from '../../../../src/model/sip/message.ts';
import { userOf } from '../../../../src/model/sip/uri.ts';
import { providersOf } from '../../../outside/population.ts';
import { boundsOf } from '../../bounds.ts';
import type { OracleMaker } from '../../oracle.ts';
import { Connectedness } from '../cluster/one-home.ts';
import { sipKeptMs, together } from '../kit/shared.ts';
import { UndisturbedAround } from '../kit/undisturbed.ts';

/** A call between an esg and a provider. */
interface Leg {
  readonly callid: string;
  /** Account and esg that count it. */
  readonly trunk: string;
  readonly isInward: boolean;
  readonly beganMs: number;
  isAnswered: boolean;
  /** When it was refused, or one of its ends began to end it. */
  endedMs: number | undefined;
  /** An inward call that b2b has been asked for. */
  isPassedOn: boolean;
}

const busy = 486;
const counting: ReadonlySet<string> = new Set(['esg', 'b2b']);

export const trunksKept: OracleMaker = {
  name: 'trunks-kept',
  rule: 'An esg carries at most as many calls of a provider account as the account has trunks. It refuses a call of the provider (486) only while all trunks are in use.',
  exclusions:
    'Calls that go on when an account moves to another esg: that one does not count them. Refusals (486) while something is broken.',
  make: ({ map, check, fail }) => {
    const { noticedMs, quickMs } = boundsOf(map);
    const undisturbed = new UndisturbedAround(map);
    const gates = new Set(map.instancesOf('esg').map((gate) => map.endpointOf(gate)));
    const providers = new Map(providersOf(map).map((provider) => [provider.endpoint, provider]));
    const legs = new Map<string, Leg>();
    const links = new Connectedness();
    /** When an esg or b2b has last begun or ended: an esg forgets its calls, and those of a b2b that is lost. */
    let changedMs = Number.NEGATIVE_INFINITY;
    const noteChange = ({ instance, atMs }: { readonly instance: string; readonly atMs: number }) => {
      if (counting.has(map.instances.get(instance)?.role ?? '')) changedMs = atMs;
    };
    const isRemembered = (sinceMs: number, atMs: number) => Math.max(changedMs, atMs - links.forMs(atMs)) < sinceMs;

    const trunkOf = (provider: string, gate: string, username: string) => {
      const accounts = providers.get(provider)?.accounts.filter((each) => each.provider.username === username) ?? [];
      const [account] = accounts;
      if (account === undefined || accounts.length > 1) return undefined;
      return { name: `${account.key} at ${gate}`, most: account.provider.trunks };
    };
    const legsOf = new Map<string, Set<Leg>>();
    const others = (leg: Leg) => [...(legsOf.get(leg.trunk) ?? [])].filter((each) => each !== leg);
    /** Calls that its esg surely counts: answered before this one began, and not about to end. */
    const surelyCounted = (leg: Leg, atMs: number) =>
      others(leg).filter(
        ({ isAnswered, endedMs, beganMs }) => isAnswered && endedMs === undefined && isRemembered(beganMs, atMs),
      );
    /** Calls that it may count: the end of one may have been lost. */
    const possiblyCounted = (leg: Leg, atMs: number) =>
      others(leg).filter(
        ({ endedMs }) =>
          endedMs === undefined || atMs - endedMs <= quickMs || undisturbed.forMs(atMs) <= noticedMs + atMs - endedMs,
      );
    const mostOf = new Map<string, number>();
    const judgeTaken = (leg: Leg, atMs: number) => {
      const most = mostOf.get(leg.trunk) ?? Number.POSITIVE_INFINITY;
      const before = surelyCounted(leg, atMs).filter(({ beganMs }) => beganMs < leg.beganMs);
      check();
      if (before.length >= most)
        fail(`${leg.trunk} has ${most} trunks, and ${before.length} calls when it takes ${leg.callid}`);
    };
    const began = (request: SipRequest, trunk: ReturnType<typeof trunkOf>, isInward: boolean, atMs: number) => {
      const { callid } = request;
      if (trunk === undefined || legs.has(callid)) return;
      mostOf.set(trunk.name, trunk.most);
      const state = { isAnswered: false, endedMs: undefined, isPassedOn: false };
      const leg: Leg = { callid, trunk: trunk.name, isInward, beganMs: atMs, ...state };
      legs.set(callid, leg);
      legsOf.set(trunk.name, (legsOf.get(trunk.name) ?? new Set()).add(leg));
      if (!isInward) judgeTaken(leg, atMs);
    };
    const answered = ({ callid, status }: SipResponse, atMs: number) => {
      const leg = legs.get(callid);
      if (leg === undefined || leg.isAnswered || leg.endedMs !== undefined || status <= 100) return;
      if (status < 300) {
        if (leg.isInward) judgeTaken(leg, atMs);
        leg.isAnswered = status >= 200;
        return;
      }
      leg.endedMs = atMs;
      const isRefusedByGate = leg.isInward && status === busy && !leg.isPassedOn;
      if (!isRefusedByGate || undisturbed.forMs(atMs) <= noticedMs + atMs - leg.beganMs) return;
      const most = mostOf.get(leg.trunk) ?? 0;
      const going = possiblyCounted(leg, atMs).length;
      check();
      if (going < most) fail(`${leg.trunk} has ${most} trunks and ${going} calls, and refuses ${callid}`);
    };
    const passed = (message: SipMessage, from: string, to: string, atMs: number) => {
      const isInward = providers.has(from);
      const provider = isInward ? from : to;
      const gate = isInward ? to : from;
      if (!providers.has(provider) || !gates.has(gate)) return;
      const { method, callid, kind } = message;
      const leg = legs.get(callid);
      if (method === 'BYE' && leg !== undefined) leg.endedMs ??= atMs;
      if (kind === 'response') {
        if (leg?.isAnswered === true && (message.status === 408 || message.status === 481)) leg.endedMs ??= atMs;
        if (method === 'INVITE') answered(message, atMs);
      } else if (method === 'INVITE' && message.to.tag === undefined) {
        const username = userOf(isInward ? message.uri : message.from.uri);
        began(message, trunkOf(provider, gate, username), isInward, atMs);
      }
    };
    return {
      listeners: together(undisturbed.listeners, links.listeners, {
        'instance.status': noteChange,
        'instance.crashed': noteChange,
        'node.ended': ({ atMs }) => {
          changedMs = atMs;
        },
        'outside.sent': ({ from, to, message, atMs }) => passed(message, from, to, atMs),
        'envelope.sent': {
          sip: ({ envelope: { body } }) => {
            const { kind, method, callid } = body as SipMessage;
            const leg = kind === 'request' && method === 'INVITE' ? legs.get(callid) : undefined;
            if (leg !== undefined) leg.isPassedOn = true;
          },
        },
      }),
      tick: (nowMs) => {
        undisturbed.look(nowMs);
        for (const [callid, leg] of legs) {
          if (leg.beganMs >= nowMs - sipKeptMs) break;
          if ((leg.endedMs ?? nowMs) >= nowMs - sipKeptMs) continue;
          legs.delete(callid);
          legsOf.get(leg.trunk)?.delete(leg);
        }
      },
    };
  },
};
